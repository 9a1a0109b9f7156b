use std::fs;

use jsonschema::Validator;
use serde_json::{Map, Number, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use super::support::{ENDLESS, Folder, SQUARES, TELLERS, repository};

fn validator() -> Validator {
    let printed = Folder::new().hasse(&["schema"]).ends(0);
    jsonschema::validator_for(&printed.json()).expect("the schema is one")
}

/// A program as JSON, as editors see it.
fn json_of(text: &str) -> Json {
    let document = Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    json_of_table(document.as_table())
}

fn json_of_table(table: &dyn TableLike) -> Json {
    let json = |item: &Item| match (item.as_table_like(), item.as_value()) {
        (Some(table), _) => json_of_table(table),
        (None, Some(value)) => json_of_value(value),
        (None, None) => Json::Null,
    };
    Json::Object(table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect::<Map<_, _>>())
}

fn json_of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Integer(number) => Json::Number((*number.value()).into()),
        Value::Float(number) => Number::from_f64(*number.value()).map_or(Json::Null, Json::Number),
        Value::Boolean(flag) => Json::Bool(*flag.value()),
        Value::Datetime(time) => Json::String(time.value().to_string()),
        Value::Array(array) => Json::Array(array.iter().map(json_of_value).collect()),
        Value::InlineTable(table) => json_of_table(table),
    }
}

#[track_caller]
fn assert_valid(validator: &Validator, name: &str, text: &str) {
    let json = json_of(text);
    let complaints: Vec<String> =
        validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(complaints.is_empty(), "{name}: {complaints:#?}");
}

#[test]
fn programs_of_all_kinds_are_valid() {
    let validator = validator();
    for (name, text) in [("squares", SQUARES), ("tellers", TELLERS), ("endless", ENDLESS)] {
        assert_valid(&validator, name, text);
    }
    for folder in fs::read_dir(repository().join("examples")).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "hasse") {
                assert_valid(&validator, &path.display().to_string(), &fs::read_to_string(&path).unwrap());
            }
        }
    }
    let hierarchy = "hasse = 1\nmain = 'g'\n[type.S]\nrow = 'int'\n[graph.g.call.Sub]\ngraph = 'h'\n\
                     args = { n = 'n / 2' }\nindex = ['i']\n[graph.h]\nin = { 'a[i]' = 'S' }\nout = { b = 'S[]' }\n\
                     inout = { acct = 'int', 'cell[i]' = 'real' }\ndoc = 'x'\n[layout.g]\nSub = [1, 2.5]\n";
    assert_valid(&validator, "hierarchy", hierarchy);
}

#[test]
fn the_right_programs_of_the_error_pages_are_valid() {
    let validator = validator();
    for file in fs::read_dir(repository().join("docs/errors")).unwrap() {
        let page = fs::read_to_string(file.unwrap().path()).unwrap();
        let right = page.split("\n## Right\n").nth(1).unwrap().split("```toml\n").nth(1).unwrap();
        let right = right.split("```").next().unwrap();
        assert_valid(&validator, page.lines().next().unwrap(), right);
    }
}

#[test]
fn broken_programs_are_not_valid() {
    let validator = validator();
    for (old, new) in [
        ("hasse = 1", "hasse = 2"),
        ("hasse = 1\n", ""),
        ("main  = \"tellers\"\n", ""),
        ("main  =", "mian  ="),
        ("share =", "shares ="),
        ("index  = [\"i\"]", "index  = \"i\""),
        ("index  = [\"i\"]", "index  = [\"i\", \"i\"]"),
        ("\"Open.go[i] -> Teller[i].go\"", "\"Open.go[i] => Teller[i].go\""),
        ("\"total -- Audit.total\"", "\"total -> Audit.total\""),
        ("total = \"read\"", "total = \"reader\""),
        ("type = \"int\"\n", ""),
        ("init = \"100\"", "init = 100"),
        ("start = true", "start = \"true\""),
        ("in     = { go = \"int\" }", "in     = { \"go-on\" = \"int\" }"),
        ("in     = { go = \"int\" }", "in     = { go = 1 }"),
        ("fire   = [\"go -> amount\"]", "fire   = [\"go <- amount\"]"),
        ("route  = [\"done <- total\"]", "route  = [\"done -> total\"]"),
        ("fire   = [\"go -> amount\"]", "fire   = \"go -> amount\""),
        ("[graph.tellers.uc.Audit]", "[graph.tellers.node.Audit]"),
    ] {
        assert!(TELLERS.contains(old), "{old}");
        let broken = json_of(&TELLERS.replacen(old, new, 1));
        assert!(!validator.is_valid(&broken), "{old} => {new}");
    }
}

#[test]
fn a_body_is_a_text_in_one_of_two_languages_or_a_name() {
    let validator = validator();
    let unit = |body: &str| format!("hasse = 1\nmain = 'g'\n[graph.g.uc.X]\nstart = true\ndo = {body}\n");
    for body in
        ["'let x = 1;'", "{ rust = 'let x = 1;' }", "{ native = 'name' }", "{ rust = '''\nf();\n''' }"]
    {
        assert_valid(&validator, body, &unit(body));
    }
    for body in ["{}", "{ rust = 1 }", "{ rust = 'f();', native = 'name' }", "{ rhai = 'f();' }", "['f();']"]
    {
        assert!(!validator.is_valid(&json_of(&unit(body))), "{body}");
    }
}

/// The compiler knows every key that the schema offers.
#[test]
fn the_compiler_knows_the_keys_of_the_schema() {
    let schema = Folder::new().hasse(&["schema"]).ends(0).json();
    for (definition, table) in
        [("graph", "[graph.g]"), ("unit", "[graph.g.uc.X]"), ("shared", "[graph.g.shared.X]")]
    {
        for key in schema["definitions"][definition]["properties"].as_object().unwrap().keys() {
            let text = format!("hasse = 1\nmain = 'g'\n{table}\n{key} = 0\n");
            let found = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse", "--json"]).json();
            let is_unknown =
                found["diagnostics"].as_array().unwrap().iter().any(|found| found["code"] == "E0003");
            // Formal shared objects come with the hierarchy.
            assert!(!is_unknown, "{table} {key}: {found}");
        }
    }
}
