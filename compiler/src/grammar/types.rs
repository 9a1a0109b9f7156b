//! Types (`int`, `real[][]`, `Block[]`), port keys (`p`, `p[i, j]`) and declarations (`int = 4`).

use std::sync::Arc;

use hasse_model::name::is_of_name;
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
    if let Some(array) = foreign_array(whole.as_str()) {
        let message = format!("an array is written with brackets after its items' type: `{array}`");
        return Err(Fault { range: 0..whole.as_str().len(), message });
    }
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
    structs: impl IntoIterator<Item = &'n str, IntoIter: Clone>,
) -> Fault {
    let known = structs.into_iter().chain(TYPE_NAMES);
    let help = match (meant(name), suggest::nearest(name, known.clone())) {
        (Some(meant), _) => meant.to_owned(),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => format!(
            "{}; `T[]` is an array, and `[type.Name]` in the file declares a struct type",
            suggest::help(name, "types", known)
        ),
    };
    let message = format!("there is no type `{name}`; {help}");
    Fault { range: 0..whole.as_str().len(), message }
}

/// The way to write here what types of other languages stand for.
fn meant(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "integer" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "isize" | "usize"
        | "long" | "short" => "did you mean `int`?",
        "float" | "double" | "f32" | "f64" | "number" | "decimal" => "did you mean `real`?",
        "boolean" => "did you mean `bool`?",
        "str" | "text" => "did you mean `string`?",
        "blob" | "bytearray" => "did you mean `bytes`?",
        "object" | "dynamic" | "value" | "json" => "did you mean `any`?",
        "map" | "dict" | "dictionary" | "hashmap" => {
            "declare a struct type, `[type.Name]`; a map travels as an array of structs, or as text by `to_json`"
        }
        "list" | "array" | "vec" | "slice" => "an array is written `T[]`, such as `int[]`",
        "struct" | "record" | "tuple" => "declare a struct type, `[type.Name]`, and write its name",
        _ => return None,
    })
}

/// The way to write an array that is spelled as in other languages: `[]int`, `[int]`, `list<int>`, `Vec<int>`.
fn foreign_array(text: &str) -> Option<String> {
    let text = text.trim();
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(is_of_name);
    let before = text.strip_prefix("[]").map(str::trim);
    let within = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim);
    let generic = text.split_once('<').and_then(|(outer, rest)| {
        let is_list =
            matches!(outer.trim().to_ascii_lowercase().as_str(), "list" | "array" | "vec" | "sequence");
        rest.strip_suffix('>').map(str::trim).filter(|_| is_list)
    });
    let item = before.or(within).or(generic).filter(is_word)?;
    Some(format!("{item}[]"))
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
