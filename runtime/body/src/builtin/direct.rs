//! Functions of the library that lowered code calls without an interpreter: those of ours that work on numbers, truth values,
//! vectors, matrices and arrays alone. They are the very functions that the interpreter calls.

use std::sync::Arc;

use hasse_model::function::FunctionTable;
use hasse_model::plan::routine::LibraryFunction;
use hasse_routine::Library;

use super::common;
use super::direct_function::Direct;

/// Adds all of them to what the compiler knows.
pub(crate) fn tell(table: &mut FunctionTable) {
    for direct in common::direct() {
        if let Some(signature) = direct.signature() {
            table.add_library(&direct.name, signature);
        }
    }
}

/// A function as lowered code calls it; `None` where there is none of that name and signature.
pub fn function(wanted: &LibraryFunction) -> Option<&'static Arc<Library>> {
    let is_it = |direct: &&Direct| {
        direct.name == wanted.name && direct.signature().as_ref() == Some(&wanted.signature)
    };
    common::direct().iter().find(is_it).map(|direct| &direct.function)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use hasse_model::value::{Type, Value};

    use super::*;
    use crate::library;

    /// Lowered code takes what gives something to leave its arguments alone, and what gives nothing to change its first one.
    #[test]
    fn what_changes_an_argument_gives_nothing() {
        for direct in common::direct() {
            let Some(row) = library::find(&direct.name) else {
                let is_operator = !direct.name.starts_with(char::is_alphabetic);
                let is_shown = matches!(&*direct.name, "to_string" | "to_debug");
                assert!(is_operator || is_shown, "{} is not in the table", direct.name);
                assert_eq!(
                    direct.gives.is_none(),
                    direct.name.ends_with("=") && !["==", "!=", "<=", ">="].contains(&&*direct.name)
                );
                continue;
            };
            assert_eq!(direct.gives.is_none(), row.doc.contains("in place"), "{}: {}", direct.name, row.doc);
        }
    }

    #[test]
    fn the_first_argument_is_changed_and_given_back() {
        let mut table = FunctionTable::default();
        tell(&mut table);
        let types = [Type::Vector, Type::Vector];
        let signature = table.library("append", &types).unwrap().clone();
        let append =
            function(&LibraryFunction { name: "append".into(), signature, is_native: false }).unwrap();
        let vector = |entries: &[f64]| Value::Vector(Arc::new(entries.to_vec()));
        let mut arguments = [vector(&[1.0]), vector(&[2.0])];
        assert_eq!(append(&mut arguments), Some(Value::Unit));
        assert_eq!(arguments[0], vector(&[1.0, 2.0]));
        let signature = table.library("+", &types).unwrap().clone();
        let sum = function(&LibraryFunction { name: "+".into(), signature, is_native: false }).unwrap();
        assert_eq!(sum(&mut [vector(&[1.0]), vector(&[2.0])]), Some(vector(&[3.0])));
        assert_eq!(sum(&mut [vector(&[1.0]), vector(&[2.0, 3.0])]), None);
    }
}
