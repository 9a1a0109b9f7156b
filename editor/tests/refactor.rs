//! Edits of several things at once: what they keep, and what they refuse.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "common/edits.rs"]
mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{difference, edited, refused};
use hasse_compiler::{GraphOutline, NodeKind, compile, outline};
use hasse_editor::edit::clip::{self, DuplicateOptions};
use hasse_editor::edit::collapse::collapse;
use hasse_editor::edit::unpack::unpack;
use hasse_editor::edit::{EditError, Obstacle, node};
use hasse_model::diagnostic::Severity;
use hasse_model::function::{BodyFacts, FunctionTable};
use hasse_model::value::Type;
use toml_edit::{DocumentMut, Item};

/// The programs in `examples/`, and those that hold what these do not.
fn programs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let inside = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.extend(inside.filter(|path| path.extension().is_some_and(|extension| extension == "hasse")));
    }
    files.sort();
    assert!(files.len() > 20);
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut programs: Vec<_> =
        files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect();
    programs.push(("office".to_owned(), OFFICE.to_owned()));
    programs.push(("grid".to_owned(), GRID.to_owned()));
    programs
}

/// Functions as the text calls them: which there are is not the question here.
fn functions(text: &str) -> FunctionTable {
    let mut table = FunctionTable::default();
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    // A struct type comes with its constructor.
    let is_struct = |word: &str| text.contains(&format!("[type.{word}]"));
    for word in words.filter(|word| !is_struct(word)).collect::<BTreeSet<_>>() {
        if text.contains(&format!("{word}(")) || text.contains(&format!("{word} (")) {
            (0..8).for_each(|arity| table.add(word, arity, false));
        }
    }
    for body in text.match_indices("native = \"").map(|(at, found)| &text[at + found.len()..]) {
        let lets = vec![("steps".to_owned(), Type::Any)];
        table.add_body(body.split('"').next().unwrap(), BodyFacts { lets, ..BodyFacts::default() });
    }
    table
}

fn errors(text: &str) -> Vec<String> {
    let found = compile(text, &functions(text)).diagnostics;
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|error| format!("{} {}", error.code, error.message)).collect()
}

/// The codes of all that the compiler finds.
fn codes(text: &str) -> BTreeSet<&'static str> {
    compile(text, &functions(text)).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Selections of a graph: all of few nodes, else each node, each pair, and what is left without each.
fn selections(graph: &GraphOutline) -> Vec<Vec<&str>> {
    let is_inner =
        |kind: &NodeKind| matches!(kind, NodeKind::Unit { .. } | NodeKind::Call(_) | NodeKind::Shared(_));
    let nodes: Vec<&str> =
        graph.nodes.iter().filter(|node| is_inner(&node.kind)).map(|node| &*node.name).collect();
    let chosen =
        |mask: u32| (0..nodes.len()).filter(|idx| mask >> idx & 1 == 1).map(|idx| nodes[idx]).collect();
    let all = (1_u32 << nodes.len()) - 1;
    let masks = (1..=all).filter(|mask| {
        nodes.len() <= 5 || mask.count_ones() <= 2 || mask.count_ones() + 2 >= all.count_ones()
    });
    masks.map(chosen).collect()
}

/// What a graph holds, sorted: nodes, lines, the texts of its units.
fn shape(text: &str, graph: &str) -> (BTreeSet<String>, Vec<String>) {
    let graphs = outline(text).unwrap();
    let graph = graphs.iter().find(|known| known.name == graph).unwrap();
    let nodes = graph.nodes.iter().map(|node| format!("{node:?}")).collect();
    let end = |end: &hasse_compiler::EndOutline| {
        format!("{}{:?}.{}{:?}", end.node, end.index, end.port, end.elements)
    };
    let mut links: Vec<String> = graph
        .links
        .iter()
        .map(|link| format!("{:?} {} {}", link.kind, end(&link.source), end(&link.target)))
        .collect();
    links.sort();
    let tables: DocumentMut = text.parse().unwrap();
    let units = tables["graph"][&graph.name].get("uc").and_then(Item::as_table).into_iter().flatten();
    links.extend(
        units.map(|(name, unit)| format!("{name}\n{}", unit.to_string().trim())).collect::<BTreeSet<_>>(),
    );
    (nodes, links)
}

