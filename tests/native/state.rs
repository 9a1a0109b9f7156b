//! Snapshots of recorded runs: the state after some events, from which a run goes on.

use std::sync::{Arc, Mutex};

use hasse::{Error, Natives, Options, Program, Snapshot, Trace};

const ACCOUNTS: &str = r#"
hasse = 1
main = "main"
[graph.main]
arcs = ["Pay.sum[i] -> Account[i].sum", "Account[i].balance -> Bank.balance"]
[graph.main.uc.Pay]
start = true
out = { "sum[i]" = "int" }
route = ["sum[k % 3] <- 10 * k for k in 0..9"]
[graph.main.uc.Account]
index = ["i"]
in = { sum = "int" }
out = { balance = "int" }
vars = { held = "int" }
fire = ["sum -> sum"]
do = 'held += sum; print(`account ${i}: ${held}`);'
route = ["balance <- held"]
[graph.main.uc.Bank]
in = { balance = "int" }
vars = { total = "int" }
fire = ["balance -> b"]
do = 'total += b; result("total", total);'
"#;

/// Options whose output is kept.
fn kept() -> (Arc<Mutex<Vec<String>>>, Options) {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&lines);
    let output = move |line: &str| sink.lock().unwrap().push(line.to_owned());
    (lines, Options::new().workers(2).output(output))
}

fn accounts() -> (Program, Trace, Vec<String>) {
    let program = Program::from_text(ACCOUNTS, &Natives::new()).unwrap();
    let (lines, options) = kept();
    let (_, trace) = program.record(&options).unwrap();
    let lines = lines.lock().unwrap().clone();
    (program, trace, lines)
}

/// The snapshot, once it has been bytes.
fn through_bytes(snapshot: &Snapshot) -> Snapshot {
    let mut bytes = Vec::new();
    snapshot.write(&mut bytes).unwrap();
    Snapshot::read(&mut bytes.as_slice()).unwrap()
}

#[test]
fn a_recorded_run_goes_on_from_its_state() {
    let (program, trace, all_lines) = accounts();
    let (before, options) = kept();
    let snapshot = program.snapshot(&trace, &["/Account[1]:2", "/Account[2]:1"], &options).unwrap();
    assert_eq!(snapshot.n_events, 4);
    let snapshot = through_bytes(&snapshot);
    let before = before.lock().unwrap().clone();

    let (after, options) = kept();
    let run = program.replay_from(&snapshot, &trace, &options).unwrap().finished().unwrap();
    assert_eq!(run.result::<i64>("total").unwrap(), 540);
    assert_eq!([before.clone(), after.lock().unwrap().clone()].concat(), all_lines);

    // Freely, other accounts may print first.
    let (after, options) = kept();
    let run = program.run_from(&snapshot, &options).unwrap().finished().unwrap();
    assert_eq!(run.result::<i64>("total").unwrap(), 540);
    assert_eq!(run.report().n_events, 19);
    let mut lines = [before, after.lock().unwrap().clone()].concat();
    let mut expected = all_lines;
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn the_state_before_anything_is_the_whole_run() {
    let (program, trace, all_lines) = accounts();
    let snapshot = program.snapshot(&trace, &[], &Options::new()).unwrap();
    assert_eq!(snapshot.n_events, 0);
    let (lines, options) = kept();
    program.replay_from(&through_bytes(&snapshot), &trace, &options).unwrap().finished().unwrap();
    assert_eq!(*lines.lock().unwrap(), all_lines);
}

#[test]
fn what_has_no_state_is_refused() {
    let (program, trace, _) = accounts();
    let refused = |program: &Program, trace: &Trace, after: &[&str]| {
        program.snapshot(trace, after, &Options::new()).unwrap_err()
    };
    let errors = [
        refused(&program, &trace, &["/Account[1]:9"]),
        refused(&program, &trace, &["Account["]),
        {
            let minimal = Options::new().mode(hasse::RecordingMode::Minimal);
            refused(&program, &program.record(&minimal).unwrap().1, &["/Account[1]:1"])
        },
        {
            let other = ACCOUNTS.replace("10 * k", "11 * k");
            refused(&Program::from_text(&other, &Natives::new()).unwrap(), &trace, &["/Account[1]:1"])
        },
    ];
    assert!(matches!(&errors[2], Error::OnlyChoices));
    insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"), @r"
    /Account[1] has no event 9: its events are /Account[1]:1 to /Account[1]:3
    `Account[` is no event
    the trace is a minimal record: it holds choices, not events
    the program is not the one that was recorded: node Pay of graph main: routing rule 0 differs
    ");
}

#[test]
fn a_program_in_which_a_node_is_missing_does_not_go_on() {
    let (program, trace, _) = accounts();
    let snapshot = program.snapshot(&trace, &["/Account[1]:1"], &Options::new()).unwrap();
    let other = Program::from_text(&ACCOUNTS.replace("Account", "Purse"), &Natives::new()).unwrap();
    let error = other.run_from(&snapshot, &Options::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the run cannot go on from the snapshot: the program has no node `Account`"
    );
}
