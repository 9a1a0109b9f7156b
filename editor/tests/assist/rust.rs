//! Bodies in Rust: fields, places, problems, colors, completion.

use hasse_model::diagnostic::Diagnostic;

use super::*;

/// Line 12 is the first one of the body; its line 2 has a mistake that only the Rust compiler finds.
const IN_RUST: &str = r#"hasse = 1
main  = "squares"

[type.Block]
row = "int"

[graph.squares]
params = { side = "int = 3" }

[graph.squares.uc.Square]
start = true
do = { rust = '''
let text = r"\";  // of the side
let area: f64 = side * side;
context.result("area", area)?;
''' }  # kept
route = []
"#;

fn body() -> Target {
    Target::of_node("squares", "Square").with(Attribute::of("do"))
}

fn of_body(text: &str) -> Option<FieldValue> {
    let fields = form(text, "squares", Some("Square")).unwrap();
    fields.into_iter().find(|field| field.key == "do").unwrap().value
}

/// Sets the body, and gives the lines that are gone and new; undoing gives back the same bytes.
fn set(program: &str, value: &FieldValue) -> String {
    let mut document = Document::new(program);
    document.edit("form", |tables| forms::set(tables, "squares", Some("Square"), "do", value)).unwrap();
    let text = document.text().to_owned();
    assert_eq!(of_body(&text).as_ref(), Some(value));
    document.undo();
    assert_eq!(document.text(), program);
    let diff = similar::TextDiff::from_lines(program, &text);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

#[test]
fn a_body_in_rust_is_changed_alone_and_stays_as_it_is_formatted() {
    let Some(FieldValue::Rust(held)) = of_body(IN_RUST) else { panic!("{:?}", of_body(IN_RUST)) };
    assert!(held.starts_with("let text") && held.ends_with("area)?;\n"));
    assert_eq!(hasse_compiler::format(IN_RUST).unwrap(), IN_RUST);
    let rust = |text: &str| FieldValue::Rust(text.to_owned());
    let fixed = held.replace("side * side", "side as f64");
    assert_eq!(set(IN_RUST, &rust(&fixed)), "-let area: f64 = side * side;\n+let area: f64 = side as f64;\n");
    assert_eq!(set(IN_RUST, &rust(&held)), "");
    // Emptied, it is in Rust all the same.
    let emptied = set(IN_RUST, &rust(""));
    assert!(!emptied.contains('+') && emptied.lines().count() == 3, "{emptied}");
    let quotes = set(IN_RUST, &rust("say(\"'''\");\n"));
    assert!(quotes.contains("+say("), "{quotes}");
    // What stands on one line may stay there.
    let short = IN_RUST.replace("{ rust = '''\nlet text = r\"\\\";  // of the side\nlet area: f64 = side * side;\ncontext.result(\"area\", area)?;\n''' }", "{ rust = 'f();' }");
    assert_eq!(
        set(&short, &rust("g();")),
        "-do = { rust = 'f();' }  # kept\n+do = { rust = \"g();\" }  # kept\n"
    );
    // From the other kinds, and back.
    let rhai = IN_RUST.replace("{ rust = '''", "'''").replace("''' }", "'''");
    assert!(
        set(&rhai, &rust(&held)).starts_with("-do = '''\n+do = { rust = '''\n-'''  # kept\n+''' }  # kept\n")
    );
    let native = set(IN_RUST, &FieldValue::Native("Square".to_owned()));
    assert!(native.ends_with("+do = { native = \"Square\" }  # kept\n"), "{native}");
    let both = IN_RUST.replace("{ rust =", "{ native = \"f\", rust =");
    assert_eq!(of_body(&both), None);
}

#[test]
fn what_is_wrong_with_a_body_in_rust_has_its_line() {
    let at = IN_RUST.find("side * side").unwrap();
    let places = Places::of(IN_RUST);
    let second = body().with(Attribute { line: Some(2), ..Attribute::of("do") });
    assert_eq!(places.target(at), second);
    assert_eq!(&IN_RUST[places.range(&second).unwrap()], "let area: f64 = side * side;");
    assert_eq!(places.target_of_line(14), second);
    assert_eq!(places.lines_of(&body())[..3], [13, 14, 15]);
    // The Rust compiler is asked where a program is made ready to run.
    let mut problems = Problems::of(IN_RUST, &functions());
    assert_eq!(problems.list(), []);
    let location = places.location(at..at + 11);
    assert_eq!((location.line, location.column), (14, 17));
    let finding = Diagnostic::error("E0512", "mismatched types".to_owned(), location, "");
    problems.add(std::slice::from_ref(&finding));
    problems.add(&[finding]);
    assert_eq!(problems.list().len(), 1);
    assert_eq!(problems.list()[0].target, second);
    assert_eq!(problems.counts(&Target::of_node("squares", "Square")).n_errors, 1);
    // What cannot be cut into words, the compiler says itself.
    let open = IN_RUST.replace("(\"area\"", "((\"area\"");
    let problems = Problems::of(&open, &functions());
    assert_eq!(problems.list()[0].code, "E0511");
    assert_eq!(problems.list()[0].target.attribute.as_ref().unwrap().key, "do");
    assert!(problems.list()[0].target.attribute.as_ref().unwrap().line.is_some());
}

#[test]
fn text_in_a_body_in_rust_is_found() {
    let found = find(&Places::of(IN_RUST), "area", true);
    let lines: Vec<_> = found.iter().map(|found| (found.target.to_string(), found.at.line)).collect();
    let of_line = |line: usize, at: u32| (format!("squares.Square do line {line}"), at);
    assert_eq!(lines, [of_line(2, 14), of_line(3, 15), of_line(3, 15)]);
    assert_eq!(find(&Places::of(IN_RUST), "rust", true), []);
}

#[test]
fn bodies_in_rust_are_colored() {
    let names = Names::of(IN_RUST, "squares", Some("Square"), &functions());
    let text = "// one\nlet mut area: Vec<f64> = vec![1.5e-3_f64; 3]; /* two\n/* lines */ */ area.push(side);\n\
                let 'a' = b'\\'' else { return Err(\"too \\\" large\".into()) };\n'outer: for &i in x.iter::<'b>() { \
                context.result(\"area {side}\", area.len() as i64)?; }\n\
                let block = Block { row: count }; r#match + r#\"raw \"string\"\"# + block.row + missing::f(|y| y)";
    insta::assert_snapshot!(texts::colors(text, &highlight::rust(text, &names)));
    let rule = highlight::line("x <- area + other", Notation::Routing, &names, &functions());
    let kinds: Vec<TokenKind> = rule[0].iter().map(|token| token.kind).collect();
    assert!(kinds.contains(&TokenKind::Name(NameKind::Local)) && kinds.contains(&TokenKind::Unknown));
}

#[test]
fn completion_in_rust_offers_names_and_what_the_context_can_do() {
    let mut all = String::new();
    for field in [
        "let area = 1;\n|",
        "context.|",
        "area.|",
        "let |",
        "std::|",
        "si|",
        "f(\"si|\")",
        "'s|",
        "// si|",
        "for x in si|",
        "println|",
    ] {
        let cursor = field.find('|').unwrap();
        let text = field.replacen('|', "", 1);
        let completion = complete(IN_RUST, &functions(), &body(), &text, cursor);
        writeln!(all, "{}", field.replace('\n', " ")).unwrap();
        for item in &completion.items {
            writeln!(all, "    {} {:?} {}", item.text, item.kind, item.detail).unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

proptest! {
    #[test]
    fn tokens_make_up_any_text_in_rust(text in prop_oneof!["[a-z0\"'{}#/*|.:(\\\\é \n]{0,40}", any::<String>()]) {
        let names = Names::of(IN_RUST, "squares", Some("Square"), &functions());
        let lines = highlight::rust(&text, &names);
        let texts: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(lines.len(), texts.len());
        for (line, tokens) in texts.into_iter().zip(lines) {
            let end = tokens.iter().fold(0, |end, token| if token.range.start == end { token.range.end } else { usize::MAX });
            prop_assert_eq!(end, line.len());
        }
    }

    #[test]
    fn any_body_in_rust_can_be_set_and_read_again(body in prop_oneof!["[a'\"\\\\é \n{}]{0,20}", any::<String>()]) {
        let mut document = Document::new(IN_RUST);
        let value = FieldValue::Rust(body.clone());
        document.edit("form", |tables| forms::set(tables, "squares", Some("Square"), "do", &value)).unwrap();
        let Some(FieldValue::Rust(held)) = of_body(document.text()) else { panic!("{}", document.text()) };
        let expected = body.replace("\r\n", "\n");
        prop_assert_eq!(held.trim_end_matches('\n'), expected.trim_end_matches('\n'));
        document.undo();
        prop_assert_eq!(document.text(), IN_RUST);
    }
}
