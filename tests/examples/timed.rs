//! Oracles: rates, time and failed events.

use crate::bar::Run;

/// The decoder, as loops.
pub(crate) fn h263(run: &Run) {
    let (n_frames, n_blocks): (i64, i64) = (run.param("frames", "3"), run.param("blocks", "594"));
    let mut picture = vec![0; n_blocks as usize];
    let sum_of = |frame: i64, picture: &mut Vec<i64>| -> i64 {
        for (k, cell) in (0..).zip(picture.iter_mut()) {
            let quantized = 2 * ((7 * k + 13 * frame) % 256) + 1;
            *cell = (quantized * quantized % 251 + *cell) % 256;
        }
        picture.iter().sum()
    };
    let expected: Vec<i64> = (1..=n_frames).map(|frame| sum_of(frame, &mut picture)).collect();
    assert_eq!(run.ints("sums"), expected);
}

/// All that can be read is seen, and the last one is shown, however much is dropped.
pub(crate) fn sensor(run: &Run) {
    let (n_samples, limit): (i64, i64) = (run.param("samples", "60"), run.param("limit", "90"));
    let readable: Vec<i64> = (1..=n_samples).filter(|k| k % 20 != 0).map(|k| 37 * k % 100).collect();
    assert_eq!(run.int("seen"), readable.len() as i64);
    assert_eq!(run.int("unreadable"), n_samples - readable.len() as i64);
    assert_eq!(run.int("alarms"), readable.iter().filter(|sample| **sample > limit).count() as i64);
    assert_eq!(Some(&run.int("last shown")), readable.last());
    assert!((1..=readable.len() as i64).contains(&run.int("shown")));
}

/// Every job is done once. Another worker was asked for those that hang, and perhaps for others.
pub(crate) fn watchdog(run: &Run) {
    let n_jobs: i64 = run.param("jobs", "12");
    assert_eq!(run.int("done"), n_jobs);
    assert_eq!(run.int("sum"), (0..n_jobs).map(|k| k * k).sum::<i64>());
    assert!(run.int("asked again") >= (0..n_jobs).filter(|k| k % 4 == 3).count() as i64);
}

/// Everybody hears all lines, in one order, in which those of each person are in theirs.
pub(crate) fn chat(run: &Run) {
    let (n_people, n_lines): (i64, i64) = (run.param("people", "4"), run.param("lines", "5"));
    assert_eq!(run.int("lines heard"), n_people * n_lines);
    assert_eq!(run.result("all heard the same"), true);
    assert_eq!(run.result("everybody in order"), true);
}

/// All pages that can be reached are visited, but for the one that is gone.
pub(crate) fn crawler(run: &Run) {
    let n_pages: i64 = run.param("pages", "30");
    let mut open = vec![0];
    let (mut n_visited, mut gone) = (0, Vec::new());
    while let Some(page) = open.pop() {
        if page == 9 {
            gone.push("/9");
            continue;
        }
        n_visited += 1;
        open.extend([2 * page + 1, 2 * page + 2].into_iter().filter(|&link| link < n_pages));
    }
    assert_eq!(run.int("visited"), n_visited);
    assert_eq!(*run.result("gone"), serde_json::json!(gone));
}
