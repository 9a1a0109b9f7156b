//! Formatting: what the result looks like, and the laws that it keeps.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use hasse_compiler::{changes, compile, format};
use hasse_model::function::FunctionTable;
use proptest::prelude::*;

/// The programs in `examples/`.
fn examples() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "hasse") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(found.len() >= 4);
    found
}

#[test]
fn the_examples_are_in_canonical_form() {
    for (path, text) in examples() {
        assert_eq!(format(&text).unwrap(), text, "run `hasse fmt` on {}", path.display());
    }
}

const MESSY: &str = r#"
# What this program is about.
#   In two lines.

# about the main graph
main='g'   # the name
hasse=1
[layout.g]
Src=[10,20]
# The sink.
[graph.g.uc.Sink]   # behind the header
do='print(d);'
fire=["done->d   if   count<n"]
in.done='int'   # a dotted key
stop=true

[graph.g.call.Sub]
args={n="n/2"}
graph="h"
[graph.g.uc.Src]
route=['seg[j]<-parts[ j ] for j in 0 .. n',
  # the second
  "go <- f( n ,1 )"   # behind
  , ]
out={"seg[j]"="real[]",go="int"}
start=true
do='''
let parts = [1.0,2.0];   # no comment
   '''

# a block of its own
init = ""
unknown = [1,2,   3]
[graph.g]
share=["total--Sink.sum"]
arcs=[ # all arcs
"Src.seg[j]->Work[j+1].part",


   # where it ends
   'Src.go->Sink . go' ,# last
   # at the end
]
params={
  n = "int",  # how many
  # and what
  m = "real" }
[graph.h.shared.x]
type="int"

[type.S]
b = "int"
a = "real"
[graph.g.uc.Work.in]
part = "real[]"
[other]
z = 1
a = 2
# at the end
"#;

#[test]
fn tables_keys_lines_and_comments_find_their_places() {
    insta::assert_snapshot!(format(MESSY).unwrap());
    assert_eq!(format(&format(MESSY).unwrap()).unwrap(), format(MESSY).unwrap());
}

#[test]
fn what_is_no_toml_is_refused_with_the_compilers_diagnostic() {
    let text = "hasse = 1\nmain = \"g\n";
    let expected = compile(text, &FunctionTable::default()).diagnostics;
    assert_eq!(format(text).unwrap_err(), expected);
    assert_eq!(expected[0].code, "E0001");
}

