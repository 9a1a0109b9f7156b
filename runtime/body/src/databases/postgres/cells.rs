//! Cells of rows, from the form in which PostgreSQL sends them.

use std::error::Error;
use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta};
use hasse_model::value::Value;
use postgres::types::{FromSql, Kind, Type};

type Fault = Box<dyn Error + Sync + Send>;

/// A cell.
#[derive(Debug)]
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Fault> {
        value_of(ty, raw).map(Self)
    }

    fn from_sql_null(_: &Type) -> Result<Self, Fault> {
        Ok(Self(Value::Unit))
    }

    fn accepts(ty: &Type) -> bool {
        match ty.kind() {
            Kind::Array(item) => Self::accepts(item),
            Kind::Enum(_) => true,
            _ => matches!(
                *ty,
                Type::INT2
                    | Type::INT4
                    | Type::INT8
                    | Type::FLOAT4
                    | Type::FLOAT8
                    | Type::BOOL
                    | Type::BYTEA
                    | Type::TEXT
                    | Type::VARCHAR
                    | Type::BPCHAR
                    | Type::NAME
                    | Type::UNKNOWN
                    | Type::DATE
                    | Type::TIMESTAMP
                    | Type::TIMESTAMPTZ
                    | Type::TIME
                    | Type::NUMERIC
                    | Type::UUID
                    | Type::JSON
                    | Type::JSONB
            ),
        }
    }
}

fn value_of(ty: &Type, raw: &[u8]) -> Result<Value, Fault> {
    if let Kind::Array(item) = ty.kind() {
        return array_of(item, raw);
    }
    Ok(match *ty {
        Type::INT2 => Value::Int(i64::from(i16::from_sql(ty, raw)?)),
        Type::INT4 => Value::Int(i64::from(i32::from_sql(ty, raw)?)),
        Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
        Type::FLOAT4 => Value::Real(f64::from(f32::from_sql(ty, raw)?)),
        Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
        Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
        Type::BYTEA => Value::Bytes(Arc::new(raw.to_vec())),
        Type::DATE => text(&date_of(i32::from_be_bytes(raw.try_into()?))?),
        Type::TIMESTAMP => text(&time_stamp_of(i64::from_be_bytes(raw.try_into()?), false)?),
        Type::TIMESTAMPTZ => text(&time_stamp_of(i64::from_be_bytes(raw.try_into()?), true)?),
        Type::TIME => text(&time_of(i64::from_be_bytes(raw.try_into()?))?),
        Type::NUMERIC => text(&numeric_of(raw)?),
        Type::UUID => text(&uuid_of(raw.try_into()?)),
        Type::JSONB => match raw.split_first() {
            Some((1, json)) => text(std::str::from_utf8(json)?),
            _ => return Err("a form of JSON that is not known".into()),
        },
        _ => text(std::str::from_utf8(raw)?),
    })
}

fn text(text: &str) -> Value {
    Value::String(Arc::from(text))
}

/// The first moment of the year 2000, from which PostgreSQL counts.
fn origin() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2000, 1, 1).unwrap_or_default().into()
}

const OUTSIDE: &str = "a date is outside of the calendar";

fn date_of(n_days: i32) -> Result<String, Fault> {
    let origin = origin().date();
    let found = match n_days {
        i32::MAX => return Ok("infinity".to_owned()),
        i32::MIN => return Ok("-infinity".to_owned()),
        0.. => origin.checked_add_days(Days::new(u64::from(n_days.unsigned_abs()))),
        _ => origin.checked_sub_days(Days::new(u64::from(n_days.unsigned_abs()))),
    };
    Ok(found.ok_or(OUTSIDE)?.to_string())
}

/// As in RFC 3339; without an offset where the time has none.
fn time_stamp_of(n_micros: i64, has_offset: bool) -> Result<String, Fault> {
    let found = match n_micros {
        i64::MAX => return Ok("infinity".to_owned()),
        i64::MIN => return Ok("-infinity".to_owned()),
        _ => origin().checked_add_signed(TimeDelta::microseconds(n_micros)).ok_or(OUTSIDE)?,
    };
    Ok(match has_offset {
        true => DateTime::<chrono::Utc>::to_rfc3339_opts(&found.and_utc(), SecondsFormat::AutoSi, true),
        false => found.format("%Y-%m-%dT%H:%M:%S%.f").to_string(),
    })
}

fn time_of(n_micros: i64) -> Result<String, Fault> {
    const A_DAY: i64 = 86_400_000_000;
    if n_micros == A_DAY {
        return Ok("24:00:00".to_owned());
    }
    if !(0..A_DAY).contains(&n_micros) {
        return Err("a time of day is outside of the day".into());
    }
    Ok((NaiveTime::default() + TimeDelta::microseconds(n_micros)).format("%H:%M:%S%.f").to_string())
}

fn uuid_of(raw: [u8; 16]) -> String {
    let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Reads bytes from their beginning.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n_bytes: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(n_bytes).ok_or("a value ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn int16(&mut self) -> Result<i16, Fault> {
        Ok(i16::from_be_bytes(self.take(2)?.try_into()?))
    }

    fn int32(&mut self) -> Result<i32, Fault> {
        Ok(i32::from_be_bytes(self.take(4)?.try_into()?))
    }
}

