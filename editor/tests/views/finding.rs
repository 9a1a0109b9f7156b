//! Findings lead to events, nodes, arcs and rules; models are made from what is selected.

use std::collections::BTreeSet;
use std::path::Path;

use hasse_compiler::outline;
use hasse_editor::views::findings::{Finding, Query, Status, find_now};
use hasse_editor::views::models::{ModelList, Saved, draft, fault};
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;

use crate::made::{example, functions, loaded};
use crate::together::settle;

fn found(source: &RecordSource, queries: &[Query]) -> Vec<Finding> {
    find_now(source, &loaded(source), queries, None).unwrap()
}

/// A finding with what its evidence leads to.
fn told(source: &RecordSource, finding: &Finding) -> String {
    let record = loaded(source);
    let mut lines = vec![format!("{:?} {}", finding.status, finding.title)];
    for evidence in &finding.evidence {
        lines.push(format!("  {}", evidence.text));
        let events: Vec<String> = evidence.events.iter().map(|&event| record.event_name(event)).collect();
        let targets: Vec<String> = evidence.targets.iter().map(|target| target.to_string()).collect();
        lines.push(format!("    {} | {}", events.join(" "), targets.join(", ")));
    }
    lines.join("\n")
}

#[test]
fn a_violated_check_leads_to_the_rule_at_fault() {
    let queries = [
        Query::Check("check pred Solve:3 {Mult[2]:2}".to_owned()),
        Query::Check("check pred Solve {Dist}".to_owned()),
        Query::Check("check pred Nobody {Dist}".to_owned()),
        Query::Check("chek".to_owned()),
    ];
    let bug = example("bts", "bts-bug.hasse");
    let findings = found(&bug, &queries);
    let statuses: Vec<Status> = findings.iter().map(|finding| finding.status).collect();
    assert_eq!(statuses, [Status::Violated, Status::Holds, Status::Unknown, Status::Unknown]);
    insta::assert_snapshot!("finding_check", told(&bug, &findings[0]));
    let right = found(&example("bts", "bts.hasse"), &queries[..1]);
    assert_eq!(right[0].status, Status::Holds);
}

#[test]
fn races_lead_to_both_accesses() {
    let source = example("lostupdate", "lostupdate.hasse");
    let findings = found(&source, &[Query::Races]);
    assert!(findings.iter().all(|finding| finding.is_race && finding.status == Status::Violated));
    assert!(findings[0].events().len() >= 2);
    let none = found(&example("bts", "bts.hasse"), &[Query::Races]);
    assert_eq!(none.iter().map(|finding| finding.status).collect::<Vec<_>>(), [Status::Holds]);
    insta::assert_snapshot!("finding_race", told(&source, &findings[0]));
}

#[test]
fn a_model_is_made_from_what_is_selected() {
    let source = example("bts", "bts-bug.hasse");
    let RecordSource::Memory { header, .. } = &source else { panic!() };
    let graphs = outline(&header.program_text).unwrap();
    let graph = graphs.iter().find(|graph| graph.is_main).unwrap();
    let rows: BTreeSet<usize> = graph
        .links
        .iter()
        .filter(|link| {
            ["Solve", "Mult"].contains(&&*link.source.node) && ["Solve", "Mult"].contains(&&*link.target.node)
        })
        .map(|link| link.row)
        .collect();
    let by_rows = draft("solving", graph, &BTreeSet::new(), &rows);
    let nodes = BTreeSet::from(["Solve".to_owned(), "Mult".to_owned()]);
    let by_nodes = draft("solving", graph, &nodes, &BTreeSet::new());
    assert_eq!(by_rows, by_nodes);
    assert_eq!(fault(&by_rows.text), None);
    insta::assert_snapshot!("model", by_rows.text);
    let mut models = ModelList::default();
    models.add(by_rows.text.clone());
    let queries: Vec<Query> = models.queries().collect();
    let drawn = found(&source, &queries);
    assert_eq!(drawn.len(), 1);
    // The rules of the shipped model are what the bug offends.
    let rules = "\n[model.solving.node.Mult]\nfire = [\"Solve\"]\nroute = [\"none if count < index\", \"Solve if count == index\"]\n";
    models.set(0, format!("{}{rules}", by_rows.text));
    let queries: Vec<Query> = models.queries().collect();
    assert_eq!(found(&source, &queries)[0].status, Status::Violated);
    assert_eq!(found(&example("bts", "bts.hasse"), &queries)[0].status, Status::Holds);
}

