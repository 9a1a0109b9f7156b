//! Types (`int`, `real[][]`), port keys (`p`, `p[i, j]`) and declarations (`int = 4`).

use hasse_model::value::Type;

use super::{Cursor, Fault};
use crate::suggest;
use crate::text::Excerpt;

/// The names of all types that are not arrays.
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

/// Reads a type.
pub(crate) fn parse_type(whole: &Excerpt<'_>) -> Result<Type, Fault> {
    let mut cursor = Cursor::new(whole);
    let name = cursor.word("a type")?;
    let mut ty = match name.as_str() {
        "int" => Type::Int,
        "real" => Type::Real,
        "bool" => Type::Bool,
        "char" => Type::Char,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "vector" => Type::Vector,
        "matrix" => Type::Matrix,
        "any" => Type::Any,
        other => {
            let help = suggest::help(other, "types", TYPE_NAMES);
            let message = format!("there is no type `{other}`; {help}");
            return Err(Fault { range: 0..whole.as_str().len(), message });
        }
    };
    for n_brackets in 0.. {
        if !cursor.take("[") {
            break;
        }
        cursor.expect("]")?;
        if n_brackets == MOST_BRACKETS {
            return Err(cursor.fault(format!("expected at most {MOST_BRACKETS} `[]`")));
        }
        ty = Type::Array(Box::new(ty));
    }
    cursor.finish()?;
    Ok(ty)
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
