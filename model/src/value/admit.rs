//! Whether a value fits a type, and where it does not.

use std::sync::Arc;

use super::kind::{Type, Value};
use super::structs::StructValue;

/// The first place within a value that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Way from the value to the place: `[3].row`; empty for the value itself.
    pub path: String,
    /// What is expected there.
    pub expected: Type,
    /// What is there instead.
    pub found: Value,
}

impl Type {
    /// Whether every value of `other` can go where a value of this type is expected. An `int` can
    /// go where a `real` is expected: it is widened.
    pub fn accepts(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Any, _) | (Type::Real, Type::Int) => true,
            (Type::Array(own), Type::Array(others)) | (Type::Map(own), Type::Map(others)) => {
                own.accepts(others)
            }
            _ => self == other,
        }
    }

    /// The value as one of this type: itself, or an `int` widened to a `real`, also within arrays, maps and
    /// structs. `None` where it does not fit. The unit value fits no type but `any`.
    /// Cost: linear in the items of arrays and maps and the fields of structs.
    pub fn admit(&self, value: Value) -> Option<Value> {
        if self.admits_unchanged(&value) {
            return Some(value);
        }
        match (self, value) {
            (Type::Real, Value::Int(number)) => Some(Value::Real(number as f64)),
            (Type::Array(item_type), Value::Array(items)) => {
                let items = Arc::unwrap_or_clone(items);
                let admitted: Option<Vec<_>> = items.into_iter().map(|item| item_type.admit(item)).collect();
                admitted.map(|items| Value::Array(Arc::new(items)))
            }
            (Type::Map(value_type), Value::Map(entries)) => {
                let entries = Arc::unwrap_or_clone(entries).into_iter();
                let admitted: Option<_> =
                    entries.map(|(key, value)| Some((key, value_type.admit(value)?))).collect();
                admitted.map(|entries| Value::Map(Arc::new(entries)))
            }
            (Type::Struct(ty), Value::Struct(held)) if ty.is_type_of(held.shape()) => {
                let (_, fields) = Arc::unwrap_or_clone(held).into_parts();
                let fields = ty.field_types().zip(fields).map(|(ty, field)| ty.admit(field));
                let held = StructValue::new(Arc::clone(ty.shape()), fields.collect::<Option<_>>()?)?;
                Some(Value::Struct(Arc::new(held)))
            }
            _ => None,
        }
    }

    /// Whether the value is one of this type as it is; like [`admits_unchanged`](Self::admits_unchanged), with a short
    /// way for numbers and truth values.
    #[inline]
    pub fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Int, Value::Int(_)) | (Type::Real, Value::Real(_)) | (Type::Bool, Value::Bool(_)) => true,
            _ => self.admits_unchanged(value),
        }
    }

    /// Whether the value is one of this type as it is, so that [`admit`](Self::admit) changes nothing.
    /// Cost: linear in the items of arrays and maps and the fields of structs.
    pub fn admits_unchanged(&self, value: &Value) -> bool {
        match (self, value) {
            (Type::Int, Value::Int(_))
            | (Type::Real, Value::Real(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Char, Value::Char(_))
            | (Type::String, Value::String(_))
            | (Type::Bytes, Value::Bytes(_))
            | (Type::Vector, Value::Vector(_))
            | (Type::Matrix, Value::Matrix(_))
            | (Type::Any, _) => true,
            (Type::Array(item_type), Value::Array(items)) => {
                items.iter().all(|item| item_type.admits_unchanged(item))
            }
            (Type::Map(value_type), Value::Map(entries)) => {
                entries.values().all(|value| value_type.admits_unchanged(value))
            }
            (Type::Struct(ty), Value::Struct(held)) => {
                ty.is_type_of(held.shape())
                    && ty.field_types().zip(held.fields()).all(|(ty, field)| ty.admits_unchanged(field))
            }
            _ => false,
        }
    }

    /// The first place, in the order of the value, that keeps it from being one of this type; `None`
    /// where [`admit`](Self::admit) takes it.
    pub fn mismatch(&self, value: &Value) -> Option<Mismatch> {
        let mut path = String::new();
        self.mismatch_below(value, &mut path)
    }

    fn mismatch_below(&self, value: &Value, path: &mut String) -> Option<Mismatch> {
        let n_bytes = path.len();
        match (self, value) {
            (Type::Real, Value::Int(_)) => None,
            (Type::Array(item_type), Value::Array(items)) => {
                items.iter().enumerate().find_map(|(item_idx, item)| {
                    path.truncate(n_bytes);
                    path.push_str(&format!("[{item_idx}]"));
                    item_type.mismatch_below(item, path)
                })
            }
            (Type::Map(value_type), Value::Map(entries)) => entries.iter().find_map(|(key, value)| {
                path.truncate(n_bytes);
                path.push_str(&format!("[{key:?}]"));
                value_type.mismatch_below(value, path)
            }),
            (Type::Struct(ty), Value::Struct(held)) if ty.is_type_of(held.shape()) => {
                ty.field_types().zip(held.entries()).find_map(|(ty, (name, field))| {
                    path.truncate(n_bytes);
                    path.push('.');
                    path.push_str(name);
                    ty.mismatch_below(field, path)
                })
            }
            _ if self.admits_unchanged(value) => None,
            _ => Some(Mismatch { path: path.clone(), expected: self.clone(), found: value.clone() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FieldType, StructDef, StructShape, StructTable};
    use super::*;

    fn table() -> Arc<StructTable> {
        let def = |name: &str, fields: &[(&str, FieldType)]| StructDef {
            shape: Arc::new(StructShape {
                name: Arc::from(name),
                fields: fields.iter().map(|(field, _)| Arc::from(*field)).collect(),
            }),
            types: fields.iter().map(|(_, ty)| ty.clone()).collect(),
        };
        let array = |ty| FieldType::Array(Box::new(ty));
        Arc::new(StructTable::new(vec![
            def("Point", &[("x", FieldType::Plain(Type::Real)), ("y", FieldType::Plain(Type::Real))]),
            def("Tree", &[("at", FieldType::Struct(0)), ("children", array(FieldType::Struct(1)))]),
        ]))
    }

    fn of(ty: &Type, fields: Vec<Value>) -> Value {
        let Type::Struct(ty) = ty else { panic!("a struct type") };
        let held = StructValue::new(Arc::clone(ty.shape()), fields);
        Value::Struct(Arc::new(held.expect("one value for each field")))
    }

    #[test]
    fn a_type_that_contains_itself_has_a_default() {
        let tree = Type::Struct(table().get("Tree").expect("declared"));
        let held = tree.default_value();
        assert_eq!(held.to_string(), "Tree { at: Point { x: 0.0, y: 0.0 }, children: [] }");
        assert_eq!(tree.admit(held.clone()), Some(held));
    }

    #[test]
    fn ints_are_widened_within_structs_within_arrays() {
        let points = Type::Array(Box::new(Type::Struct(table().get("Point").expect("declared"))));
        let Type::Array(point) = &points else { unreachable!("an array") };
        let held = Value::Array(Arc::new(vec![of(point, vec![Value::Int(1), Value::Real(2.0)])]));
        let widened = Value::Array(Arc::new(vec![of(point, vec![Value::Real(1.0), Value::Real(2.0)])]));
        assert_eq!(points.admit(held), Some(widened));
    }

    #[test]
    fn a_mismatch_names_the_way_to_it() {
        let tree = Type::Struct(table().get("Tree").expect("declared"));
        let Type::Struct(ty) = &tree else { unreachable!("a struct") };
        let point = ty.field("at").expect("a field");
        let at = |x| of(&point, vec![x, Value::Int(0)]);
        let leaf = |x| of(&tree, vec![at(x), Value::Array(Arc::default())]);
        let children = vec![leaf(Value::Int(1)), leaf(Value::Bool(true))];
        let held = of(&tree, vec![at(Value::Int(0)), Value::Array(Arc::new(children))]);
        let found = tree.mismatch(&held).expect("a mismatch");
        assert_eq!((found.path.as_str(), found.found), (".children[1].at.x", Value::Bool(true)));
        assert_eq!(found.expected, Type::Real);
        assert_eq!(tree.admit(held), None);
        assert_eq!(tree.mismatch(&leaf(Value::Int(3))), None);
    }

    #[test]
    fn values_of_maps_are_widened_and_checked() {
        let ty = Type::Map(Box::new(Type::Array(Box::new(Type::Real))));
        let map = |value: Value| {
            let entries = [("b".into(), Value::Array(Arc::default())), ("a".into(), value)];
            Value::Map(Arc::new(entries.into_iter().collect()))
        };
        let array = |item| Value::Array(Arc::new(vec![item]));
        let held = map(array(Value::Int(1)));
        assert_eq!(ty.admit(held.clone()), Some(map(array(Value::Real(1.0)))));
        assert_eq!(ty.mismatch(&held), None);
        let wrong = map(array(Value::Char('x')));
        assert_eq!(ty.admit(wrong.clone()), None);
        assert_eq!(ty.mismatch(&wrong).map(|found| found.path).as_deref(), Some("[\"a\"][0]"));
        assert_eq!(wrong.to_string(), "#{\"a\": ['x'], \"b\": []}");
        assert_eq!(ty.to_string(), "map[string]real[]");
        assert_eq!(Type::Array(Box::new(ty)).to_string(), "(map[string]real[])[]");
    }

    #[test]
    fn what_is_large_or_deep_is_shown_in_brief() {
        let deep = (0..9).fold(Value::Int(1), |inner, _| Value::Array(Arc::new(vec![inner])));
        assert_eq!(deep.to_string(), "[[[[[[[... 1 in all]]]]]]]");
        let long = Value::Array(Arc::new(vec![Value::Int(1); 10]));
        assert_eq!(long.to_string(), "[1, 1, 1, 1, 1, 1, 1, 1, ... 10 in all]");
    }

    #[test]
    fn types_are_nominal() {
        let point = Type::Struct(table().get("Point").expect("declared"));
        let other = Arc::new(StructShape { name: Arc::from("Pair"), fields: vec!["x".into(), "y".into()] });
        let held = StructValue::new(other, vec![Value::Real(0.0), Value::Real(0.0)]).expect("two fields");
        assert_eq!(point.admit(Value::Struct(Arc::new(held))), None);
    }
}
