use super::*;

#[track_caller]
fn check<T: FromValue + IntoValue + Clone + PartialEq + std::fmt::Debug>(native: T, ty: &str) {
    assert_eq!(T::ty().to_string(), ty);
    let value = native.clone().into_value();
    assert_eq!(T::ty().admit(value.clone()), Some(value.clone()), "the value is of the type");
    assert_eq!(T::from_value(value), Ok(native));
}

#[test]
fn every_type_goes_there_and_back() {
    check(7_i64, "int");
    check(7_i32, "int");
    check(7_u8, "int");
    check(0.5, "real");
    check(true, "bool");
    check('x', "char");
    check("text".to_owned(), "string");
    check(vec![0.5, 1.0], "vector");
    check(vec![1_u8, 2], "bytes");
    check(vec![1_i64, 2], "int[]");
    check(vec![vec![0.5], vec![]], "vector[]");
    check(vec![vec![true]], "bool[][]");
    check(Matrix::zeros(2, 3), "matrix");
    check(Arc::new(vec![0.5]), "vector");
    check(Some(3_i64), "int");
    check(Value::Int(3), "any");
}

#[test]
fn what_does_not_fit_is_named_with_its_value() {
    let shown = |mismatch: Mismatch| mismatch.to_string();
    assert_eq!(
        i64::from_value(Value::Real(0.5)).map_err(shown),
        Err("expected int, found the real 0.5".into())
    );
    assert_eq!(
        u8::from_value(Value::Int(256)).map_err(shown),
        Err("expected int within 0..=255, found the int 256".into())
    );
    assert_eq!(
        Vec::<f64>::from_value(Value::Unit).map_err(shown),
        Err("expected vector, found nothing".into())
    );
    let mixed = Value::Array(Arc::new(vec![Value::Int(1), Value::Bool(true)]));
    assert_eq!(Vec::<i64>::from_value(mixed).map_err(shown), Err("expected int, found the bool true".into()));
}

#[test]
fn ints_are_widened_and_arrays_of_numbers_are_vectors() {
    assert_eq!(f64::from_value(Value::Int(2)), Ok(2.0));
    let numbers = Value::Array(Arc::new(vec![Value::Int(1), Value::Real(0.5)]));
    assert_eq!(Vec::<f64>::from_value(numbers), Ok(vec![1.0, 0.5]));
    assert_eq!(Option::<i64>::from_value(Value::Unit), Ok(None));
}
