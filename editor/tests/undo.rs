//! Random edits, undone to the first byte and made again to the last.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use hasse_compiler::{GraphOutline, outline};
use hasse_editor::document::Document;
use hasse_editor::edit::clip::{self, DuplicateOptions};
use hasse_editor::edit::collapse::collapse;
use hasse_editor::edit::heal::{self, LinkEnd};
use hasse_editor::edit::link::{self, LinkList};
use hasse_editor::edit::node::{self, NewNode};
use hasse_editor::edit::port::{self, Side};
use hasse_editor::edit::unpack::unpack;
use hasse_editor::edit::{EditError, graph, place};
use proptest::prelude::*;
use toml_edit::{DocumentMut, Value};

const SMALL: [&str; 5] = [
    "hasse = 1\nmain = \"g\"\n[graph.g]",
    r#"# Two nodes.
hasse = 1
main  = "g"

[graph.g]
arcs = ["A.x -> B.y"]  # one

[graph.g.uc.A]
start = true
out   = { x = "int" }
route = ["x <- 1"]

[graph.g.uc.B]
in   = { y = "int" }
fire = ["y -> v"]

[layout.g]
A = [0, 0]
B = [100, 0]
"#,
    r#"hasse = 1
main  = "g"

[graph.g]
params = { n = "int = 3" }
arcs = [
  # First of all.
  "A.x[i] -> S[i].x",
  "S[i].y -> B.y",  # back
]
share = ["t -- S[i].t"]

[graph.g.shared.t]
type = 'int'

[graph.g.call.S] # called
graph = "s"
index = ["i"]
args  = { n = "n + i" }

[graph.g.uc.A]
start = true
out = { "x[i]" = "int" }
route = ["x[i] <- i for i in 0..n"]

[graph.g.uc.B]
in = { y = "int" }
fire = ["y -> b"]
do = '''
print(`${b}`);
'''

[graph.s]
params = { n = "int" }
in = { x = "int" }
out = { y = "int" }
inout = { t = "int" }
arcs = ["in.x -> C.x", "C.y -> D.x", "D.y -> out.y"]
share = ["inout.t -- D.t"]

[graph.s.uc.C]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
route = ["y <- n * x"]

[graph.s.uc.D]
in = { x = "int" }
out = { y = "int" }
shared = { t = "write" }
fire = ["x -> x"]
do = "t += x;"
route = ["y <- x"]
"#,
    // Everything in braces, and lines that cannot be read.
    "hasse = 1\ngraph.g = { uc = { A = { out = { x = \"int\" } }, B = {} }, arcs = [\"A.x ->\", \"A.x -> B.x\", 3] }\n",
    // Parts of other kinds than the language has.
    "main = 1\nlayout = 3\n[graph]\ng = { uc = 5, arcs = \"A\", in = [1] }\n[graph.s.uc.A]\nin = 3\nfire = {}\n[[graph.s.call.B]]\n",
];

/// Numbers that say what is done.
type Choice = (u8, [u8; 6]);

const N_KINDS: u8 = 23;
const NAMES: [&str; 8] = ["A", "B", "C", "x", "t", "D2", "no name", "in.x"];
const TEXTS: [&str; 8] =
    ["A.x -> B.y", "A.x[i] -> C[i + 1].y", "t -- B.t", "->", "B.y -> A.x", "in.x -> A.y", "", "A.\u{fc}"];

fn pick<T: Clone>(from: &[T], choice: u8) -> Option<T> {
    from.get(usize::from(choice) % from.len().max(1)).cloned()
}

/// Names of what is there, and sometimes others.
fn name(known: &[String], choice: u8) -> String {
    if choice.is_multiple_of(7) {
        pick(&NAMES, choice / 7).unwrap().to_owned()
    } else {
        pick(known, choice).unwrap_or_default()
    }
}

