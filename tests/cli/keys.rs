//! Instances and elements that are named by texts.

use crate::support::Folder;

const CITIES: &str = "hasse = 1
main = \"cities\"
[graph.cities]
arcs = [
  \"Read.row[city] -> City[city, 1].row\",
  'Read.row[\"New York\"] -> Log.row[\"a/b\"]',
  \"City[c, k].seen[c] -> Log.seen[c]\",
]
[graph.cities.uc.Read]
start = true
out = { \"row[c]\" = \"string\" }
do = 'let cities = [\"berlin\", \"New York\", \"berlin\"];'
route = [\"row[cities[k]] <- cities[k] for k in 0..3\"]
[graph.cities.uc.City]
index = [\"city\", \"k\"]
in = { row = \"string\" }
out = { \"seen[c]\" = \"int\" }
fire = [\"row -> row\"]
route = [\"seen[row] <- count\"]
[graph.cities.uc.Log]
in = { \"row[c]\" = \"string\", \"seen[c]\" = \"int\" }
fire = ['row[\"a/b\"] -> row', 'seen[\"berlin\"] -> n', 'seen[\"New York\"] -> n']
do = 'result(if rule == 0 { row } else { `${rule}` }, if rule == 0 { 0 } else { n });'
";

#[test]
fn paths_show_keys_in_all_records() {
    let folder = Folder::with("p.hasse", CITIES);
    let results = "1 = 2\n2 = 1\nNew York = 0\n";
    for mode in ["full", "minimal", "perf"] {
        let ran = folder.hasse(&["run", "p.hasse", "--record", mode, "--trace", "t"]).ends(0);
        assert_eq!(ran.stdout, results, "{mode}");
        if mode != "perf" {
            assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, results, "{mode}");
        }
        // Another process knows the texts from the trace alone.
        if mode != "minimal" {
            let events = folder.hasse(&["trace", "events", "t"]).ends(0).stdout;
            for path in ["/City[\"berlin\"][1]:2", "/City[\"New York\"][1]:1"] {
                assert!(events.contains(path), "{mode}: {events}");
            }
        }
    }
}

#[test]
fn selectors_name_instances_by_key() {
    let folder = Folder::with("p.hasse", CITIES);
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    for selector in ["City[\"berlin\"][1]", "/City[\"berlin\"][1]"] {
        let events = folder.hasse(&["trace", "events", "t", "--action", selector]).ends(0).stdout;
        assert_eq!(events.lines().count(), 2, "{selector}: {events}");
        assert!(events.lines().all(|line| line.starts_with("/City[\"berlin\"][1]:")), "{selector}: {events}");
    }
    let first = folder.hasse(&["trace", "events", "t", "--action", "City[\"berlin\", 1]:1"]).ends(0).stdout;
    assert_eq!(first.lines().count(), 1, "{first}");
    let malformed = folder.hasse(&["trace", "events", "t", "--action", "City[\"berlin]"]).ends(2);
    assert!(
        malformed.stderr.contains("is no event") && malformed.stderr.contains("column"),
        "{}",
        malformed.shown()
    );
    let event = "/City[\"New York\"][1]:1";
    let values = folder.hasse(&["values", "t", event]).ends(0);
    assert!(values.stdout.contains("New York"), "{}", values.shown());
    let order = "forall r: Read, c: City[\"New York\", 1] where r < c : c.count == 1";
    folder.hasse(&["verify", "t", order, "check pred City[\"berlin\"][1] {Read}"]).ends(0);
    let commands =
        "stop in City[\"New York\"][1]\nrun\nlsi /City[\"New York\"][1]\nwhy /City[\"New York\"][1]\ncont\n";
    folder.write("commands", commands);
    let session = folder.hasse(&["debug", "p.hasse", "--commands", "commands", "--workers", "1"]).ends(0);
    let expected = "breakpoint 1: stop in City[\"New York\"][1]
stopped: /City[\"New York\"][1]:1 at befcomp: breakpoint 1
waiting: 1 action is stopped
/City[\"New York\"][1]  City  0 events    stopped at befcomp
/City[\"New York\"][1]: stopped at befcomp, 1 execution
  it has fired, and is stopped because of breakpoint 1
1 = 2
2 = 1
New York = 0
";
    assert_eq!(session.stdout, expected, "{}", session.shown());
}

/// Texts with characters that paths are cut at are written so that they can be read again.
#[test]
fn keys_with_signs_of_paths_are_escaped() {
    let text = CITIES.replace("\"berlin\"", "\"a/b]:1, c\"");
    let folder = Folder::with("p.hasse", &text);
    folder.hasse(&["run", "p.hasse", "--trace", "t"]).ends(0);
    let events = folder.hasse(&["trace", "events", "t", "--template", "City"]).ends(0).stdout;
    let path = "/City[\"a\\u{2f}b\\u{5d}\\u{3a}1\\u{2c} c\"][1]";
    assert!(events.contains(path), "{events}");
    let own = folder.hasse(&["trace", "events", "t", "--action", path]).ends(0).stdout;
    assert_eq!(own.lines().count(), 2, "{own}");
}

#[test]
fn what_is_no_key_is_an_error() {
    let text = CITIES.replace("let cities = [\"berlin\", ", "let cities = [1.5, ");
    let ran = Folder::with("p.hasse", &text).hasse(&["run", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("an index is an int or a string, not a"), "{}", ran.shown());
    let text = CITIES.replace("let cities =", "print(key_text(5)); let cities =");
    let ran = Folder::with("p.hasse", &text).hasse(&["run", "p.hasse"]).ends(1);
    assert!(ran.stderr.contains("5 is no key"), "{}", ran.shown());
    let text = CITIES
        .replace("\"City[c, k].seen[c] -> ", "'City[\"x\\\\\"y\", k].seen[c] -> ")
        .replace("Log.seen[c]\"", "Log.seen[c]'");
    let checked = Folder::with("p.hasse", &text).hasse(&["check", "p.hasse"]).ends(1);
    assert!(checked.stderr.contains("E0301"), "{}", checked.shown());
}
