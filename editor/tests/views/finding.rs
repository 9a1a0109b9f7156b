//! Findings lead to events, nodes, arcs and rules; models are made from what is selected.

use std::collections::BTreeSet;

use hasse_compiler::outline;
use hasse_editor::views::findings::{Finding, Query, Status, find_now};
use hasse_editor::views::models::{ModelList, draft, fault};
use hasse_editor::views::record::RecordSource;

use crate::made::{example, loaded};

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
    let folder = tempfile::tempdir().unwrap();
    let path = ModelList::path_of(&folder.path().join("bts.hasse"));
    models.save(&path).unwrap();
    let mut read = ModelList::default();
    read.open(&path).unwrap();
    assert_eq!(read, models);
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
    assert!(draft.notes.iter().any(|note| note.contains("`call`")), "{:?}", draft.notes);
    assert!(draft.notes.iter().any(|note| note.contains("`log`")), "{:?}", draft.notes);
}
