use std::fmt;
use std::panic::{catch_unwind, panic_any};

use hasse_model::value::Value;

use super::support::Scripted;
use crate::hasse::Matrix;
use crate::host::CallError;

/// Message, line and column.
fn panic_of(ended: Result<(), CallError>) -> (String, u32, u32) {
    match ended {
        Err(CallError::Panic { message, line, column }) => (message, line, column),
        other => panic!("a panic is expected: {other:?}"),
    }
}

#[test]
fn a_panic_has_message_line_and_column() {
    let (ended, line) = (Scripted::default().run(|_| panic!("plain")), line!());
    assert_eq!(panic_of(ended), ("plain".to_owned(), line, 54));

    let mut context = Scripted::with("x", Value::Int(0));
    let ended = context.run(|context| {
        let divisor: i64 = context.get("x")?;
        context.set("x", 1 / divisor)
    });
    assert_eq!(panic_of(ended), ("attempt to divide by zero".to_owned(), line + 6, 26));
    assert!(context.run(|context| context.set("x", 1_i64)).is_ok(), "the next call is sound");
}

#[test]
fn a_panic_of_std_stands_where_the_body_calls() {
    let (ended, line) = (Scripted::default().run(|_| Err("x".parse::<i64>().unwrap_err().into())), line!());
    assert!(matches!(ended, Err(CallError::Body(text)) if text == "invalid digit found in string"));
    let ended = Scripted::default().run(|context| {
        let none = context.get::<i64>("x").ok();
        context.set("x", none.expect("a number"))
    });
    assert_eq!(panic_of(ended), ("a number".to_owned(), line + 4, 31));
    let ended = Scripted::default().run(|context| context.set("x", Matrix::zeros(usize::MAX, 2)));
    assert_eq!(panic_of(ended), ("matrix size fits in memory".to_owned(), line + 7, 68));
}

#[test]
fn a_panic_in_another_file_has_no_line() {
    let ended = Scripted::default().run(|_| {
        let shape = crate::hasse::structs::shape("Pair", &["a", "b"]);
        drop(crate::hasse::structs::value(&shape, Vec::new()));
        Ok(())
    });
    assert_eq!(panic_of(ended), ("one value for each field".to_owned(), 0, 0));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

struct PanicsWhenShown;

impl fmt::Display for PanicsWhenShown {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("shown");
    }
}

impl fmt::Debug for PanicsWhenShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PanicsWhenShown")
    }
}

impl std::error::Error for PanicsWhenShown {}

#[test]
fn whatever_panics_stays_in_the_library() {
    let odd = Scripted::default().run(|_| panic_any(PanicsWhenDropped));
    assert_eq!(panic_of(odd).0, "no message");
    assert_eq!(panic_of(Scripted::default().run(|_| Err(PanicsWhenShown.into()))).0, "shown");
    let printed = Scripted::default().run(|context| {
        context.print(PanicsWhenShown);
        Ok(())
    });
    assert_eq!(panic_of(printed).0, "shown");
}

#[test]
fn a_body_may_catch_its_panics() {
    let ended = Scripted::default().run(|_| {
        let caught = catch_unwind(|| panic!("inside"));
        caught.map_err(|_| "caught".into())
    });
    assert!(matches!(ended, Err(CallError::Body(text)) if text == "caught"));
}

#[test]
fn a_panic_of_the_context_is_an_error() {
    let of_context = |ended: Result<(), CallError>| match ended {
        Err(CallError::Host(error)) => error.to_string(),
        other => panic!("an error of the context is expected: {other:?}"),
    };
    let ended = Scripted::default().run(|context| context.get::<i64>("panic").map(|_| ()));
    assert!(of_context(ended).starts_with("the context of a body panicked: "));
    let mut context = Scripted::default();
    let ended = context.run(|context| {
        context.print("panic");
        context.set("x", context.is_set("panic"))
    });
    assert!(of_context(ended).starts_with("the context of a body panicked: "));
    assert_eq!(context.names["x"], Value::Bool(false), "the body has gone on");
}
