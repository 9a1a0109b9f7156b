//! Types (`int`, `real[][]`, `Block[]`), port keys (`p`, `p[i, j]`) and declarations (`int = 4`).

use std::sync::Arc;

use hasse_model::name::is_of_name;
use hasse_model::value::{StructTable, Type};

use super::{Cursor, Fault};
use crate::suggest;
use crate::text::Excerpt;

/// Names of the built-in types, without arrays and maps.
pub(crate) const TYPE_NAMES: [&str; 9] =
    ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "any"];

/// Keyword of map types.
pub(crate) const MAP: &str = "map";

/// Maximum nesting of arrays and maps in a type.
const MOST_LEVELS: usize = 16;

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

/// A parsed type whose names are not resolved.
pub(crate) enum TypeText<'t> {
    /// A type's name.
    Name(&'t str),
    /// `T[]`
    Array(Box<TypeText<'t>>),
    /// `map[string]T`
    Map(Box<TypeText<'t>>),
}

impl<'t> TypeText<'t> {
    /// Resolves the names, and builds the type.
    pub(crate) fn build<T>(
        &self,
        named: &impl Fn(&'t str) -> Result<T, Fault>,
        array: fn(Box<T>) -> T,
        map: fn(Box<T>) -> T,
    ) -> Result<T, Fault> {
        Ok(match self {
            Self::Name(name) => named(name)?,
            Self::Array(items) => array(Box::new(items.build(named, array, map)?)),
            Self::Map(values) => map(Box::new(values.build(named, array, map)?)),
        })
    }
}

/// Parses a type without resolving its names.
pub(crate) fn parse_type_text<'t>(whole: &Excerpt<'t>) -> Result<TypeText<'t>, Fault> {
    let all = 0..whole.as_str().len();
    if let Some(array) = foreign_array(whole.as_str()) {
        let message = format!("an array is written with brackets after its items' type: `{array}`");
        return Err(Fault { range: all, message });
    }
    if let Some(map) = foreign_map(whole.as_str()) {
        let message = format!("a map type is written `{map}`");
        return Err(Fault { range: all, message });
    }
    let mut cursor = Cursor::new(whole);
    let text = type_below(&mut cursor, MOST_LEVELS)?;
    cursor.finish()?;
    Ok(text)
}

/// Parses `NAME`, `map[string]T` or `(T)`, and the brackets after it.
fn type_below<'t>(cursor: &mut Cursor<'t>, mut levels_left: usize) -> Result<TypeText<'t>, Fault> {
    let mut descend = |cursor: &Cursor<'_>| match levels_left.checked_sub(1) {
        Some(left) => {
            levels_left = left;
            Ok(left)
        }
        None => Err(cursor.fault(format!("arrays and maps nest deeper than {MOST_LEVELS} levels"))),
    };
    let mut text = if cursor.take("(") {
        let inner = type_below(cursor, descend(cursor)?)?;
        cursor.expect(")")?;
        inner
    } else {
        let name = cursor.word("a type")?.as_str();
        let is_map = name.eq_ignore_ascii_case(MAP) && name != MAP;
        if is_map && cursor.whole.as_str().to_ascii_lowercase().contains("map[string]") {
            return Err(cursor.fault("a map is written `map[string]T`, such as `map[string]int`".to_owned()));
        }
        if name == MAP {
            let left = descend(cursor)?;
            key_type(cursor)?;
            // Brackets that follow belong to the type of the values.
            return Ok(TypeText::Map(Box::new(type_below(cursor, left)?)));
        }
        TypeText::Name(name)
    };
    while cursor.take("[") {
        cursor.expect("]")?;
        descend(cursor)?;
        text = TypeText::Array(Box::new(text));
    }
    Ok(text)
}

/// Parses `[string]`.
fn key_type(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    if !cursor.take("[") {
        let message =
            "expected `[string]`: a map type names the types of keys and values, such as `map[string]int`";
        return Err(cursor.fault(message.to_owned()));
    }
    if !cursor.take("string") {
        let message = "expected `string`: the keys of a map are strings; convert others with `to_string`";
        return Err(cursor.fault(message.to_owned()));
    }
    cursor.expect("]")
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
            "{}; `T[]` is an array, `map[string]T` a map, and `[type.Name]` in the file declares a struct type",
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
        "dict" | "dictionary" | "hashmap" | "table" => {
            "a map is written `map[string]T`, such as `map[string]int`"
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

/// The notation for a map type that is written as in other languages: `map<string, int>`, `{string: int}`,
/// `Dict[str, int]`.
fn foreign_map(text: &str) -> Option<String> {
    let text = text.trim();
    let (inner, end) = match text.strip_prefix('{') {
        Some(inner) => (inner, '}'),
        None => {
            let open = text.find(['<', '['])?;
            let is_map = matches!(
                text[..open].trim().to_ascii_lowercase().as_str(),
                "map" | "dict" | "hashmap" | "btreemap" | "dictionary"
            );
            let end = if text[open..].starts_with('<') { '>' } else { ']' };
            (is_map.then(|| &text[open + 1..])?, end)
        }
    };
    let (_, value) = inner.strip_suffix(end)?.split_once([',', ':'])?;
    let value = Some(value.trim()).filter(|value| !value.is_empty() && value.chars().all(is_of_name))?;
    Some(format!("map[string]{value}"))
}

/// Reads a type.
pub(crate) fn parse_type(whole: &Excerpt<'_>, structs: &Arc<StructTable>) -> Result<Type, Fault> {
    let named = |name: &str| {
        let known = plain_type(name).or_else(|| structs.get(name).map(Type::Struct));
        known.ok_or_else(|| unknown_type(whole, name, structs.defs().iter().map(|def| &*def.shape.name)))
    };
    parse_type_text(whole)?.build(&named, Type::Array, Type::Map)
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
