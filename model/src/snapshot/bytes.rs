//! Snapshots as bytes: a line that names the format, the length of the content, and the content as one zstd frame with a
//! checksum.
//!
//! Reading accepts any bytes. Memory grows with what comes out, not with what the bytes say of themselves.

use std::io::{Read, Write};

use super::{
    ActionState, ErrorState, ObjectState, OutputState, QueueState, ResultState, SentValue, Snapshot,
};
use crate::diagnostic::Location;
use crate::encoding::place::{put_action, put_graph, put_index, take_action, take_graph, take_index};
use crate::encoding::value::{put_value, take_value};
use crate::encoding::varint::{Cursor, Malformed, put_bytes, put_signed, put_varint};
use crate::event::ObjectRecord;
use crate::id::{ActionId, EventId, GraphInstanceId, ObjectId, SharedId};
use crate::value::Value;

/// The first bytes of a snapshot. The number is that of the format.
const MAGIC: &[u8] = b"hasse snapshot 1\n";
/// The first bytes of a snapshot of any format.
const FAMILY: &[u8] = b"hasse snapshot ";
const ZSTD_LEVEL: i32 = 1;

/// A snapshot that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A value that has no form in bytes.
    #[error("{place} cannot be written: {message}")]
    Unwritable {
        /// Owner of the value.
        place: String,
        /// Description of the fault.
        message: &'static str,
    },
    /// Other bytes.
    #[error("this is no snapshot of a run")]
    NotASnapshot,
    /// A format that this version does not know.
    #[error("the snapshot has a format that this version of Hasse does not know")]
    Format,
    /// Damaged bytes.
    #[error("the snapshot is damaged: {message}")]
    Damaged {
        /// Description of the fault.
        message: String,
    },
    /// The bytes could not be written or read.
    #[error("the snapshot could not be written or read")]
    Io(#[from] std::io::Error),
}

impl From<Malformed> for SnapshotError {
    fn from(Malformed(message): Malformed) -> Self {
        SnapshotError::Damaged { message: message.to_owned() }
    }
}

