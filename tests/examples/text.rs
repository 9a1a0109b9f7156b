//! Oracles: texts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::bar::{Run, list};

/// Edit distance by the recurrence, remembered in a map, from the end of the texts.
pub(crate) fn wavefront(run: &Run) {
    let (first, revised): (String, String) =
        (run.param("first", "nicolay.txt"), run.param("revised", "bliss.txt"));
    let (first, revised) = (run.input(&first), run.input(&revised));
    let (first, revised): (Vec<_>, Vec<_>) =
        (first.split_whitespace().collect(), revised.split_whitespace().collect());
    assert_eq!(run.int("first_words"), first.len() as i64);
    assert_eq!(run.int("revised_words"), revised.len() as i64);
    let (n, m) = (first.len(), revised.len());
    // rest[(i, j)]: edits from what is left of one text behind word i to what is left of the other behind word j.
    let mut rest = BTreeMap::new();
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            let edits = match (n - i, m - j) {
                (0, left) | (left, 0) => left,
                _ if first[i] == revised[j] => rest[&(i + 1, j + 1)],
                _ => 1 + rest[&(i + 1, j)].min(rest[&(i, j + 1)]).min(rest[&(i + 1, j + 1)]),
            };
            rest.insert((i, j), edits);
        }
    }
    assert_eq!(run.int("distance"), rest[&(0, 0)] as i64);
}

/// Words of all files in one map.
pub(crate) fn wordcount(run: &Run) {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for file in ["bill-of-rights.txt", "declaration.txt", "gettysburg.txt", "inaugural.txt"] {
        let text = run.input(file).to_lowercase();
        let is_inner = |c: char| c == '-' || c == '\'';
        // Two hyphens are a dash; a hyphen or apostrophe at either end of a word is none of it.
        for word in text.replace("--", " ").split(|c: char| !c.is_ascii_lowercase() && !is_inner(c)) {
            let word = word.trim_matches(is_inner);
            if !word.is_empty() {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
    assert_eq!(run.int("words"), counts.values().sum::<i64>());
    assert_eq!(run.int("different"), counts.len() as i64);
    let mut ranks: Vec<_> = counts.into_iter().collect();
    ranks.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let top: Vec<_> =
        ranks.iter().take(run.param("top", "10")).map(|(word, count)| format!("{count} {word}")).collect();
    assert_eq!(list(run.result("top")), top);
}

/// The join as a loop over the orders, with the customers in a map.
pub(crate) fn join(run: &Run) {
    let (n_orders, n_customers): (i64, i64) = (run.param("orders", "40"), run.param("customers", "9"));
    let countries = ["Chile", "Japan", "Kenya"];
    let (mut total, mut waiting) = (BTreeMap::<&str, i64>::new(), BTreeMap::<String, Vec<i64>>::new());
    for k in 0..n_orders {
        let customer = 7 * k % 10;
        if customer < n_customers {
            *total.entry(countries[customer as usize % 3]).or_default() += k + 1;
        } else {
            waiting.entry(format!("customer {customer}")).or_default().push(k + 1);
        }
    }
    if !total.is_empty() {
        assert_eq!(run.result("total"), &json!(total));
    }
    assert_eq!(run.result("without a customer"), &json!(waiting));
}

/// The cells of the lines of a CSV file after its header.
fn rows(run: &Run, file: &str) -> Vec<Vec<String>> {
    run.input(file).lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The join as a loop over the orders, with the keys of customers in a set.
pub(crate) fn etl(run: &Run) {
    let known: BTreeSet<String> =
        rows(run, "customers.csv").into_iter().map(|mut row| row.swap_remove(0)).collect();
    let (sales, rejected): (Vec<_>, Vec<_>) =
        rows(run, "orders.csv").into_iter().partition(|row| known.contains(&row[1]));
    assert_eq!(run.int("loaded"), sales.len() as i64);
    assert_eq!(run.int("rejected"), rejected.len() as i64);
    assert_eq!(run.int("cents"), sales.iter().map(|row| row[2].parse::<i64>().unwrap()).sum::<i64>());
}