#[test]
fn models_are_kept_beside_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = ModelList::path_of(&folder.path().join("bts.hasse"));
    assert_eq!(path, folder.path().join("bts.model"));
    let text =
        |name: &str| format!("[model.{name}]\nnodes = [\"Solve\", \"Mult\"]\narcs = [\"Solve -> Mult\"]\n");
    let mut models = ModelList::default();
    assert_eq!((models.unused_name().as_str(), models.is_saved()), ("model_1", true));
    models.add(text("model_1"));
    models.add(text("two"));
    assert_eq!((models.unused_name().as_str(), models.is_saved()), ("model_2", false));
    assert_eq!(models.save(&path, false).unwrap(), Saved::Written);
    assert!(models.is_saved());
    // Its own file is written again without a question; of others it is asked.
    models.set(1, text("other"));
    assert_eq!(models.save(&path, false).unwrap(), Saved::Written);
    let mut foreign = ModelList::default();
    foreign.add(text("foreign"));
    let held = std::fs::read_to_string(&path).unwrap();
    assert_eq!(foreign.save(&path, false).unwrap(), Saved::IsThere);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), held);
    // What is in the file is told apart again, and what was not saved is kept.
    assert_eq!(foreign.open(&path).unwrap(), Some(2));
    assert_eq!(foreign.texts(), [text("model_1"), text("other"), text("foreign")]);
    assert!(!foreign.is_saved());
    // Those of the file go with it.
    assert_eq!(foreign.open(&folder.path().join("none.model")).unwrap(), None);
    assert_eq!(foreign.texts(), [text("foreign")]);
    assert_eq!(foreign.save(&path, true).unwrap(), Saved::Written);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text("foreign"));
    assert_eq!(models.save(&path, false).unwrap(), Saved::IsThere, "someone else has written it");
    // The last one goes with the file.
    foreign.remove(0);
    assert_eq!(foreign.save(&path, false).unwrap(), Saved::Removed);
    assert!(!path.exists());
    // Two of one name are no file.
    models.set(1, text("two"));
    assert_eq!(models.fault_with(1, &text("three")), None);
    assert!(models.fault_with(1, &text("model_1")).unwrap().starts_with("with the other models"));
    assert!(models.fault_with(1, "[model.x]\nnodes = 1").is_some());
}

#[test]
fn the_shipped_model_is_opened_with_its_comments() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bts/solve.model");
    let mut models = ModelList::default();
    assert_eq!(models.add_file(&path).unwrap(), 1);
    assert_eq!(models.add_file(&path).unwrap(), 1);
    assert_eq!(models.texts(), [std::fs::read_to_string(&path).unwrap()]);
}

#[test]
fn a_drawn_model_is_a_finding_before_and_after_there_is_a_record() {
    let source = example("bts", "bts-bug.hasse");
    let RecordSource::Memory { header, .. } = &source else { panic!() };
    let graphs = outline(&header.program_text).unwrap();
    let graph = graphs.iter().find(|graph| graph.is_main).unwrap();
    let mut views = Views::new(functions(), no_wake());
    let nodes = BTreeSet::from(["Solve".to_owned(), "Mult".to_owned()]);
    assert_eq!(views.draw_model(graph, &nodes, &BTreeSet::new()), Vec::<String>::new());
    assert_eq!((views.findings().len(), views.selected_model()), (1, Some(0)));
    assert_eq!(views.findings()[0].status, Status::Unknown);
    assert!(views.findings()[0].evidence[0].text.contains("no record"));
    views.open(source);
    settle(&mut views);
    assert_ne!(views.findings()[0].status, Status::Unknown, "{:?}", views.findings());
    views.look_for_one(Query::Races);
    settle(&mut views);
    assert_eq!((views.findings().len(), views.selected_model()), (2, None));
    views.select_finding(1, None);
    let text = views.models.texts()[0].clone();
    assert!(views.set_model(0, "[model").is_err());
    assert_eq!(views.models.texts(), std::slice::from_ref(&text));
    let rules = "\n[model.model_1.node.Mult]\nfire = [\"Solve\"]\nroute = [\"none if count < index\", \"Solve if count == index\"]\n";
    views.set_model(0, &format!("{text}{rules}")).unwrap();
    settle(&mut views);
    assert_eq!((views.findings()[1].status, views.selected_model()), (Status::Violated, Some(0)));
    assert!(!views.overlay().found.is_empty());
    assert!(views.remove_query());
    settle(&mut views);
    assert_eq!((views.findings().len(), views.models.texts().len()), (1, 0));
    assert!(!views.remove_query(), "nothing is selected");
}

#[test]
fn what_is_no_unit_is_left_out_of_a_model_in_words() {
    let source = crate::together::nested();
    let RecordSource::Memory { header, .. } = &source else { panic!() };
    let graphs = outline(&header.program_text).unwrap();
    let graph = graphs.iter().find(|graph| graph.is_main).unwrap();
    let nodes = graph.nodes.iter().map(|node| node.name.clone()).collect();
    let draft = draft("9 lives", graph, &nodes, &BTreeSet::new());
    assert!(draft.text.starts_with("[model.m9_lives]\nnodes = [\"After\", \"Before\"]"), "{}", draft.text);
    assert!(!draft.text.contains("shared"), "the object is selected");
    assert!(draft.notes.iter().any(|note| note.contains("`call`")), "{:?}", draft.notes);
    assert!(draft.notes.iter().any(|note| note.contains("`log`")), "{:?}", draft.notes);
}
