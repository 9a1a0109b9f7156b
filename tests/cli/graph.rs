use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::support::{Folder, SQUARES, TELLERS, repository};

/// All kinds of nodes and links, some of them wrong: calls, formal ports, a node that is not there, an
/// arc that is none, an empty graph.
const ALL_KINDS: &str = r#"hasse = 1
main  = "top"

[graph.sub]
in    = { n = "int" }
out   = { "part[j]" = "int" }
inout = { acct = "real" }
arcs  = ["in.n -> Work.n", "Work.part[j] -> out.part[j]", "Work.again -> Work.n"]
share = ["inout.acct -- Work.money"]

[graph.sub.uc.Work]

[graph.empty]

[graph.top]
arcs = [
  "Feed.n -> Sub[k].n",
  "Sub[k].part[j] -> Sink.got[k]",
  "Sink.more -> Feed.more",
  "Feed.n -> Lost.x",
  "Feed.go -> Sub[k + 1].n",
  "no arc",
]
share = ["balance -- Sub[k].acct", "balance -- Feed.till"]

[graph.top.shared.balance]
type = "real"

[graph.top.call.Sub]
graph = "sub"
index = ["k"]

[graph.top.uc.Feed]
start  = true
shared = { till = "read" }

[graph.top.uc.Sink]
doc  = 'says "<&>"'
stop = true
"#;

fn picture(text: &str, format: &str) -> String {
    Folder::with("p.hasse", text).hasse(&["graph", "p.hasse", "--format", format]).ends(0).stdout
}

#[test]
fn every_kind_of_node_and_link_is_drawn() {
    insta::assert_snapshot!("all_kinds_dot", picture(ALL_KINDS, "dot"));
    insta::assert_snapshot!("all_kinds_mermaid", picture(ALL_KINDS, "mermaid"));
    insta::assert_snapshot!("all_kinds_svg", picture(ALL_KINDS, "svg"));
}

#[test]
fn positions_of_the_file_are_used_if_every_box_has_one() {
    let layout = "[layout.squares]\nCount = [0, 300]\nSquare = [300, 0]\nSum = [300, 300]\n";
    let placed = picture(&format!("{SQUARES}\n{layout}"), "svg");
    insta::assert_snapshot!(placed);
    let automatic = picture(SQUARES, "svg");
    assert_ne!(placed, automatic);
    for broken in
        [layout.replace("Sum", "Sun"), layout.replace("[0, 300]", "[0]"), layout.replace("[0,", "[nan,")]
    {
        assert_eq!(picture(&format!("{SQUARES}\n{broken}"), "svg"), automatic, "{broken}");
    }
}

#[test]
fn one_graph_can_be_chosen() {
    let folder = Folder::with("p.hasse", ALL_KINDS);
    let ran = folder.hasse(&["graph", "p.hasse", "--format", "dot", "--graph", "sub"]).ends(0);
    assert!(ran.stdout.contains("label=\"sub\"") && !ran.stdout.contains("(main)"), "{}", ran.shown());
    let ran = folder.hasse(&["graph", "p.hasse", "--format", "dot", "--graph", "sup"]).ends(2);
    insta::assert_snapshot!(ran.stderr);
}

#[test]
fn the_picture_goes_into_a_file_but_not_over_the_program() {
    let folder = Folder::with("p.hasse", SQUARES);
    let ran = folder.hasse(&["graph", "p.hasse", "--format", "svg", "--out", "p.svg"]).ends(0);
    assert_eq!(ran.stdout, "");
    assert_eq!(fs::read_to_string(folder.path("p.svg")).unwrap(), picture(SQUARES, "svg"));
    folder.hasse(&["graph", "p.hasse", "--format", "svg", "--out", "p.hasse"]).ends(2);
    assert_eq!(fs::read_to_string(folder.path("p.hasse")).unwrap(), SQUARES);
    folder.hasse(&["graph", "p.hasse", "--format", "svg", "--out", "no/such/p.svg"]).ends(2);
}

#[test]
fn what_cannot_be_read_is_reported() {
    let ran = Folder::with("p.hasse", "hasse = ").hasse(&["graph", "p.hasse", "--format", "svg"]).ends(1);
    assert!(ran.stderr.contains("E0001"), "{}", ran.shown());
    assert_eq!(ran.stdout, "");
}

/// Names and texts of the examples and of the programs here.
fn programs() -> Vec<(String, String)> {
    let mut programs: Vec<(String, String)> =
        [("all kinds", ALL_KINDS), ("squares", SQUARES), ("tellers", TELLERS)]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into();
    for folder in fs::read_dir(repository().join("examples")).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "hasse") {
                let text = fs::read_to_string(&path).unwrap();
                // Once with the positions of the file, once without.
                let without = text.split("\n[layout.").next().unwrap().to_owned();
                programs.push((path.display().to_string(), text));
                programs.push((format!("{} without layout", path.display()), without));
            }
        }
    }
    programs
}

#[test]
fn pictures_are_well_formed_and_their_texts_keep_clear() {
    for (name, text) in programs() {
        let svg = picture(&text, "svg");
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_box = |class: &str| !matches!(class, "page" | "graph");
        let areas: Vec<(String, [f64; 4])> = document
            .descendants()
            .filter(|node| node.has_tag_name("rect") && node.attribute("class").is_some_and(is_box))
            .map(|node| {
                let number = |name: &str| node.attribute(name).unwrap().parse().unwrap();
                let what = node.attribute("class").unwrap().to_owned();
                (what, ["x", "y", "width", "height"].map(number))
            })
            .collect();
        for (idx, (what, [x, y, width, height])) in areas.iter().enumerate() {
            for (other_what, [other_x, other_y, other_width, other_height]) in &areas[..idx] {
                // A stop node has a second frame within the first.
                let is_frame = what == other_what && x > other_x && x + width < other_x + other_width;
                let overlap = x + 0.5 < other_x + other_width
                    && other_x + 0.5 < x + width
                    && y + 0.5 < other_y + other_height
                    && other_y + 0.5 < y + height;
                assert!(
                    !overlap || is_frame,
                    "{name}: {what} at {x}, {y} and {other_what} at {other_x}, {other_y}"
                );
            }
        }
    }
}

#[test]
fn graphviz_accepts_the_dot() {
    if Command::new("dot").arg("-V").stderr(Stdio::null()).status().is_err() {
        eprintln!("skipped: Graphviz is not installed");
        return;
    }
    for (name, text) in programs() {
        let mut dot = Command::new("dot")
            .arg("-Tsvg")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        dot.stdin.take().unwrap().write_all(picture(&text, "dot").as_bytes()).unwrap();
        let ended = dot.wait_with_output().unwrap();
        let complaints = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && !complaints.contains("syntax"), "{name}: {complaints}");
    }
}
