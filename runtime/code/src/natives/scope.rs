//! Where the values stand that a native body reads and sets.

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::natives::put;
use hasse_model::id::SlotId;
use hasse_model::value::Value;

use crate::frame::Frame;

/// The values of a template's names, by slot.
pub enum BodyScope<'e> {
    /// As the interpreter has them.
    Frame(&'e mut Frame),
    /// As the lane has them.
    Lane(&'e mut [Value]),
}

impl BodyScope<'_> {
    /// What a slot holds, if it stands there as a value.
    #[inline(always)]
    pub(crate) fn held(&self, slot_idx: usize) -> Option<&Value> {
        match self {
            BodyScope::Frame(_) => None,
            BodyScope::Lane(values) => values.get(slot_idx),
        }
    }

    /// What a slot holds, or the name of its type, which is none of the program language.
    #[inline]
    pub(crate) fn value(&self, slot_idx: usize) -> Result<Value, String> {
        match self {
            BodyScope::Frame(frame) => value_from_dynamic(frame.get(SlotId::from_idx(slot_idx))),
            BodyScope::Lane(values) => Ok(values[slot_idx].clone()),
        }
    }

    /// Takes out what a slot holds.
    #[inline]
    pub(crate) fn take(&mut self, slot_idx: usize) -> Result<Value, String> {
        let held = match self {
            BodyScope::Frame(frame) => frame.take(slot_idx),
            BodyScope::Lane(values) => return Ok(std::mem::take(&mut values[slot_idx])),
        };
        // The interpreter's handle goes first: the value is then the only one.
        let value = value_from_dynamic(&held);
        drop(held);
        value
    }

    /// Whether a slot holds anything.
    #[inline]
    pub(crate) fn is_set(&self, slot_idx: usize) -> bool {
        match self {
            BodyScope::Frame(frame) => !frame.get(SlotId::from_idx(slot_idx)).is_unit(),
            BodyScope::Lane(values) => values[slot_idx] != Value::Unit,
        }
    }

    /// Sets a slot.
    #[inline]
    pub(crate) fn set(&mut self, slot_idx: usize, value: Value) {
        match self {
            BodyScope::Frame(frame) => frame.set(slot_idx, dynamic_from_value(value)),
            BodyScope::Lane(values) => put(&mut values[slot_idx], value),
        }
    }
}
