use super::support::{Folder, SQUARES};

const BROKEN: &str = r#"hasse = 1
main  = "broken"

[graph.broken]
arcs = ["A.x -> B.y", "A.x -> C.y"]

[graph.broken.uc.A]
start = true
out   = { x = "int" }
route = ["x <- missing"]

[graph.broken.uc.B]
in   = { y = "string" }
fire = ["y -> text"]
do = '''
let length = text.len();
print(lenght);
'''
"#;

#[test]
fn a_sound_program_has_no_errors() {
    let ran = Folder::with("squares.hasse", SQUARES).hasse(&["check", "squares.hasse"]).ends(0);
    assert_eq!(ran.stdout, "squares.hasse: no errors\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn all_errors_are_shown_with_code_excerpt_and_hint() {
    let ran = Folder::with("broken.hasse", BROKEN).hasse(&["check", "broken.hasse"]).ends(1);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn json_lists_the_findings() {
    let ran = Folder::with("broken.hasse", BROKEN).hasse(&["check", "--json", "broken.hasse"]).ends(1);
    let findings = ran.json()["diagnostics"].clone();
    let codes: Vec<_> =
        findings.as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["E0203", "E0104", "E0502", "E0502"], "{findings:#}");
    let undefined = &findings[2];
    assert_eq!((&undefined["line"], &undefined["severity"]), (&10.into(), &"error".into()));
    assert!(undefined["column"].is_u64() && undefined["message"].is_string());
    assert!(undefined["labels"][0]["start"].is_u64() && undefined["labels"][0]["end"].is_u64());
    assert_eq!(ran.stderr, "");
}

#[test]
fn warnings_do_not_fail() {
    let text = SQUARES
        .replace("[graph.squares.uc.Sum]\nin    = {", "[graph.squares.uc.Sum]\nin    = { spare = \"int\",");
    let folder = Folder::with("squares.hasse", &text);
    let ran = folder.hasse(&["check", "squares.hasse"]).ends(0);
    assert_eq!(ran.stdout, "squares.hasse: no errors\n");
    assert!(ran.stderr.contains("W0301"), "{}", ran.shown());
    folder.hasse(&["run", "squares.hasse"]).ends(0);
}

#[test]
fn files_that_cannot_be_read_are_file_errors() {
    let folder = Folder::new();
    let ran = folder.hasse(&["check", "bts.hasse"]).ends(2);
    assert_eq!(ran.stderr, "error: cannot read bts.hasse: No such file or directory (os error 2)\n");
    std::fs::write(folder.path("binary.hasse"), b"hasse = 1\n\xff").unwrap();
    let ran = folder.hasse(&["check", "binary.hasse"]).ends(2);
    assert_eq!(ran.stderr, "error: binary.hasse is not a text: byte 10 is not UTF-8\n");
}