#[test]
fn odd_documents_are_formatted_too() {
    for (text, expected) in [
        ("", ""),
        ("# only a comment", "# only a comment\n"),
        ("\n\n# one\n\n\n# two\n", "# one\n\n# two\n"),
        ("a=1\r\nb='''\r\nx\r\n'''\r\n", "a = 1\nb = '''\nx\n'''\n"),
        ("[[a]]\nx=1\n[a.b]\n[[a]]\n[c]\n[a.d]", "[[a]]\nx = 1\n\n[a.b]\n\n[[a]]\n\n[c]\n\n[a.d]\n"),
        ("[graph]\n[graph.g]\narcs=[]", "[graph]\n\n[graph.g]\narcs = []\n"),
        ("graph.g.arcs=['a.b->c.d','a.b->c.e']", "graph.g.arcs = ['a.b->c.d', 'a.b->c.e']\n"),
        ("graph={g={arcs=[]}}", "graph = { g = { arcs = [] } }\n"),
        ("[graph.g]\narcs=[\"a.b->c\\u002ed\"]", "[graph.g]\narcs = [\"a.b -> c.d\"]\n"),
        ("[graph.g]\narcs=[3,[4]]", "[graph.g]\narcs = [\n  3,\n  [4],\n]\n"),
        ("[a]\nx=1\n[a.b]\ny=2\n[a.b.c]", "[a]\nx = 1\n\n[a.b]\ny = 2\n\n[a.b.c]\n"),
    ] {
        let formatted = format(text).unwrap();
        assert_eq!(formatted, expected, "{text:?}");
        assert_eq!(format(&formatted).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn rule_of_several_lines_is_canonical() {
    let text = "[graph.g.uc.N]\nfire=['''\n   a->x,   // first\n\n  b ->y\n      if x>y\n''',\n\"c->x,\\n d->y\"]   # both\n\
                route=[\"\"\"\nout<-f(\n x,y)\"\"\"]\n";
    let expected = "[graph.g.uc.N]\nfire = [\n  '''\na -> x, // first\nb -> y\nif x>y\n''',\n  '''\nc -> x,\nd -> y\n''',\n]  # both\n\
                    route = ['''\nout <- f(\n  x, y)\n''']\n";
    assert_eq!(format(text).unwrap(), expected);
    assert_eq!(format(expected).unwrap(), expected);
    assert_eq!(changes(text, expected), []);
}

/// A formatted program is the one that was recorded.
#[test]
fn spacing_of_rules_changes_nothing() {
    let text = "hasse=1\nmain='g'\n[graph.g]\narcs=['A.p->B.q']\n[graph.g.uc.A]\nroute=['p<-1+ 1']\n";
    assert_eq!(changes(text, &format(text).unwrap()), []);
    assert_eq!(changes(text, &text.replace("1+ 1", "1 - 1")).len(), 1);
}

/// A text as lines that belong together: tables, entries of tables, elements of arrays.
struct Disturber {
    state: u64,
    n_comments: usize,
}

impl Disturber {
    fn draw(&mut self, n: usize) -> usize {
        // Knuth's MMIX generator: the choices need to be many, not good.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    fn comment(&mut self) -> String {
        self.n_comments += 1;
        format!("# mark {:04}", self.n_comments)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.draw(place + 1));
        }
    }

    /// The text with tables and keys in another order, other blanks, and more comments.
    fn disturb(&mut self, text: &str) -> String {
        let mut sections = vec![Vec::new()];
        let mut entry = String::new();
        for line in text.lines() {
            let has_comments_only = entry.lines().all(|line| line.is_empty() || line.starts_with('#'));
            if line.starts_with('[') && has_comments_only {
                sections.last_mut().unwrap().push(std::mem::take(&mut entry));
                sections.push(vec![line.to_owned()]);
                continue;
            }
            entry.push_str(line);
            entry.push('\n');
            let n_quotes = entry.matches("'''").count();
            let opens = |line: &str| line.split('#').next().unwrap().trim_end().ends_with("= [");
            let is_open = n_quotes % 2 == 1 || (n_quotes == 0 && entry.lines().any(opens));
            if (!is_open || line == "]") && !line.starts_with('#') && !line.is_empty() {
                sections.last_mut().unwrap().push(std::mem::take(&mut entry));
            }
        }
        let rest = entry;
        let mut disturbed = String::new();
        let mut top = sections.remove(0);
        self.shuffle(&mut top);
        self.write_entries(&top, &mut disturbed);
        // Graphs, types and nodes keep their order: it has a meaning. What stands where else moves.
        let n_moved = self.draw(sections.len() + 1);
        let is_layout = |section: &Vec<String>| section[0].starts_with("[layout");
        let (layouts, others): (Vec<_>, Vec<_>) = sections.into_iter().partition(is_layout);
        let (graphs, mut nodes): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|section| section[0].matches('.').count() == 1);
        if self.draw(2) == 0 {
            nodes.sort_by_key(|section| section[0].contains(".shared."));
        }
        let all = if n_moved.is_multiple_of(2) { [layouts, nodes, graphs] } else { [nodes, layouts, graphs] };
        for section in all.into_iter().flatten() {
            for _ in 0..self.draw(3) {
                disturbed.push('\n');
            }
            if self.draw(3) == 0 {
                disturbed.push_str(&format!("  {}\n", self.comment()));
            }
            disturbed.push_str(&section[0]);
            if self.draw(3) == 0 && !section[0].contains('#') {
                disturbed.push_str(&self.comment());
            }
            disturbed.push('\n');
            let mut entries = section[1..].to_vec();
            self.shuffle(&mut entries);
            self.write_entries(&entries, &mut disturbed);
        }
        disturbed.push_str(&rest);
        disturbed
    }

    fn write_entries(&mut self, entries: &[String], disturbed: &mut String) {
        for entry in entries {
            if self.draw(4) == 0 {
                disturbed.push_str(&format!("\n\t{}\n", self.comment()));
            }
            let is_plain = !entry.contains("'''");
            for line in entry.lines() {
                let mut line = line.to_owned();
                // Blanks within a body are its own.
                let is_body = line.split([' ', '=']).next().is_some_and(|key| ["do", "init"].contains(&key));
                if is_plain && !line.trim_start().starts_with('#') {
                    if self.draw(2) == 0 && !line.contains('#') && !is_body {
                        line = line.replace(" = [", "=  [").replace(" -> ", "->").replace(" for ", "  for ");
                    }
                    if self.draw(4) == 0 && !line.contains('#') {
                        line = format!("{line} {}", self.comment());
                    }
                    if self.draw(4) == 0 {
                        line = format!("{line}\n\n   {}", self.comment());
                    }
                }
                disturbed.push_str(&line);
                disturbed.push('\n');
            }
        }
    }
}

