//! Forms.

use super::*;

fn shown_form(fields: &[Field]) -> String {
    let mut text = String::new();
    for Field { key, label, help, example, kind, value, is_foreign } in fields {
        writeln!(text, "{key}: {label} ({kind:?}). {help} Example: {example}").unwrap();
        writeln!(text, "    {value:?}{}", if *is_foreign { " as text" } else { "" }).unwrap();
    }
    text
}

#[test]
fn forms_have_fields_in_the_order_of_the_file() {
    let mut text = String::new();
    for (graph, node) in [
        ("top", None),
        ("top", Some("Work")),
        ("top", Some("Sub")),
        ("top", Some("total")),
        ("sub", Some("in.a")),
    ] {
        let fields = form(PROGRAM, graph, node).unwrap();
        writeln!(text, "# {graph} {}\n{}", node.unwrap_or_default(), shown_form(&fields)).unwrap();
    }
    insta::assert_snapshot!(text);
    assert_eq!(form(PROGRAM, "top", Some("none")), None);
    assert_eq!(form(PROGRAM, "top", Some("in.a")), None);
    assert_eq!(form("[", "top", None), None);
    let foreign =
        form("[graph.g.uc.A]\nstart = 1\ndo = { native = 'f' }\nfire = ['a', 1]", "g", Some("A")).unwrap();
    let of = |key| foreign.iter().find(|field: &&Field| field.key == key).unwrap();
    assert!(of("start").is_foreign && of("start").value.is_none());
    assert!(of("fire").is_foreign);
    assert_eq!(of("do").value, Some(FieldValue::Native("f".to_owned())));
    assert!(!of("route").is_foreign);
}

