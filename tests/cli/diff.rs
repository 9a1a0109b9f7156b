//! Two programs, or two records, side by side.

use serde_json::json;

use super::support::{Folder, SQUARES, TELLERS};

/// A folder with a program `old` and another version of it, `new`.
fn versions(old: &str, new: &str) -> Folder {
    let folder = Folder::with("old.hasse", old);
    folder.write("new.hasse", new);
    folder
}

#[test]
fn differences_are_told_part_by_part() {
    let new = SQUARES
        .replace("n = \"int = 4\"", "n = \"int = 5\"")
        .replace("Square", "Cube")
        .replace("square <- x * x", "square <- x * x * x")
        .replace("total += s;", "let more = s;\ntotal += more;")
        .replace(
            "  \"Cube[i].square -> Sum.square\",",
            "  \"Cube[i + 1].square -> Sum.square\",\n  \"Sum.total -> Print.line\",",
        )
        + "[graph.squares.uc.Print]\nin = { line = \"int\" }\n[layout.squares]\nCount = [0, 0]\n";
    let folder = versions(SQUARES, &new);
    let told = folder.hasse(&["diff", "old.hasse", "new.hasse"]).ends(1).stdout;
    let back =
        folder.hasse(&["diff", "--program", "new.hasse", "old.hasse", "--ignore-layout"]).ends(1).stdout;
    insta::assert_snapshot!([told, back].join("\n"));
}

#[test]
fn programs_that_mean_the_same_do_not_differ() {
    let folder = versions(SQUARES, &format!("# squares\n{}", SQUARES.replace("i for i", "i  for  i")));
    let ran = folder.hasse(&["diff", "old.hasse", "new.hasse"]).ends(0);
    assert_eq!(ran.stdout, "both programs are the same\n");
    folder.write("new.hasse", &format!("{SQUARES}[layout.squares]\nSum = [100, 0]\n"));
    folder.hasse(&["diff", "old.hasse", "new.hasse", "--ignore-layout"]).ends(0);
    let moved = folder.hasse(&["diff", "old.hasse", "new.hasse"]).ends(1).stdout;
    assert_eq!(moved, "graph squares\n  unit Sum moved, line 23\n");
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let folder = versions(SQUARES, "hasse = ");
    let ran = folder.hasse(&["diff", "old.hasse", "new.hasse"]).ends(2);
    assert!(ran.stderr.contains("new.hasse cannot be compared: it is not readable TOML"), "{}", ran.shown());
    assert_eq!(ran.stdout, "");
    folder.hasse(&["diff", "old.hasse", "nowhere.hasse"]).ends(2);
}

#[test]
fn records_part_at_an_event_and_stand_for_their_programs() {
    let folder = versions(TELLERS, &TELLERS.replace("i + 1 for", "i + 2 for"));
    let run = |program: &str, trace: &str, seed: &str| {
        folder.hasse(&["run", program, "--trace", trace, "--workers", "1", "--seed", seed]).ends(0);
    };
    run("old.hasse", "t", "3");
    run("old.hasse", "u", "3");
    run("new.hasse", "v", "3");
    let same = folder.hasse(&["diff", "t", "u", "--json"]).ends(0).json();
    assert_eq!(same, json!({ "same": true, "event": null, "old": null, "new": null }));
    assert_eq!(folder.hasse(&["diff", "t", "u"]).ends(0).stdout, "both records have the same events\n");
    let other = (4..40).map(|seed| seed.to_string()).find(|seed| {
        run("old.hasse", "w", seed);
        folder.hasse(&["diff", "t", "w"]).code == Some(1)
    });
    assert!(other.is_some(), "some seed has another order of tellers");
    let told = folder.hasse(&["diff", "t", "w"]).ends(1).stdout;
    assert!(told.starts_with("the runs part at /Teller["), "{told}");
    let told = folder.hasse(&["diff", "--program", "t", "v"]).ends(1).stdout;
    assert!(told.contains("+ go[i] <- i + 2 for i in 0..3"), "{told}");
    folder.hasse(&["diff", "--program", "t", "old.hasse"]).ends(0);
}