/// What a text compiles to, without places and blanks.
fn meaning(text: &str) -> String {
    let mut functions = FunctionTable::default();
    functions.add("print", 1, true);
    let compiled = compile(text, &functions);
    let codes: Vec<&str> = {
        let mut codes: Vec<_> = compiled.diagnostics.iter().map(|found| found.code).collect();
        codes.sort_unstable();
        codes
    };
    format!("{codes:?}")
}

#[test]
fn a_native_body_stays_on_its_line() {
    let text = "hasse=1\n[graph.g.uc.N]\nroute=['o <- y']\ndo={native='solve'}   # in Rust\n";
    let formatted = format(text).unwrap();
    assert_eq!(
        formatted,
        "hasse = 1\n\n[graph.g.uc.N]\ndo    = { native = 'solve' }  # in Rust\nroute = ['o <- y']\n"
    );
    assert!(changes(text, &formatted).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn meaning_and_comments_are_kept_and_formatting_again_changes_nothing(seed: u64, which: prop::sample::Index) {
        let examples = examples();
        let (_, text) = which.get(&examples);
        let mut disturber = Disturber { state: seed, n_comments: 0 };
        let disturbed = disturber.disturb(text);
        let formatted = format(&disturbed).map_err(|found| {
            TestCaseError::fail(format!("{} in\n{disturbed}", found[0]))
        })?;
        prop_assert_eq!(&format(&formatted).unwrap(), &formatted, "from\n{}", disturbed);
        prop_assert!(changes(text, &formatted).is_empty(), "{:?}\n{}", changes(text, &formatted), formatted);
        prop_assert_eq!(meaning(&formatted), meaning(text));
        let comments = |text: &str| {
            let mut comments: Vec<String> = text
                .lines()
                .filter_map(|line| line.find("# ").map(|start| line[start..].to_owned()))
                .flat_map(|comments| comments.split(" # ").map(|one| one.trim_start_matches("# ").to_owned()).collect::<Vec<_>>())
                .collect();
            comments.sort();
            comments
        };
        prop_assert_eq!(comments(&formatted), comments(&disturbed), "from\n{}\nto\n{}", disturbed, formatted);
    }

    #[test]
    fn any_text_is_formatted_or_refused(text in "\\PC{0,80}") {
        if let Ok(formatted) = format(&text) {
            prop_assert_eq!(&format(&formatted).unwrap(), &formatted);
        }
    }

    #[test]
    fn pieces_of_toml_are_formatted_or_refused(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "graph.g.uc.N", ".", "=", "1", "'x->y'", "[", "]", "{", "}", ",", "\n", "# c\n", " ", "\"s\"", "'''\nb\n'''",
            "[graph.g]\n", "[graph.g.uc.N]\n", "[[a]]\n", "arcs = [", "fire = ['a->b'", "in = {", "b = 2\n", "\n\n",
        ]), 0..24)
    ) {
        let text = pieces.concat();
        if let Ok(formatted) = format(&text) {
            prop_assert_eq!(&format(&formatted).unwrap(), &formatted, "from {:?}", text);
        }
    }
}

#[test]
fn how_to_record_stands_between_graphs_and_layout() {
    let messy = "hasse=1\nmain='g'\n[layout.g]\nA=[1,2]\n[record]\noptions={'/A'=\"full\",B='off'}  # later wins\n\
                 mode='restrict'\n[graph.g.uc.A]\nstart=true\n";
    let expected = "hasse = 1\nmain  = 'g'\n\n[graph.g.uc.A]\nstart = true\n\n[record]\nmode    = 'restrict'\n\
                    options = { '/A' = \"full\", B = 'off' }  # later wins\n\n[layout.g]\nA = [1, 2]\n";
    assert_eq!(format(messy).unwrap(), expected);
    assert_eq!(format(expected).unwrap(), expected);
    assert_eq!(
        changes(messy, &expected.replace("full", "restrict")),
        [],
        "a record is not what a program does"
    );
}
