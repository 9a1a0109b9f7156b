//! Values of parameters, in the form in which PostgreSQL takes them.
//!
//! A value of a type that bodies have no value for is sent as text: the server reads it as it reads a constant in a query.

use std::error::Error;
use std::fmt::Write;

use bytes::{BufMut, BytesMut};
use hasse_model::value::Value;
use postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

/// A value for a parameter.
#[derive(Debug)]
pub(super) struct Param<'v>(pub(super) &'v Value);

impl Param<'_> {
    /// The text that stands for the value, of types that are sent as text.
    fn text(&self, ty: &Type) -> Option<String> {
        match (self.0, ty) {
            (Value::Int(_) | Value::Real(_), &Type::NUMERIC | &Type::JSON | &Type::JSONB)
            | (Value::Bool(_), &Type::JSON | &Type::JSONB) => scalar(self.0),
            (Value::Array(_), ty) if matches!(ty.kind(), Kind::Array(_)) => literal(self.0),
            (
                Value::String(_),
                &Type::INT2
                | &Type::INT4
                | &Type::INT8
                | &Type::FLOAT4
                | &Type::FLOAT8
                | &Type::BOOL
                | &Type::BYTEA,
            ) => None,
            (Value::String(text), _) => Some((**text).to_owned()),
            _ => None,
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Int(number) => Some(number.to_string()),
        Value::Real(number) => Some(format!("{number:?}")),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// An array as a constant of PostgreSQL, `{1,NULL,"text"}`; `None` where an item is of another type.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Unit => Some("NULL".to_owned()),
        Value::Array(items) => {
            let items = items.iter().map(literal).collect::<Option<Vec<String>>>()?;
            Some(format!("{{{}}}", items.join(",")))
        }
        Value::String(text) => {
            let mut quoted = "\"".to_owned();
            for character in text.chars() {
                let escape = if matches!(character, '"' | '\\') { "\\" } else { "" };
                let _ = write!(quoted, "{escape}{character}");
            }
            quoted.push('"');
            Some(quoted)
        }
        value => scalar(value),
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        if let Some(text) = self.text(ty) {
            out.put_slice(text.as_bytes());
            return Ok(IsNull::No);
        }
        match (self.0, ty) {
            (Value::Unit, _) => Ok(IsNull::Yes),
            (Value::Bool(flag), &Type::BOOL) => flag.to_sql(ty, out),
            (Value::Int(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Int(number), &Type::FLOAT4) => (*number as f32).to_sql(ty, out),
            (Value::Int(number), &Type::FLOAT8) => (*number as f64).to_sql(ty, out),
            (Value::Real(number), &Type::FLOAT4) => (*number as f32).to_sql(ty, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.as_slice().to_sql(ty, out),
            (value, ty) => Err(format!("cannot pass a value of type {} as {ty}", value.type_name()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, ty: &Type) -> Format {
        if self.text(ty).is_some() { Format::Text } else { Format::Binary }
    }

    to_sql_checked!();
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::sync::Arc;

    use super::{BytesMut, Format, Param, ToSql, Type, Value};

    /// The text that is sent, or the bytes.
    fn sent(value: &Value, ty: &Type) -> String {
        let param = Param(value);
        let mut out = BytesMut::new();
        match (param.to_sql(ty, &mut out), param.encode_format(ty)) {
            (Err(error), _) => error.to_string(),
            (Ok(_), Format::Text) => String::from_utf8(out.to_vec()).unwrap(),
            (Ok(_), Format::Binary) => format!("{:?}", out.to_vec()),
        }
    }

    fn text(text: &str) -> Value {
        Value::String(Arc::from(text))
    }

    #[test]
    fn texts_stand_for_values_of_other_types() {
        for ty in [Type::DATE, Type::TIMESTAMPTZ, Type::NUMERIC, Type::UUID, Type::JSONB, Type::TEXT] {
            assert_eq!(sent(&text("as it is"), &ty), "as it is");
        }
        assert_eq!(sent(&Value::Int(-5), &Type::NUMERIC), "-5");
        assert_eq!(sent(&Value::Real(0.1), &Type::NUMERIC), "0.1");
        assert_eq!(sent(&Value::Bool(true), &Type::JSON), "true");
        assert_eq!(sent(&text("5"), &Type::INT4), "cannot pass a value of type string as int4");
        assert_eq!(sent(&Value::Int(5), &Type::DATE), "cannot pass a value of type int as date");
        assert_eq!(sent(&Value::Int(258), &Type::INT2), "[1, 2]");
        assert_eq!(sent(&Value::Unit, &Type::DATE), "[]");
    }

    #[test]
    fn arrays_are_quoted() {
        let array = |items: Vec<Value>| Value::Array(items.into());
        let mixed = array(vec![text("a\"b\\c, {d}"), Value::Unit, text("")]);
        assert_eq!(sent(&mixed, &Type::TEXT_ARRAY), r#"{"a\"b\\c, {d}",NULL,""}"#);
        let nested = array(vec![array(vec![Value::Int(1)]), array(vec![Value::Int(2)])]);
        assert_eq!(sent(&nested, &Type::INT8_ARRAY), "{{1},{2}}");
        assert_eq!(sent(&array(vec![Value::Real(1e300)]), &Type::FLOAT8_ARRAY), "{1e300}");
        assert_eq!(sent(&array(Vec::new()), &Type::BOOL_ARRAY), "{}");
        let bytes = array(vec![Value::Bytes(Arc::new(vec![1]))]);
        assert!(sent(&bytes, &Type::BYTEA_ARRAY).starts_with("cannot pass a value of type"));
        assert!(sent(&nested, &Type::TEXT).starts_with("cannot pass a value of type"));
    }
}
