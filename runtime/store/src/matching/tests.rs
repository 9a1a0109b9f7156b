use std::collections::BTreeMap;

use hasse_model::id::EventId;
use hasse_record::full::Full;
use proptest::prelude::*;

use super::*;

type Stores = Store<Full>;

const TEMPLATE: TemplateId = TemplateId(0);
const N_PORTS: usize = 2;

/// What must be known of an entry.
#[derive(Default)]
struct Known {
    action: u32,
    count: u64,
    waiting: [Option<(i64, EventId)>; N_PORTS],
    spot: Option<Spot>,
}

fn numbers(n_numbers: usize, seed: [i64; 3]) -> Numbers {
    let number = |nth: usize| if nth < n_numbers { seed[nth] } else { 0 };
    Numbers(number(0), number(1), number(2))
}

/// Near to each other, on both sides of 0, and as far away as can be.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -9..10_i64, 1 => Just(i64::MAX), 1 => Just(i64::MIN)]
}

proptest! {
    #[test]
    fn tags_in_columns_are_those_of_their_numbers(
        n_numbers in 1..4_usize,
        n_workers in 1..3_usize,
        offsets in [number(), number(), number()],
        seeds in prop::collection::vec([number(), number(), number()], 1..ROWS),
    ) {
        let store = Stores::new(n_numbers, N_PORTS, n_workers);
        let columns: [[Cell<i64>; ROWS]; MAX_NUMBERS] = [const { [const { Cell::new(0) }; ROWS] }; MAX_NUMBERS];
        let offsets = numbers(n_numbers, offsets);
        let offsets = [offsets.0, offsets.1, offsets.2];
        for (row, seed) in seeds.iter().enumerate() {
            let Numbers(first, second, third) = numbers(n_numbers, *seed);
            columns.iter().zip([first, second, third]).for_each(|(column, number)| column[row].set(number));
        }
        let mut tags = Tags::default();
        // Others have used them before.
        let full = Stores::new(MAX_NUMBERS, N_PORTS, n_workers);
        full.tags(seeds.len(), std::array::from_fn(|nth| (&columns[0], offsets[nth].wrapping_sub(1))), &mut tags);
        store.tags(seeds.len(), std::array::from_fn(|nth| (&columns[nth], offsets[nth])), &mut tags);
        for (row, seed) in seeds.iter().enumerate() {
            let sums = std::array::from_fn(|nth| seed[nth].wrapping_add(offsets[nth]));
            let (expected, found) = (store.tag(numbers(n_numbers, sums)), store.tag_at(&tags, row));
            prop_assert!(found.corner == expected.corner);
            prop_assert_eq!((found.place, found.shard), (expected.place, expected.shard));
            prop_assert_eq!(store.index_of(&found), store.index(numbers(n_numbers, sums)));
        }
    }

    #[test]
    fn a_store_knows_what_was_put_in(
        n_numbers in 1..4_usize,
        n_workers in 1..3_usize,
        steps in prop::collection::vec(([number(), number(), number()], 0..N_PORTS, any::<bool>()), 1..300),
    ) {
        let store = Stores::new(n_numbers, N_PORTS, n_workers);
        let mut known: BTreeMap<Vec<i64>, Known> = BTreeMap::new();
        let mut n_actions = 0;
        for (nth, (seed, port, is_served)) in steps.into_iter().enumerate() {
            let numbers = numbers(n_numbers, seed);
            let index = store.index(numbers).as_slice().to_vec();
            let expected = known.entry(index).or_default();
            let sent = (nth as i64, EventId { action: ActionId(7), count: nth as u64 });
            let tag = store.tag(numbers);
            let put = store.shard(tag.shard).put(TEMPLATE, &tag, (port, sent.0, sent.1), || {
                n_actions += 1;
                ActionId(n_actions)
            });
            if expected.action == 0 {
                expected.action = n_actions;
            }
            let is_full = expected.waiting[port].is_some();
            expected.waiting[port].get_or_insert(sent);
            let is_ready = expected.spot.is_none() && expected.waiting.iter().all(Option::is_some);
            match put {
                Put::Full(_, stamp) => prop_assert!(is_full && stamp == sent.1),
                Put::Ready(spot) => {
                    prop_assert!(!is_full && is_ready);
                    expected.spot = Some(spot);
                }
                Put::Waits => prop_assert!(!is_full && !is_ready),
                Put::Promoted(_) => prop_assert!(false, "nobody promotes"),
            }
            let Some(spot) = expected.spot.filter(|_| is_served) else { continue };
            let mut shard = store.shard(spot.shard);
            let Some(begun) = shard.take(spot) else {
                return Err(TestCaseError::fail("no instance stands for it"));
            };
            let taken = begun.taken.iter().zip(begun.stamps).map(|(&number, &stamp)| Some((number, stamp)));
            let taken: Vec<_> = taken.collect();
            let begun = (begun.action.0, begun.count, begun.numbers);
            expected.count += 1;
            prop_assert_eq!((begun.0, begun.1), (expected.action, expected.count));
            prop_assert!(begun.2 == numbers && shard.index(spot) == store.index(numbers));
            prop_assert_eq!(taken, std::mem::take(&mut expected.waiting).to_vec());
            prop_assert!(matches!(shard.end(spot), Ended::Idle));
            expected.spot = None;
        }
        // Blocks in which something waits stay, and so do those that are kept.
        let is_low = |low: &[i64], high: &[i64]| low.iter().zip(high).all(|(low, high)| low <= high && *low < 0);
        let mut gone = Vec::new();
        store.retain(is_low, |entry| gone.push((entry.action.0, entry.count)));
        for (index, expected) in &known {
            if gone.contains(&(expected.action, expected.count)) {
                prop_assert!(expected.waiting.iter().all(Option::is_none) && expected.spot.is_none());
                prop_assert!(index.iter().any(|&number| number >= 0));
            }
        }
        // What is gone is unknown, all else is known as before.
        for (index, expected) in &known {
            let tag = store.tag_of(&index.iter().copied().collect());
            let mut is_new = false;
            let put = store.shard(tag.shard).put(TEMPLATE, &tag, (0, 0, EventId { action: ActionId(0), count: 0 }), || {
                is_new = true;
                ActionId(0)
            });
            prop_assert_eq!(is_new, gone.contains(&(expected.action, expected.count)));
            prop_assert_eq!(matches!(put, Put::Full(..)), !is_new && expected.waiting[0].is_some());
        }
    }
}

