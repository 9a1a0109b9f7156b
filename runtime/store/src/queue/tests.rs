use std::collections::VecDeque;

use hasse_model::id::ActionId;
use hasse_model::value::Value;
use hasse_record::full::Full;
use proptest::prelude::*;

use super::*;
use crate::queue::column::MAX_KEPT_WORDS;

type Expected = VecDeque<(Value, EventId)>;

fn stamp(count: u64) -> EventId {
    EventId { action: ActionId(1), count }
}

fn token(value: Value, stamp: EventId) -> Token<Full> {
    Token { value, stamp, known: ResultOrder::default(), directive: Directive::of(false) }
}

fn values(queue: &Queue<Full>) -> Expected {
    let mut values = VecDeque::new();
    queue.each(|token| values.push_back((token.value.clone(), token.stamp)));
    values
}

/// Takes as the lane does, at most so many values of a column.
fn take_run(queue: &mut Queue<Full>, most: usize, taken: &mut Expected) {
    let n_together = queue.column.n_together().min(most);
    let Some(first) = queue.column.stamp().filter(|_| n_together > 0) else { return };
    let step = queue.column.step();
    for nth in 0..n_together as u64 {
        let value = match queue.form {
            Form::Word(kind) => queue.column.take().map(|word| kind.value_of(word)),
            Form::Value => queue.column.take_value(),
        };
        taken.push_back((value.expect("it has been counted"), Full::stepped(&first, nth * step)));
    }
    queue.column.settle();
}

/// A scalar: several of one kind follow each other.
fn scalar(nth: usize) -> (Kind, i64) {
    let number = nth as i64;
    match nth / 12 % 3 {
        0 => (Kind::Int, number),
        1 => (Kind::Real, (number as f64 / 2.0).to_bits().cast_signed()),
        _ => (Kind::Bool, number % 2),
    }
}

proptest! {
    #[test]
    fn it_is_a_queue(steps in prop::collection::vec((0..14_u8, 0..3_u32, 0..6_usize), 0..200)) {
        let (mut queue, mut expected) = (Queue::<Full>::new(ColumnOrder::Arrival), Expected::new());
        let mut counts = [0; 3];
        for (nth, (step, action, n_values)) in steps.into_iter().enumerate() {
            let mut next = || {
                counts[action as usize] += 1;
                EventId { action: ActionId(action), count: counts[action as usize] }
            };
            let (kind, word) = scalar(nth);
            let scalar = kind.value_of(word);
            match step {
                0 | 1 => {
                    let stamp = next();
                    queue.push_word((kind, word), &stamp, ResultOrder::default());
                    expected.push_back((scalar, stamp));
                }
                // One event sends several.
                9 => {
                    let stamp = next();
                    for _ in 0..=n_values {
                        queue.push_word((kind, word), &stamp, ResultOrder::default());
                        expected.push_back((scalar.clone(), stamp));
                    }
                }
                // The first values go to another queue.
                13 => {
                    let front = queue.take_front(n_values);
                    let n_taken = n_values.min(expected.len());
                    let taken: Expected = expected.drain(..n_taken).collect();
                    prop_assert_eq!(values(&front), taken);
                }
                // A run is opened, and its event sends nothing.
                10 => {
                    let stamp = next();
                    queue.column.open(&stamp);
                }
                2 => {
                    let stamp = next();
                    queue.push_back(token(Value::Char('x'), stamp));
                    expected.push_back((Value::Char('x'), stamp));
                }
                11 => {
                    let first = next();
                    let mut sent = vec![Value::String("long".into()); n_values + 1];
                    counts[action as usize] += n_values as u64;
                    if queue.extend_values(&mut sent, &first) {
                        prop_assert!(sent.is_empty());
                        let stamps = (0..=n_values as u64).map(|step| Full::stepped(&first, step));
                        expected.extend(stamps.map(|stamp| (Value::String("long".into()), stamp)));
                    }
                }
                12 => {
                    let n_next = queue.column.n_together().min(n_values);
                    if n_next > 0 {
                        queue.column.skip(n_next);
                        queue.column.settle();
                    }
                    expected.drain(..n_next);
                }
                3 => {
                    let mut taken = Expected::new();
                    take_run(&mut queue, n_values, &mut taken);
                    let rest = expected.split_off(taken.len());
                    prop_assert_eq!(taken, expected);
                    expected = rest;
                }
                4 => {
                    let first = match n_values % 2 {
                        0 => queue.pop_front(),
                        _ => queue.tokens().pop_front(),
                    };
                    let first = first.map(|token| (token.value, token.stamp));
                    prop_assert_eq!(first, expected.pop_front());
                }
                5 => {
                    let last = expected.pop_back();
                    queue.pop_back(&last.map_or(stamp(1), |(_, sender)| sender));
                }
                6 => {
                    let first = next();
                    let words = vec![word; n_values + 1];
                    counts[action as usize] += n_values as u64;
                    if queue.extend(kind, &words, &first) {
                        let stamps = (0..).map(|step| Full::stepped(&first, step));
                        expected.extend(words.into_iter().map(|_| scalar.clone()).zip(stamps));
                    }
                }
                _ => {
                    let (mut more, mut others) = (Queue::<Full>::new(ColumnOrder::Arrival), Expected::new());
                    let mut sender = next();
                    for value in 0..=n_values {
                        if value > 0 && nth % 2 == 0 {
                            sender = next();
                        }
                        let stamp = sender;
                        let is_other = if action == 2 { value < 4 } else { value == 4 };
                        let value = if is_other { Value::Char('y') } else { scalar.clone() };
                        more.push_back(token(value.clone(), stamp));
                        others.push_back((value, stamp));
                    }
                    let mut taken = Expected::new();
                    take_run(&mut more, n_values / 2, &mut taken);
                    others.drain(..taken.len());
                    if step == 8 {
                        queue.prepend(&mut more);
                        std::mem::swap(&mut expected, &mut others);
                    } else {
                        queue.append(&mut more);
                    }
                    prop_assert!(more.is_empty());
                    expected.append(&mut others);
                }
            }
            prop_assert_eq!(queue.len(), expected.len());
            prop_assert_eq!(queue.is_empty(), expected.is_empty());
            prop_assert_eq!(values(&queue), expected.clone());
        }
    }
}

