//! What the analyses of graphs as wholes say, about the programs on the pages of the error index.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use hasse_compiler::compile;

#[path = "common/program.rs"]
#[allow(dead_code, reason = "only the function table is used here")]
mod program;
use program::functions;

/// Codes of the analyses.
const CODES: [&str; 25] = [
    "E0307", "W0001", "W0002", "W0003", "W0004", "W0005", "W0006", "W0101", "W0102", "W0103", "W0104",
    "W0309", "W0310", "W0311", "W0312", "W0313", "W0401", "W0402", "W0403", "W0404", "W0602", "W0603",
    "W0604", "W0605", "W0606",
];

/// The program under a heading of a code's page.
fn program_of(code: &str, heading: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap();
    let section = page.split(&format!("\n## {heading}\n```toml\n")).nth(1).unwrap();
    section.split("```").next().unwrap().to_owned()
}

/// All that is found, with places, labels and hints, each place with what stands there.
fn told(text: &str) -> String {
    let mut told = String::new();
    for found in compile(text, &functions()).diagnostics {
        let _ = writeln!(told, "{found}");
        for label in &found.labels {
            let spelled = &text[label.at.start as usize..label.at.end as usize];
            let _ = writeln!(told, "    {}: {spelled} | {}", label.at.line, label.text);
        }
        if let Some(help) = &found.help {
            let _ = writeln!(told, "    help: {help}");
        }
    }
    told
}

#[test]
fn what_the_wrong_programs_of_the_error_index_report() {
    let mut all = String::new();
    for code in CODES {
        let told = told(&program_of(code, "Wrong"));
        assert!(told.contains(code), "{code}:\n{told}");
        let _ = writeln!(all, "## {code}\n{told}");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_right_programs_of_the_error_index_have_no_findings() {
    for code in CODES {
        assert_eq!(told(&program_of(code, "Right")), "", "{code}");
    }
}
