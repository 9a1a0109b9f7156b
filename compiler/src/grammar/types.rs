//! Types (`int`, `real[][]`, `Block[]`), port keys (`p`, `p[i, j]`) and declarations (`int = 4`).

use std::sync::Arc;

use hasse_model::value::{StructTable, Type};

use super::{Cursor, Fault};
use crate::suggest;
use crate::text::Excerpt;

/// The names of all types that are neither arrays nor structs.
pub(crate) const TYPE_NAMES: [&str; 9] =
    ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "any"];

/// Most `[]` behind a type's name.
const MOST_BRACKETS: usize = 16;

/// `TYPE` or `TYPE = EXPR`.
pub(crate) struct Declaration<'t> {
    pub(crate) ty: Excerpt<'t>,
    pub(crate) default: Option<Excerpt<'t>>,
}

/// Cuts a declaration at its first `=`.
pub(crate) fn declaration<'t>(whole: &Excerpt<'t>) -> Declaration<'t> {
    let n_bytes = whole.as_str().len();
    match whole.as_str().find('=') {
        Some(sign) => Declaration { ty: whole.part(0..sign), default: Some(whole.part(sign + 1..n_bytes)) },
        None => Declaration { ty: whole.part(0..n_bytes), default: None },
    }
}

/// A type's name and the number of `[]` behind it.
pub(crate) struct TypeText<'t> {
    pub(crate) name: &'t str,
    pub(crate) n_brackets: usize,
}

/// Reads a type without looking its name up.
pub(crate) fn parse_type_text<'t>(whole: &Excerpt<'t>) -> Result<TypeText<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    let name = cursor.word("a type")?.as_str();
    let mut n_brackets = 0;
    while cursor.take("[") {
        cursor.expect("]")?;
        if n_brackets == MOST_BRACKETS {
            return Err(cursor.fault(format!("expected at most {MOST_BRACKETS} `[]`")));
        }
        n_brackets += 1;
    }
    cursor.finish()?;
    Ok(TypeText { name, n_brackets })
}

/// The type of a name that is built in.
pub(crate) fn plain_type(name: &str) -> Option<Type> {
    Some(match name {
        "int" => Type::Int,
        "real" => Type::Real,
        "bool" => Type::Bool,
        "char" => Type::Char,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "vector" => Type::Vector,
        "matrix" => Type::Matrix,
        "any" => Type::Any,
        _ => return None,
    })
}

/// The fault of a name that is no type.
pub(crate) fn unknown_type<'n>(
    whole: &Excerpt<'_>,
    name: &str,
    structs: impl IntoIterator<Item = &'n str>,
) -> Fault {
    let help = suggest::help(name, "types", structs.into_iter().chain(TYPE_NAMES));
    let message = format!("there is no type `{name}`; {help}");
    Fault { range: 0..whole.as_str().len(), message }
}

/// Reads a type.
pub(crate) fn parse_type(whole: &Excerpt<'_>, structs: &Arc<StructTable>) -> Result<Type, Fault> {
    let text = parse_type_text(whole)?;
    let base = plain_type(text.name).or_else(|| structs.get(text.name).map(Type::Struct));
    let base = base
        .ok_or_else(|| unknown_type(whole, text.name, structs.defs().iter().map(|def| &*def.shape.name)))?;
    Ok((0..text.n_brackets).fold(base, |ty, _| Type::Array(Box::new(ty))))
}

/// A port's name and the names of the index numbers of its family.
pub(crate) struct PortKey<'t> {
    pub(crate) name: Excerpt<'t>,
    pub(crate) indices: Vec<Excerpt<'t>>,
}

/// Reads a port key.
pub(crate) fn parse_port_key<'t>(whole: &Excerpt<'t>) -> Result<PortKey<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    let name = cursor.word("the name of a port")?;
    let indices = cursor.indices()?;
    cursor.finish()?;
    Ok(PortKey { name, indices })
}
