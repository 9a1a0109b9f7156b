//! Every example against an oracle: an independent computation of what it should come to.
//!
//! One table names all examples. Each is checked without a warning, run with 1, 2 and 8 workers with and without
//! recording, replayed with 1, 2 and 8, and run with other parameters; all results go before its oracle.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// What each example has to meet.
mod bar;
/// What the tools show of the seeded errors.
mod bugs;
/// Oracles: values that meet at ports and objects.
mod concurrent;
/// Oracles: grids.
mod grid;
/// Oracles: numbers and matrices.
mod numeric;
/// Oracles: skeletons.
mod skeleton;
/// A folder to work in and the binary to run there.
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;
/// Oracles: texts.
mod text;
/// Oracles: rates, time and failed events.
mod timed;
/// Oracles: programs next to the one that an example is named after.
mod variants;

use std::fs;

use bar::Run;

/// A test for each example: its folder, its oracle, and other parameters to run it with.
macro_rules! examples {
    ($($name:ident: $oracle:path, [$($sets:literal),*];)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            let oracle: fn(&Run) = $oracle;
            bar::meets(stringify!($name), oracle, &[$($sets),*]);
        })*
    };
}

examples! {
    bank: concurrent::bank, ["tellers=1", "tellers=7 accounts=2"];
    bts: numeric::bts, ["n=1", "n=7 parts=3"];
    buffer: concurrent::buffer, ["capacity=1 producers=4", "capacity=9 consumers=1 items=3"];
    chat: timed::chat, ["people=1", "people=9 lines=2"];
    crawler: timed::crawler, ["pages=1 limit=5", "pages=100 limit=0.5"];
    dandc: skeleton::dandc, ["depth=0", "degree=2 depth=7 total_tasks=2", "degree=9 depth=2"];
    etl: text::etl, ["size=1", "size=1000"];
    farm: skeleton::farm, ["processors=1", "total_tasks=9 processors=8 degree=3", "total_tasks=1 degree=1 columns=7"];
    h263: timed::h263, ["frames=1 blocks=1", "frames=7 blocks=9"];
    image: grid::image, ["n=1 threshold=100", "n=7"];
    jacobi: grid::jacobi, ["n=1 tolerance=2", "size=8 n=4"];
    join: text::join, ["orders=0", "orders=100 customers=0", "customers=10 orders=7"];
    lostupdate: concurrent::lostupdate, ["tellers=1", "tellers=9 deposits=3"];
    matmul: numeric::matmul, ["n=1", "n=7"];
    merge: concurrent::merge, ["producers=1 items=1", "producers=4 items=3"];
    nbody: numeric::nbody, ["theta=0 workers=1", "theta=1 workers=7"];
    philosophers: concurrent::philosophers, ["n=2", "n=9 meals=4"];
    quicksort: numeric::quicksort, ["small=1", "small=1000"];
    redblack: grid::redblack, ["strips=1", "size=10 strips=10", "size=9 strips=2 tolerance=0.001"];
    sensor: timed::sensor, ["samples=20", "samples=45 limit=10"];
    sieve: numeric::sieve, ["limit=2", "limit=49"];
    trapezoid: numeric::trapezoid, ["workers=1", "workers=7 pieces=3 panels=100"];
    watchdog: timed::watchdog, ["jobs=1", "jobs=40 limit=3"];
    wavefront: text::wavefront, ["size=61", "size=1000", "size=122 revised=nicolay.txt"];
    wordcount: text::wordcount, ["reducers=1 top=3", "reducers=11"];
}

#[test]
fn every_folder_is_in_the_table() {
    let mut folders: Vec<_> = fs::read_dir(support::repository().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap())
        // A crate has tests of its own.
        .filter(|entry| !entry.path().join("Cargo.toml").exists())
        .filter(|entry| entry.path().join(entry.file_name()).with_extension("hasse").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(folders, NAMES, "an example without a line in the table has no oracle");
}
