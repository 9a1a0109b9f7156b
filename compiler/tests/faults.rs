//! What is left open is reported where the sign is missing, and what only looks so is not.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use hasse_model::function::FunctionTable;

/// Line and message of the only finding.
fn found(text: &str) -> (u32, String) {
    let found = hasse_compiler::compile(text, &FunctionTable::default()).diagnostics;
    let [one] = &found[..] else { panic!("{found:?}") };
    (one.at().line, one.message.clone())
}

const TOML: &str = "the file is not readable TOML: ";

#[test]
fn what_is_left_open_in_the_file_is_found_where_its_end_is_missing() {
    let head = "hasse = 1\nmain = \"g\"\n[graph.g]\n";
    for (rest, line, message) in [
        ("arcs = [\n  \"A.p -> B.q\",\n[graph.g.uc.A]\nstart = true\n", 5, "a `]` is missing"),
        ("arcs = [\n  \"A.p -> B.q\"\n  \"A.p -> B.q\",\n]\n", 5, "a comma is missing"),
        ("arcs = [\n  \"A.p -> B.q\"  # why\n\n# or\n  \"A.p -> B.q\",\n]\n", 5, "a comma is missing"),
        ("params = { n = \"int\"\n[graph.g.uc.A]\nstart = true\n", 4, "a `}` is missing"),
        ("doc = 'it\narcs = []\n", 4, "a quote is missing at the end of this string"),
        ("arcs =\n  \"A.p -> B.q\",\n]\n", 4, "a value is missing"),
        ("[graph.g.uc.A]\ndo = ''\nlet x = 1;\n'''\n", 5, "quotes of a body are missing"),
        (
            "[graph.g.uc.A]\ndo = '''\nlet x = 1;\nroute = [\"p <- x\"]\n[graph.g.uc.B]\ndo = '''\nlet y = 2;\n'''\n",
            6,
            "the end of a body is missing",
        ),
    ] {
        assert_eq!(found(&format!("{head}{rest}")), (line, format!("{TOML}{message}")), "{rest}");
    }
}

/// The mistake is in the last line; what stands above it looks like one, and is none.
#[test]
fn what_only_looks_open_is_not_taken_for_the_mistake() {
    let head = "hasse = 1\nmain = \"g\"\n";
    for rest in [
        "[graph.g.uc.A]\ndo = '''\nlet out = 1;\nout = [1];\n'''\nstart = = true\n",
        "[graph.g]\ndoc = \"a [ and a { and '''\"  # and \"\narcs = = []\n",
        "[graph.g]\narcs = [\n  # in = 1, it says; [\n  \"a ' b\",\n]\ndoc = = 1\n",
        "[graph.g]\ndoc = ''\nshare = []\narcs = = []\n",
        "[graph.g]\ndoc = '''it's ''it'''\narcs = = []\n",
    ] {
        let text = format!("{head}{rest}");
        let (line, message) = found(&text);
        assert_eq!(line as usize, text.lines().count(), "{message}\n{rest}");
    }
}

#[test]
fn what_is_missing_in_a_body_is_found_where_it_was_left_out() {
    for (body, line) in [
        ("let a = 1  // one\n\n// two\nlet b = 2;", 6),
        ("let a = 1 let b = 2;", 6),
        ("let a = \"{\";\nif a == `}` {\n    a += \"}\";\n", 7),
        ("for i in 0..3 {\n    if i > 1 { i;\n}\nlet c = 3;", 7),
        ("for i in 0..3 {\n    let c = 3;\n    if i > 1 {\n        i;\n    }\n", 6),
    ] {
        let text = format!("hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\nstart = true\ndo = '''\n{body}\n'''\n");
        assert_eq!(found(&text).0, line, "{body}");
    }
}