/// What goes round does not keep all that has been.
#[test]
fn what_has_been_taken_is_given_up() {
    let mut queue = Queue::<Full>::new(ColumnOrder::Arrival);
    queue.push_word((Kind::Int, 0), &stamp(0), ResultOrder::default());
    for count in 1..100_000 {
        queue.push_word((Kind::Int, count as i64), &stamp(count), ResultOrder::default());
        assert_eq!(queue.column.take(), Some(count as i64 - 1));
        queue.column.settle();
    }
    assert_eq!((queue.len(), queue.column.runs.len()), (1, 1));
    assert!(queue.column.words.len() <= 2 * MAX_KEPT_WORDS, "{} words", queue.column.words.len());
}

proptest! {
    /// In a replay, whichever sender is asked for, its values come in the order in which it sent them.
    #[test]
    fn a_replay_takes_of_whom_it_is_told(steps in prop::collection::vec((0..4_u8, 0..9_u32, 1..6_usize), 0..200)) {
        let mut queue = Queue::<Full>::new(ColumnOrder::Sender);
        let mut expected: [VecDeque<(i64, EventId)>; 9] = Default::default();
        let mut counts = [0_u64; 9];
        for (nth, (step, action, n_values)) in steps.into_iter().enumerate() {
            let of_sender = &mut expected[action as usize];
            let mut next = || {
                counts[action as usize] += 1;
                EventId { action: ActionId(action), count: counts[action as usize] }
            };
            match step {
                0 => {
                    let mut more = Queue::<Full>::new(ColumnOrder::Sender);
                    for number in 0..n_values as i64 {
                        let sender = next();
                        more.push_word((Kind::Int, number), &sender, ResultOrder::default());
                        of_sender.push_back((number, sender));
                    }
                    queue.append(&mut more);
                }
                1 => {
                    let sender = next();
                    queue.push_word((Kind::Int, nth as i64), &sender, ResultOrder::default());
                    of_sender.push_back((nth as i64, sender));
                }
                _ => {
                    let first = of_sender.front().map(|(_, sender)| *sender);
                    let is_there = first.is_some_and(|sender| queue.column.bring(sender));
                    prop_assert_eq!(is_there, first.is_some());
                    let nobody = EventId { action: ActionId(action), count: 0 };
                    prop_assert!(!queue.column.bring(nobody));
                    for _ in 0..queue.column.n_together().min(n_values) * usize::from(is_there) {
                        prop_assert_eq!(queue.column.take(), of_sender.pop_front().map(|(number, _)| number));
                    }
                    queue.column.settle();
                }
            }
            let n_left: usize = expected.iter().map(VecDeque::len).sum();
            prop_assert_eq!((queue.len(), queue.is_empty()), (n_left, n_left == 0));
        }
        let mut left: [VecDeque<(i64, EventId)>; 9] = Default::default();
        let sent = |value: &Value| if let Value::Int(number) = value { *number } else { -1 };
        queue.each(|token| left[token.stamp.action.idx()].push_back((sent(&token.value), token.stamp)));
        prop_assert_eq!(left, expected);
    }
}