#[test]
fn collapsed_selections_compile_and_unpack_to_what_they_were() {
    let mut n_collapsed = 0;
    for (name, text) in programs() {
        assert_eq!(errors(&text), [""; 0], "{name}");
        let before = codes(&text);
        for graph in outline(&text).unwrap() {
            for nodes in selections(&graph) {
                let collapsed = edited(&text, |tables| collapse(tables, &graph.name, &nodes, "Part_of_it"));
                let (collapsed, call) = match collapsed {
                    Ok(done) => done,
                    Err(EditError::Obstacle(
                        Obstacle::StartOrStop { .. }
                        | Obstacle::InitialValues { .. }
                        | Obstacle::SharedOutside { .. },
                    )) => continue,
                    Err(other) => panic!("{name} {nodes:?}: {other}"),
                };
                n_collapsed += 1;
                // Nothing is found, not even a warning, that was not found before.
                let found = codes(&collapsed);
                assert!(found.is_subset(&before), "{name} {nodes:?}: {found:?}\n{collapsed}");
                let unpacked = edited(&collapsed, |tables| unpack(tables, &graph.name, &call));
                let (unpacked, _) =
                    unpacked.unwrap_or_else(|error| panic!("{name} {nodes:?}: {error}\n{collapsed}"));
                assert_eq!(errors(&unpacked), [""; 0], "{name} {nodes:?}\n{unpacked}");
                assert_eq!(
                    shape(&unpacked, &graph.name),
                    shape(&text, &graph.name),
                    "{name} {nodes:?}\n{collapsed}"
                );
                assert_eq!(outline(&unpacked).unwrap().len(), outline(&text).unwrap().len());
            }
        }
    }
    assert!(n_collapsed > 100, "{n_collapsed}");
}

#[test]
fn unpacked_calls_compile() {
    let mut n_unpacked = 0;
    for (name, text) in programs() {
        for graph in outline(&text).unwrap() {
            for node in graph.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Call(_))) {
                match edited(&text, |tables| unpack(tables, &graph.name, &node.name)) {
                    Ok((unpacked, _)) => {
                        n_unpacked += 1;
                        assert_eq!(errors(&unpacked), [""; 0], "{name} {}\n{unpacked}", node.name);
                    }
                    Err(EditError::Obstacle(obstacle)) => println!("{name} {}: {obstacle}", node.name),
                    Err(other) => panic!("{name} {}: {other}", node.name),
                }
            }
        }
    }
    assert!(n_unpacked >= 5, "{n_unpacked}");
}

#[test]
fn pasted_and_removed_is_as_before() {
    for (name, text) in programs() {
        let canonical = hasse_compiler::format(&text).unwrap();
        for graph in outline(&text).unwrap() {
            for nodes in selections(&graph) {
                let (pasted, names) = edited(&text, |tables| {
                    let copy = clip::copy(tables, &graph.name, &nodes);
                    clip::paste(tables, &graph.name, &copy, [30, -40])
                })
                .unwrap();
                assert_eq!(names.len(), nodes.len());
                let graphs = outline(&pasted).unwrap();
                let after = graphs.iter().find(|known| known.name == graph.name).unwrap();
                assert_eq!(after.nodes.len(), graph.nodes.len() + nodes.len(), "{name} {nodes:?}");
                let between = |link: &&hasse_compiler::LinkOutline| {
                    nodes.contains(&&*link.source.node) && nodes.contains(&&*link.target.node)
                };
                let n_between = graph.links.iter().filter(between).count();
                assert_eq!(after.links.len(), graph.links.len() + n_between, "{name} {nodes:?}");
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let (removed, ()) =
                    edited(&pasted, |tables| node::remove(tables, &graph.name, &names)).unwrap();
                let removed = hasse_compiler::format(&removed).unwrap();
                if removed != canonical {
                    assert_eq!(removed, canonical, "{name} {nodes:?}");
                }
            }
        }
    }
}

