//! The edges of bodies: what a script has left is checked against the declared type, and what does not
//! fit is told with its place within the value and its line in the file.

use hasse_model::diagnostic::Location;
use hasse_model::plan::Script;
use hasse_model::value::{Type, Value, brief};
use rhai::{AST, ASTNode, Dynamic, Expr, Position, Stmt};

use crate::code_error::{CodeError, place};
use crate::convert::{StructObject, value_from_dynamic};
use crate::memory;

/// Maximum length in bytes of a value in an error.
pub const MAX_VALUE: usize = 200;

/// Most items at each end of an array or map in a var that are looked at when an event ends. All are looked
/// at when it is sent or shared: a long array that grows in a var would otherwise cost each event its
/// whole length.
const MOST_ITEMS_AT_END: usize = 32;

/// First part of a value that does not fit its declared type.
#[derive(Debug)]
pub struct Misfit {
    path: String,
    expected: String,
    found: String,
}

impl Misfit {
    /// Prepends a step to the path: the misfit of the enclosing value.
    fn within(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// Returns the message for a name of a type; `what` says what the name is, such as `var`.
    pub fn told_of(&self, what: &str, name: &str, ty: &Type) -> String {
        let help = match (self.expected.as_str(), self.found.split(' ').nth(1)) {
            ("int", Some("real")) => "; `to_int(x)` makes an int of a real, where `int(x)` gives a real",
            _ => "",
        };
        if self.path.is_empty() {
            format!("{what} `{name}` of type {ty} cannot hold {}{help}", self.found)
        } else {
            format!("{what} `{name}` of type {ty}: {}{help}", self.told(name))
        }
    }

    /// `` `b[3].row`: the string "x" is no int ``, for a value of the name.
    pub(crate) fn told(&self, name: &str) -> String {
        format!("`{name}{}`: {} is no {}", self.path, self.found, self.expected)
    }
}

/// Bytes that a value within a default value takes, about.
const BYTES_OF_DEFAULT: u64 = 48;

/// Returns the default value of a type, if the memory budget of an event has room for it.
///
/// # Errors
/// R0010: it has not, since struct types within struct types multiply.
pub fn default_of(ty: &Type, at: Location) -> Result<Value, CodeError> {
    let n_values = ty.n_default_values();
    memory::check_size(n_values.saturating_mul(BYTES_OF_DEFAULT)).map_err(|message| CodeError {
        code: "R0010",
        message: format!("the default value of type {ty} holds {n_values} values: {message}"),
        at,
    })?;
    Ok(ty.default_value())
}

/// Widens what is to be widened in place, and says what does not fit.
pub(crate) fn admit_held(ty: &Type, held: &mut Dynamic) -> Result<(), Misfit> {
    admit_ends(ty, held, usize::MAX)
}

/// Widens and checks the value of a var in place; of long arrays and maps only the ends are checked.
///
/// # Errors
/// The first part that does not fit.
#[inline]
pub fn admit_var(ty: &Type, held: &mut Dynamic) -> Result<(), Misfit> {
    admit_ends(ty, held, MOST_ITEMS_AT_END)
}

fn admit_ends(ty: &Type, held: &mut Dynamic, most_at_end: usize) -> Result<(), Misfit> {
    let fits = match ty {
        Type::Int => held.is_int(),
        Type::Real => {
            if let Ok(number) = held.as_int() {
                *held = Dynamic::from_float(number as f64);
            }
            held.is_float()
        }
        Type::Bool => held.is_bool(),
        Type::Char => held.is_char(),
        Type::String => held.is_string(),
        Type::Bytes => held.is_blob(),
        Type::Vector => held.is::<crate::convert::VectorValue>(),
        Type::Matrix => held.is::<crate::convert::MatrixValue>(),
        Type::Any => match value_from_dynamic(held) {
            Ok(_) => true,
            Err(found) => return Err(misfit(ty, format!("a {found}"))),
        },
        Type::Array(item_type) => match held.as_array_mut() {
            Ok(mut items) => {
                let n_items = items.len();
                let first = 0..n_items.min(most_at_end);
                let last = n_items.saturating_sub(most_at_end).max(first.end)..n_items;
                for item_idx in first.chain(last) {
                    admit_ends(item_type, &mut items[item_idx], most_at_end)
                        .map_err(|found| found.within(&format!("[{item_idx}]")))?;
                }
                true
            }
            Err(_) => false,
        },
        Type::Map(value_type) => match held.as_map_mut() {
            Ok(mut entries) => {
                let n_entries = entries.len();
                let admit_entry = |(key, value): (&rhai::Identifier, &mut Dynamic)| {
                    admit_ends(value_type, value, most_at_end)
                        .map_err(|found| found.within(&format!("[{key:?}]")))
                };
                let n_first = n_entries.min(most_at_end);
                entries.iter_mut().take(n_first).try_for_each(admit_entry)?;
                let n_last = (n_entries - n_first).min(most_at_end);
                entries.iter_mut().rev().take(n_last).try_for_each(admit_entry)?;
                true
            }
            Err(_) => false,
        },
        Type::Struct(of) => match held.write_lock::<StructObject>() {
            Some(mut object) if of.is_type_of(&object.shape) => {
                let shape = std::sync::Arc::clone(&object.shape);
                for ((field, ty), name) in object.fields.iter_mut().zip(of.field_types()).zip(&shape.fields) {
                    admit_ends(&ty, field, most_at_end).map_err(|found| found.within(&format!(".{name}")))?;
                }
                true
            }
            _ => false,
        },
    };
    if fits { Ok(()) } else { Err(misfit(ty, shown(held))) }
}

fn misfit(ty: &Type, found: String) -> Misfit {
    Misfit { path: String::new(), expected: ty.to_string(), found }
}

/// `the string "a"`, `a map`
fn shown(held: &Dynamic) -> String {
    value_from_dynamic(held).map_or_else(|found| format!("a {found}"), |value| value_shown(&value))
}

/// `the string "a"`
pub(crate) fn value_shown(value: &Value) -> String {
    let shown = brief(value, MAX_VALUE);
    match value {
        Value::Unit | Value::Struct(_) => shown,
        // These begin with the name of their type.
        Value::Bytes(_) | Value::Vector(_) | Value::Matrix(_) => format!("the {shown}"),
        _ => format!("the {} {shown}", value.type_name()),
    }
}

/// Converts what a body left to a value of the type. `what` and `name` name it in the error.
///
/// # Errors
/// R0003: it does not fit.
#[inline]
pub fn admit(held: &Dynamic, ty: &Type, what: &str, name: &str, at: Location) -> Result<Value, CodeError> {
    let error = |message| CodeError { code: "R0003", message, at };
    let value = value_from_dynamic(held)
        .map_err(|found| error(format!("{what} `{name}` of type {ty} cannot hold a {found}")))?;
    if ty.admits_unchanged(&value) {
        return Ok(value);
    }
    match ty.mismatch(&value) {
        None => {
            let message = format!("{what} `{name}` of type {ty} cannot hold {}", value_shown(&value));
            ty.admit(value).ok_or_else(|| error(message))
        }
        Some(found) => {
            let mut message = format!("{what} `{name}` of type {ty} cannot hold {}", value_shown(&value));
            if !found.path.is_empty() {
                let (found_shown, expected) = (value_shown(&found.found), &found.expected);
                message.push_str(&format!(": `{name}{}`: {found_shown} is no {expected}", found.path));
            }
            Err(error(message))
        }
    }
}

/// Returns the location of the last assignment to a name in a script, or of the script's beginning.
pub fn last_assignment(ast: &AST, script: &Script, name: &str) -> Location {
    let mut last: Option<Position> = None;
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        if let Some(ASTNode::Stmt(Stmt::Assignment(parts))) = path.last()
            && let Some((root, position)) = root_of(&parts.1.lhs)
            && root == name
        {
            last = Some(position);
        }
        true
    });
    last.map_or(script.at, |position| place(script, position))
}

fn root_of(target: &Expr) -> Option<(&str, Position)> {
    match target {
        Expr::Variable(variable, _, position) => Some((variable.1.as_str(), *position)),
        Expr::Dot(parts, ..) | Expr::Index(parts, ..) => root_of(&parts.lhs),
        _ => None,
    }
}
