use std::sync::Arc;

use hasse_model::value::{MAX_DEPTH, Matrix, StructShape, StructValue, Value};
use hasse_runtime::natives;
use hasse_runtime::natives::BodyError;

use super::support::Scripted;
use crate::hasse;
use crate::host::CallError;

/// One value of each kind, and some of those that are easily mistaken.
fn samples() -> Vec<Value> {
    let matrix = Matrix::from_columns(2, 1, vec![0.5, -1.5]).unwrap();
    let shape = StructShape { name: "Point".into(), fields: vec!["x".into(), "at".into()] };
    let ints = Value::Array(Arc::new(vec![Value::Int(1), Value::Int(2)]));
    let point = StructValue::new(Arc::new(shape), vec![Value::Char('x'), ints.clone()]).unwrap();
    let point = Value::Struct(Arc::new(point));
    vec![
        Value::Unit,
        Value::Bool(true),
        Value::Int(-7),
        Value::Int(300),
        Value::Int(i64::MAX),
        Value::Real(-0.0),
        Value::Char('\u{1F600}'),
        Value::String("".into()),
        Value::String("grün".into()),
        Value::Bytes(Arc::default()),
        Value::Bytes(Arc::new(vec![0, 255])),
        Value::Vector(Arc::default()),
        Value::Vector(Arc::new(vec![0.5; 12])),
        Value::Matrix(Arc::new(matrix)),
        Value::Matrix(Arc::new(Matrix::zeros(0, 5))),
        Value::Array(Arc::default()),
        ints,
        Value::Array(Arc::new(vec![Value::Int(1), Value::Real(0.5)])),
        Value::Array(Arc::new(vec![Value::Unit, Value::Bool(false)])),
        Value::Array(Arc::new(vec![Value::Vector(Arc::new(vec![1.0])), Value::Vector(Arc::default())])),
        Value::Array(Arc::new(vec![point.clone(), point.clone()])),
        point,
    ]
}

fn echo<T: hasse::FromValue + hasse::IntoValue>(context: &mut hasse::BodyContext<'_>) -> hasse::BodyResult {
    let value: T = context.take("in")?;
    context.set("out", value)
}