fn do_one(
    tables: &mut DocumentMut,
    graphs: &[GraphOutline],
    kind: u8,
    [a, b, c, d, e, f]: [u8; 6],
) -> Result<(), EditError> {
    let graph_names: Vec<String> = graphs.iter().map(|graph| graph.name.clone()).collect();
    let owner = &*name(&graph_names, a);
    let outline = graphs.iter().find(|graph| graph.name == owner);
    let known: Vec<String> =
        outline.iter().flat_map(|graph| &graph.nodes).map(|node| node.name.clone()).collect();
    let one = &*name(&known, b);
    let other = &*name(&known, c);
    let ports: Vec<String> = outline
        .iter()
        .flat_map(|graph| &graph.nodes)
        .filter(|node| node.name == one)
        .flat_map(|node| &node.ports)
        .map(|port| port.name.clone())
        .collect();
    let port_name = &*name(&ports, d);
    let new = pick(&NAMES, e).unwrap();
    let side = pick(&Side::ALL, f).unwrap();
    let list = pick(&LinkList::ALL, f).unwrap();
    let row = usize::from(c % 5);
    let position = [i64::from(d) - 100, i64::from(e) * 10];
    match kind {
        0 => {
            let made = [
                NewNode::Unit,
                NewNode::Shared("int"),
                NewNode::Call(other),
                NewNode::Input("real"),
                NewNode::Output("T[]"),
                NewNode::InOut("any"),
            ];
            node::add(tables, owner, new, pick(&made, f).unwrap())
        }
        1 => node::rename(tables, owner, one, new),
        2 => node::remove(tables, owner, &[one, other]),
        3 => node::remove(tables, owner, &[one]),
        4 => {
            let key = pick(&["doc", "init", "do", "start", "graph", "type"], e).unwrap();
            let value = [None, Some(Value::from("a text\nof 'two' lines")), Some(Value::from(true))];
            node::set_attribute(tables, owner, one, key, pick(&value, f).unwrap())
        }
        5 => port::add(tables, owner, one, side, &format!("{new}[i]"), "int"),
        6 => port::rename(tables, owner, one, side, port_name, new),
        7 => port::set_type(tables, owner, one, side, port_name, "vector"),
        8 => port::remove(tables, owner, one, side, port_name),
        9 => link::add(tables, owner, list, pick(&TEXTS, e).unwrap()).map(drop),
        10 => link::set(tables, owner, list, row, pick(&TEXTS, e).unwrap()),
        11 => link::remove(tables, owner, list, row),
        12 => graph::add(tables, new),
        13 => graph::rename(tables, owner, new),
        14 => graph::remove(tables, owner),
        15 => place::set(tables, owner, &[(one, position), (other, [0, 0])]),
        16 => {
            let text = clip::copy(tables, owner, &[one, other]);
            clip::paste(tables, &name(&graph_names, d), &text, position).map(drop)
        }
        17 => {
            let options = DuplicateOptions { offset: position, keeps_wires: f.is_multiple_of(2) };
            clip::duplicate(tables, owner, &[one, other], options).map(drop)
        }
        18 => heal::remove(tables, owner, &[one]).map(drop),
        19 => heal::insert_on_link(tables, owner, row, one),
        20 => {
            let end = if e.is_multiple_of(2) { LinkEnd::Source } else { LinkEnd::Target };
            heal::reconnect(tables, owner, (list, row), end, (one, port_name))
        }
        21 => collapse(tables, owner, &[one, other][usize::from(d % 2)..], new).map(drop),
        _ => unpack(tables, owner, one).map(drop),
    }
}

/// A document with all texts that it has been through.
struct Walk {
    document: Document,
    texts: Vec<String>,
    /// Which of the texts it holds.
    at: usize,
}

impl Walk {
    /// Notes the text where a step was made, and checks that otherwise nothing was.
    fn note(&mut self, is_step: bool) {
        if is_step {
            self.texts.truncate(self.at + 1);
            self.texts.push(self.document.text().to_owned());
            self.at += 1;
        }
        self.check();
    }

    fn check(&self) {
        assert_eq!(self.document.text(), self.texts[self.at]);
        assert_eq!(self.document.next_undo().is_some(), self.at > 0);
        assert_eq!(self.document.next_redo().is_some(), self.at + 1 < self.texts.len());
    }

    fn back(&mut self) -> bool {
        let is_done = self.document.undo().is_some();
        assert_eq!(is_done, self.at > 0);
        self.at -= usize::from(is_done);
        self.check();
        is_done
    }

    fn forth(&mut self) -> bool {
        let is_done = self.document.redo().is_some();
        self.at += usize::from(is_done);
        self.check();
        is_done
    }