/// Sets fields of `top`, and gives the lines that are gone and new.
fn set_all(node: Option<&str>, fields: &[(&str, FieldValue)]) -> String {
    let mut document = Document::new(PROGRAM);
    for (key, value) in fields {
        document.edit("form", |tables| forms::set(tables, "top", node, key, value)).unwrap();
        let held = form(document.text(), "top", node).unwrap();
        let held = held.into_iter().find(|field| field.key == *key).unwrap().value;
        let expected = Some(value.clone()).filter(|value| !value.is_empty());
        match (&held, &expected) {
            (Some(FieldValue::Text(held)), Some(FieldValue::Text(expected))) => {
                assert_eq!(held.trim_end_matches('\n'), expected.trim_end_matches('\n'));
            }
            _ => assert_eq!(held, expected),
        }
    }
    let diff = similar::TextDiff::from_lines(PROGRAM, document.text());
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

pub(crate) fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

fn list(rows: &[&str]) -> FieldValue {
    FieldValue::List(rows.iter().map(|row| (*row).to_owned()).collect())
}

fn pairs(entries: &[(&str, &str)]) -> FieldValue {
    FieldValue::Entries(entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

#[test]
fn setting_a_field_changes_no_more_than_it() {
    let mut changes = String::new();
    for (what, node, fields) in [
        ("doc and flag", Some("Work"), vec![("doc", text("Other.")), ("stop", FieldValue::Flag(true))]),
        ("removed", Some("Work"), vec![("doc", text(" ")), ("vars", pairs(&[])), ("fire", list(&[]))]),
        ("rows", Some("Work"), vec![("fire", list(&["part -> v if k > 0", "part -> part if k == 0"]))]),
        ("row added", Some("Work"), vec![("route", list(&["sum <- s", "sum <- 2.0 * s if k > 1"]))]),
        ("arcs", None, vec![("arcs", list(&["Begin.part[i] -> Work[i].part", "Work[i].sum -> End.sum"]))]),
        ("entries", Some("Work"), vec![("vars", pairs(&[("k", "int = 1"), ("m", "real")]))]),
        ("other order", Some("Work"), vec![("vars", pairs(&[("last", "int"), ("k", "int = 0")]))]),
        ("body", Some("Work"), vec![("do", text("acc += 1.0;\nk += 1;")), ("init", text("k = 2;"))]),
        ("short body", Some("End"), vec![("do", text("print(1);"))]),
        ("body that grows", Some("End"), vec![("do", text("let c = '''';\nprint(1);\n"))]),
        ("native", Some("End"), vec![("do", FieldValue::Native("fast_sum".to_owned()))]),
        ("call", Some("Sub"), vec![("graph", text("other")), ("index", list(&["i", "j"]))]),
        ("object", Some("total"), vec![("type", text("int")), ("init", text("1"))]),
    ] {
        writeln!(changes, "{what}:\n{}", set_all(node, &fields)).unwrap();
    }
    insta::assert_snapshot!(changes);
}

#[test]
fn values_may_be_left_on_the_ports_that_are_named() {
    let left = |program: &str, ports: &[&str]| {
        let mut document = Document::new(program);
        let set = |tables: &mut _| forms::set(tables, "g", Some("A"), "left", &list(ports));
        document.edit("form", set).map(|_| document.text().to_owned())
    };
    let plain = "[graph.g.uc.A]\nin = { a = \"int\", \"b[j]\" = \"int\" } # ports\n";
    let both = left(plain, &["a", "b"]).unwrap();
    insta::assert_snapshot!(both, @r#"
    [graph.g.uc.A]
    in = { a = { type = "int", left = "ok" }, "b[j]" = { type = "int", left = "ok" } } # ports
    "#);
    let held = form(&both, "g", Some("A")).unwrap();
    let held = held.iter().find(|field| field.key == "left").unwrap();
    assert_eq!(held.value, Some(list(&["a", "b"])));
    assert_eq!(left(&both, &["a", "b"]).as_deref(), Ok(both.as_str()));
    assert_eq!(left(&both, &[]).as_deref(), Ok(plain));
    let of_tables = "[graph.g.uc.A.in]\n# Comes back.\na = \"int\"\n\n[graph.g.uc.A.in.b]\ntype = \"int\"\nleft = \"ok\"\n";
    insta::assert_snapshot!(left(of_tables, &["b", "a"]).unwrap(), @r#"
    [graph.g.uc.A.in]
    # Comes back.
    a = { type = "int", left = "ok" }

    [graph.g.uc.A.in.b]
    type = "int"
    left = "ok"
    "#);
    let unknown = EditError::Missing { what: "input port", name: "c".to_owned() };
    assert_eq!(left(plain, &["a", "c"]), Err(unknown.clone()));
    assert_eq!(left("[graph.g.uc.A]\n", &["c"]), Err(unknown));
}

#[test]
fn bounds_of_ports_are_set_beside_what_else_they_say() {
    let bounds = |program: &str, bounds: &[(&str, &str)]| {
        let mut document = Document::new(program);
        let entries = bounds.iter().map(|(port, bound)| ((*port).to_owned(), (*bound).to_owned())).collect();
        let set = |tables: &mut _| forms::set(tables, "g", Some("A"), "bound", &FieldValue::Entries(entries));
        document.edit("form", set).map(|_| document.text().to_owned())
    };
    let plain =
        "[graph.g.uc.A]\nin = { a = { type = \"int\", left = \"ok\" }, \"b[j]\" = \"int\" } # ports\n";
    let both = bounds(plain, &[("b", "2 * n"), ("a", "8")]).unwrap();
    insta::assert_snapshot!(both, @r#"
    [graph.g.uc.A]
    in = { a = { type = "int", left = "ok", bound = 8 }, "b[j]" = { type = "int", bound = "2 * n" } } # ports
    "#);
    let held = form(&both, "g", Some("A")).unwrap();
    let held = held.iter().find(|field| field.key == "bound").unwrap();
    let entries = |bounds: [(&str, &str); 2]| bounds.map(|(port, bound)| (port.to_owned(), bound.to_owned()));
    assert_eq!(held.value, Some(FieldValue::Entries(entries([("a", "8"), ("b", "2 * n")]).to_vec())));
    assert_eq!(bounds(&both, &[("a", "8"), ("b", "2 * n")]).as_deref(), Ok(both.as_str()));
    assert_eq!(bounds(&both, &[]).as_deref(), Ok(plain));
    let unknown = EditError::Missing { what: "input port", name: "c".to_owned() };
    assert_eq!(bounds(plain, &[("c", "1")]), Err(unknown));
    let mut dropping = Document::new(&both);
    let policy = FieldValue::Entries(vec![("a".to_owned(), "drop-oldest".to_owned())]);
    dropping.edit("form", |tables| forms::set(tables, "g", Some("A"), "full", &policy)).unwrap();
    insta::assert_snapshot!(dropping.text(), @r#"
    [graph.g.uc.A]
    in = { a = { type = "int", left = "ok", bound = 8, full = "drop-oldest" }, "b[j]" = { type = "int", bound = "2 * n" } } # ports
    "#);
    let held = form(dropping.text(), "g", Some("A")).unwrap();
    assert_eq!(held.iter().find(|field| field.key == "full").unwrap().value, Some(policy));
    let mut document = Document::new(&format!("[graph.g]\nparams = {{ n = \"int\" }}\n{both}"));
    document.edit("rename", |tables| hasse_editor::edit::name::rename_param(tables, "g", "n", "m")).unwrap();
    assert!(document.text().contains("bound = \"2 * m\""), "{}", document.text());
}

#[test]
fn a_form_that_is_saved_as_it_is_changes_nothing() {
    let mut document = Document::new(PROGRAM);
    for (graph, node) in
        [("top", None), ("sub", None), ("top", Some("Work")), ("top", Some("Sub")), ("sub", Some("out.x"))]
    {
        for field in form(PROGRAM, graph, node).unwrap() {
            let Some(value) = field.value else { continue };
            let changed = document.edit("form", |tables| forms::set(tables, graph, node, field.key, &value));
            assert_eq!(changed, Ok(false), "{}", field.key);
        }
    }
    assert_eq!(document.text(), PROGRAM);
}

#[test]
fn fields_that_cannot_be_set_are_refused() {
    let refused = |program: &str, graph: &str, node: Option<&str>, key: &str, value: FieldValue| {
        let mut document = Document::new(program);
        document.edit("form", |tables| forms::set(tables, graph, node, key, &value)).unwrap_err()
    };
    let missing = |what, name: &str| EditError::Missing { what, name: name.to_owned() };
    assert_eq!(refused(PROGRAM, "none", None, "doc", text("x")), missing("graph", "none"));
    assert_eq!(refused(PROGRAM, "top", Some("None"), "doc", text("x")), missing("node", "None"));
    assert_eq!(refused(PROGRAM, "sub", Some("in.b"), "type", text("x")), missing("node", "in.b"));
    let twice = pairs(&[("part", "vector"), ("part[i]", "vector")]);
    assert_eq!(
        refused(PROGRAM, "top", Some("Work"), "in", twice),
        EditError::Taken { name: "part".to_owned() }
    );
    let bad = pairs(&[("part", "vector"), ("a b", "int")]);
    assert_eq!(
        refused(PROGRAM, "top", Some("Work"), "in", bad),
        EditError::BadName { name: "a b".to_owned() }
    );
    let odd = "[graph.g.uc.A]\nfire = ['a', 1]\nin = 1\n";
    let form = |path: &str| EditError::Form { path: path.to_owned() };
    assert_eq!(refused(odd, "g", Some("A"), "fire", list(&["b"])), form("graph.g.uc.A.fire"));
    assert_eq!(refused(odd, "g", Some("A"), "in", pairs(&[("a", "int")])), form("graph.g.uc.A.in"));
    assert_eq!(refused(PROGRAM, "sub", Some("in.a"), "type", FieldValue::Flag(true)), form("graph.sub.in.a"));
}
