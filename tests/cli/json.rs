//! The JSON of commands is as its schemas say, and the schemas as the page says.

use serde_json::Value as Json;

use super::support::{Folder, SQUARES, TELLERS, repository};

fn schema_text(name: &str) -> String {
    std::fs::read_to_string(repository().join(format!("docs/schemas/{name}.json"))).unwrap()
}

/// Holds what a command prints against a schema.
fn matches_schema(name: &str, found: &Json) {
    let schema: Json = serde_json::from_str(&schema_text(name)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(found).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{found:#}");
}

fn holds(folder: &Folder, name: &str, args: &[&str]) {
    let ran = folder.hasse(&[args, &["--json"]].concat());
    assert!(ran.code < Some(2), "{}", ran.shown());
    matches_schema(name, &ran.json());
}

/// A folder with records of a run: full in `t`, with times in `p`, minimal in `m`, restricted in `r`.
fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder.hasse(&["run", "tellers.hasse", "--trace", "p", "--record", "perf"]).ends(0);
    folder.hasse(&["run", "tellers.hasse", "--trace", "m", "--record", "minimal"]).ends(0);
    folder.hasse(&["run", "tellers.hasse", "--trace", "r", "--select", "Teller"]).ends(0);
    folder
}

#[test]
fn commands_on_programs_print_what_their_schemas_say() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.write("wrong.hasse", &SQUARES.replace("s -> ", "").replace("x * x", "x * y"));
    folder.write("loose.hasse", &SQUARES.replace("main  =", "main="));
    folder.write("broken.hasse", "hasse = ");
    for program in ["squares.hasse", "wrong.hasse"] {
        holds(&folder, "check", &["check", program]);
        holds(&folder, "run", &["run", program]);
    }
    holds(&folder, "fmt", &["fmt", "--check"]);
    holds(&folder, "fmt", &["fmt", "loose.hasse", "--stdout"]);
    holds(&folder, "fmt", &["fmt"]);
    holds(&folder, "functions", &["functions"]);
    holds(&folder, "functions", &["functions", "result"]);
    holds(&folder, "explain", &["explain"]);
    holds(&folder, "explain", &["explain", "E0104"]);
    holds(&folder, "new", &["new", "--list"]);
    holds(&folder, "diff", &["diff", "squares.hasse", "wrong.hasse"]);
    holds(&folder, "diff", &["diff", "squares.hasse", "loose.hasse"]);
}

#[test]
fn expanded_graph_is_as_its_schema_says() {
    let folder = Folder::with("squares.hasse", SQUARES);
    folder.write("tellers.hasse", TELLERS);
    for program in ["squares.hasse", "tellers.hasse"] {
        let ran = folder.hasse(&["graph", program, "--expanded", "--format", "json"]).ends(0);
        matches_schema("expanded", &ran.json());
    }
}

#[test]
fn runs_and_replays_print_what_their_schema_says() {
    let folder = recorded();
    let check = "never a: Teller, b: Audit where a < b";
    holds(&folder, "run", &["run", "tellers.hasse", "--check", check, "--races", "--trace", "u"]);
    holds(&folder, "run", &["run", "tellers.hasse", "--order", "/Audit:1 < /Teller[1]:1"]);
    holds(&folder, "run", &["replay", "t"]);
    folder.write(
        "halt.hasse",
        &SQUARES.replace("fire  = [\"square -> s\"]", "fire  = [\"square -> s if count < 0\"]"),
    );
    holds(&folder, "run", &["run", "halt.hasse"]);
    folder.write("fails.hasse", &SQUARES.replace("total += s;", "total += s / 0;"));
    holds(&folder, "run", &["run", "fails.hasse"]);
    let bounded = SQUARES.replace("fire  = [\"square -> s\"]", "fire  = [\"square -> s if count < 0\"]");
    let bounded =
        bounded.replace("square = \"int\" }\nvars", "square = { type = \"int\", bound = 1 } }\nvars");
    let dropping = bounded.replace("bound = 1", "bound = 1, full = \"drop-oldest\"");
    folder.write("dropping.hasse", &dropping);
    holds(&folder, "run", &["run", "dropping.hasse"]);
    folder.write("full.hasse", &bounded);
    let full = folder.hasse(&["run", "full.hasse", "--json"]).ends(1).json();
    assert_eq!(full["wait_causes"][0]["kind"], "full", "{full:#}");
    assert_eq!(full["quiescence"][0]["held_back"][0]["port"], "/Sum.square", "{full:#}");
    holds(&folder, "run", &["run", "full.hasse"]);
}

