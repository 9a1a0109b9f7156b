use std::error::Error;
use std::fmt;

use hasse_model::value::Value;
use hasse_runtime::natives::{BodyError, Mismatch};

use super::support::Scripted;
use crate::host::CallError;

/// The error of the context by which a body fails.
fn of_context(ended: Result<(), CallError>) -> BodyError {
    match ended {
        Err(CallError::Host(error)) => *error.downcast().unwrap(),
        other => panic!("an error of the context is expected: {other:?}"),
    }
}

fn own(ended: Result<(), CallError>) -> String {
    match ended {
        Err(CallError::Body(text)) => text,
        other => panic!("an error of the body is expected: {other:?}"),
    }
}

#[test]
fn errors_of_the_context_come_back_as_they_were() {
    let ended = Scripted::default().run(|context| context.get::<i64>("x").map(|_| ()));
    assert_eq!(of_context(ended), BodyError::UnknownName { name: "x".to_owned() });

    let ended = Scripted::default().run(|context| context.set("locked", 3_i64));
    assert_eq!(of_context(ended), BodyError::ReadOnly { name: "locked".to_owned(), what: "an index name" });

    let mut stopped = Scripted { is_stopped: true, ..Scripted::default() };
    assert_eq!(of_context(stopped.run(|context| context.check_stop())), BodyError::Interrupted);
}

#[test]
fn a_value_of_another_type_is_an_error_of_the_context() {
    let ended = Scripted::with("x", Value::Real(0.5)).run(|context| context.take::<i64>("x").map(|_| ()));
    let mismatch = Mismatch { expected: "int".to_owned(), found: "the real 0.5".to_owned() };
    assert_eq!(of_context(ended), BodyError::Mismatch { name: "x".to_owned(), mismatch });
}

#[test]
fn a_body_reads_errors_and_may_hand_on_an_earlier_one() {
    let ended = Scripted::default().run(|context| {
        let first = context.get::<i64>("a");
        let second = context.get::<i64>("b");
        let text = second.map_err(|error| error.to_string());
        assert_eq!(text, Err("the node has no name `b`".to_owned()));
        first.map(|_| ())
    });
    assert_eq!(of_context(ended), BodyError::UnknownName { name: "a".to_owned() });
}

#[test]
fn of_an_error_long_ago_the_text_is_left() {
    let ended = Scripted::default().run(|context| {
        let first = context.get::<i64>("a");
        (0..16).for_each(|_| drop(context.get::<i64>("b")));
        first.map(|_| ())
    });
    assert_eq!(own(ended), "the node has no name `a`");
}

#[test]
fn a_body_that_goes_on_after_an_error_has_not_failed() {
    let mut context = Scripted::default();
    let ended = context.run(|context| {
        let number = context.get::<i64>("a").unwrap_or(5);
        context.set("b", number)
    });
    assert!(ended.is_ok());
    assert_eq!(context.names["b"], Value::Int(5));
}

#[derive(Debug)]
struct Outer(Box<dyn Error + Send + Sync>);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "outside")
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

#[test]
fn an_error_of_the_body_has_its_sources() {
    assert_eq!(own(Scripted::default().run(|_| Err("plain".into()))), "plain");
    let ended = Scripted::default().run(|context| {
        let inner = context.get::<i64>("x").map_err(|error| Outer(Outer(error).into()))?;
        context.set("y", inner)
    });
    assert_eq!(own(ended), "outside: outside: the node has no name `x`");
}