/// A decimal number: digits of base 10,000, of which the first one counts 10,000 to the power of the weight.
fn numeric_of(raw: &[u8]) -> Result<String, Fault> {
    let mut bytes = Bytes(raw);
    let n_digits = usize::try_from(bytes.int16()?)?;
    let weight = i32::from(bytes.int16()?);
    let sign = match bytes.int16()?.cast_unsigned() {
        0 => "",
        0x4000 => "-",
        0xc000 => return Ok("NaN".to_owned()),
        0xd000 => return Ok("Infinity".to_owned()),
        0xf000 => return Ok("-Infinity".to_owned()),
        _ => return Err("a form of numbers that is not known".into()),
    };
    let n_decimals = usize::try_from(bytes.int16()?)?;
    let digits = (0..n_digits).map(|_| bytes.int16()).collect::<Result<Vec<i16>, Fault>>()?;
    // Groups of zeros at both ends are not sent.
    let digit = |idx: i32| usize::try_from(idx).ok().and_then(|idx| digits.get(idx)).copied().unwrap_or(0);
    let whole: String = (0..=weight).map(|idx| format!("{:04}", digit(idx))).collect();
    let whole = whole.trim_start_matches('0');
    let mut shown = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if n_decimals > 0 {
        let n_groups = n_decimals.div_ceil(4) as i32;
        let decimals: String =
            (weight + 1..=weight + n_groups).map(|idx| format!("{:04}", digit(idx))).collect();
        shown.push('.');
        shown.push_str(&decimals[..n_decimals]);
    }
    Ok(shown)
}

/// Maximum number of dimensions of an array in PostgreSQL.
const MOST_DIMENSIONS: usize = 6;

/// An array, of arrays where it has several dimensions.
fn array_of(item: &Type, raw: &[u8]) -> Result<Value, Fault> {
    let mut bytes = Bytes(raw);
    let n_dimensions = usize::try_from(bytes.int32()?)?;
    let (_has_nulls, _type) = (bytes.int32()?, bytes.int32()?);
    if n_dimensions > MOST_DIMENSIONS {
        return Err("an array has more than 6 dimensions".into());
    }
    if n_dimensions == 0 {
        return Ok(Value::Array(Vec::new().into()));
    }
    let mut lengths = Vec::new();
    for _ in 0..n_dimensions {
        lengths.push(usize::try_from(bytes.int32()?)?);
        let _first_index = bytes.int32()?;
    }
    // Lengths without items must not allocate memory.
    let n_items = lengths.iter().try_fold(1_usize, |product, &length| product.checked_mul(length));
    if n_items.is_none_or(|n_items| n_items == 0 || n_items > bytes.0.len() / size_of::<i32>()) {
        return Err("a value ends too early".into());
    }
    items_of(item, &lengths, &mut bytes)
}