/// The guest makes of every value what the library `hasse` makes of it.
#[track_caller]
fn check<T: natives::FromValue>(
    body: fn(&mut hasse::BodyContext<'_>) -> hasse::BodyResult,
    into_value: impl Fn(T) -> Value,
) {
    for value in samples() {
        let mut context = Scripted::with("in", value.clone());
        let found = context.run(body).map(|()| context.names["out"].clone());
        match (T::from_value(value.clone()), found) {
            (Ok(expected), Ok(found)) => assert_eq!(found, into_value(expected)),
            (Err(expected), Err(CallError::Host(error))) => {
                let expected = BodyError::Mismatch { name: "in".to_owned(), mismatch: expected };
                assert_eq!(error.downcast_ref::<BodyError>(), Some(&expected));
            }
            (expected, found) => {
                panic!("{value}: {found:?} in place of {:?}", expected.map(into_value))
            }
        }
    }
}

macro_rules! check {
    ($($guest:ty = $host:ty),* $(,)?) => {
        $(check::<$host>(echo::<$guest>, natives::IntoValue::into_value);)*
    };
}

#[test]
fn the_guest_converts_as_the_library_does() {
    check!(i64 = i64, i32 = i32, u32 = u32, u8 = u8, f64 = f64, bool = bool, char = char, String = String);
    check!(Arc<str> = Arc<str>, Arc<Vec<u8>> = Arc<Vec<u8>>, Arc<Vec<f64>> = Arc<Vec<f64>>);
    check!(Arc<hasse::Matrix> = Arc<Matrix>, hasse::Matrix = Matrix, hasse::Value = Value);
    check!(Vec<u8> = Vec<u8>, Vec<f64> = Vec<f64>, Vec<i64> = Vec<i64>, Vec<Vec<f64>> = Vec<Vec<f64>>);
    check!(Option<i64> = Option<i64>, Vec<Option<bool>> = Vec<Option<bool>>, Vec<hasse::Value> = Vec<Value>);
}

#[test]
fn whole_numbers_of_other_ranges_are_taken() {
    fn unsigned(context: &mut hasse::BodyContext<'_>) -> hasse::BodyResult {
        let number: u64 = context.get("in")?;
        context.set("out", number as i64)
    }
    fn size(context: &mut hasse::BodyContext<'_>) -> hasse::BodyResult {
        let number: usize = context.get("in")?;
        context.set("out", number as i64)
    }
    check(unsigned, |number: u64| Value::Int(number as i64));
    check(size, |number: usize| Value::Int(number as i64));
}

#[test]
fn values_are_shown_as_the_host_shows_them() {
    let deep = nested(9);
    for value in samples().into_iter().chain([deep]) {
        let mut context = Scripted::with("in", value.clone());
        let shown = context.run(|context| {
            let value: hasse::Value = context.get("in")?;
            context.print(format_args!("{value} {}", value.type_name()));
            Ok(())
        });
        assert!(shown.is_ok());
        assert_eq!(context.lines, [format!("{value} {}", value.type_name())]);
    }
}

#[test]
fn a_context_has_all_that_the_library_has() {
    let mut context = Scripted::with("in", Value::Int(3));
    context.index = vec![4, -5];
    let ended = context.run(|context| {
        assert_eq!((context.index(), context.rule(), context.count()), (&[4, -5][..], 2, 7));
        assert!(context.is_set("in") && !context.is_set("other"));
        assert_eq!(context.random()?, 0.25);
        context.check_stop()?;
        context.print(format!("{}\nlines", 2));
        context.result("unit", ())?;
        context.result("text", "a")?;
        context.set("none", None::<i64>)?;
        let shown = format!("{context:?}");
        assert_eq!(shown, "BodyContext { index: [4, -5], count: 7, .. }");
        Ok(())
    });
    assert!(ended.is_ok());
    assert_eq!(context.lines, ["2\nlines"]);
    let results = [("unit".to_owned(), Value::Unit), ("text".to_owned(), Value::String("a".into()))];
    assert_eq!(context.results, results);
    assert_eq!(context.names["none"], Value::Unit);
}

#[test]
fn matrices_are_written_in_place() {
    let mut context = Scripted::with("in", Value::Matrix(Arc::new(Matrix::zeros(2, 2))));
    let ended = context.run(|context| {
        let mut matrix: hasse::Matrix = context.take("in")?;
        *matrix.get_mut(1, 0).ok_or("no such entry")? = 3.0;
        matrix.entries_mut()[3] = 4.0;
        assert_eq!((matrix.n_rows(), matrix.n_cols(), matrix.get(2, 0)), (2, 2, None));
        context.set("in", matrix)
    });
    assert!(ended.is_ok());
    let expected = Matrix::from_columns(2, 2, vec![0.0, 3.0, 0.0, 4.0]).unwrap();
    assert_eq!(context.names["in"], Value::Matrix(Arc::new(expected)));
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Int(1), |inner, _| Value::Array(Arc::new(vec![inner])))
}

#[test]
fn values_nest_as_deeply_as_the_host_allows() {
    assert_eq!(hasse::wire::MAX_DEPTH, MAX_DEPTH);
    let mut context = Scripted::with("in", nested(MAX_DEPTH));
    assert!(context.run(echo::<hasse::Value>).is_ok());
    assert_eq!(context.names["out"], nested(MAX_DEPTH));

    let too_deep = "value of arrays, maps and structs nested in more than 256 levels";
    let ended = Scripted::with("in", nested(MAX_DEPTH + 1)).run(echo::<hasse::Value>);
    assert!(matches!(ended, Err(CallError::Host(error)) if error.to_string() == too_deep));
    let ended = Scripted::with("in", nested(MAX_DEPTH)).run(|context| {
        let inner: hasse::Value = context.get("in")?;
        context.set("out", vec![inner])
    });
    assert!(matches!(ended, Err(CallError::Body(text)) if text == too_deep));
}

#[test]
fn what_the_host_does_not_have_is_told() {
    let ended = Scripted::default().run_nth(1, |_| Ok(()));
    assert!(matches!(ended, Err(CallError::Body(text)) if text == "the library has no body at position 1"));
}
