use std::sync::Arc;

use hasse_model::value::{Matrix, StructShape, StructValue, Value};
use proptest::prelude::*;

use super::support::Scripted;
use crate::hasse;

/// Few cases under Miri, which takes long for each and has no files.
pub(super) fn cases() -> ProptestConfig {
    let cases = if cfg!(miri) { 8 } else { 256 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Values without those that are not equal to themselves.
pub(super) fn values() -> impl Strategy<Value = Value> {
    let number = || any::<f64>().prop_filter("equal to itself", |number| !number.is_nan());
    let matrix = (0_usize..4, 0_usize..4).prop_flat_map(move |(n_rows, n_cols)| {
        let entries = prop::collection::vec(number(), n_rows * n_cols);
        entries.prop_map(move |entries| Matrix::from_columns(n_rows, n_cols, entries).unwrap())
    });
    let leaf = prop_oneof![
        Just(Value::Unit),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        number().prop_map(Value::Real),
        any::<char>().prop_map(Value::Char),
        any::<String>().prop_map(|text| Value::String(text.into())),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(|bytes| Value::Bytes(Arc::new(bytes))),
        prop::collection::vec(number(), 0..9).prop_map(|entries| Value::Vector(Arc::new(entries))),
        matrix.prop_map(|matrix| Value::Matrix(Arc::new(matrix))),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..4);
        let fields = prop::collection::vec(("[a-c]", inner), 0..4);
        prop_oneof![
            items.prop_map(|items| Value::Array(Arc::new(items))),
            ("[A-C]", fields).prop_map(|(name, fields)| {
                let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
                let fields = names.into_iter().map(Arc::from).collect();
                let shape = Arc::new(StructShape { name: name.into(), fields });
                Value::Struct(Arc::new(StructValue::new(shape, values).unwrap()))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn every_value_goes_there_and_back(value in values()) {
        let mut context = Scripted::with("in", value.clone());
        let ended = context.run(|context| {
            let value: hasse::Value = context.get("in")?;
            let of_clone = format!("{}", value.clone());
            context.result("shown", of_clone)?;
            context.set("out", value)
        });
        prop_assert!(ended.is_ok());
        prop_assert_eq!(&context.names["out"], &value);
        prop_assert_eq!(&context.results[0].1, &Value::String(value.to_string().into()));
    }
}
