//! What a batch announces, in bytes and back: graph instances, actions and objects.
//!
//! It stands before the events, so that names can be read without them. Neighbors are mostly created one behind the other:
//! an action is expected to be as far from the one announced before it, in id and in index, as that one was from the
//! one before. Ids and numbers are written as their distances from that, also where these are zero: compression makes
//! little of zeros.

use crate::encoding::place::{put_graph, put_index, put_key, take_graph, take_index, take_key};
use crate::encoding::varint::{Cursor, Malformed, put_bytes, put_delta, put_signed, put_varint};
use crate::event::{ActionRecord, EventBatch, ObjectRecord};
use crate::id::{ActionId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};

/// Longest index that is predicted: a byte of input cannot stand for more numbers.
const MAX_PREDICTED: usize = 8;

/// What of an action is told because it is another than before, as bits.
mod told {
    pub(super) const TEMPLATE: u8 = 1;
    pub(super) const GRAPH: u8 = 1 << 1;
    /// How many numbers the index has, which are told as they are.
    pub(super) const INDEX: u8 = 1 << 2;
}

/// The columns of actions.
#[derive(Debug, Default)]
pub(super) struct AnnounceColumns {
    flags: Vec<u8>,
    ids: Vec<u8>,
    places: Vec<u8>,
    indices: Vec<u8>,
}

/// The last two actions announced, as far as the next one is predicted from them.
#[derive(Debug, Default)]
struct Past {
    id: u32,
    id_step: u32,
    template: u32,
    graph: u32,
    /// How many numbers the last index had; 0 for one that is too long.
    n_numbers: usize,
    index: [i64; MAX_PREDICTED],
    /// What is added to each number.
    step: [i64; MAX_PREDICTED],
}

impl Past {
    #[inline]
    fn expected_id(&self) -> u32 {
        self.id.wrapping_add(self.id_step)
    }

    /// The number that is expected at a position of an index that is as long as the last one.
    #[inline]
    fn expected_number(&self, at: usize) -> u64 {
        self.index[at].wrapping_add(self.step[at]) as u64
    }

    #[inline]
    fn go_on(&mut self, id: u32, index: &[i64]) {
        self.id_step = id.wrapping_sub(self.id);
        self.id = id;
        if index.len() > MAX_PREDICTED {
            self.n_numbers = 0;
            return;
        }
        for (at, &number) in index.iter().enumerate() {
            let before = if at < self.n_numbers { self.index[at] } else { 0 };
            self.step[at] = number.wrapping_sub(before);
            self.index[at] = number;
        }
        self.n_numbers = index.len();
    }
}

impl AnnounceColumns {
    /// Appends what a batch announces.
    pub(super) fn put(&mut self, out: &mut Vec<u8>, batch: &EventBatch) {
        put_varint(out, batch.graphs.len() as u64);
        batch.graphs.iter().for_each(|graph| put_graph(out, graph));
        put_varint(out, batch.objects.len() as u64);
        for object in &batch.objects {
            put_varint(out, u64::from(object.object.0));
            put_varint(out, u64::from(object.shared.0));
            put_varint(out, u64::from(object.graph.0));
            put_index(out, &object.index);
        }
        self.clear();
        let mut past = Past::default();
        batch.actions.iter().for_each(|action| self.put_action(action, &mut past));
        for column in [&self.flags, &self.ids, &self.places, &self.indices] {
            put_bytes(out, column);
        }
    }

    #[inline]
    fn put_action(&mut self, action: &ActionRecord, past: &mut Past) {
        let mut flags = 0;
        put_delta(&mut self.ids, u64::from(past.expected_id()), u64::from(action.action.0));
        if action.template.0 != past.template {
            flags |= told::TEMPLATE;
            put_varint(&mut self.places, u64::from(action.template.0));
            past.template = action.template.0;
        }
        if action.graph.0 != past.graph {
            flags |= told::GRAPH;
            put_varint(&mut self.places, u64::from(action.graph.0));
            past.graph = action.graph.0;
        }
        let index = action.index.as_slice();
        if index.len() == past.n_numbers {
            for (at, &number) in index.iter().enumerate() {
                put_delta(&mut self.indices, past.expected_number(at), number as u64);
                put_key(&mut self.indices, number);
            }
        } else {
            flags |= told::INDEX;
            put_varint(&mut self.indices, index.len() as u64);
            for &number in index {
                put_signed(&mut self.indices, number);
                put_key(&mut self.indices, number);
            }
        }
        past.go_on(action.action.0, index);
        self.flags.push(flags);
    }

    fn columns(&mut self) -> [&mut Vec<u8>; 4] {
        [&mut self.flags, &mut self.ids, &mut self.places, &mut self.indices]
    }

    fn clear(&mut self) {
        self.columns().into_iter().for_each(Vec::clear);
    }

    /// Gives back the memory of an unusually large batch.
    pub(super) fn shrink_to(&mut self, n_bytes: usize) {
        self.columns().into_iter().for_each(|column| column.shrink_to(n_bytes));
    }
}

/// Takes what a batch announces.
pub(super) fn take_announced(cursor: &mut Cursor<'_>, batch: &mut EventBatch) -> Result<(), Malformed> {
    for _ in 0..cursor.n_items()? {
        batch.graphs.push(take_graph(cursor)?);
    }
    for _ in 0..cursor.n_items()? {
        let (object, shared) = (ObjectId(cursor.id()?), SharedId(cursor.id()?));
        let graph = GraphInstanceId(cursor.id()?);
        batch.objects.push(ObjectRecord { object, shared, graph, index: take_index(cursor)? });
    }
    let flags = cursor.bytes()?;
    let mut columns = [Cursor(cursor.bytes()?), Cursor(cursor.bytes()?), Cursor(cursor.bytes()?)];
    let mut past = Past::default();
    batch.actions.reserve(flags.len());
    for &flags in flags {
        batch.actions.push(take_predicted(&mut columns, flags, &mut past)?);
    }
    if columns.iter().any(|column| !column.is_empty()) {
        return Err(Malformed("there is more data than actions"));
    }
    Ok(())
}

fn take_predicted(
    columns: &mut [Cursor<'_>; 3],
    flags: u8,
    past: &mut Past,
) -> Result<ActionRecord, Malformed> {
    let [ids, places, indices] = columns;
    let id = ids.id_delta(past.expected_id())?;
    if flags & told::TEMPLATE != 0 {
        past.template = places.id()?;
    }
    if flags & told::GRAPH != 0 {
        past.graph = places.id()?;
    }
    let mut index = Index::none();
    if flags & told::INDEX != 0 {
        for _ in 0..indices.n_items()? {
            let number = indices.signed()?;
            take_key(indices, number)?;
            index.0.push(number);
        }
    } else {
        for at in 0..past.n_numbers {
            let number = indices.delta(past.expected_number(at))? as i64;
            take_key(indices, number)?;
            index.0.push(number);
        }
    }
    past.go_on(id, index.as_slice());
    let (template, graph) = (TemplateId(past.template), GraphInstanceId(past.graph));
    Ok(ActionRecord { action: ActionId(id), template, graph, index })
}
