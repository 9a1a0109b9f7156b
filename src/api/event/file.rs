//! Isolation files: an isolated event as JSON, to be kept as a test case.
//!
//! The file holds the program's text and every input in full, so that it needs neither the trace nor the program
//! file. Values say their type by themselves (`file/value`), because those of the world and of type `any` have no
//! declared one.

mod value;

use hasse_model::event::{Effect, EffectKind, Outcome};
use hasse_model::id::Index;
use hasse_model::value::Value;
use serde_json::{Map, Value as Json, json};

use super::described::Sent;
use super::error::EventError;
use super::isolation::{Given, Isolation, Origin, Outcomes, split_element};
use value::{decode, encode};

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

impl Isolation {
    /// The isolation as an isolation file.
    pub fn to_json(&self) -> String {
        let Self { origin, given, recorded, changed } = self;
        let calls = origin.calls.iter().map(|(label, index)| json!([label, index.as_slice()]));
        let took = given.took.iter().map(
            |(port, elements, value)| json!({ "port": format!("{port}{elements}"), "value": encode(value) }),
        );
        let file = json!({
            "hasse_isolation": VERSION,
            "event": origin.event,
            "node": origin.node,
            "calls": calls.collect::<Json>(),
            "index": origin.index.as_slice(),
            "count": origin.count,
            "rule": origin.rule,
            "seed": origin.seed,
            "params": named(&origin.params),
            "vars": named(&given.vars),
            "took": took.collect::<Json>(),
            "shared": named(&given.shared),
            "answers": given.answers.iter().map(answer).collect::<Json>(),
            "most_bytes": given.most_bytes,
            "changed": changed,
            "recorded": recorded.as_ref().map(outcomes),
            "program": { "path": origin.program_path, "text": origin.program_text },
        });
        format!("{file:#}\n")
    }

    /// Reads an isolation file.
    ///
    /// # Errors
    /// The text is none, or of another version.
    pub fn from_json(text: &str) -> Result<Self, EventError> {
        let file: Json =
            serde_json::from_str(text).map_err(|error| EventError::File { problem: error.to_string() })?;
        read(&file).map_err(|problem| EventError::File { problem })
    }
}

fn named(values: &[(String, Value)]) -> Json {
    values.iter().map(|(name, value)| json!({ "name": name, "value": encode(value) })).collect()
}

fn answer(effect: &Effect) -> Json {
    let question = format!("{:?}", effect.kind);
    match &effect.answer {
        Ok(value) => json!({ "question": question, "value": encode(value) }),
        Err(error) => json!({ "question": question, "error": error }),
    }
}

fn outcomes(recorded: &Outcomes) -> Json {
    let sent = recorded
        .sent
        .iter()
        .map(|sent| json!({ "port": sent.port, "value": encode(&sent.value), "to": sent.to }));
    json!({
        "outcome": recorded.outcome.name(),
        "error": recorded.error,
        "routes": recorded.routes,
        "vars": named(&recorded.vars),
        "shared": named(&recorded.shared),
        "sent": sent.collect::<Json>(),
        "lines": recorded.lines,
        "results": named(&recorded.results),
    })
}

fn read(file: &Json) -> Result<Isolation, String> {
    let top = Part { path: String::new(), object: file.as_object().ok_or("it is no JSON object")? };
    let version = top.get("hasse_isolation")?.as_u64();
    if version != Some(VERSION) {
        return Err(format!(
            "its version is {}, and this Hasse reads version {VERSION}",
            top.get("hasse_isolation")?
        ));
    }
    let program = top.part("program")?;
    let calls = top.each("calls", |path, call| {
        let label = call.get(0).and_then(Json::as_str);
        let index = call.get(1).and_then(index_of);
        label
            .map(str::to_owned)
            .zip(index)
            .ok_or_else(|| format!("`{path}`: a call and its index are expected"))
    })?;
    let took = top.each("took", |path, taken| {
        let taken = Part::of(path, taken)?;
        let name = taken.text("port")?;
        let (port, elements) = split_element(&name);
        Ok((port.to_owned(), elements, taken.value("value")?))
    })?;
    let origin = Origin {
        program_path: program.text("path")?,
        program_text: program.text("text")?,
        params: top.named("params")?,
        seed: top.optional("seed", Json::as_u64, "a seed")?,
        event: top.text("event")?,
        node: top.text("node")?,
        calls,
        index: index_of(top.get("index")?).ok_or("`index`: an array of integers is expected")?,
        count: top
            .get("count")?
            .as_u64()
            .filter(|count| *count > 0)
            .ok_or("`count`: a number from 1 is expected")?,
        rule: rule_of(top.get("rule")?).ok_or("`rule`: the position of a firing rule is expected, or -1")?,
    };
    let given = Given {
        vars: top.named("vars")?,
        took,
        shared: top.named("shared")?,
        answers: top.each("answers", |path, answer| effect(&Part::of(path, answer)?))?,
        most_bytes: top.optional("most_bytes", Json::as_u64, "a number of bytes")?,
    };
    let recorded = match top.get("recorded")? {
        Json::Null => None,
        _ => Some(read_outcomes(&top.part("recorded")?)?),
    };
    let changed = top.each("changed", text_of)?;
    Ok(Isolation { origin, given, recorded, changed })
}