#[test]
fn commands_on_traces_print_what_their_schemas_say() {
    let folder = recorded();
    let checks = [
        "check pred Audit {Open}",
        "check pred Teller {Audit}",
        "never a: Teller, b: Audit where a < b",
        "forall o: Open, a: Audit where o < a : a.count > 1",
        "exists t: Teller where t.end > 5",
    ];
    holds(&folder, "verify", &[&["verify", "t"], &checks[..]].concat());
    for trace in ["t", "p", "r"] {
        holds(&folder, "perf", &["perf", trace]);
        holds(&folder, "events", &["trace", "events", trace]);
        holds(&folder, "history", &["trace", "history", trace]);
        holds(&folder, "graphs", &["trace", "graphs", trace]);
        holds(&folder, "digest", &["trace", "digest", trace]);
    }
    for trace in ["t", "p", "r", "m"] {
        holds(&folder, "info", &["trace", "info", trace]);
    }
    folder.hasse(&["run", "tellers.hasse", "--trace", "o", "--workers", "1", "--seed", "5"]).ends(0);
    for trace in ["t", "o", "p"] {
        holds(&folder, "diff", &["diff", "t", trace]);
        holds(&folder, "diff", &["diff", "t", trace, "--program"]);
    }
    for trace in ["t", "p"] {
        holds(&folder, "coverage", &["trace", "coverage", trace]);
    }
    holds(&folder, "events", &["trace", "events", "t", "--limit", "2", "--template", "Teller"]);
    holds(&folder, "graphs", &["trace", "graphs", "t", "--graph", "program"]);
    holds(&folder, "races", &["races", "t"]);
    holds(&folder, "races", &["races", "t", "--orderings"]);
    for trace in ["t", "p", "m"] {
        holds(&folder, "state", &["state", trace]);
        holds(&folder, "state", &["state", trace, "--at", "50%"]);
    }
    holds(&folder, "fork", &["fork", "t", "--at", "50%"]);
    holds(&folder, "fork", &["fork", "t", "--at", "1", "--times", "3", "-o", "forks"]);
    holds(&folder, "fork", &["fork", "t", "--at", "1", "--order", "/Audit:1 < /Teller[1]:1"]);
    for event in ["/Audit:1", "/Teller[1]:1", "/Open:1"] {
        holds(&folder, "values", &["values", "t", event]);
        holds(&folder, "why", &["why", "t", event, "--values"]);
        holds(&folder, "why", &["why", "t", event, "--depth", "5"]);
        holds(&folder, "isolate", &["isolate", "t", event]);
    }
    holds(&folder, "why", &["why", "r", "/Teller[1]:1"]);
    holds(&folder, "isolate", &["isolate", "t", "/Teller[1]:1", "--set", "total=7", "--times", "2"]);
}

/// Names of all fields of a schema.
fn fields(schema: &Json, found: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
        found.extend(properties.keys().cloned());
    }
    match schema {
        Json::Object(parts) => parts.values().for_each(|part| fields(part, found)),
        Json::Array(parts) => parts.iter().for_each(|part| fields(part, found)),
        _ => {}
    }
}

#[test]
fn page_names_each_field_of_each_schema() {
    let page = std::fs::read_to_string(repository().join("docs/json.md")).unwrap();
    let folder = std::fs::read_dir(repository().join("docs/schemas")).unwrap();
    let mut n_schemas = 0;
    for file in folder {
        let name = file.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".json").unwrap();
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("{name}\n")));
        assert!(section.is_some_and(|section| section.contains(&format!("schemas/{name}.json"))), "{name}");
        let mut found = Vec::new();
        fields(&serde_json::from_str(&schema_text(name)).unwrap(), &mut found);
        for field in found {
            let is_named = page.contains(&format!("`{field}`")) || page.contains(&format!(".{field}`"));
            assert!(is_named, "{name}: {field}");
        }
        n_schemas += 1;
    }
    assert_eq!(n_schemas, 22);
}