fn program(name: &str) -> String {
    programs().into_iter().find(|(known, _)| known == name).unwrap().1
}

fn collapsed(text: &str, graph: &str, nodes: &[&str], name: &str) -> String {
    edited(text, |tables| collapse(tables, graph, nodes, name)).unwrap().0
}

#[test]
fn a_collapsed_selection_leaves_a_call() {
    let office = collapsed(OFFICE, "office", &["Desk", "Clerk", "log"], "Hall");
    insta::assert_snapshot!("collapsed_office", difference(OFFICE, &office));
    let grid = collapsed(GRID, "grid", &["Cell", "Diagonal"], "Cell");
    insta::assert_snapshot!("collapsed_grid", difference(GRID, &grid));
    let text = program("bts.hasse");
    let bts = collapsed(&text, "bts", &["Solve", "Mult"], "Solver");
    insta::assert_snapshot!("collapsed_bts", difference(&text, &bts));
}

#[test]
fn an_unpacked_call_leaves_its_nodes() {
    let unpacked = |text: &str, graph: &str, call: &str| {
        let new = edited(text, |tables| unpack(tables, graph, call)).unwrap().0;
        difference(text, &new)
    };
    insta::assert_snapshot!("unpacked_office", unpacked(OFFICE, "office", "Desk"));
    insta::assert_snapshot!("unpacked_sort", unpacked(&program("quicksort.hasse"), "quicksort", "Sort"));
}

#[test]
fn a_copy_is_a_text() {
    let tables: DocumentMut = program("quicksort.hasse").parse().unwrap();
    let copy = clip::copy(&tables, "Sort", &["in.list", "Split", "Part", "Nothing"]);
    insta::assert_snapshot!("copied_sort", copy);
    let (pasted, names) = edited(OFFICE, |tables| clip::paste(tables, "Desk", &copy, [1000, 0])).unwrap();
    assert_eq!(names, ["in.list", "Split", "Part"]);
    let (pasted, names) = edited(&pasted, |tables| clip::paste(tables, "Desk", &copy, [2000, 0])).unwrap();
    assert_eq!(names, ["in.list2", "Split2", "Part2"]);
    insta::assert_snapshot!("pasted_sort", difference(OFFICE, &pasted));
}

#[test]
fn what_is_no_copy_is_not_pasted() {
    let copy = |nodes: &[&str]| clip::copy(&OFFICE.parse().unwrap(), "office", nodes);
    let two = format!("{}\n[graph.other]\n", copy(&["Open"]));
    for text in [
        "",
        "some words",
        "[graph.g.uc.A]\n",
        OFFICE,
        "hasse = 2\n[graph.g.uc.A]\n",
        "hasse = 1\n[graph.g]\nuc = 3\n",
        "hasse = 1\n[graph.g]\nuc = { A = 3 }\n",
        "hasse = 1\n[graph.g]\nin = { a = 3 }\n",
        "hasse = 1\n[graph.g.uc.\"a b\"]\n",
        &two,
    ] {
        let refused = edited(OFFICE, |tables| clip::paste(tables, "office", text, [0, 0]));
        assert_eq!(refused.unwrap_err(), EditError::NotAFragment, "{text}");
    }
    assert_eq!(
        refused(OFFICE, |tables| clip::paste(tables, "nowhere", &copy(&["Open"]), [0, 0])),
        "there is no graph `nowhere`"
    );
    assert_eq!(edited(OFFICE, |tables| clip::paste(tables, "office", &copy(&[]), [0, 0])).unwrap().0, OFFICE);
}

#[test]
fn duplicates_keep_what_comes_in() {
    let duplicated = |keeps_wires| {
        let options = DuplicateOptions { offset: [20, 20], keeps_wires };
        let (new, names) =
            edited(OFFICE, |tables| clip::duplicate(tables, "office", &["Close", "Clerk"], options)).unwrap();
        assert_eq!(names, ["Close2", "Clerk2"]);
        difference(OFFICE, &new)
    };
    insta::assert_snapshot!("duplicated_with_wires", duplicated(true));
    assert!(!duplicated(false).contains("Close2.done"));
    assert!(duplicated(false).contains("\"Close2.ask[k] -> Clerk2[k].ask\""));
    let missing = |tables: &mut DocumentMut| {
        clip::duplicate(tables, "office", &["Close", "Nobody"], DuplicateOptions::default())
    };
    assert_eq!(refused(OFFICE, missing), "there is no node `Nobody`");
}