    fn act(&mut self, (kind, choices): Choice) {
        let [a, b, ..] = choices;
        // Mostly edits, now and then what is around them.
        match kind % (N_KINDS + 5) {
            kind if kind < N_KINDS => {
                let done = edit(&mut self.document, kind, choices);
                self.note(done == Ok(true));
            }
            kind if kind == N_KINDS => {
                let before = self.document.text().to_owned();
                let end = if a.is_multiple_of(3) { Err(EditError::NotReadable) } else { Ok(()) };
                let fails = end.is_err();
                let done = self.document.group("group", |document| {
                    // A group goes on where a part of it fails.
                    let mut is_changed = edit(document, a % N_KINDS, choices) == Ok(true);
                    let inner = document.group("inner", |document| edit(document, b % N_KINDS, choices));
                    is_changed |= inner == Ok(true);
                    is_changed |= edit(document, choices[5] % N_KINDS, choices) == Ok(true);
                    end.map(|()| is_changed)
                });
                if fails {
                    assert_eq!(self.document.text(), before);
                }
                self.note(done == Ok(true));
            }
            kind if kind == N_KINDS + 1 => {
                let text = format!("{}\n# {a}\n", self.document.text().replace("int", "real"));
                let is_step = self.document.replace("replace", &text);
                self.note(is_step);
            }
            kind if kind == N_KINDS + 2 => {
                self.document.seal();
                let before = self.document.text().to_owned();
                let mut is_step = false;
                for number in [a, b, a] {
                    let typed = self.document.edit_on("type", "key", |tables| {
                        tables["typed"] = toml_edit::value(i64::from(number));
                        Ok(())
                    });
                    is_step |= typed == Ok(true);
                }
                self.document.seal();
                assert!(is_step || self.document.text() == before);
                self.note(is_step);
            }
            kind => {
                for _ in 0..a % 3 {
                    if kind == N_KINDS + 3 {
                        self.back()
                    } else {
                        self.forth()
                    };
                }
            }
        }
    }
}

fn edit(document: &mut Document, kind: u8, choices: [u8; 6]) -> Result<bool, EditError> {
    let before = document.text().to_owned();
    let graphs = outline(&before).unwrap();
    let done = document.edit("edit", |tables| do_one(tables, &graphs, kind, choices));
    match &done {
        Ok(is_changed) => assert_eq!(*is_changed, document.text() != before),
        Err(error) => {
            assert_ne!(error, &EditError::NotReadable, "the text was TOML, and has to stay so");
            assert_eq!(document.text(), before);
        }
    }
    done
}

fn walk(text: &str, choices: &[Choice]) {
    let mut document = Document::new(text);
    document.mark_saved();
    let mut walk = Walk { document, texts: vec![text.to_owned()], at: 0 };
    choices.iter().for_each(|choice| walk.act(*choice));
    while walk.forth() {}
    while walk.back() {}
    assert_eq!(walk.document.text(), text);
    assert!(walk.document.is_saved() || walk.texts.len() > 1);
    while walk.forth() {}
    assert_eq!(Some(walk.document.text()), walk.texts.last().map(String::as_str));
    outline(walk.document.text()).unwrap();
}

fn choices(n_most: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec((any::<u8>(), any::<[u8; 6]>()), 1..n_most)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(9_000))]
    #[test]
    fn edits_of_small_programs_are_undone_to_the_first_byte(which in 0..SMALL.len(), choices in choices(13)) {
        walk(SMALL[which], &choices);
    }
}

proptest! {
    #![proptest_config(config(1_000))]
    #[test]
    fn edits_of_examples_are_undone_to_the_first_byte(which in 0..EXAMPLES.len(), choices in choices(6)) {
        walk(EXAMPLES[which], &choices);
    }
}

/// Of no kind are all refused, else the laws above would say little.
#[test]
fn every_kind_of_edit_is_made_and_refused() {
    for kind in 0..N_KINDS {
        let mut n_made = 0;
        let mut n_refused = 0;
        for seed in 0_u64..600 {
            // Knuth's multiplier: what matters is that all bytes differ from seed to seed.
            let bytes = (seed + 1).wrapping_mul(6_364_136_223_846_793_005).to_be_bytes();
            let choices = [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]];
            let mut document = Document::new(SMALL[usize::from(bytes[6]) % SMALL.len()]);
            match edit(&mut document, kind, choices) {
                Ok(true) => n_made += 1,
                Ok(false) => {}
                Err(_) => n_refused += 1,
            }
        }
        assert!(n_made >= 5 && n_refused >= 5, "kind {kind}: {n_made} made, {n_refused} refused");
    }
}

const EXAMPLES: [&str; 6] = [
    include_str!("../../examples/bank/bank.hasse"),
    include_str!("../../examples/bts/bts.hasse"),
    include_str!("../../examples/quicksort/quicksort.hasse"),
    include_str!("../../examples/nbody/nbody.hasse"),
    include_str!("../../examples/jacobi/jacobi.hasse"),
    include_str!("../../examples/lostupdate/lostupdate.hasse"),
];
