#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;

const BASE: &str = r#"hasse = 1
main = "g"

[graph.g]
params = { n = "int = 3" }
arcs = [
  "Count.x[i] -> Work[i].x",
  "Work[i].y -> Sum.y",
]

[graph.g.shared.total]
type = "int"

[graph.g.uc.Count]
out = { "x[i]" = "int" }
start = true
route = ["x[i] <- i for i in 0..n"]

[graph.g.uc.Work]
index = ["i"]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
do = '''
let y = x * x;
'''
route = ["y <- y"]

[graph.g.uc.Sum]
in = { y = "int" }
vars = { sum = "int" }
fire = ["y -> y"]
do = "sum += y;"

[layout.g]
Count = [0, 0]
Work = [200, 0]
"comment 1" = { at = [0, 100], text = "adds" }
"#;

/// One line for each part that differs.
fn report(old: &str, new: &str) -> Vec<String> {
    let found = difference(old, new).unwrap();
    let field = |field: &FieldDifference| {
        format!("{} {:?} {:?}", field.field, field.old.as_deref(), field.new.as_deref())
    };
    let mut lines: Vec<String> = found.fields.iter().map(field).collect();
    for graph in &found.graphs {
        let (presence, name, old_name) = (graph.presence.name(), &graph.name, &graph.old_name);
        lines.push(format!("graph {presence} {name} {old_name:?}"));
        lines.extend(graph.fields.iter().map(field));
        for node in &graph.nodes {
            let moved = if node.is_moved { " moved" } else { "" };
            lines.push(format!("{} {} {}{moved}", node.kind, node.presence.name(), node.name));
            lines.extend(node.old_name.iter().map(|name| format!("was {name}")));
            lines.extend(node.fields.iter().map(field));
        }
        for link in &graph.links {
            let text = |side: &Option<(String, usize)>| side.as_ref().map(|(text, _)| text.clone());
            lines.push(format!("{} {:?} {:?}", link.presence.name(), text(&link.old), text(&link.new)));
        }
        lines.extend(graph.layout.iter().map(|layout| layout.field.clone()));
    }
    lines
}

#[test]
fn spelling_comments_and_order_are_no_difference() {
    let formatted = crate::format(BASE).unwrap();
    assert_eq!(report(BASE, &formatted), Vec::<String>::new());
    let (before, rest) = BASE.split_once("[graph.g.uc.Work]").unwrap();
    let (work, after) = rest.split_once("[graph.g.uc.Sum]").unwrap();
    let (sum, layout) = after.split_once("[layout.g]").unwrap();
    let turned =
        format!("{before}[graph.g.uc.Sum]{sum}# the work\n[graph.g.uc.Work]{work}[layout.g]{layout}");
    let turned = turned
        .replace("\"Work[i].y -> Sum.y\",\n", "")
        .replace("arcs = [", "arcs = [\"Work[ i ].y->Sum.y\",");
    assert_eq!(report(BASE, &turned), Vec::<String>::new());
}

#[test]
fn fields_of_a_changed_node_are_named() {
    let new = BASE
        .replace("fire = [\"x -> x\"]", "fire = [\"x -> x if n > 2\", \"x -> x\"]")
        .replace("out = { y = \"int\" }", "out = { y = \"real\" }")
        .replace("n = \"int = 3\"", "n = \"int = 4\"");
    assert_eq!(
        report(BASE, &new),
        [
            "graph changed g None",
            "params n Some(\"int = 3\") Some(\"int = 4\")",
            "unit changed Work",
            "out y Some(\"int\") Some(\"real\")",
            "fire None Some(\"x -> x if n > 2\")",
        ]
    );
}

#[test]
fn renamed_node_is_one_and_its_arcs_are_the_same() {
    let new = BASE.replace("Work", "Square");
    assert_eq!(report(BASE, &new), ["graph changed g None", "unit changed Square", "was Work"]);
    // Also where it was changed a little.
    let new = new.replace("x * x", "x * x * x");
    let lines = report(BASE, &new);
    assert_eq!(lines[..3], ["graph changed g None", "unit changed Square", "was Work"]);
    assert!(lines[3].starts_with("do Some("), "{lines:?}");
}

#[test]
fn nodes_without_a_counterpart_are_added_and_removed() {
    let new = BASE
        .replace("[graph.g.uc.Sum]", "[graph.g.uc.Print]\nin = { line = \"string\" }\n\n[graph.g.uc.Sum]");
    assert_eq!(report(BASE, &new), ["graph changed g None", "unit added Print"]);
    assert_eq!(report(&new, BASE), ["graph changed g None", "unit removed Print"]);
    // Two that are alike, of which one is gone and one new: nobody knows which is which.
    let twin = |first: &str, second: &str| {
        format!("{BASE}[graph.g.uc.{first}]\nstart = true\n[graph.g.uc.{second}]\nstart = true\n")
    };
    let lines = report(&twin("A", "B"), &twin("C", "D"));
    assert_eq!(lines.iter().filter(|line| line.contains("added")).count(), 2, "{lines:?}");
}

#[test]
fn arcs_are_added_removed_and_changed() {
    let new = BASE.replace("Work[i].y -> Sum.y", "Work[i + 1].y -> Sum.y");
    let changed = "changed Some(\"Work[i].y -> Sum.y\") Some(\"Work[i + 1].y -> Sum.y\")";
    assert_eq!(report(BASE, &new), ["graph changed g None", changed]);
    let new = BASE.replace("\"Work[i].y -> Sum.y\",", "\"Count.x[i] -> Sum.y\",");
    assert_eq!(
        report(BASE, &new),
        [
            "graph changed g None",
            "added None Some(\"Count.x[i] -> Sum.y\")",
            "removed Some(\"Work[i].y -> Sum.y\") None",
        ]
    );
}

#[test]
fn places_differ_unless_they_are_left_out() {
    let new = BASE.replace("Work = [200, 0]", "Work = [220, 0]").replace("adds", "multiplies");
    assert_eq!(report(BASE, &new), ["graph changed g None", "unit moved Work moved", "comment 1"]);
    assert!(difference(BASE, &new).unwrap().without_layout().is_empty());
    let new = new.replace("sum += y;", "sum -= y;");
    let found = difference(BASE, &new).unwrap().without_layout();
    assert_eq!(found.graphs[0].nodes.len(), 1);
}

#[test]
fn graphs_are_added_removed_and_renamed() {
    let call =
        format!("{BASE}[graph.g.call.C]\ngraph = \"h\"\n[graph.h.uc.A]\n[graph.h.uc.B]\n[graph.h.uc.C]\n");
    assert_eq!(
        report(BASE, &call),
        [
            "graph changed g None",
            "call added C",
            "graph added h None",
            "unit added A",
            "unit added B",
            "unit added C",
        ]
    );
    let renamed = call.replace("\"h\"", "\"inner\"").replace("graph.h", "graph.inner");
    assert_eq!(report(&call, &renamed), ["graph changed inner Some(\"h\")"]);
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_side() {
    assert_eq!(difference(BASE, "hasse = ").unwrap_err().side, 1);
    assert!(!difference("[", BASE).unwrap_err().diagnostics.is_empty());
}
