use std::sync::Arc;

use hasse_model::value::{Matrix, StructShape, StructValue, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use super::query::Query;
use super::*;

fn array(items: Vec<Value>) -> Value {
    Value::Array(Arc::new(items))
}

fn vector(entries: impl IntoIterator<Item = f64>) -> Value {
    Value::Vector(Arc::new(entries.into_iter().collect()))
}

fn text(text: &str) -> Value {
    Value::String(Arc::from(text))
}

fn matrix(n_rows: usize, n_cols: usize, entry: impl Fn(usize, usize) -> f64) -> Value {
    let entry = &entry;
    let entries = (0..n_cols).flat_map(|col| (0..n_rows).map(move |row| entry(row, col))).collect();
    Value::Matrix(Arc::new(Matrix::from_columns(n_rows, n_cols, entries).expect("an entry for each place")))
}

fn object(name: &str, fields: Vec<(&str, Value)>) -> Value {
    let names = fields.iter().map(|(name, _)| Arc::from(*name)).collect();
    let shape = Arc::new(StructShape { name: Arc::from(name), fields: names });
    let fields = fields.into_iter().map(|(_, field)| field).collect();
    Value::Struct(Arc::new(StructValue::new(shape, fields).expect("a value for each field")))
}

fn nested(n_levels: usize) -> Value {
    (0..n_levels).fold(Value::Int(1), |inner, _| array(vec![inner, text("beside")]))
}

/// Values of all kinds and sizes with their names.
fn samples() -> Vec<(&'static str, Value)> {
    let block = object(
        "Block",
        vec![
            ("row", Value::Int(4)),
            ("rhs", vector((0..40).map(|at| f64::from(at) / 3.0))),
            (
                "first",
                object("Part", vec![("name", text("a")), ("at", array(vec![Value::Int(1), Value::Int(2)]))]),
            ),
            ("parts", array((0..3).map(|at| matrix(2, 2, |row, col| (row + col + at) as f64)).collect())),
        ],
    );
    let mut holed = vec![1.5; 30];
    (holed[3], holed[4], holed[20]) = (f64::NAN, f64::INFINITY, -7.0);
    vec![
        ("nothing", Value::Unit),
        ("number", Value::Int(-3)),
        ("real", Value::Real(0.1 + 0.2)),
        ("letter", Value::Char('\n')),
        ("short text", text("a \"b\"\nc")),
        ("long text", text(&"0123456789".repeat(30))),
        ("no bytes", Value::Bytes(Arc::default())),
        ("few bytes", Value::Bytes(Arc::new(vec![0, 255, 16]))),
        ("many bytes", Value::Bytes(Arc::new((0..=255).collect()))),
        ("empty vector", vector([])),
        ("small vector", vector([1.0, -2.5, 1.0 / 3.0])),
        ("vector with holes", vector(holed)),
        ("vector of no numbers", vector([f64::NAN; 20])),
        ("wide vector", vector((0..10).map(|at| -1.234_567e-9 * f64::from(at + 1)))),
        ("empty matrix", matrix(0, 3, |_, _| 0.0)),
        ("small matrix", matrix(3, 4, |row, col| 10.5 * row as f64 - 100.25 * col as f64)),
        ("large matrix", matrix(300, 40, |row, col| (row * 40 + col) as f64)),
        ("long matrix", matrix(30, 2, |row, col| row as f64 + col as f64 / 10.0)),
        ("wide matrix", matrix(2, 12, |row, col| -1.234_567e-9 * (row + col + 1) as f64)),
        ("small array", array(vec![Value::Int(1), text("two"), Value::Real(3.0)])),
        ("long array of numbers", array((0..100).map(Value::Int).collect())),
        ("long array of texts", array((0..100).map(|at| text(&format!("item {at}"))).collect())),
        (
            "array of rows",
            array((0..3).map(|row| array((0..40).map(|c| Value::Int(row * c)).collect())).collect()),
        ),
        ("empty struct", object("Nothing", vec![])),
        ("small struct", object("Point", vec![("x", Value::Real(1.0)), ("y", Value::Real(-1.0))])),
        ("struct", block),
        ("deep array", nested(9)),
    ]
}

#[test]
fn values_are_shown_by_their_size() {
    let told: String = samples()
        .into_iter()
        .map(|(name, value)| format!("{name}\n{}\n\n", Shown::new(&value, &Limits::default())))
        .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn on_one_line_the_shape_tells() {
    let told: String = samples()
        .into_iter()
        .map(|(name, value)| format!("{name}: {}\n", Shown::new(&value, &Limits::one_line())))
        .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn further_lines_are_indented() {
    let shown = Shown::new(&matrix(2, 1, |row, _| row as f64), &Limits::default());
    assert_eq!(format!("  m = {}", shown.indented(2)), "  m = matrix 2 x 1\n    [0.0]\n    [1.0]");
}

#[test]
fn data_for_an_editor_is_whole_or_in_parts() {
    let limits = Limits { items: 4, letters: 8, levels: 2, ..Limits::default() };
    let told: String = samples()
        .into_iter()
        .filter(|(name, _)| {
            ["small matrix", "large matrix", "struct", "vector with holes", "long text", "deep array", "real"]
                .contains(name)
        })
        .map(|(name, value)| format!("{name}: {:#}\n", shown_json(&value, &limits)))
        .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn queries_find_parts() {
    let samples = samples();
    let of = |name: &str| &samples.iter().find(|(known, _)| *known == name).expect("a sample").1;
    let cases = [
        ("struct", "s.row", "4"),
        ("struct", "s.rhs[3..6]", "vector [1.0, 1.33333, 1.66667]"),
        ("struct", "s.rhs[1]", "0.3333333333333333"),
        ("struct", "s.first.at[..1]", "[1]"),
        ("struct", " s . parts [ 2 ] [ .. , 0 ]", "vector [2.0, 3.0]"),
        ("small matrix", "m[0..=1, 2]", "vector [-200.5, -190.0]"),
        ("small matrix", "m[2, 1]", "-79.25"),
        ("array of rows", "a[1..3, 39]", "[39, 78]"),
        ("short text", "t[2..5]", "\"\\\"b\\\"\""),
    ];
    for (sample, query, expected) in cases {
        let query: Query = query.parse().expect("a query");
        let found = query.find(of(sample)).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(Shown::new(&found, &Limits::default()).to_string(), expected, "{query}");
    }
}

#[test]
fn what_is_no_query_and_what_is_not_found_says_where() {
    let block = &samples().into_iter().find(|(name, _)| *name == "struct").expect("a sample").1;
    let told: String = [
        "",
        "1x",
        "s.",
        "s[",
        "s[]",
        "s[1",
        "s[1,]",
        "s[..=]",
        "s[99999999999999999999]",
        "s + 1",
        "s.rhs[1..2",
        "s.rwo",
        "s.row.x",
        "s.row[0]",
        "s[0]",
        "s.rhs[40]",
        "s.rhs[3..2]",
        "s.rhs[.., 1]",
        "s.rhs[-1]",
        "s.parts[0][.., 2]",
        "s.parts[0][0, 0, 0]",
    ]
    .iter()
    .map(|text| {
        let error = text.parse::<Query>().and_then(|query| query.find(block)).expect_err(text);
        format!("{text}\n{:>column$} {}\n", "^", error.message, column = error.column)
    })
    .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn the_mean_of_large_numbers_does_not_overflow() {
    let summary = Summary::of([f64::MAX, f64::MAX, -f64::MAX, -f64::MAX]);
    assert!(summary.mean.is_finite(), "{summary:?}");
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e3..1e3_f64, any::<f64>(), Just(f64::NAN), Just(f64::INFINITY)]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Unit),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        number().prop_map(Value::Real),
        any::<char>().prop_map(Value::Char),
        ".{0,300}".prop_map(|held| text(&held)),
        vec(any::<u8>(), 0..40).prop_map(|bytes| Value::Bytes(Arc::new(bytes))),
        vec(number(), 0..40).prop_map(vector),
        (0..20_usize, 0..20_usize, number())
            .prop_map(|(rows, cols, x)| matrix(rows, cols, |r, c| x * (r + c) as f64)),
    ];
    leaf.prop_recursive(6, 200, 20, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..20).prop_map(array),
            vec(inner, 3).prop_map(|fields| object("S", ["a", "b", "c"].into_iter().zip(fields).collect())),
        ]
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (0..120_usize, 0..20_usize, 0..300_usize, 0..5_usize, 0..20_usize, 0..60_usize).prop_map(
        |(width, items, letters, levels, digits, lines)| Limits {
            width,
            items,
            letters,
            levels,
            digits,
            lines,
        },
    )
}

proptest! {
    #[test]
    fn any_value_is_shown_within_its_limits(value in value(), limits in limits()) {
        let shown = Shown::new(&value, &limits);
        prop_assert!(!shown.lines().is_empty());
        prop_assert!(shown.lines().len() <= limits.lines.max(1) + 1, "{} lines", shown.lines().len());
        prop_assert!(shown.lines().iter().all(|line| !line.contains('\n')));
        let _ = shown_json(&value, &limits);
    }

    #[test]
    fn figures_are_those_of_the_numbers(numbers in vec(number(), 0..50)) {
        let summary = Summary::of(numbers.iter().copied());
        let finite: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
        prop_assert_eq!(summary.n_nan + summary.n_infinite + finite.len(), numbers.len());
        prop_assert_eq!(summary.min.is_some(), !finite.is_empty());
        if let (Some((min_at, min)), Some((max_at, max))) = (summary.min, summary.max) {
            prop_assert!(finite.iter().all(|number| (min..=max).contains(number)));
            prop_assert!(numbers[min_at] == min && numbers[max_at] == max);
            let slack = 1e-9 * (max.abs() + min.abs());
            prop_assert!(min - slack <= summary.mean && summary.mean <= max + slack, "{:?}", summary);
        }
    }

    #[test]
    fn queries_are_written_as_they_are_read(
        name in "[a-z_][a-z0-9_]{0,4}",
        steps in vec(prop_oneof![
            "[a-z]{1,4}".prop_map(|field| format!(".{field}")),
            "(\\[([0-9]{1,3}|[0-9]{0,2}\\.\\.[0-9]{0,2})(, (-?[0-9]{1,3}|\\.\\.)){0,2}\\])",
        ], 0..5),
    ) {
        let text = format!("{name}{}", steps.concat());
        // Numbers may be written with zeros in front.
        let query: Query = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        let again: Query = query.to_string().parse().expect("what is written is read");
        prop_assert_eq!(again.to_string(), query.to_string());
        prop_assert_eq!(again.steps.len(), steps.len());
    }

    #[test]
    fn any_text_is_a_query_or_an_error_in_it(text in "[a-z.\\[\\]0-9=, -]{0,20}") {
        if let Err(error) = text.parse::<Query>() {
            prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 1);
        }
    }
}