impl Snapshot {
    /// Writes the snapshot as bytes. Cost: linear in the values; a value that is shared is written as often as it is there.
    ///
    /// # Errors
    /// [`SnapshotError::Io`] where `out` takes no more, and [`SnapshotError::Unwritable`] for a value that nests too deeply.
    pub fn write(&self, out: &mut impl Write) -> Result<(), SnapshotError> {
        let mut content = Vec::new();
        self.put(&mut content)?;
        out.write_all(MAGIC)?;
        out.write_all(&(content.len() as u64).to_le_bytes())?;
        let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(&content)?;
        encoder.finish()?.flush()?;
        Ok(())
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    /// [`SnapshotError`] where these are not the bytes of a snapshot, of this format, as they were written.
    pub fn read(input: &mut impl Read) -> Result<Self, SnapshotError> {
        let mut magic = Vec::new();
        input.take(MAGIC.len() as u64).read_to_end(&mut magic)?;
        if magic != MAGIC {
            let is_other = magic.starts_with(FAMILY);
            return Err(if is_other { SnapshotError::Format } else { SnapshotError::NotASnapshot });
        }
        let damaged = |message: &str| SnapshotError::Damaged { message: message.to_owned() };
        let mut n_content = [0; 8];
        input.read_exact(&mut n_content).map_err(|_| damaged("it ends too early"))?;
        let n_content = u64::from_le_bytes(n_content);
        let mut content = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(input)?;
        let read = decoder.take(n_content.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|error| damaged(&error.to_string()))?;
        if content.len() as u64 != n_content {
            return Err(damaged("it has another length than it says"));
        }
        let mut cursor = Cursor(&content);
        let snapshot = Self::take(&mut cursor)?;
        if !cursor.is_empty() {
            return Err(damaged("there is more than it says"));
        }
        Ok(snapshot)
    }

    /// Writes an action of the snapshot as bytes.
    ///
    /// # Errors
    /// [`SnapshotError::Unwritable`] for a value that nests too deeply.
    pub fn write_action(&self, action: &ActionState, out: &mut Vec<u8>) -> Result<(), SnapshotError> {
        self.put_action(out, action)
    }

    /// Writes a shared object of the snapshot as bytes.
    ///
    /// # Errors
    /// [`SnapshotError::Unwritable`] for a value that nests too deeply.
    pub fn write_object(&self, object: &ObjectState, out: &mut Vec<u8>) -> Result<(), SnapshotError> {
        self.put_object(out, object)
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<(), SnapshotError> {
        put_list(out, &self.params, |out, (name, value)| {
            put_bytes(out, name.as_bytes());
            put_value(out, value).map_err(|error| unwritable(format!("parameter `{name}`"), error))
        })?;
        for number in [self.random_seed, self.n_events, self.n_actions, self.n_reclaimed] {
            put_varint(out, number);
        }
        out.push(u8::from(self.has_ended));
        for labels in [&self.templates, &self.shared, &self.calls] {
            put_texts(out, labels);
        }
        put_varint(out, self.graphs.len() as u64);
        self.graphs.iter().for_each(|graph| put_graph(out, graph));
        put_list(out, &self.actions, |out, action| self.put_action(out, action))?;
        put_events(out, &self.reclaimed);
        put_list(out, &self.objects, |out, object| self.put_object(out, object))?;
        self.first_free.iter().for_each(|id| put_varint(out, u64::from(*id)));
        put_list(out, &self.results, |out, result| {
            put_bytes(out, result.name.as_bytes());
            put_event(out, result.event);
            put_bytes(out, result.path.as_bytes());
            put_value(out, &result.value)
                .map_err(|error| unwritable(format!("result `{}`", result.name), error))
        })?;
        put_list(out, &self.errors, put_error)?;
        put_varint(out, self.output.next_line);
        put_varint(out, self.output.n_turns);
        put_varint(out, self.output.early.len() as u64);
        for (turn, nth, lines) in &self.output.early {
            put_varint(out, *turn);
            put_varint(out, *nth);
            put_texts(out, lines);
        }
        Ok(())
    }

    fn take(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let params = take_list(cursor, take_named)?;
        let random_seed = cursor.varint()?;
        let (n_events, n_actions, n_reclaimed) = (cursor.varint()?, cursor.varint()?, cursor.varint()?);
        Ok(Self {
            params,
            random_seed,
            n_events,
            n_actions,
            n_reclaimed,
            has_ended: take_flag(cursor)?,
            templates: take_texts(cursor)?,
            shared: take_texts(cursor)?,
            calls: take_texts(cursor)?,
            graphs: take_list(cursor, take_graph)?,
            actions: take_list(cursor, take_action_state)?,
            reclaimed: take_list(cursor, take_event)?,
            objects: take_list(cursor, take_object)?,
            first_free: [cursor.id()?, cursor.id()?, cursor.id()?],
            results: take_list(cursor, |cursor| {
                let (name, event) = (cursor.text()?.to_owned(), take_event(cursor)?);
                let (path, value) = (cursor.text()?.to_owned(), take_value(cursor)?);
                Ok(ResultState { name, event, path, value })
            })?,
            errors: take_list(cursor, take_error)?,
            output: OutputState {
                next_line: cursor.varint()?,
                n_turns: cursor.varint()?,
                early: take_list(cursor, |cursor| {
                    Ok((cursor.varint()?, cursor.varint()?, take_texts(cursor)?))
                })?,
            },
        })
    }

    fn put_action(&self, out: &mut Vec<u8>, action: &ActionState) -> Result<(), SnapshotError> {
        let record = &action.record;
        let label = self.templates.get(record.template.idx()).map_or("?", String::as_str);
        put_varint(out, u64::from(record.action.0));
        put_action(out, record);
        put_varint(out, action.count);
        put_varint(out, u64::from(action.first_rule));
        out.extend([action.has_failed, action.must_start, action.vars.is_some()].map(u8::from));
        if let Some(vars) = &action.vars {
            put_list(out, vars, |out, (name, value)| {
                put_bytes(out, name.as_bytes());
                put_value(out, value)
                    .map_err(|error| unwritable(format!("var `{name}` of `{label}{}`", record.index), error))
            })?;
        }
        put_list(out, &action.queues, |out, queue| {
            put_bytes(out, queue.port.as_bytes());
            put_index(out, &queue.elements);
            put_list(out, &queue.values, |out, sent| {
                put_value(out, &sent.value).map_err(|error| {
                    unwritable(format!("a value on a port of `{label}{}`", record.index), error)
                })?;
                put_option(out, sent.sender);
                put_events(out, &sent.known);
                Ok(())
            })
        })?;
        put_events(out, &action.known);
        Ok(())
    }

    fn put_object(&self, out: &mut Vec<u8>, object: &ObjectState) -> Result<(), SnapshotError> {
        let record = &object.record;
        put_varint(out, u64::from(record.object.0));
        put_varint(out, u64::from(record.shared.0));
        put_varint(out, u64::from(record.graph.0));
        put_index(out, &record.index);
        put_value(out, &object.value).map_err(|error| {
            let label = self.shared.get(record.shared.idx()).map_or("?", String::as_str);
            unwritable(format!("the shared object `{label}{}`", record.index), error)
        })?;
        put_option(out, object.writer);
        put_varint(out, object.n_readers);
        put_events(out, &object.known_by_writer);
        put_events(out, &object.known_by_readers);
        Ok(())
    }
}

impl ActionState {
    /// Reads what [`Snapshot::write_action`] has written, at the beginning of these bytes.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] where they are something else.
    pub fn read(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Ok(take_action_state(&mut Cursor(bytes))?)
    }
}

impl ObjectState {
    /// Reads what [`Snapshot::write_object`] has written, at the beginning of these bytes.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] where they are something else.
    pub fn read(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Ok(take_object(&mut Cursor(bytes))?)
    }
}

fn unwritable(place: String, Malformed(message): Malformed) -> SnapshotError {
    SnapshotError::Unwritable { place, message }
}

fn take_action_state(cursor: &mut Cursor<'_>) -> Result<ActionState, Malformed> {
    let action = ActionId(cursor.id()?);
    let record = take_action(cursor, action)?;
    let (count, first_rule) = (cursor.varint()?, cursor.id()?);
    let (has_failed, must_start) = (take_flag(cursor)?, take_flag(cursor)?);
    let vars = if take_flag(cursor)? { Some(take_list(cursor, take_named)?) } else { None };
    let queues = take_list(cursor, |cursor| {
        let (port, elements) = (cursor.text()?.to_owned(), take_index(cursor)?);
        let values = take_list(cursor, |cursor| {
            let (value, sender) = (take_value(cursor)?, take_option(cursor)?);
            Ok(SentValue { value, sender, known: take_list(cursor, take_event)? })
        })?;
        Ok(QueueState { port, elements, values })
    })?;
    let known = take_list(cursor, take_event)?;
    Ok(ActionState { record, count, first_rule, has_failed, must_start, vars, queues, known })
}

fn take_named(cursor: &mut Cursor<'_>) -> Result<(String, Value), Malformed> {
    Ok((cursor.text()?.to_owned(), take_value(cursor)?))
}

fn take_object(cursor: &mut Cursor<'_>) -> Result<ObjectState, Malformed> {
    let (object, shared) = (ObjectId(cursor.id()?), SharedId(cursor.id()?));
    let graph = GraphInstanceId(cursor.id()?);
    let record = ObjectRecord { object, shared, graph, index: take_index(cursor)? };
    Ok(ObjectState {
        record,
        value: take_value(cursor)?,
        writer: take_option(cursor)?,
        n_readers: cursor.varint()?,
        known_by_writer: take_list(cursor, take_event)?,
        known_by_readers: take_list(cursor, take_event)?,
    })
}

fn put_error(out: &mut Vec<u8>, error: &ErrorState) -> Result<(), SnapshotError> {
    for text in [&error.code, &error.event, &error.message] {
        put_bytes(out, text.as_bytes());
    }
    let Location { start, end, line, column } = error.at;
    for number in [start, end, line, column] {
        put_varint(out, u64::from(number));
    }
    put_list(out, &error.values, |out, (name, text, value)| {
        put_bytes(out, name.as_bytes());
        put_bytes(out, text.as_bytes());
        out.push(u8::from(value.is_some()));
        value.as_ref().map_or(Ok(()), |value| put_value(out, value)).map_err(|malformed| {
            unwritable(format!("the value of `{name}` in the error at {}", error.event), malformed)
        })
    })
}

fn take_error(cursor: &mut Cursor<'_>) -> Result<ErrorState, Malformed> {
    let mut text = || Ok(cursor.text()?.to_owned());
    let (code, event, message) = (text()?, text()?, text()?);
    let [start, end, line, column] = [cursor.id()?, cursor.id()?, cursor.id()?, cursor.id()?];
    let values = take_list(cursor, |cursor| {
        let (name, text) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
        let value = if take_flag(cursor)? { Some(take_value(cursor)?) } else { None };
        Ok((name, text, value))
    })?;
    Ok(ErrorState { code, event, message, at: Location { start, end, line, column }, values })
}

fn put_list<T>(
    out: &mut Vec<u8>,
    items: &[T],
    mut put: impl FnMut(&mut Vec<u8>, &T) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    put_varint(out, items.len() as u64);
    items.iter().try_for_each(|item| put(out, item))
}

fn take_list<T>(
    cursor: &mut Cursor<'_>,
    mut take: impl FnMut(&mut Cursor<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    // Items are taken one by one: a list that says that it is long takes no memory before they are there.
    let n_items = cursor.n_items()?;
    let mut items = Vec::new();
    for _ in 0..n_items {
        items.push(take(cursor)?);
    }
    Ok(items)
}

fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_varint(out, texts.len() as u64);
    texts.iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

fn take_texts(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Malformed> {
    take_list(cursor, |cursor| Ok(cursor.text()?.to_owned()))
}

fn put_event(out: &mut Vec<u8>, event: EventId) {
    put_varint(out, u64::from(event.action.0));
    put_varint(out, event.count);
}

fn take_event(cursor: &mut Cursor<'_>) -> Result<EventId, Malformed> {
    Ok(EventId { action: ActionId(cursor.id()?), count: cursor.varint()? })
}

fn put_events(out: &mut Vec<u8>, events: &[EventId]) {
    put_varint(out, events.len() as u64);
    events.iter().for_each(|event| put_event(out, *event));
}

fn put_option(out: &mut Vec<u8>, event: Option<EventId>) {
    put_signed(out, event.map_or(-1, |event| i64::from(event.action.0)));
    if let Some(event) = event {
        put_varint(out, event.count);
    }
}

fn take_option(cursor: &mut Cursor<'_>) -> Result<Option<EventId>, Malformed> {
    let action = cursor.signed()?;
    if action == -1 {
        return Ok(None);
    }
    let action = u32::try_from(action).map_err(|_| Malformed("an id has more than 32 bits"))?;
    Ok(Some(EventId { action: ActionId(action), count: cursor.varint()? }))
}

fn take_flag(cursor: &mut Cursor<'_>) -> Result<bool, Malformed> {
    match cursor.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed("a flag is neither 0 nor 1")),
    }
}
