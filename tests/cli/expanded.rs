//! `hasse graph --expanded`: the instances that may come to be.

use super::support::{Folder, TELLERS};

/// A split by values, a fan by a parameter, a recursive call and a shared object.
const TREE: &str = r#"hasse = 1
main = "main"

[graph.main]
params = { depth = "int = 1", n = "int = 2" }
arcs = [
  "Start.x -> tree.x",
  "tree.y -> Sort.y",
  "Sort.bin[k] -> Bin[k].v",
]
share = ["total -- Bin[i].t"]

[graph.main.shared.total]
type = "int"

[graph.main.uc.Start]
start = true
out   = { x = "int" }
route = ["x <- 5 if depth < 3"]

[graph.main.call.tree]
graph = "Tree"
args  = { depth = "depth", n = "n" }

[graph.main.uc.Sort]
in    = { y = "int" }
out   = { "bin[k]" = "int" }
fire  = ["y -> v"]
route = ["bin[v % 3] <- v"]

[graph.main.uc.Bin]
index  = ["i"]
in     = { v = "int" }
shared = { t = "write" }
fire   = ["v -> v"]
do     = 't += v;'

[graph.Tree]
params = { depth = "int", n = "int" }
in     = { x = "int" }
out    = { y = "int" }
arcs   = ["in.x -> Fork.x", "Fork.leaf -> out.y", "Fork.part[k] -> sub[k].x", "sub[k].y -> out.y"]

[graph.Tree.uc.Fork]
in    = { x = "int" }
out   = { leaf = "int", "part[k]" = "int" }
fire  = ["x -> x"]
route = ["leaf <- x if depth == 0", "part[k] <- x + k for k in 0..n if depth > 0"]

[graph.Tree.call.sub]
graph = "Tree"
index = ["k"]
args  = { depth = "depth - 1", n = "n" }
"#;

fn expanded(args: &[&str]) -> String {
    let folder = Folder::with("tree.hasse", TREE);
    folder.hasse(&[&["graph", "tree.hasse", "--expanded"], args].concat()).ends(0).stdout
}

#[test]
fn expanded_graph_is_text_by_default() {
    insta::assert_snapshot!("tree_text", expanded(&[]));
    insta::assert_snapshot!("tree_deeper_text", expanded(&["--set", "depth=2", "--set", "n=1"]));
    insta::assert_snapshot!("tree_cut_text", expanded(&["--max-instances", "3"]));
}

#[test]
fn expanded_graph_has_all_forms() {
    insta::assert_snapshot!("tree_dot", expanded(&["--format", "dot"]));
    insta::assert_snapshot!("tree_mermaid", expanded(&["--format", "mermaid"]));
    let json: serde_json::Value = serde_json::from_str(&expanded(&["--format", "json"])).unwrap();
    insta::assert_snapshot!("tree_json", format!("{json:#}"));
    let svg = expanded(&["--format", "svg"]);
    roxmltree::Document::parse(&svg).unwrap();
    assert!(svg.contains(">Bin[?]</text>"), "{svg}");
}

#[test]
fn expanded_graph_goes_into_a_file_by_its_ending() {
    let folder = Folder::with("tree.hasse", TREE);
    for (file, format) in
        [("a.json", "json"), ("a.txt", "text"), ("a.dot", "dot"), ("a.svg", "svg"), ("a", "text")]
    {
        folder.hasse(&["graph", "tree.hasse", "--expanded", "-o", file]).ends(0);
        let written = std::fs::read_to_string(folder.path(file)).unwrap();
        assert_eq!(written, expanded(&["--format", format]), "{file}");
    }
}

#[test]
fn parameters_and_forms_that_do_not_fit_are_refused() {
    let folder = Folder::with("tree.hasse", TREE);
    let mut messages = String::new();
    for args in [
        &["--expanded", "--set", "dpth=2"][..],
        &["--expanded", "--set", "depth=x"],
        &["--expanded", "--set", "depth=1", "--set", "depth=2"],
        &["--expanded", "--max-instances", "0"],
        &["--expanded", "--max-instances", "1000000"],
        &["--expanded", "--graph", "Tree"],
        &["--set", "depth=2"],
        &["--format", "json"],
        &["--format", "text"],
    ] {
        let ran = folder.hasse(&[&["graph", "tree.hasse"], args].concat()).ends(2);
        assert_eq!(ran.stdout, "");
        messages += &format!("{}\n{}\n", args.join(" "), ran.stderr);
    }
    insta::assert_snapshot!(messages);
    folder.write("tree.hasse", &TREE.replace("depth = \"int = 1\"", "depth = \"int\""));
    let ran = folder.hasse(&["graph", "tree.hasse", "--expanded"]).ends(2);
    assert!(ran.stderr.contains("--set depth="), "{}", ran.shown());
    folder.write("tree.hasse", &TREE.replace("Sort.y\"", "Sorted.y\""));
    let ran = folder.hasse(&["graph", "tree.hasse", "--expanded"]).ends(1);
    assert!(ran.stderr.contains("E0104"), "{}", ran.shown());
}

#[test]
fn recursion_whose_end_depends_on_values_shows_a_few_levels() {
    let folder = Folder::with("tree.hasse", &TREE.replace("if depth > 0", "if x > 0"));
    let ran = folder.hasse(&["graph", "tree.hasse", "--expanded"]).ends(0);
    insta::assert_snapshot!("recursion_text", ran.stdout);
    let ran = folder.hasse(&["graph", "tree.hasse", "--expanded", "--set", "n=1"]).ends(0);
    assert!(ran.stdout.contains("note: cut: calls nest deeper than 256 levels\n"), "{}", ran.shown());
    assert!(ran.stdout.contains("note: cut: 3 levels of `Tree.sub` are shown"), "{}", ran.shown());
}

#[test]
fn objects_of_the_expanded_graph_are_those_of_the_record() {
    let folder = Folder::with("tellers.hasse", TELLERS);
    let ran = folder.hasse(&["graph", "tellers.hasse", "--expanded"]).ends(0);
    insta::assert_snapshot!("tellers_text", ran.stdout);
}
