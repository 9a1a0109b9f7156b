//! Objects of tests: their types, random values of them, and whether two are the same bit for bit.

use std::sync::Arc;

use hasse_model::value::{FieldType, Matrix, StructDef, StructShape, StructTable, StructValue, Type, Value};

use crate::tape::Tape;

/// A struct type with fields of all sorts.
fn struct_type() -> Type {
    let shape = |name: &str, fields: &[&str]| {
        let fields = fields.iter().map(|&field| Arc::from(field)).collect();
        Arc::new(StructShape { name: Arc::from(name), fields })
    };
    let inner = StructDef {
        shape: shape("Inner", &["at", "is_on"]),
        types: vec![FieldType::Plain(Type::Int), FieldType::Plain(Type::Bool)],
    };
    let outer = StructDef {
        shape: shape("Outer", &["x", "entries", "inner", "items"]),
        types: vec![
            FieldType::Plain(Type::Real),
            FieldType::Plain(Type::Vector),
            FieldType::Struct(0),
            FieldType::Array(Box::new(FieldType::Struct(0))),
        ],
    };
    let table = Arc::new(StructTable::new(vec![inner, outer]));
    Type::Struct(table.get("Outer").expect("it is declared"))
}

/// A type that an object may have.
pub(crate) fn object_type(tape: &mut Tape) -> Type {
    let array = |item_type| Type::Array(Box::new(item_type));
    match tape.below(12) {
        0..3 => Type::Vector,
        3..5 => Type::Matrix,
        5 => array(Type::Int),
        6 => array(Type::Real),
        7 => array(Type::Bool),
        8 => array(array(Type::Int)),
        9 => array(Type::Vector),
        10 => array(Type::Any),
        _ => struct_type(),
    }
}

/// An int: small, or one of those where things go wrong.
pub(crate) fn int(tape: &mut Tape) -> i64 {
    const EDGES: [i64; 8] = [i64::MIN, i64::MAX, i64::MIN + 1, 1 << 32, -1, 63, 64, 1 << 62];
    if tape.below(8) == 0 { EDGES[tape.below(8)] } else { tape.below(12) as i64 - 3 }
}

/// A real: small, or one of those where things go wrong.
pub(crate) fn real(tape: &mut Tape) -> f64 {
    const EDGES: [f64; 12] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        f64::MIN_POSITIVE / 8.0,
        1e-200,
        1.0 + f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
        f64::MAX,
        9_223_372_036_854_775_808.0,
        1e300,
        0.5,
    ];
    if tape.below(4) == 0 { EDGES[tape.below(12)] } else { tape.below(40) as f64 / 4.0 - 3.0 }
}

/// A value of a type, rarely with another one inside.
pub(crate) fn value(tape: &mut Tape, ty: &Type, level: usize) -> Value {
    if level > 0 && tape.below(60) == 0 {
        return Value::Int(3);
    }
    match ty {
        Type::Int => Value::Int(int(tape)),
        Type::Real => Value::Real(real(tape)),
        Type::Bool => Value::Bool(tape.below(2) == 1),
        Type::Vector => {
            let len = length(tape, level);
            let salt = tape.below(7);
            let mut entries: Vec<f64> = (0..len).map(|idx| (idx + salt) as f64).collect();
            entries.iter_mut().take(6).for_each(|entry| *entry = real(tape));
            Value::Vector(Arc::new(entries))
        }
        Type::Matrix => {
            let (n_rows, n_cols) =
                if tape.below(6) == 0 { (tape.below(40), 20) } else { (tape.below(5), tape.below(5)) };
            let mut matrix = Matrix::zeros(n_rows, n_cols);
            for entry in matrix.entries_mut().iter_mut().take(6) {
                *entry = real(tape);
            }
            Value::Matrix(Arc::new(matrix))
        }
        Type::Array(item_type) => {
            let len = length(tape, level);
            let mut items: Vec<Value> = Vec::new();
            for idx in 0..len {
                let item = if idx < 5 { value(tape, item_type, level + 1) } else { items[idx % 5].clone() };
                items.push(item);
            }
            Value::Array(Arc::new(items))
        }
        Type::Struct(ty) => {
            let fields = ty.field_types().map(|ty| value(tape, &ty, level + 1)).collect();
            let held = StructValue::new(Arc::clone(ty.shape()), fields).expect("one for each field");
            Value::Struct(Arc::new(held))
        }
        _ => [Value::Int(5), Value::Real(2.5), Value::Bool(true), Value::Unit][tape.below(4)].clone(),
    }
}

fn length(tape: &mut Tape, level: usize) -> usize {
    if level == 0 && tape.below(5) == 0 { 513 + tape.below(100) } else { tape.below(6) }
}

/// A value of its own, which nobody else holds.
pub(crate) fn unshared(value: &Value) -> Value {
    match value {
        Value::Vector(entries) => Value::Vector(Arc::new(Vec::clone(entries))),
        Value::Matrix(matrix) => Value::Matrix(Arc::new(Matrix::clone(matrix))),
        Value::Array(items) => Value::Array(Arc::new(items.iter().map(unshared).collect())),
        Value::Struct(held) => {
            let fields = held.fields().iter().map(unshared).collect();
            let held = StructValue::new(Arc::clone(held.shape()), fields).expect("one for each field");
            Value::Struct(Arc::new(held))
        }
        value => value.clone(),
    }
}

/// Whether two values are the same; what is no number is the same as what is no number.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    let all = |one: &[Value], other: &[Value]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
    };
    let reals = |one: &[f64], other: &[f64]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_real(*one, *other))
    };
    match (one, other) {
        (Value::Real(one), Value::Real(other)) => same_real(*one, *other),
        (Value::Vector(one), Value::Vector(other)) => reals(one, other),
        (Value::Matrix(one), Value::Matrix(other)) => {
            one.n_rows() == other.n_rows() && reals(one.entries(), other.entries())
        }
        (Value::Array(one), Value::Array(other)) => all(one, other),
        (Value::Struct(one), Value::Struct(other)) => all(one.fields(), other.fields()),
        (one, other) => one == other,
    }
}

/// Whether two reals have the same bits, or both are no numbers.
pub(crate) fn same_real(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || (one.is_nan() && other.is_nan())
}
