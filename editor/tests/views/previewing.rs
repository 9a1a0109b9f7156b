//! The elaborated graph before a run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hasse_editor::target::Target;
use hasse_editor::views::elaborated::{Elaborated, Thing};
use hasse_editor::views::pixels::{Pixels, Theme};
use hasse_editor::views::preview::{Preview, PreviewSource};
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;

use crate::made::{functions, loaded, ran};
use crate::together::nested;

/// A fan by a parameter, of which each instance sends on to an instance that depends on its value.
const FAN: &str = r#"
hasse = 1
main = "g"

[graph.g]
params = { n = "int = 3" }
arcs = ["A.b[i] -> B[i].a", "B[i].c[k] -> C[k].a"]
share = ["total -- B[i].total"]

[graph.g.shared.total]
type = "int"

[graph.g.uc.A]
out = { "b[i]" = "int" }
start = true
route = ["b[i] <- 7 * i for i in 0..n"]

[graph.g.uc.B]
index = ["i"]
in = { a = "int" }
out = { "c[k]" = "int" }
shared = { total = "write" }
fire = ["a -> a"]
do = "total += a;"
route = ["c[a % 4] <- a"]

[graph.g.uc.C]
index = ["k"]
in = { a = "int" }
fire = ["a -> a"]
do = 'result("last", a);'
"#;

fn source(text: &str, params: &[(&str, &str)]) -> PreviewSource {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    PreviewSource { text: Arc::from(text), params: params.collect() }
}

fn previewed(text: &str, params: &[(&str, &str)]) -> Preview {
    let mut preview = Preview::new(Arc::new(functions()), no_wake());
    preview.set_source(source(text, params));
    preview.set_shown(true);
    preview.wait();
    preview
}

fn names(preview: &Preview) -> Vec<&str> {
    preview.view.graph().boxes.iter().map(|node| node.name.as_str()).collect()
}

#[test]
fn preview_shows_instances_for_given_parameters() {
    let preview = previewed(FAN, &[("n", "2")]);
    assert_eq!(names(&preview), ["A", "B[0]", "B[1]", "C[?]", "total"]);
    assert_eq!(
        preview.message(),
        "Before a run: 4 instances may come to be with n = 2. `c[a % 4] <- a` of B (line 25): an index depends on values, \
         and is written `?`"
    );
    let conditional = preview.view.graph().lines.iter().filter(|line| line.is_conditional);
    assert_eq!(conditional.count(), 2);
    assert_eq!(names(&previewed(FAN, &[])), ["A", "B[0]", "B[1]", "B[2]", "C[?]", "total"]);
}

#[test]
fn preview_follows_edits_and_says_why_there_is_none() {
    let mut preview = previewed(FAN, &[]);
    let change = |preview: &mut Preview, text: &str, params: &[(&str, &str)]| {
        preview.set_source(source(text, params));
        preview.wait();
    };
    change(&mut preview, &FAN.replace("0..n\"]", "0..n if i > 0\"]"), &[("n", "3")]);
    assert_eq!(names(&preview), ["A", "B[1]", "B[2]", "C[?]", "total"]);
    change(&mut preview, FAN, &[("n", "x")]);
    assert_eq!(preview.message(), "Parameter `n` is of type int, which `x` is not. See Options.");
    assert!(!preview.has_graph());
    change(&mut preview, &FAN.replace("int = 3", "int"), &[]);
    assert!(
        preview.message().starts_with("parameter `n` of type int has no default"),
        "{}",
        preview.message()
    );
    change(&mut preview, &FAN.replace("C[k].a", "D[k].a"), &[]);
    assert!(preview.message().starts_with("The program has errors"), "{}", preview.message());
    change(&mut preview, FAN, &[]);
    assert!(preview.has_graph());
}

#[test]
fn preview_that_nobody_sees_is_not_made() {
    let mut preview = Preview::new(Arc::new(functions()), no_wake());
    preview.set_source(source(FAN, &[]));
    assert!(!preview.is_busy());
    preview.set_shown(true);
    assert!(preview.is_busy());
    // While one is made, another one waits.
    preview.set_source(source(FAN, &[("n", "5")]));
    preview.wait();
    assert_eq!(preview.view.graph().boxes.len(), 8);
}

#[test]
fn box_of_a_preview_leads_to_its_node_and_is_marked_with_it() {
    let mut preview = previewed(FAN, &[]);
    preview.view.set_size(900, 500);
    preview.view.fit();
    let at = |preview: &Preview, name: &str| {
        let node = preview.view.graph().boxes.iter().find(|node| node.name == name).unwrap();
        preview.view.view().screen_from_world(node.area.center())
    };
    for (name, node) in [("B[1]", "B"), ("C[?]", "C"), ("total", "total")] {
        let point = at(&preview, name);
        assert_eq!(preview.target_at(point.x, point.y), Some(Target::of_node("g", node)));
    }
    assert_eq!(preview.target_at(1.0, 1.0), None);
    let before = preview.version();
    let (plain, texts) = preview.draw(Theme::Light, Pixels::default());
    assert!(texts.iter().any(|text| text.string == "B[1]"), "{texts:?}");
    preview.mark("g", &["B"]);
    assert_ne!(preview.version(), before);
    let (marked, _) = preview.draw(Theme::Light, Pixels::default());
    assert_ne!(plain.data, marked.data);
}

#[test]
fn preview_is_shown_until_there_is_a_record() {
    let mut views = Views::new(functions(), no_wake());
    assert!(views.is_previewing());
    views.preview_mut().set_source(source(FAN, &[]));
    views.preview_mut().set_shown(true);
    views.open(nested());
    assert!(!views.is_previewing());
    crate::together::settle(&mut views);
    assert!(!views.is_previewing() && views.preview().has_graph());
    views.set_prefers_preview(true);
    assert!(views.is_previewing());
    views.close();
    assert!(views.is_previewing() && views.preview().has_graph());
}

#[test]
fn graph_of_a_record_is_part_of_its_preview() {
    let record = loaded(&ran(FAN, Path::new("."), hasse_model::trace::RecordingMode::Full));
    let graph = Elaborated::of(&record, &BTreeMap::new());
    let preview = previewed(FAN, &[]);
    let known = names(&preview);
    for node in &graph.boxes {
        let is_known = known.contains(&node.name.as_str()) || node.name.starts_with("C[");
        assert!(is_known && matches!(node.thing, Thing::Action(_) | Thing::Object(_)), "{}", node.name);
    }
}
