//! Playback is the same as counting, from wherever it comes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_editor::views::player::Player;
use hasse_editor::views::record::{Record, Via};
use hasse_editor::views::task::no_wake;
use proptest::prelude::*;

use crate::made::{example, loaded};

fn player(record: &Arc<Record>) -> Player {
    let mut player = Player::new(Arc::clone(record), no_wake());
    player.wait();
    player
}

/// Counts by replaying from the beginning: events by instance, values under way by way.
fn naive(record: &Record, position: u32) -> (BTreeMap<u32, u32>, BTreeMap<u32, i64>) {
    let (mut counts, mut under_way) = (BTreeMap::new(), BTreeMap::<u32, i64>::new());
    for event in 0..record.n_events() {
        for before in record.before(event) {
            let Via::Value(Some(way)) = before.via else { continue };
            let is_sent = before.event < position;
            let is_taken = event < position;
            *under_way.entry(way).or_default() += i64::from(is_sent) - i64::from(is_taken);
        }
        if event < position {
            *counts.entry(record.instance_of(event)).or_default() += 1;
        }
    }
    (counts, under_way)
}

fn assert_naive(player: &Player, record: &Record) {
    let (counts, under_way) = naive(record, player.position());
    for instance in 0..record.instances().len() as u32 {
        let expected = counts.get(&instance).copied().unwrap_or(0);
        assert_eq!(player.n_events_of(instance), expected, "instance {instance} at {}", player.position());
    }
    for way in 0..record.n_ways() as u32 {
        let expected = under_way.get(&way).copied().unwrap_or(0);
        assert_eq!(player.n_under_way(way) as i64, expected, "way {way} at {}", player.position());
    }
}

#[test]
fn the_state_at_each_position_is_that_of_counting() {
    let record = loaded(&example("bts", "bts.hasse"));
    let mut player = player(&record);
    assert!(player.is_at_end());
    player.seek(0);
    for position in 0..=record.n_events() {
        assert_eq!(player.position(), position);
        assert_naive(&player, &record);
        player.step(1);
    }
    for position in [record.n_events() / 2, 3, 0, record.n_events() - 1] {
        player.seek(position);
        assert_naive(&player, &record);
    }
    assert_eq!(naive(&record, record.n_events()).1.values().sum::<i64>(), 0, "all values have arrived");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_step_by_level_shows_what_could_have_been_at_once(source in crate::histories(60)) {
        let record = loaded(&source);
        let mut player = player(&record);
        player.seek(0);
        let mut stops = vec![0];
        while !player.is_at_end() {
            let start = player.position();
            player.step_level(true);
            let end = player.position();
            prop_assert!(end > start);
            let is_within = |event: u32| record.before(event).any(|before| before.event >= start);
            prop_assert!(!(start..end).any(is_within), "no two are ordered");
            prop_assert!(end == record.n_events() || is_within(end), "one more would be");
            stops.push(end);
        }
        for &stop in stops.iter().rev().skip(1) {
            player.step_level(false);
            prop_assert_eq!(player.position(), stop);
        }
    }

    #[test]
    fn time_moves_it_as_far_as_speed_says(
        source in crate::histories(60),
        speed in 0.1..50.0_f64,
        times in prop::collection::vec(0.001..0.2_f64, 1..30),
    ) {
        let record = loaded(&source);
        let mut player = player(&record);
        player.set_speed(speed);
        player.play();
        let mut passed = 0.0;
        for time in times {
            player.advance(time);
            passed += time * speed;
            let expected = passed.min(f64::from(record.n_events()));
            let shown = f64::from(player.position()) + player.fraction();
            prop_assert!((shown - expected).abs() < 1e-6, "{} is not {}", shown, expected);
            prop_assert_eq!(player.is_playing(), passed < f64::from(record.n_events()));
        }
        player.set_loops(true);
        player.play();
        player.advance(f64::from(record.n_events()) * 10.0 / speed);
        prop_assert!(player.is_playing() && !player.is_at_end());
    }
}

#[test]
fn values_travel_to_the_event_that_takes_them() {
    let record = loaded(&example("bts", "bts.hasse"));
    let mut player = player(&record);
    let event = (0..record.n_events()).find(|&event| record.before(event).len() == 1).unwrap();
    let Some(Via::Value(Some(way))) = record.before(event).next().map(|before| before.via) else { panic!() };
    player.seek(event);
    assert_eq!(player.pulses(), []);
    player.set_speed(1.0);
    player.play();
    player.advance(0.25);
    let pulses = player.pulses();
    assert_eq!(pulses.len(), 1);
    assert_eq!((pulses[0].arc, pulses[0].place), (record.way(way)[0], 0.25));
    // Backward from within a way: to its beginning.
    player.step(-1);
    assert_eq!(player.position(), event);
}
