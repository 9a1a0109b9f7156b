//! What few events have.

use super::running::Running;
use crate::encoding::value::put_value;
use crate::encoding::varint::{Malformed, put_bytes, put_delta, put_signed, put_varint};
use crate::event::{Effect, EffectKind, EventExtra, Outcome};
use crate::trace::column::{Column, N_COLUMNS, answer_tag};
use crate::value::Value;

/// Appends what few events have.
pub(super) fn put_extras(
    columns: &mut [Vec<u8>; N_COLUMNS],
    extra: Option<&EventExtra>,
    effects: &[Effect],
    state: &mut Running,
) -> Result<(), Malformed> {
    let column = &mut columns[Column::Extras as usize];
    column.push(outcome_tag(extra.map_or(Outcome::Done, |extra| extra.outcome)));
    put_varint(column, effects.len() as u64);
    for effect in effects {
        put_effect(columns, effect)?;
    }
    let column = &mut columns[Column::Extras as usize];
    match extra.and_then(|extra| extra.first_line) {
        None => column.push(0),
        Some(line) => {
            column.push(1);
            put_delta(column, state.first_line, line);
            state.first_line = line;
        }
    }
    match extra.and_then(|extra| extra.error.as_ref()) {
        None => column.push(0),
        Some(message) => {
            column.push(1);
            put_bytes(column, message.as_bytes());
        }
    }
    Ok(())
}

fn put_effect(columns: &mut [Vec<u8>; N_COLUMNS], effect: &Effect) -> Result<(), Malformed> {
    let column = &mut columns[Column::Extras as usize];
    column.push(match effect.kind {
        EffectKind::Time => 0,
        EffectKind::Random => 1,
        EffectKind::ReadFile => 2,
        EffectKind::FileSize => 3,
        EffectKind::FileExists => 4,
        EffectKind::Environment => 5,
        EffectKind::StandardInput => 6,
        EffectKind::ListFolder => 7,
        EffectKind::WriteFile => 8,
        EffectKind::Native => 9,
        EffectKind::Assigned => 10,
        EffectKind::Printed => 11,
        EffectKind::Added => 12,
        EffectKind::Stream => 13,
        EffectKind::Command => 14,
        EffectKind::Http => 15,
        EffectKind::Sql => 16,
        EffectKind::Taken => 17,
        EffectKind::Refused => 18,
        EffectKind::Earlier => 19,
        EffectKind::Found => 20,
    });
    match &effect.answer {
        Ok(Value::Int(number)) => {
            column.push(answer_tag::INT);
            put_signed(&mut columns[Column::Answers as usize], *number);
            Ok(())
        }
        Ok(value) => {
            column.push(answer_tag::VALUE);
            put_value(column, value)
        }
        Err(message) => {
            column.push(answer_tag::ERROR);
            put_bytes(column, message.as_bytes());
            Ok(())
        }
    }
}

fn outcome_tag(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Done => 0,
        Outcome::Failed => 1,
        Outcome::Stopped => 2,
    }
}
