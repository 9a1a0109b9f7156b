//! One declaration, in the library and in the guest.

use std::sync::Arc;

use hasse_model::value::{StructShape, StructValue, Value};
use hasse_runtime::natives::FromValue;

use super::support::Scripted;
use crate::host::CallError;

macro_rules! declare {
    ($($structs:tt)*) => {
        mod library {
            hasse_runtime::structs! { $($structs)* }
        }
        mod guest {
            crate::hasse::structs! { $($structs)* }
        }
    };
}

declare! {
    pub(super) struct Nothing {}

    /// A row of a matrix.
    pub(super) struct Block {
        /// Its number.
        pub(super) row: i64,
        pub(super) r#type: Option<String>,
        pub(super) rhs: Vec<f64>,
    }

    pub(super) struct Tree { pub(super) at: Block, pub(super) nothing: Nothing, pub(super) below: Vec<Tree> }
}

fn of(name: &str, fields: &[(&str, Value)]) -> Value {
    let names = fields.iter().map(|(name, _)| Arc::from(*name)).collect();
    let shape = StructShape { name: name.into(), fields: names };
    let values = fields.iter().map(|(_, value)| value.clone()).collect();
    Value::Struct(Arc::new(StructValue::new(Arc::new(shape), values).unwrap()))
}

fn tree(row: i64, below: Vec<Value>) -> Value {
    let ty = if row == 0 { Value::Unit } else { Value::String("x".into()) };
    let rhs = Value::Vector(Arc::new(vec![0.5]));
    let block = of("Block", &[("row", Value::Int(row)), ("type", ty), ("rhs", rhs)]);
    let below = Value::Array(Arc::new(below));
    of("Tree", &[("at", block), ("nothing", of("Nothing", &[])), ("below", below)])
}

#[test]
fn structs_go_to_the_guest_and_back() {
    let mut context = Scripted::with("in", tree(0, vec![tree(3, vec![]), tree(4, vec![])]));
    let ended = context.run(|context| {
        let mut tree: guest::Tree = context.take("in")?;
        assert_eq!((tree.at.r#type.as_deref(), tree.below[0].at.r#type.as_deref()), (None, Some("x")));
        tree.below.pop();
        tree.below[0].at.row += 1;
        assert_eq!(tree.nothing, guest::Nothing {});
        context.set("out", tree)
    });
    assert!(ended.is_ok());
    let expected = tree(0, vec![tree(4, vec![])]);
    assert_eq!(context.names["out"], expected);
    let of_library = library::Tree::from_value(expected).unwrap();
    assert_eq!(of_library.below[0].at, library::Block { row: 4, r#type: Some("x".into()), rhs: vec![0.5] });
}

#[test]
fn what_does_not_fit_is_named_as_in_the_library() {
    #[track_caller]
    fn check<T: FromValue>(
        value: Value,
        body: fn(&mut crate::hasse::BodyContext<'_>) -> crate::hasse::BodyResult,
    ) {
        let expected = T::from_value(value.clone()).err().map(|mismatch| mismatch.to_string()).unwrap();
        match Scripted::with("in", value).run(body) {
            Err(CallError::Host(error)) => assert_eq!(error.to_string(), format!("`in`: {expected}")),
            other => panic!("an error of the context is expected: {other:?}"),
        }
    }
    for value in [Value::Unit, Value::Int(3), of("Tree", &[]), of("Other", &[]), tree(0, vec![Value::Int(3)])]
    {
        check::<library::Tree>(value.clone(), |context| context.get::<guest::Tree>("in").map(|_| ()));
        check::<Vec<Vec<library::Tree>>>(Value::Array(Arc::new(vec![value])), |context| {
            context.get::<Vec<Vec<guest::Tree>>>("in").map(|_| ())
        });
    }
    check::<library::Nothing>(of("Nothing", &[("x", Value::Unit)]), |context| {
        context.get::<guest::Nothing>("in").map(|_| ())
    });
}
