//! Names in other letters than a to z: what takes a name takes these, from the program to the session.

use super::support::Folder;

const SUMS: &str = r#"hasse = 1
main  = "straße"

[graph."straße"]
params = { "länge" = "int = 3" }
arcs = [
  "Größe.weiter -> Größe.weiter",
  "Größe.wert[k] -> 計算[k].値",
  "計算[i].出力 -> Ausgabe.wert",
]
share = ["कुल -- 計算[i].कुल"]

[graph."straße".shared."कुल"]
type = "int"

[graph."straße".uc."Größe"]
in    = { weiter = "int" }
out   = { weiter = "int", "wert[k]" = "int" }
start = true
fire  = ["weiter -> _k"]
route = [
  "wert[count] <- 10 * count",
  "weiter <- count if count < länge",
]

[graph."straße".uc."計算"]
index  = ["i"]
in     = { "値" = "int" }
out    = { "出力" = "int" }
vars   = { "zähler" = "int" }
shared = { "कुल" = "write" }
fire   = ["値 -> 数 if zähler >= 0"]
do     = 'zähler += 数; कुल += zähler; let größer = zähler * 2;'
route  = ["出力 <- größer + länge"]

[graph."straße".uc.Ausgabe]
in   = { wert = "int" }
vars = { "größe" = "int" }
fire = ["wert -> w"]
do   = 'größe += w; if count == länge { result("größe", größe); }'
"#;

#[test]
fn names_are_words_of_any_script() {
    let folder = Folder::with("sums.hasse", SUMS);
    let run = |options: &[&str]| folder.hasse(&[&["run", "sums.hasse"], options].concat()).ends(0);
    assert_eq!(folder.hasse(&["check", "sums.hasse"]).ends(0).stderr, "");
    folder.hasse(&["fmt", "--check", "sums.hasse"]).ends(0);
    for options in [&["--set", "länge=3"][..], &["--trace", "t"], &["--record", "minimal", "--trace", "m"]] {
        assert_eq!(run(options).stdout, "größe = 129\n");
    }
    for trace in ["t", "m"] {
        assert_eq!(folder.hasse(&["replay", trace]).ends(0).stdout, "größe = 129\n");
    }
    let graph = folder.hasse(&["graph", "sums.hasse"]).ends(0).stdout;
    assert!(graph.contains("計算") && graph.contains("Größe"), "{graph}");
    let events = folder.hasse(&["trace", "events", "t", "--action", "/計算[2]"]).ends(0).stdout;
    assert!(events.contains("/計算[2]:1"), "{events}");
    let why = folder.hasse(&["why", "t", "/計算[2]:1"]).ends(0).stdout;
    assert!(why.contains("/Größe:2"), "{why}");
    let checked =
        run(&["--check", "never a: 計算, b: Ausgabe where b < a", "--select", "計算", "--trace", "r"]);
    assert!(!checked.stderr.contains("error"), "{}", checked.shown());
    folder.write("commands", "break 計算[2] if zähler == 0 && 数 > 10\nrun\ncd /計算[2]\nprint 数\nprint कुल\ncd /\ndelete 1\ncont\n");
    let ran =
        folder.hasse(&["debug", "sums.hasse", "--commands", "commands", "--workers", "1", "--seed", "3"]);
    assert!(ran.stdout.contains("20") && ran.stdout.contains("größe = 129"), "{}", ran.shown());
}
