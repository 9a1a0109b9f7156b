use serde_json::json;

use super::support::{Folder, TELLERS};

fn recorded() -> Folder {
    let folder = Folder::with("tellers.hasse", TELLERS);
    folder.hasse(&["run", "tellers.hasse", "--trace", "t", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn checks_that_hold_end_with_0() {
    let ran = recorded()
        .hasse(&["verify", "t", "check pred Audit {Teller[1], Open}", "pred Teller {Open}"])
        .ends(0);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn a_check_that_does_not_hold_ends_with_1_and_shows_where() {
    let ran =
        recorded().hasse(&["verify", "t", "check pred Audit {Open}", "check pred Teller {Audit}"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn predicates_hold_or_show_the_events_that_offend() {
    let folder = recorded();
    let ran = folder.hasse(&[
        "verify",
        "t",
        "forall a: Audit : exists t: Teller[2] where t -> a",
        "exists o: Open, t: Teller where o -> t and t.index == 1",
    ]);
    insta::assert_snapshot!(ran.ends(0).shown());
    let ran = folder.hasse(&[
        "verify",
        "t",
        "never a: Teller, b: Teller where a -> b",
        "forall o: Open, a: Audit where o < a : a.count > 1 => exists t: Teller where a < t",
        "never o: Open, a: Audit where o < a",
    ]);
    insta::assert_snapshot!(ran.ends(1).shown());
    let found =
        folder.hasse(&["verify", "t", "never o: Open, a: Audit where o < a", "--json"]).ends(1).json();
    insta::assert_snapshot!(format!("{found:#}"));
}

#[test]
fn a_condition_on_what_was_not_recorded_cannot_be_decided() {
    let ran = recorded().hasse(&["verify", "t", "forall t: Teller : t.end - t.start < 1000"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn checks_come_from_a_file_too() {
    let folder = recorded();
    folder.write("order.preds", "# order\n\ncheck pred Audit {Teller}\n  check pred Teller {Open}\n");
    let found = folder.hasse(&["verify", "t", "--file", "order.preds", "--json"]).ends(0).json();
    let holds: Vec<_> =
        found["verdicts"].as_array().unwrap().iter().map(|verdict| &verdict["holds"]).collect();
    assert_eq!(holds, [&json!(true), &json!(true)]);
    folder.write("order.preds", "# nothing\n");
    folder.hasse(&["verify", "t", "--file", "order.preds"]).ends(2);
    folder.hasse(&["verify", "t", "--file", "nowhere"]).ends(2);
}

#[test]
fn what_is_no_check_is_a_usage_error() {
    let folder = recorded();
    let mut shown = String::new();
    for checks in [
        &[][..],
        &["check"],
        &["check pred Audit {"],
        &["check pred Auditor {Open}"],
        &["check pred Teller[1][2] {Open}"],
        &["forall t: Teller where t.cuont == 1 : true"],
        &["never t: Teller where t.took.gone == 1"],
        &["exists t: Teller, a: Auditor where t -> a"],
    ] {
        shown += &folder.hasse(&[&["verify", "t"], checks].concat()).ends(2).stderr;
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_is_no_trace_cannot_be_checked() {
    let folder = recorded();
    folder.hasse(&["verify", "nowhere", "check pred Audit {Open}"]).ends(2);
    folder.hasse(&["verify", "tellers.hasse", "check pred Audit {Open}"]).ends(2);
}

#[test]
fn models_and_shapes_are_checked_too() {
    let folder = recorded();
    let model =
        "[model.tellers]\nshared = false\nnodes = [\"Teller\", \"Open\"]\narcs = [\"Open -> Teller\"]\n";
    folder.write("good.model", &format!("{model}[model.tellers.node.Teller]\nfire = [\"Open\"]\n"));
    folder.hasse(&["verify", "t", "--model", "good.model", "check linked Open ; Teller"]).ends(0);
    folder.write("bad.model", &format!("{model}[model.tellers.node.Teller]\nfire = [\"none\"]\n"));
    insta::assert_snapshot!(folder.hasse(&["verify", "t", "--model", "bad.model"]).ends(1).shown());
    folder.write("worse.model", "[model.tellers]\nnodes = [\"Teler\"]\n");
    folder.write("worst.model", "[model.tellers]\nnods = [\"Teler\"]\n");
    let refused = |model: &str| folder.hasse(&["verify", "t", "--model", model]).ends(2).stderr;
    insta::assert_snapshot!(["worse.model", "worst.model", "no.model"].map(refused).join(""));
}
