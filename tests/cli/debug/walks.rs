//! Through bodies, forwards and backwards.

use super::session;
use crate::support::Folder;

/// A body with a loop and a function that calls another one.
const CALLS: &str = r#"hasse = 1
main  = "calls"

[graph.calls]
arcs = ["Open.go -> Work.go", "Work.done -> End.done"]

[graph.calls.uc.Open]
out   = { go = "int" }
start = true
route = ["go <- 2", "go <- 3"]

[graph.calls.uc.Work]
in    = { go = "int" }
out   = { done = "int" }
vars  = { sum = "int" }
fire  = ["go -> n"]
do    = '''
fn twice(x) {
    let doubled = x * 2;
    doubled
}
fn more(x) {
    let y = twice(x);
    y + 1
}
let k = 0;
while k < n {
    sum += more(k);
    k += 1;
}
'''
route = ["done <- sum"]

[graph.calls.uc.End]
in    = { done = "int" }
fire  = ["done -> x"]
"#;

fn recorded(program: &str) -> Folder {
    let folder = Folder::with("p.hasse", program);
    folder.hasse(&["run", "p.hasse", "--trace", "t.trace", "--workers", "1", "--seed", "3"]).ends(0);
    folder
}

#[test]
fn bodies_are_walked_over_out_of_and_back() {
    let folder = recorded(CALLS);
    let commands = "cd Work\ngoto :1 befcomp\nstack\nstep 3\nstep 2\nstack\nlocals\nout\nstack\nover\nlocals\nrstep\nrover\nrover\n\
                    rstep 4\n";
    insta::assert_snapshot!(session(&folder, "t.trace", commands).ends(0).shown());
}

/// Each place on the way back shows what it showed on the way there.
#[test]
fn way_back_is_the_way_there() {
    let folder = recorded(CALLS);
    let places = |commands: &str| -> Vec<String> {
        let shown = session(&folder, "t.trace", commands).ends(0).stdout;
        shown.split("line ").skip(1).map(str::to_owned).collect()
    };
    let n_statements = 14;
    let forth = places(&format!("cd Work\ngoto :1 befcomp\n{}", "step\nlocals\n".repeat(n_statements)));
    let back = places(&format!("cd Work\ngoto :1 aftcomp\n{}", "rstep\nlocals\n".repeat(n_statements)));
    assert_eq!(forth.len(), n_statements, "{forth:?}");
    assert!(back.iter().eq(forth.iter().rev()), "{forth:?} {back:?}");
}

#[test]
fn events_before_are_gone_back_to() {
    let folder = recorded(CALLS);
    let commands = "cd Work\ngoto :2 befcomp\nrstep\nrstep\nrstep\nrover\nrover\n";
    insta::assert_snapshot!(session(&folder, "t.trace", commands).ends(0).stdout);
}

#[test]
fn a_run_under_way_is_walked_forwards_only() {
    let folder = Folder::with("p.hasse", CALLS);
    let commands = "once in Work\nrun\ncd Work\nstep 3\nover\nstack\nout\ncd\ncont\n";
    insta::assert_snapshot!(session(&folder, "p.hasse", commands).ends(0).stdout);
    let refused = session(&folder, "p.hasse", "once in Work\nrun\ncd Work\nstep\nrstep\n").ends(2).stderr;
    insta::assert_snapshot!(refused);
}
