//! Arrays that firing rules fill from families of ports: a slot for each item, so that a rule that looks at `v[2]` needs no array.

use hasse_code::eval::Scalar;
use hasse_code::layout::Layout;
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;
use hasse_model::value::Type;

use crate::rules::LaneRule;

/// Slots of the items of arrays, after the slots of names.
pub(crate) struct Items {
    arrays: Vec<Array>,
    /// Parameters that are known, by slot: they say which item is looked at.
    params: Vec<(usize, i64)>,
    /// Number of items.
    pub(crate) n_items: usize,
}

/// An array that firing rules fill.
struct Array {
    slot_idx: usize,
    /// Slot of the first item.
    first: usize,
    len: usize,
    ty: Type,
    /// True if each firing rule fills it as a whole, and it stays as it was filled.
    is_steady: bool,
}

impl Items {
    /// The arrays that `rules` fill. `keeps` tells whether the body leaves what a slot is bound to as it is, `known` what a slot
    /// always holds.
    pub(crate) fn of(
        template: &Template,
        layout: &Layout,
        rules: &[LaneRule<'_>],
        keeps: impl Fn(usize) -> bool,
        known: impl Fn(usize) -> Option<Scalar>,
    ) -> Self {
        let (mut arrays, mut n_items) = (Vec::<Array>::new(), 0);
        for slot_idx in layout.bound.clone() {
            let Type::Array(ty) = &template.slots[slot_idx].ty else { continue };
            let targets = |rule: &LaneRule<'_>| {
                let take = rule.takes.iter().find(|take| take.slot_idx == slot_idx)?;
                take.targets.clone()
            };
            let filled: Vec<Option<Vec<usize>>> = rules.iter().map(targets).collect();
            let Some(last) = filled.iter().flatten().flatten().max() else { continue };
            let (first, len) = (template.slots.len() + n_items, last + 1);
            let is_whole = |targets: &Option<Vec<usize>>| {
                let is_filled = |nth| targets.as_ref().is_some_and(|targets| targets.contains(&nth));
                (0..len).all(is_filled)
            };
            let is_steady = filled.iter().all(is_whole) && keeps(slot_idx);
            arrays.push(Array { slot_idx, first, len, ty: Type::clone(ty), is_steady });
            n_items += len;
        }
        let param = |slot_idx| match known(slot_idx)? {
            Scalar::Int(number) => Some((slot_idx, number)),
            Scalar::Bool(_) => None,
        };
        Self { arrays, params: layout.params.clone().filter_map(param).collect(), n_items }
    }

    /// The integer that a slot always holds, if that is known.
    pub(crate) fn number(&self, slot_idx: usize) -> Option<i64> {
        self.params.iter().find(|(known, _)| *known == slot_idx).map(|&(_, number)| number)
    }

    fn array(&self, slot_idx: usize) -> Option<&Array> {
        self.arrays.iter().find(|array| array.slot_idx == slot_idx)
    }

    /// The slot of an item that a firing rule puts into an array.
    pub(crate) fn put(&self, slot_idx: usize, nth: usize) -> Option<usize> {
        self.array(slot_idx).filter(|array| nth < array.len).map(|array| array.first + nth)
    }

    /// The slot of an item of an array, if it holds what the array does; a negative number counts from the end.
    pub(crate) fn at(&self, slot_idx: usize, number: i64) -> Option<usize> {
        let array = self.array(slot_idx).filter(|array| array.is_steady)?;
        let from = if number < 0 { array.len as i64 } else { 0 };
        let nth = usize::try_from(from.checked_add(number)?).ok()?;
        self.put(slot_idx, nth)
    }

    /// Number of items of an array, if that is the same for all events.
    pub(crate) fn len(&self, slot_idx: usize) -> Option<usize> {
        self.array(slot_idx).filter(|array| array.is_steady).map(|array| array.len)
    }

    /// Returns true if nothing but its items is looked at by those who find them [there](Self::at).
    pub(crate) fn is_steady(&self, slot_idx: usize) -> bool {
        self.len(slot_idx).is_some()
    }

    /// The type of an item, by its slot.
    pub(crate) fn ty(&self, item_slot: usize) -> Option<&Type> {
        let holds = |array: &&Array| (array.first..array.first + array.len).contains(&item_slot);
        self.arrays.iter().find(holds).map(|array| &array.ty)
    }

    /// The kind of an item that is a scalar.
    pub(crate) fn kind(&self, item_slot: usize) -> Option<Kind> {
        self.ty(item_slot).and_then(Kind::of)
    }
}
