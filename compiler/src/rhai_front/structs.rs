//! Functions that come with types: a constructor and a conversion for each struct type, and the
//! conversions from `any` to the built-in types.

use std::sync::Arc;

use hasse_model::value::{StructTable, Type};

/// Conversions to the built-in types. Items of arrays and values of maps are not looked at.
const CONVERSIONS: [&str; 10] = [
    "as_array",
    "as_bool",
    "as_bytes",
    "as_char",
    "as_int",
    "as_map",
    "as_matrix",
    "as_real",
    "as_string",
    "as_vector",
];

/// Whether a name is that of a conversion to a built-in type.
pub(crate) fn is_conversion(name: &str) -> bool {
    CONVERSIONS.contains(&name)
}

/// The conversion to a type.
pub(crate) fn conversion(ty: &Type) -> String {
    match ty {
        Type::Array(_) => "as_array".to_owned(),
        Type::Map(_) => "as_map".to_owned(),
        _ => format!("as_{ty}"),
    }
}

/// How many arguments a function takes that comes with a struct type.
pub(crate) fn arity(structs: &StructTable, name: &str) -> Option<usize> {
    structs.defs().iter().find_map(|def| {
        let is_constructor = name == &*def.shape.name;
        let is_conversion = || name.strip_prefix("as_") == Some(&def.shape.name);
        is_constructor.then_some(def.types.len()).or_else(|| is_conversion().then_some(1))
    })
}

/// The names of all functions that come with struct types.
pub(crate) fn function_names(structs: &StructTable) -> Vec<String> {
    let names = structs.defs().iter().map(|def| &def.shape.name);
    names.flat_map(|name| [name.to_string(), format!("as_{name}")]).collect()
}

/// The type of what a call gives, where its name tells.
pub(crate) fn result_type(structs: &Arc<StructTable>, name: &str, n_arguments: usize) -> Option<Type> {
    if arity(structs, name) == Some(n_arguments) {
        return structs
            .get(name.strip_prefix("as_").unwrap_or(name))
            .or_else(|| structs.get(name))
            .map(Type::Struct);
    }
    match (name, n_arguments) {
        ("as_bool", 1) => Some(Type::Bool),
        ("as_bytes", 1) => Some(Type::Bytes),
        ("as_char", 1) => Some(Type::Char),
        ("as_int", 1) => Some(Type::Int),
        ("as_matrix", 1) => Some(Type::Matrix),
        ("as_real", 1) => Some(Type::Real),
        ("as_string" | "type_name", 1) => Some(Type::String),
        ("as_vector", 1) => Some(Type::Vector),
        // Rhai's own, which cuts off the fraction of a real number.
        ("int", 1) => Some(Type::Real),
        ("to_int", 1) => Some(Type::Int),
        ("to_float", 1) => Some(Type::Real),
        _ => None,
    }
}
