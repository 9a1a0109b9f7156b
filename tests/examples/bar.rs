//! What each example has to meet: see the table in `main.rs`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::str::FromStr;

use serde_json::Value as Json;

use crate::support::{Folder, repository};

const WORKERS: [&str; 3] = ["1", "2", "8"];

/// The examples in which only a lock says who comes first, in every run; all others are free of races.
const RACING: [&str; 3] = ["bank", "buffer", "lostupdate"];

/// Options that grant an example access beyond its folder.
fn grants(name: &str) -> &'static [&'static str] {
    match name {
        "chat" | "crawler" => &["--allow-net", "127.0.0.1"],
        "etl" => &["--allow-write", "."],
        _ => &[],
    }
}

/// A run that finished, for an oracle to look at.
pub(crate) struct Run {
    /// The folder of the example, which holds its input.
    folder: String,
    results: Json,
    sets: BTreeMap<String, String>,
}

impl Run {
    /// A creation parameter: as set, or else the default that the oracle knows.
    pub(crate) fn param<T: FromStr<Err: Debug>>(&self, name: &str, default: &str) -> T {
        self.sets.get(name).map_or(default, String::as_str).parse().unwrap()
    }

    /// A result.
    #[track_caller]
    pub(crate) fn result(&self, name: &str) -> &Json {
        self.results.get(name).unwrap_or_else(|| panic!("no result {name}: {:#}", self.results))
    }

    /// A result that is an `int`.
    #[track_caller]
    pub(crate) fn int(&self, name: &str) -> i64 {
        int(self.result(name))
    }

    /// A result that is a `real`.
    #[track_caller]
    pub(crate) fn real(&self, name: &str) -> f64 {
        real(self.result(name))
    }

    /// A result that is an array of arrays of reals.
    #[track_caller]
    pub(crate) fn table(&self, name: &str) -> Vec<Vec<f64>> {
        list(self.result(name)).iter().map(|row| list(row).iter().map(real).collect()).collect()
    }

    /// Results of type `int[]`.
    #[track_caller]
    pub(crate) fn ints(&self, name: &str) -> Vec<i64> {
        list(self.result(name)).iter().map(int).collect()
    }

    /// The text of a file of the example.
    pub(crate) fn input(&self, file: &str) -> String {
        std::fs::read_to_string(format!("{}/{file}", self.folder)).unwrap()
    }
}

#[track_caller]
fn int(value: &Json) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no int: {value}"))
}

#[track_caller]
fn real(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no real: {value}"))
}

#[track_caller]
pub(crate) fn list(value: &Json) -> &[Json] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// Checks that two numbers differ by `tolerance` at most.
#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected} within {tolerance}");
}

/// Checks that all numbers of two tables differ by `tolerance` at most.
#[track_caller]
pub(crate) fn assert_near_table(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    let shape = |table: &[Vec<f64>]| table.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(shape(found), shape(expected));
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert_near(*found, *expected, tolerance);
    }
}

/// Holds an example against the bar.
pub(crate) fn meets(name: &str, oracle: fn(&Run), other_sets: &[&str]) {
    if name == "crawler" && !cfg!(feature = "http") {
        eprintln!("skipped: this build has no HTTP");
        return;
    }
    if name == "etl" && !cfg!(feature = "sqlite") {
        eprintln!("skipped: this build has no SQLite");
        return;
    }
    let folder = Folder::new();
    let home = repository().join("examples").join(name).display().to_string();
    let program = format!("{home}/{name}.hasse");
    let checked = folder.hasse(&["check", &program]).ends(0);
    assert_eq!(checked.stderr, "", "a warning");

    let run = |args: &[&str], sets: &str| {
        let sets = sets.split_whitespace();
        let with_set = sets.clone().flat_map(|set| ["--set", set]);
        let args = args.iter().chain(grants(name)).copied();
        let args: Vec<_> = ["run", &program, "--json"].into_iter().chain(args).chain(with_set).collect();
        let ran = folder.hasse(&args).ends(0);
        let split = |set: &str| set.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let report = ran.json();
        assert_eq!(report["outcome"], "finished", "{}", ran.shown());
        let sets = sets.filter_map(split).collect();
        oracle(&Run { folder: home.clone(), results: report["results"].clone(), sets });
        (report["results"].clone(), ran.stderr)
    };
    let digest = |trace: &str| folder.hasse(&["trace", "digest", trace]).ends(0).stdout;
    for n_workers in WORKERS {
        run(&["--workers", n_workers, "--record", "off"], "");
        let recorded = run(&["--workers", n_workers, "--trace", "t"], "");
        folder.hasse(&["races", "t"]).ends(i32::from(RACING.contains(&name)));
        // The record of the most workers is the one that is hardest to follow.
        for n_workers in WORKERS.into_iter().filter(|_| n_workers == "8") {
            let args = ["replay", "t", "--json", "--workers", n_workers, "--trace", "again"];
            let replayed = folder.hasse(&args).ends(0);
            assert_eq!((replayed.json()["results"].clone(), replayed.stderr), recorded);
            assert_eq!(digest("again"), digest("t"));
        }
    }
    for sets in other_sets {
        run(&["--workers", "2"], sets);
    }
    let plainly = [&["run", &program], grants(name)].concat();
    readme_shows_the_output(&home, &folder.hasse(&plainly).ends(0).stdout);
}

/// What stands in the README behind "prints" is what the program prints; a line may be cut off by ` ...`.
fn readme_shows_the_output(home: &str, stdout: &str) {
    let readme = std::fs::read_to_string(format!("{home}/README.md")).unwrap();
    let Some((_, block)) = readme.split_once("\nprints\n\n") else {
        assert!(readme.contains("\nprints something like\n\n"), "the README shows no output");
        return;
    };
    let is_shown = |line: &&str| line.starts_with("    ") || line.is_empty();
    let mut shown: Vec<_> =
        block.lines().take_while(is_shown).map(|line| line.get(4..).unwrap_or_default().trim_end()).collect();
    shown.pop(); // the empty line behind it
    let printed: Vec<_> = stdout.lines().map(str::trim_end).collect();
    assert_eq!(shown.len(), printed.len(), "{readme}\n--- prints\n{stdout}");
    for (shown, printed) in shown.into_iter().zip(printed) {
        let is_shown =
            shown.strip_suffix(" ...").map_or(shown == printed, |begin| printed.starts_with(begin));
        assert!(is_shown, "the README shows\n{shown}\nand the program prints\n{printed}");
    }
}