fn read_outcomes(part: &Part<'_>) -> Result<Outcomes, String> {
    let outcome = part.text("outcome")?;
    let outcomes = [Outcome::Done, Outcome::Failed, Outcome::Stopped];
    let outcome = outcomes.into_iter().find(|known| known.name() == outcome);
    Ok(Outcomes {
        outcome: outcome.ok_or("`recorded.outcome`: done, failed or stopped is expected")?,
        error: part.optional("error", |json| json.as_str().map(str::to_owned), "a text")?,
        routes: part.each("routes", |path, route| {
            let position = route.as_u64().and_then(|position| u32::try_from(position).ok());
            position.ok_or_else(|| format!("`{path}`: the position of a routing rule is expected"))
        })?,
        vars: part.named("vars")?,
        shared: part.named("shared")?,
        sent: part.each("sent", |path, sent| {
            let sent = Part::of(path, sent)?;
            Ok(Sent { port: sent.text("port")?, value: sent.value("value")?, to: sent.each("to", text_of)? })
        })?,
        lines: part.each("lines", text_of)?,
        results: part.named("results")?,
    })
}

fn effect(part: &Part<'_>) -> Result<Effect, String> {
    const KINDS: [EffectKind; 21] = [
        EffectKind::Time,
        EffectKind::Random,
        EffectKind::ReadFile,
        EffectKind::FileSize,
        EffectKind::FileExists,
        EffectKind::Environment,
        EffectKind::StandardInput,
        EffectKind::ListFolder,
        EffectKind::WriteFile,
        EffectKind::Native,
        EffectKind::Assigned,
        EffectKind::Printed,
        EffectKind::Added,
        EffectKind::Stream,
        EffectKind::Command,
        EffectKind::Http,
        EffectKind::Sql,
        EffectKind::Taken,
        EffectKind::Refused,
        EffectKind::Earlier,
        EffectKind::Found,
    ];
    let question = part.text("question")?;
    let kind = KINDS.into_iter().find(|kind| format!("{kind:?}") == question);
    let kind = kind.ok_or_else(|| format!("`{}.question`: there is no question `{question}`", part.path))?;
    let answer = match part.object.get("error") {
        Some(Json::String(error)) => Err(error.clone()),
        _ => Ok(part.value("value")?),
    };
    Ok(Effect { kind, answer })
}

fn rule_of(json: &Json) -> Option<i32> {
    json.as_i64().and_then(|rule| i32::try_from(rule).ok()).filter(|rule| *rule >= -1)
}

fn index_of(json: &Json) -> Option<Index> {
    json.as_array()?.iter().map(Json::as_i64).collect()
}

fn text_of(path: &str, json: &Json) -> Result<String, String> {
    json.as_str().map(str::to_owned).ok_or_else(|| format!("`{path}`: a text is expected"))
}

/// An object of the file, and the way to it.
struct Part<'j> {
    path: String,
    object: &'j Map<String, Json>,
}

impl<'j> Part<'j> {
    fn of(path: &str, json: &'j Json) -> Result<Self, String> {
        let object = json.as_object().ok_or_else(|| format!("`{path}`: an object is expected"))?;
        Ok(Self { path: path.to_owned(), object })
    }

    fn path_to(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn get(&self, key: &str) -> Result<&'j Json, String> {
        self.object.get(key).ok_or_else(|| format!("`{}` is missing", self.path_to(key)))
    }