#[test]
fn what_cannot_be_collapsed_is_refused_with_a_reason() {
    let refusal = |text: &str, graph: &str, nodes: &[&str]| {
        refused(text, |tables| collapse(tables, graph, nodes, "New"))
    };
    let untyped = OFFICE.replace("type = \"int\"", "");
    let undeclared = OFFICE.replace("in     = { ask = \"bool\" }", "");
    let refusals = [
        refusal(OFFICE, "office", &[]),
        refusal(OFFICE, "office", &["Nobody"]),
        refusal(OFFICE, "nowhere", &["Close"]),
        refusal(OFFICE, "office", &["Open"]),
        refusal(OFFICE, "office", &["Close", "balance"]),
        refusal(OFFICE, "Desk", &["Add", "in.pay"]),
        refusal(&untyped, "office", &["Close"]),
        refusal(&undeclared, "office", &["Clerk"]),
        refusal(
            &OFFICE.replace("[graph.office]\n", "[graph.office]\non_error = \"bad\"\n"),
            "office",
            &["Close"],
        ),
        refused(OFFICE, |tables| collapse(tables, "office", &["Close"], "Desk")),
        refused(OFFICE, |tables| collapse(tables, "office", &["Close"], "a b")),
    ];
    insta::assert_snapshot!("refused_collapses", refusals.join("\n"));
}

#[test]
fn what_cannot_be_unpacked_is_refused_with_a_reason() {
    let changed = |old: &str, new: &str| {
        assert!(OFFICE.contains(old), "{old}");
        OFFICE.replace(old, new)
    };
    let refusal = |text: &str| refused(text, |tables| unpack(tables, "office", "Desk"));
    let circle = format!(
        "{}\n",
        changed("\"Add.done -> out.done\",", "\"Add.done -> out.done\", \"in.again -> out.done\",")
            .replace("\"Desk[k].done -> Close.done\"", "\"Desk[k].done -> Desk[k].again\"")
    );
    let refusals = [
        refused(OFFICE, |tables| unpack(tables, "office", "Nobody")),
        refused(OFFICE, |tables| unpack(tables, "office", "Close")),
        refused(&program("quicksort.hasse"), |tables| unpack(tables, "Sort", "Part")),
        refusal(&changed("graph = \"Desk\"", "graph = \"Desks\"")),
        refusal(&changed("args  = { number = \"k + n\"", "args = { numbers = \"k + n\"")),
        refusal(&changed("rate = \"2\"", "rate = \"n / 2\"")),
        refusal(&changed("[graph.Desk.uc.Add]", "[graph.Desk.uc.Add]\nstart = true")),
        // A local name where an argument or parameter is meant.
        refusal(&changed("account += amount", "let n = 3; account += amount")),
        refusal(&changed("account += amount", "account += [1].map(|number| number)[0]; account += amount")),
        refusal(&changed("amount -> amount", "amount -> n")),
        // An index that is computed outside and compared inside.
        refusal(&changed("Desk[k].pay[7]", "Desk[k].pay[k + 1]").replace("in.pay[k] ->", "in.pay[0] ->")),
        refusal(&changed("in.pay[k] ->", "in.pay[number] ->")),
        refusal(&circle),
        // Errors would come out elsewhere.
        refusal(&changed("[graph.Desk]\n", "[graph.Desk]\non_error = \"done\"\n")),
        refusal(&changed("[graph.office]\n", "[graph.office]\non_error = \"bad\"\n")),
    ];
    insta::assert_snapshot!("refused_unpackings", refusals.join("\n"));
    // Near misses: the same name where it has one meaning only.
    for text in [
        changed("account += amount", "let m = 3; account += amount"),
        changed("rate = \"2\"", "rate = \"fee * 2\""),
        changed("in.pay[k] ->", "in.pay[7] ->"),
    ] {
        let (new, _) = edited(&text, |tables| unpack(tables, "office", "Desk")).unwrap();
        assert_eq!(errors(&new), [""; 0], "{new}");
    }
}

