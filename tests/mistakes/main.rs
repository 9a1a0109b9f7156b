//! A newcomer's mistakes: each example is broken in ten typical ways, and the first diagnostic names the line
//! where the mistake was made, or, where a line is missing, a line that now hangs in the air.
//!
//! A break is written down as a person would describe it: what was done, which text was replaced by which, and
//! where that person has to look. The expected line is not what the compiler happens to say; what it misses
//! stays in the table as a miss.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod grids;
mod matrices;
mod objects;
mod recursion;
mod streams;
mod timed;
mod work;

use std::fmt::Write as _;
use std::path::Path;

use hasse_model::diagnostic::Diagnostic;

/// What was done, the text that was there, what stands there instead, and where to look.
type Break = (&'static str, &'static str, &'static str, Where);

/// The line that the first diagnostic has to name.
#[derive(Clone, Copy)]
enum Where {
    /// The line that was changed.
    Here,
    /// The line that holds this text; or, if there are several texts, one of these lines.
    At(&'static [&'static str]),
}

/// How many breaks of how many are found at the right line; never to become less.
const FLOOR: usize = 237;

const EXAMPLES: [(&str, &[Break]); 25] = [
    ("bank", objects::BANK),
    ("bts", matrices::BTS),
    ("buffer", objects::BUFFER),
    ("chat", timed::CHAT),
    ("crawler", timed::CRAWLER),
    ("dandc", recursion::DANDC),
    ("etl", streams::ETL),
    ("farm", work::FARM),
    ("h263", timed::H263),
    ("image", matrices::IMAGE),
    ("jacobi", grids::JACOBI),
    ("join", streams::JOIN),
    ("lostupdate", objects::LOSTUPDATE),
    ("matmul", matrices::MATMUL),
    ("merge", streams::MERGE),
    ("nbody", recursion::NBODY),
    ("philosophers", streams::PHILOSOPHERS),
    ("quicksort", recursion::QUICKSORT),
    ("redblack", grids::REDBLACK),
    ("sensor", timed::SENSOR),
    ("sieve", streams::SIEVE),
    ("trapezoid", work::TRAPEZOID),
    ("watchdog", timed::WATCHDOG),
    ("wavefront", grids::WAVEFRONT),
    ("wordcount", work::WORDCOUNT),
];

fn example_text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    std::fs::read_to_string(folder.join(format!("{name}.hasse"))).unwrap()
}

/// The line, from 1, of the only line of a text that holds `marker`.
fn line_of(text: &str, marker: &str) -> usize {
    let lines: Vec<_> = text.lines().enumerate().filter(|(_, line)| line.contains(marker)).collect();
    assert_eq!(lines.len(), 1, "`{marker}` has to stand in one line, not in {lines:?}");
    lines[0].0 + 1
}

/// The broken text, and the lines of which the first diagnostic has to name one.
fn broken(text: &str, (what, old, new, place): Break) -> (String, Vec<usize>) {
    assert_eq!(text.matches(old).count(), 1, "{what}: `{old}` has to stand in the example once");
    let broken = text.replacen(old, new, 1);
    let lines = match place {
        Where::Here => {
            let n_same =
                text.lines().zip(broken.lines()).take_while(|(before, after)| before == after).count();
            vec![n_same + 1]
        }
        Where::At(markers) => markers.iter().map(|marker| line_of(&broken, marker)).collect(),
    };
    (broken, lines)
}

fn first_diagnostic(text: &str) -> Option<Diagnostic> {
    hasse_compiler::compile(text, &hasse_body::functions()).diagnostics.into_iter().next()
}

#[test]
fn the_first_diagnostic_names_the_line_of_the_mistake() {
    let mut told = String::new();
    let mut misses = String::new();
    let mut n_hits_of_all = 0;
    let mut n_hits_by_example = Vec::new();
    for (name, breaks) in EXAMPLES {
        let text = example_text(name);
        assert_eq!(first_diagnostic(&text), None, "{name}");
        assert_eq!(breaks.len(), 10, "{name}");
        let mut n_hits = 0;
        writeln!(told, "## {name}").unwrap();
        for &one in breaks {
            let (broken, lines) = broken(&text, one);
            let what = one.0;
            let found = first_diagnostic(&broken);
            let reported = match &found {
                Some(found) => {
                    let help =
                        found.help.as_ref().map_or_else(String::new, |help| format!("\n    help: {help}"));
                    let line = found.at().line as usize;
                    let excerpt = broken.lines().nth(line - 1).unwrap_or("").trim();
                    format!("{found}{help}\n    > {excerpt}")
                }
                None => "nothing".to_owned(),
            };
            let is_hit = found.is_some_and(|found| lines.contains(&(found.at().line as usize)));
            writeln!(told, "{} {what}\n    {reported}", if is_hit { "+" } else { "-" }).unwrap();
            if is_hit {
                n_hits += 1;
            } else {
                writeln!(misses, "{name}: {what}: expected line {lines:?}\n    {reported}").unwrap();
            }
        }
        n_hits_of_all += n_hits;
        n_hits_by_example.push((name, n_hits));
    }
    println!("{n_hits_of_all} hits; misses:\n{misses}");
    insta::assert_snapshot!("first_diagnostics", told);
    for (name, n_hits) in n_hits_by_example {
        assert!(n_hits >= 9, "{name}: {n_hits} of 10\n{misses}");
    }
    assert_eq!(
        n_hits_of_all, FLOOR,
        "the number of hits has changed: raise FLOOR, or find what went wrong\n{misses}"
    );
}

/// No example is left out.
#[test]
fn all_examples_are_broken() {
    let folders = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).unwrap();
    let mut names: Vec<_> = folders
        .map(|folder| folder.unwrap().path())
        .filter(|folder| folder.is_dir() && !folder.ends_with("native"))
        .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, EXAMPLES.map(|(name, _)| name.to_owned()));
}

/// Whatever sign of the notation is left out of an example, the first diagnostic names its line; or the end of the
/// line before it, where the line held nothing but a bracket.
#[test]
fn a_sign_left_out_is_found_at_its_line() {
    let (mut n_breaks, mut misses) = (0, Vec::new());
    for (name, _) in EXAMPLES {
        let text = example_text(name);
        let places = signs(&text);
        for &(place, line) in places.iter().skip(name.len() % STEP).step_by(STEP) {
            let mut broken = text.clone();
            broken.remove(place);
            // Some signs need not be there, such as the comma behind a last element.
            let Some(found) = first_diagnostic(&broken) else { continue };
            n_breaks += 1;
            let is_alone = text.lines().nth(line - 1).unwrap().trim().len() == 1;
            let found_line = found.at().line as usize;
            if found_line != line && !(is_alone && found_line + 1 == line) {
                misses.push(format!("{name}:{line}, byte {place}: {found}"));
            }
        }
    }
    assert!(misses.len() * 50 < n_breaks, "{} of {n_breaks}\n{}", misses.len(), misses.join("\n"));
}

/// One sign of so many is left out.
const STEP: usize = 11;

/// Places and lines of quotes, brackets and commas outside of bodies and comments.
fn signs(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut is_body = false;
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let was_body = is_body;
        is_body ^= line.matches("'''").count() == 1;
        if !(was_body || line.starts_with('#')) {
            let code = &line[..line.find('#').unwrap_or(line.len())];
            let signs = code.match_indices(['"', '\'', '[', ']', '{', '}', ',']);
            found.extend(signs.map(|(at, _)| (start + at, line_idx + 1)));
        }
        start += line.len();
    }
    found
}
