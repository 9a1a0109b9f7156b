use std::collections::BTreeSet;
use std::fs;

use super::support::{Folder, repository};

/// Every code that can be reported, with its title.
fn codes() -> Vec<(&'static str, &'static str)> {
    [hasse_compiler::CODES, hasse_runtime::codes::CODES].concat()
}

fn page(code: &str) -> String {
    let path = repository().join("docs/errors").join(format!("{code}.md"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The program of a section of a page.
fn program<'p>(page: &'p str, section: &str) -> &'p str {
    let parts: Vec<_> = page.split(&format!("\n## {section}\n")).collect();
    assert_eq!(parts.len(), 2, "one section `{section}`:\n{page}");
    let section = parts[1].split("\n## ").next().unwrap();
    section.split("```toml\n").nth(1).expect("a fenced program").split("```").next().unwrap()
}

/// The codes that compiling the program, and running it where the code is one of runs, reports.
fn reported(text: &str, code: &str) -> Vec<String> {
    if code == "E0510" {
        return reported_with_a_native_body(text);
    }
    let folder = Folder::with("page.hasse", text);
    let found = if code.starts_with('R') {
        let mut args = vec!["run", "page.hasse", "--json", "--workers", "2"];
        // Else the wrong program would take most of what the machine has.
        args.extend_from_slice(if code == "R0012" { &["--memory", "500"] } else { &[] });
        let ran = folder.hasse(&args);
        ran.json()["errors"].clone()
    } else {
        folder.hasse(&["check", "page.hasse", "--json"]).json()["diagnostics"].clone()
    };
    found.as_array().unwrap().iter().map(|found| found["code"].as_str().unwrap().to_owned()).collect()
}

/// The same where the body `square` of the page is registered: the command has none.
fn reported_with_a_native_body(text: &str) -> Vec<String> {
    let mut natives = hasse::Natives::new();
    let x = ("x", hasse::Type::Int);
    natives.body(hasse::NativeBody::new("square").needs([x]), |_| Ok(()));
    match hasse::Program::from_text(text, &natives) {
        Ok(_) => Vec::new(),
        Err(hasse::Error::Compile(error)) => {
            error.diagnostics().iter().map(|found| found.code.to_owned()).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_code_has_a_page_under_its_title_and_every_page_a_code() {
    let files = fs::read_dir(repository().join("docs/errors")).unwrap();
    let pages: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let expected: BTreeSet<String> = codes().iter().map(|(code, _)| format!("{code}.md")).collect();
    assert_eq!(pages, expected);
    for (code, title) in codes() {
        let first_line = format!("# {code}: {title}\n");
        assert!(page(code).starts_with(&first_line), "the first line of {code}.md is {first_line}");
    }
}

#[test]
fn the_wrong_program_of_every_page_reports_its_code_and_the_right_one_does_not() {
    let mut complaints = String::new();
    for (code, _) in codes() {
        let page = page(code);
        let wrong = reported(program(&page, "Wrong"), code);
        // A warning may come with others: what hides one name leaves another unused.
        let is_reported = match code.starts_with('W') {
            true => wrong.iter().any(|found| found == code),
            false => wrong.first().is_some_and(|first| first == code),
        };
        if !is_reported {
            complaints.push_str(&format!("{code}: the wrong program reports {wrong:?}\n"));
        }
        let right = reported(program(&page, "Right"), code);
        if right.iter().any(|found| found == code || !found.starts_with('W')) {
            complaints.push_str(&format!("{code}: the right program reports {right:?}\n"));
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn the_index_lists_every_page_under_its_title() {
    let index = fs::read_to_string(repository().join("docs/errors.md")).unwrap();
    for (code, title) in codes() {
        assert!(index.contains(&format!("| [{code}](errors/{code}.md) | {title} |\n")), "{code}: {title}");
    }
    assert_eq!(index.matches("](errors/").count(), codes().len());
}

#[test]
fn a_page_is_shown_with_its_programs_indented() {
    let ran = Folder::new().hasse(&["explain", "E0104"]).ends(0);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn short_and_small_codes_are_understood() {
    let folder = Folder::new();
    let full = folder.hasse(&["explain", "E0104"]).ends(0).stdout;
    for short in ["e0104", "104", "E104"] {
        assert_eq!(folder.hasse(&["explain", short]).ends(0).stdout, full, "{short}");
    }
}

#[test]
fn without_a_code_all_are_listed() {
    let ran = Folder::new().hasse(&["explain"]).ends(0);
    for (code, title) in codes() {
        assert!(ran.stdout.contains(&format!("{code}: {title}\n")), "{}", ran.shown());
    }
}

#[test]
fn an_unknown_code_is_refused_with_a_near_one() {
    let ran = Folder::new().hasse(&["explain", "E0140"]).ends(2);
    assert_eq!(ran.stdout, "");
    insta::assert_snapshot!(ran.stderr);
    let ran = Folder::new().hasse(&["explain", "quiescence"]).ends(2);
    insta::assert_snapshot!(ran.stderr);
}