#[test]
fn entries_that_are_done_are_let_go_of() {
    let store = Stores::new(2, 1, 1);
    let stamp = EventId { action: ActionId(0), count: 1 };
    let put = |row: i64, col: i64| {
        let tag = store.tag(Numbers(row, col, 0));
        match store
            .shard(tag.shard)
            .put(TEMPLATE, &tag, (0, 1, stamp), || ActionId(row as u32 * 100 + col as u32))
        {
            Put::Ready(spot) => spot,
            _ => panic!("it has one port"),
        }
    };
    let spots: Vec<Spot> =
        (0..16).flat_map(|row| (0..8).map(move |col| (row, col))).map(|(row, col)| put(row, col)).collect();
    // The last row is not served.
    for &spot in &spots[..120] {
        let mut shard = store.shard(spot.shard);
        assert!(shard.take(spot).is_some());
        assert!(matches!(shard.end(spot), Ended::Idle));
    }
    let mut n_gone = 0;
    store.retain(|_, _| false, |_| n_gone += 1);
    assert_eq!(n_gone, 64, "one of two blocks");
    let mut scheduled = Vec::new();
    store.each_due(false, |low, high| scheduled.push([low.to_vec(), high.to_vec()]));
    assert_eq!(scheduled, [[[15, 0], [15, 7]]]);
    spots[120..].iter().for_each(|&spot| assert!(!store.shard(spot.shard).leave(spot)));
    store.retain(|_, _| false, |_| n_gone += 1);
    assert_eq!(n_gone, 64, "values still wait there");
}
