//! Oracles: values that meet at ports and objects. Order is free in these; what must hold in any order is checked.

use crate::bar::Run;

pub(crate) fn bank(run: &Run) {
    let accounts: usize = run.param("accounts", "5");
    let balances = run.ints("balances");
    assert_eq!(balances.len(), accounts);
    assert!(balances.iter().all(|&balance| balance >= 0), "{balances:?}");
    assert_eq!(balances.iter().sum::<i64>(), 100 * accounts as i64);
    assert_eq!(run.int("total"), 100 * accounts as i64);
    assert!((0..=run.param("transfers", "50")).contains(&run.int("carried_out")));
}

/// Every item came through once; spoiled are the multiples of 7.
pub(crate) fn buffer(run: &Run) {
    let n_items = run.param::<i64>("producers", "3") * run.param::<i64>("items", "20");
    let n_spoiled = (0..n_items).filter(|item| item % 7 == 0).count() as i64;
    assert_eq!(run.int("spoiled"), n_spoiled);
    assert_eq!(run.int("eaten"), n_items - n_spoiled);
    assert_eq!(run.int("sum"), (0..n_items).sum::<i64>());
    assert!((1..=run.param("capacity", "4")).contains(&run.int("highest")));
}

pub(crate) fn lostupdate(run: &Run) {
    let expected = run.param::<i64>("tellers", "4") * run.param::<i64>("deposits", "25");
    assert_eq!((run.int("expected"), run.int("balance"), run.int("lost")), (expected, expected, 0));
}

/// Every item arrived, those of one producer in order.
pub(crate) fn merge(run: &Run) {
    let (n_producers, n_items): (usize, usize) = (run.param("producers", "3"), run.param("items", "5"));
    let order = run.result("order").as_str().unwrap();
    let mut next = vec![0; n_producers];
    for item in order.split_whitespace() {
        let (producer, item) = item.split_once('.').unwrap();
        let next = &mut next[producer.parse::<usize>().unwrap()];
        assert_eq!(item.parse::<usize>().unwrap(), *next, "{order}");
        *next += 1;
    }
    assert_eq!(next, vec![n_items; n_producers], "{order}");
    let n = (n_producers * n_items) as i64;
    assert_eq!(run.int("sum"), n * (n - 1) / 2);
}

pub(crate) fn philosophers(run: &Run) {
    assert_eq!(run.int("total"), run.param::<i64>("n", "5") * run.param::<i64>("meals", "3"));
}