fn items_of(item: &Type, lengths: &[usize], bytes: &mut Bytes<'_>) -> Result<Value, Fault> {
    let Some((&length, inner)) = lengths.split_first() else {
        return match bytes.int32()? {
            -1 => Ok(Value::Unit),
            n_bytes => value_of(item, bytes.take(usize::try_from(n_bytes)?)?),
        };
    };
    let items = (0..length).map(|_| items_of(item, inner, bytes)).collect::<Result<Vec<Value>, Fault>>()?;
    Ok(Value::Array(items.into()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::{Cell, FromSql, Type, Value, text};

    fn shown(ty: Type, raw: &[u8]) -> String {
        assert!(Cell::accepts(&ty), "{ty}");
        match Cell::from_sql(&ty, raw).unwrap().0 {
            Value::String(text) => text.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn dates_and_times_are_in_iso_form() {
        for (n_days, expected) in [
            (0, "2000-01-01"),
            (8_825, "2024-02-29"),
            (-10_957, "1970-01-01"),
            (i32::MAX, "infinity"),
            (i32::MIN, "-infinity"),
        ] {
            assert_eq!(shown(Type::DATE, &i32::to_be_bytes(n_days)), expected);
        }
        assert!(Cell::from_sql(&Type::DATE, &i32::to_be_bytes(i32::MAX - 1)).is_err());
        assert!(Cell::from_sql(&Type::DATE, &[1]).is_err());
        for (n_micros, expected) in [
            (0, "2000-01-01T00:00:00"),
            (1_500_000, "2000-01-01T00:00:01.500"),
            (-1, "1999-12-31T23:59:59.999999"),
            (i64::MAX, "infinity"),
        ] {
            assert_eq!(shown(Type::TIMESTAMP, &i64::to_be_bytes(n_micros)), expected);
            let with_offset = if n_micros == i64::MAX { expected.to_owned() } else { format!("{expected}Z") };
            assert_eq!(shown(Type::TIMESTAMPTZ, &i64::to_be_bytes(n_micros)), with_offset);
        }
        for (n_micros, expected) in
            [(0, "00:00:00"), (45_296_789_000, "12:34:56.789"), (86_400_000_000, "24:00:00")]
        {
            assert_eq!(shown(Type::TIME, &i64::to_be_bytes(n_micros)), expected);
        }
        assert!(Cell::from_sql(&Type::TIME, &i64::to_be_bytes(-1)).is_err());
    }

    #[test]
    fn numerics_are_exact() {
        let raw = |head: [u16; 3], digits: &[u16]| -> Vec<u8> {
            let all = [&[digits.len() as u16], &head[..], digits].concat();
            all.into_iter().flat_map(u16::to_be_bytes).collect()
        };
        let below = |n: i16| n.cast_unsigned();
        for (head, digits, expected) in [
            ([0, 0, 0], &[][..], "0"),
            ([0, 0, 2], &[], "0.00"),
            ([0, 0, 0], &[42], "42"),
            ([1, 0x4000, 4], &[1, 2345, 6789], "-12345.6789"),
            ([1, 0, 3], &[1, 2345, 6780], "12345.678"),
            ([2, 0, 0], &[1], "100000000"),
            ([0, 0, 5], &[1, 0, 5000], "1.00005"),
            ([below(-1), 0, 2], &[2500], "0.25"),
            ([below(-2), 0, 8], &[1], "0.00000001"),
            ([below(-3), 0, 12], &[7], "0.000000000007"),
            ([below(-2), 0, 4], &[], "0.0000"),
            ([0, 0xc000, 0], &[], "NaN"),
            ([0, 0xd000, 0], &[], "Infinity"),
            ([0, 0xf000, 0], &[], "-Infinity"),
        ] {
            assert_eq!(shown(Type::NUMERIC, &raw(head, digits)), expected);
        }
        assert!(Cell::from_sql(&Type::NUMERIC, &raw([0, 0, 0], &[1])[..9]).is_err());
        assert!(Cell::from_sql(&Type::NUMERIC, &raw([0, 1, 0], &[])).is_err());
    }

    #[test]
    fn identifiers_and_json_are_texts() {
        let uuid: Vec<u8> = (0..16).map(|k| k * 17).collect();
        assert_eq!(shown(Type::UUID, &uuid), "00112233-4455-6677-8899-aabbccddeeff");
        assert!(Cell::from_sql(&Type::UUID, &uuid[1..]).is_err());
        assert_eq!(shown(Type::JSON, b"{\"a\": [1]}"), "{\"a\": [1]}");
        assert_eq!(shown(Type::JSONB, b"\x01[1, 2]"), "[1, 2]");
        assert!(Cell::from_sql(&Type::JSONB, b"\x02[]").is_err());
    }

    #[test]
    fn arrays_hold_items_and_nulls() {
        let raw = |lengths: &[i32], items: &[Option<&[u8]>]| {
            let mut bytes: Vec<u8> =
                [lengths.len() as i32, 1, 0].into_iter().flat_map(i32::to_be_bytes).collect();
            for length in lengths {
                bytes.extend(length.to_be_bytes());
                bytes.extend(1_i32.to_be_bytes());
            }
            for item in items {
                match item {
                    Some(item) => {
                        bytes.extend((item.len() as i32).to_be_bytes());
                        bytes.extend(*item);
                    }
                    None => bytes.extend((-1_i32).to_be_bytes()),
                }
            }
            bytes
        };
        let read = |ty: Type, raw: &[u8]| Cell::from_sql(&ty, raw).map(|cell| cell.0);
        let array = |items: Vec<Value>| Value::Array(items.into());
        assert_eq!(read(Type::INT4_ARRAY, &raw(&[], &[])).unwrap(), array(Vec::new()));
        let ints = raw(&[2], &[Some(&7_i32.to_be_bytes()), None]);
        assert_eq!(read(Type::INT4_ARRAY, &ints).unwrap(), array(vec![Value::Int(7), Value::Unit]));
        let reals = raw(&[1], &[Some(&2.5_f64.to_be_bytes())]);
        assert_eq!(read(Type::FLOAT8_ARRAY, &reals).unwrap(), array(vec![Value::Real(2.5)]));
        let texts = raw(&[2, 1], &[Some(b"a"), Some(b"b c")]);
        assert_eq!(
            read(Type::TEXT_ARRAY, &texts).unwrap(),
            array(vec![array(vec![text("a")]), array(vec![text("b c")])])
        );
        let flags = raw(&[1], &[Some(&[1])]);
        assert_eq!(read(Type::BOOL_ARRAY, &flags).unwrap(), array(vec![Value::Bool(true)]));
        assert!(read(Type::INT4_ARRAY, &ints[..ints.len() - 1]).is_err());
        assert!(read(Type::INT4_ARRAY, &raw(&[1; 7], &[])).is_err());
        // A length that the bytes do not have.
        assert!(read(Type::INT4_ARRAY, &raw(&[i32::MAX], &[])).is_err());
        assert!(read(Type::INT4_ARRAY, &raw(&[i32::MAX, 0], &[])).is_err());
        assert!(!Cell::accepts(&Type::POINT_ARRAY) && !Cell::accepts(&Type::INTERVAL));
    }
}