const OFFICE: &str = r#"hasse = 1
main  = "office"

[graph.office]
params = { n = "int = 2", fee = "real = 0.5" }
arcs = [
  "Open.go[k] -> Desk[k].pay[7]",
  "Desk[k].done -> Close.done",
  "Close.ask[k] -> Clerk[k].ask",
]
share = [
  "balance -- Desk[k].acct",
  "log[k] -- Desk[k].notes[j]",  # all notes of desk k are one object
  "balance -- Close.balance",
  "log[i] -- Clerk[i].log",
]

[graph.office.shared.balance]
type = "int"

[graph.office.shared.log]
type  = "string"
index = ["k"]
init  = "`desk ${k}`"

[graph.office.call.Desk]
graph = "Desk"
index = ["k"]
args  = { number = "k + n", fee = "fee", rate = "2" }

[graph.office.uc.Open]
out   = { "go[k]" = "int" }
start = true
route = ["go[k] <- 100 * (k + 1) for k in 0..n"]

[graph.office.uc.Close]
in     = { done = "bool" }
out    = { "ask[k]" = "bool" }
shared = { balance = "read" }
fire   = ["done -> done"]
do     = 'if count == 2 { result("balance", balance); }'
route  = ["ask[k] <- true for k in 0..2 if count == 2"]

[graph.office.uc.Clerk]
index  = ["i"]
in     = { ask = "bool" }
shared = { log = "read" }
fire   = ["ask -> ask"]
do     = "print(log);"

[graph.Desk]
params = { number = "int", fee = "real", rate = "real", twice = "int = 2 * number" }
in    = { "pay[k]" = "int" }
out   = { done = "bool" }
inout = { acct = "int", "notes[j]" = "string" }
arcs = [
  "in.pay[k] -> Add.amount",  # all elements of the family into one port
  "Add.done -> out.done",
]
share = [
  "inout.acct -- Add.account",
  "inout.notes[0] -- Add.note",
]

[graph.Desk.uc.Add]
in     = { amount = "int" }
out    = { done = "bool" }
shared = { account = "write", note = "write" }
fire   = ["amount -> amount"]
do = '''
account += amount * twice - (fee * rate).to_int();
note += ` paid ${amount} to desk ${number * 1}`;
'''
route  = ["done <- true"]
"#;

const GRID: &str = r#"hasse = 1
main  = "grid"

[graph.grid]
params = { last = "int = 2" }
arcs = [
  "Make.cell[i][j] -> Cell[i, j].number",         # two variables
  "Cell[i, j].value -> Whole.value[i * 10 + j]",  # an expression
  "Cell[i, i].value -> Diagonal.value[i]",        # i twice: both numbers are equal
  "Cell[0, 0].value -> Corner.first",             # integers
  "Cell[last, last].value -> Corner.last",        # a parameter
]

[graph.grid.uc.Make]
out   = { "cell[i, j]" = "int" }
start = true
route = ["cell[i, j] <- i * 100 + j for i in 0..=last for j in 0..=last"]

[graph.grid.uc.Cell]
index = ["i", "j"]
in    = { number = "int" }
out   = { value = "int" }
fire  = ["number -> n"]
route = ["value <- n + 1"]

[graph.grid.uc.Whole]
in   = { "value[k]" = "int" }
fire = ["value[i * 10 + j] -> v[i][j] for i in 0..=last for j in 0..=last"]
do   = 'result("whole", v);'

[graph.grid.uc.Diagonal]
in   = { "value[k]" = "int" }
fire = ["value[k] -> v[k] for k in 0..=last"]
do   = 'result("diagonal", v);'

[graph.grid.uc.Corner]
in   = { first = "int", last = "int" }
fire = ["first -> a, last -> z"]
do   = 'result("corners", [a, z]);'
"#;
