//! What an event that was executed alone did otherwise than when it was recorded.

use hasse_model::value::Value;
use serde::Serialize;

use super::isolation::Outcomes;

/// Something that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What: `outcome`, `var acc`, `shared total`, `sent done`, `lines` and so on.
    pub what: String,
    /// As it was.
    pub recorded: String,
    /// As it is.
    pub found: String,
}

/// Everything in which two outcomes differ.
pub(super) fn differences(recorded: &Outcomes, found: &Outcomes) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut differ = |what: &str, recorded: String, found: String| {
        differences.push(Difference { what: what.to_owned(), recorded, found });
    };
    if recorded.outcome != found.outcome {
        differ("outcome", recorded.outcome.name().to_owned(), found.outcome.name().to_owned());
    }
    if recorded.error != found.error {
        let shown = |error: &Option<String>| error.clone().unwrap_or_else(|| "none".to_owned());
        differ("error", shown(&recorded.error), shown(&found.error));
    }
    if recorded.routes != found.routes {
        differ("routing rules", format!("{:?}", recorded.routes), format!("{:?}", found.routes));
    }
    for (kind, recorded, found) in [
        ("var", &recorded.vars, &found.vars),
        ("shared", &recorded.shared, &found.shared),
        ("result", &recorded.results, &found.results),
    ] {
        named(kind, recorded, found, &mut differ);
    }
    if recorded.lines != found.lines {
        differ("lines printed", format!("{:?}", recorded.lines), format!("{:?}", found.lines));
    }
    let n_both = recorded.sent.len().min(found.sent.len());
    if recorded.sent.len() != found.sent.len() {
        differ("number of values sent", recorded.sent.len().to_string(), found.sent.len().to_string());
    }
    for (was, is) in recorded.sent[..n_both].iter().zip(&found.sent[..n_both]) {
        if was.port != is.port {
            differ("port sent on", was.port.clone(), is.port.clone());
        } else if !same(&was.value, &is.value) {
            let (was_shown, is_shown) = apart(&was.value, &is.value);
            differ(&format!("sent {}", was.port), was_shown, is_shown);
        }
        if was.to != is.to {
            differ(&format!("receivers of {}", was.port), was.to.join(", "), is.to.join(", "));
        }
    }
    differences
}

fn named(
    kind: &str,
    recorded: &[(String, Value)],
    found: &[(String, Value)],
    differ: &mut impl FnMut(&str, String, String),
) {
    let value_in = |list: &'_ [(String, Value)], name: &str| {
        list.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in recorded.iter().chain(found) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let what = format!("{kind} {name}");
        match (value_in(recorded, name), value_in(found, name)) {
            (Some(was), Some(is)) if same(&was, &is) => {}
            (Some(was), Some(is)) => {
                let (was, is) = apart(&was, &is);
                differ(&what, was, is);
            }
            (was, is) => {
                let shown = |value: Option<Value>| value.map_or("none".to_owned(), |value| value.to_string());
                differ(&what, shown(was), shown(is));
            }
        }
    }
}

/// Two values that differ, so that it can be seen: where they look alike in short, the first entry that differs.
fn apart(was: &Value, is: &Value) -> (String, String) {
    let (shown_was, shown_is) = (was.to_string(), is.to_string());
    if shown_was != shown_is {
        return (shown_was, shown_is);
    }
    let reals = |was: &[f64], is: &[f64]| {
        let entry = was.iter().zip(is).position(|(was, is)| !same_real(*was, *is));
        entry.map(|entry| (entry, format!("{:?}", was[entry]), format!("{:?}", is[entry])))
    };
    let found = match (was, is) {
        (Value::Vector(was), Value::Vector(is)) => {
            reals(was, is).map(|(at, was, is)| (format!("[{at}]"), was, is))
        }
        (Value::Matrix(was), Value::Matrix(is)) => {
            reals(was.entries(), is.entries()).map(|(at, was_at, is)| {
                let n_rows = was.n_rows().max(1);
                (format!("[{}, {}]", at % n_rows, at / n_rows), was_at, is)
            })
        }
        (Value::Array(was), Value::Array(is)) => {
            let item = was.iter().zip(is.iter()).position(|(was, is)| !same(was, is));
            item.map(|item| (format!("[{item}]"), was[item].to_string(), is[item].to_string()))
        }
        (Value::Map(was), Value::Map(is)) => {
            let entry = was
                .iter()
                .find_map(|(key, was)| is.get(key).filter(|is| !same(was, is)).map(|is| (key, was, is)));
            entry.map(|(key, was, is)| (format!("[{key:?}]"), was.to_string(), is.to_string()))
        }
        (Value::Bytes(was), Value::Bytes(is)) => {
            let byte = was.iter().zip(is.iter()).position(|(was, is)| was != is);
            byte.map(|byte| (format!("[{byte}]"), was[byte].to_string(), is[byte].to_string()))
        }
        _ => None,
    };
    match found {
        Some((place, was, is)) => {
            (format!("{shown_was} with {was} at {place}"), format!("{shown_is} with {is} at {place}"))
        }
        None => (shown_was, format!("another {shown_is}")),
    }
}

/// Whether two values are the same, where a number that is none is the same as itself.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    let all = |left: &[f64], right: &[f64]| {
        left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_real(*left, *right))
    };
    match (left, right) {
        (Value::Real(left), Value::Real(right)) => same_real(*left, *right),
        (Value::Vector(left), Value::Vector(right)) => all(left, right),
        (Value::Matrix(left), Value::Matrix(right)) => {
            (left.n_rows(), left.n_cols()) == (right.n_rows(), right.n_cols())
                && all(left.entries(), right.entries())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| same(left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right.iter())
                    .all(|((left_key, left), (right_key, right))| left_key == right_key && same(left, right))
        }
        (Value::Struct(left), Value::Struct(right)) => {
            left.shape().name == right.shape().name
                && left.fields().len() == right.fields().len()
                && left.entries().zip(right.entries()).all(|((left_name, left), (right_name, right))| {
                    left_name == right_name && same(left, right)
                })
        }
        (left, right) => left == right,
    }
}

fn same_real(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_difference_shows_where_values_are_long() {
        let vector = |last: f64| {
            let mut entries = vec![f64::NAN; 20];
            entries[19] = last;
            Value::Vector(Arc::new(entries))
        };
        assert!(same(&vector(0.5), &vector(0.5)));
        assert!(!same(&vector(0.0), &vector(-0.0)));
        let (was, is) = apart(&vector(1.0), &vector(2.0));
        assert_eq!(was, "vector of length 20 with 1.0 at [19]");
        assert_eq!(is, "vector of length 20 with 2.0 at [19]");
    }

    #[test]
    fn everything_that_differs_is_named() {
        let int = |number| Value::Int(number);
        let was = Outcomes { vars: vec![("a".into(), int(1)), ("b".into(), int(2))], ..Outcomes::default() };
        let is = Outcomes { vars: vec![("a".into(), int(1)), ("c".into(), int(2))], ..Outcomes::default() };
        let found = differences(&was, &is);
        let shown = found.iter().map(|found| format!("{} {} {}", found.what, found.recorded, found.found));
        assert_eq!(shown.collect::<Vec<_>>(), ["var b 2 none", "var c none 2"]);
        assert!(differences(&was, &was).is_empty());
    }
}