    fn part(&self, key: &str) -> Result<Part<'j>, String> {
        Part::of(&self.path_to(key), self.get(key)?)
    }

    fn text(&self, key: &str) -> Result<String, String> {
        text_of(&self.path_to(key), self.get(key)?)
    }

    fn value(&self, key: &str) -> Result<Value, String> {
        decode(&self.path_to(key), self.get(key)?)
    }

    fn optional<T>(
        &self,
        key: &str,
        read: impl Fn(&Json) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>, String> {
        match self.get(key)? {
            Json::Null => Ok(None),
            json => {
                read(json).map(Some).ok_or_else(|| format!("`{}`: {expected} is expected", self.path_to(key)))
            }
        }
    }

    fn each<T>(
        &self,
        key: &str,
        read: impl Fn(&str, &'j Json) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let path = self.path_to(key);
        let items = self.get(key)?.as_array().ok_or_else(|| format!("`{path}`: an array is expected"))?;
        items.iter().enumerate().map(|(item_idx, item)| read(&format!("{path}[{item_idx}]"), item)).collect()
    }

    fn named(&self, key: &str) -> Result<Vec<(String, Value)>, String> {
        self.each(key, |path, item| {
            let item = Part::of(path, item)?;
            Ok((item.text("name")?, item.value("value")?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isolation() -> Isolation {
        let origin = Origin {
            program_path: "p.hasse".to_owned(),
            program_text: "hasse = 1\n".to_owned(),
            params: vec![("n".to_owned(), Value::Int(4))],
            seed: Some(u64::MAX),
            event: "/c[1]/Mult[3]:2".to_owned(),
            node: "Sub.Mult".to_owned(),
            calls: vec![("c".to_owned(), [1].into_iter().collect())],
            index: [3].into_iter().collect(),
            count: 2,
            rule: 1,
        };
        let one = |name: &str| vec![(name.to_owned(), Value::Real(0.1))];
        let given = Given {
            vars: one("v"),
            took: vec![("a".to_owned(), [1, -2].into_iter().collect(), Value::Unit)],
            shared: one("s"),
            answers: vec![
                Effect { kind: EffectKind::Native, answer: Ok(Value::Char('x')) },
                Effect { kind: EffectKind::ReadFile, answer: Err("no such file".to_owned()) },
            ],
            most_bytes: None,
        };
        let sent =
            vec![Sent { port: "o".to_owned(), value: Value::Bool(true), to: vec!["/End.a".to_owned()] }];
        let recorded = Outcomes {
            outcome: Outcome::Failed,
            error: Some("e".to_owned()),
            routes: vec![0, 2],
            sent,
            lines: vec!["line".to_owned()],
            results: one("r"),
            ..Outcomes::default()
        };
        Isolation { origin, given, recorded: Some(recorded), changed: vec!["port a".to_owned()] }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let isolation = isolation();
        assert_eq!(Isolation::from_json(&isolation.to_json()).expect("a file"), isolation);
        let interrupted = Isolation { recorded: None, ..isolation };
        assert_eq!(Isolation::from_json(&interrupted.to_json()).expect("a file"), interrupted);
    }

    #[test]
    fn faults_of_a_file_name_their_place() {
        let good: Json = serde_json::from_str(&isolation().to_json()).expect("JSON");
        for (pointer, wrong, message) in [
            ("/hasse_isolation", json!(2), "its version is 2, and this Hasse reads version 1"),
            ("/index", json!("x"), "`index`: an array of integers is expected"),
            ("/count", json!(0), "`count`: a number from 1 is expected"),
            ("/took/0/port", json!(1), "`took[0].port`: a text is expected"),
            ("/took/0/value", json!({ "vector": [true] }), "`took[0].value`: a vector has numbers"),
            ("/answers/0/question", json!("Why"), "`answers[0].question`: there is no question `Why`"),
            ("/recorded/outcome", json!("fine"), "`recorded.outcome`: done, failed or stopped is expected"),
        ] {
            let mut file = good.clone();
            *file.pointer_mut(pointer).expect("a place") = wrong;
            let error = Isolation::from_json(&file.to_string()).expect_err(pointer);
            assert_eq!(error.to_string(), format!("this is no isolation file: {message}"));
        }
        for text in ["", "[]", "{}", "{\"hasse_isolation\": 1}"] {
            assert!(matches!(Isolation::from_json(text), Err(EventError::File { .. })), "{text}");
        }
    }
}
