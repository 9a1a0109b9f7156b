//! The few messages of Perfetto's trace format that an export needs, as bytes.
//!
//! Field numbers are those of `perfetto_trace.proto` (`Trace`, `TracePacket`, `TrackDescriptor`, `TrackEvent`,
//! `DebugAnnotation`, `InternedData`); the encoding is that of Protocol Buffers: a tag, then a variable-length integer, eight bytes, or a
//! length and so many bytes.

use rustc_hash::FxHashMap;

/// What a packet is about.
pub(super) enum Track<'a> {
    /// A process, the root of all tracks.
    Process { name: &'a str },
    /// A thread of it.
    Thread { tid: u64, name: &'a str },
    /// A track below another, placed by rank among its siblings.
    Named { parent: u64, rank: u64, name: &'a str },
}

/// A value of an argument.
pub(super) enum Arg<'a> {
    Int(i64),
    Uint(u64),
    /// A text that other events may have as well.
    Text(&'a str),
    /// A text of this event alone.
    Unique(&'a str),
    Texts(&'a [String]),
}

/// The process of all tracks.
pub(super) const PROCESS: u64 = 1;
/// Children are placed by their rank.
const EXPLICIT: u64 = 3;
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
/// Flags of a packet: numbers of strings begin anew with it; it names strings by numbers.
const BEGINS_DICTIONARY: u64 = 1;
const USES_DICTIONARY: u64 = 2;

/// Adds a packet that announces a track.
pub(super) fn put_track(out: &mut Vec<u8>, uuid: u64, track: &Track<'_>) {
    put_packet(out, None, |packet| {
        nested(packet, 60, |descriptor| {
            uint(descriptor, 1, uuid);
            match track {
                Track::Process { name } => {
                    nested(descriptor, 3, |process| {
                        uint(process, 1, 1);
                        text(process, 6, name);
                    });
                    uint(descriptor, 11, EXPLICIT);
                }
                Track::Thread { tid, name } => nested(descriptor, 4, |thread| {
                    uint(thread, 1, 1);
                    uint(thread, 2, *tid);
                    text(thread, 5, name);
                }),
                Track::Named { parent, rank, name } => {
                    text(descriptor, 2, name);
                    uint(descriptor, 5, *parent);
                    uint(descriptor, 11, EXPLICIT);
                    uint(descriptor, 12, *rank);
                }
            }
        });
    });
}

/// An event on a track.
pub(super) struct Slice<'a> {
    pub(super) track: u64,
    pub(super) name: &'a str,
    pub(super) start: u64,
    pub(super) end: u64,
    /// Ids of the arrows that leave it.
    pub(super) leaving: std::ops::Range<u64>,
    /// Ids of the arrows that arrive.
    pub(super) arriving: &'a [u64],
    pub(super) args: &'a [(&'a str, Arg<'a>)],
}

/// Strings that packets name by numbers: each is written once, in the packet that is the first to name it.
///
/// Memory: each of the strings once.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    has_begun: bool,
    categories: Words,
    names: Words,
    arg_names: Words,
    values: Words,
}

/// The numbers of strings, from 1; 0 for one that has come once and was written in full.
#[derive(Debug, Default)]
struct Words {
    number_of: FxHashMap<Box<str>, u64>,
    n_numbers: u64,
}

impl Words {
    /// The number of a string. Adds the string to `defined`, a message `InternedData`, where the number is new.
    fn number(&mut self, word: &str, field: u64, defined: &mut Vec<u8>) -> u64 {
        match self.number_of.get(word) {
            Some(&number) if number > 0 => number,
            _ => self.define(word, field, defined),
        }
    }

    /// The same, but `None` for a string that comes for the first time: many come no second time.
    fn number_of_frequent(&mut self, word: &str, field: u64, defined: &mut Vec<u8>) -> Option<u64> {
        match self.number_of.get(word) {
            None => {
                self.number_of.insert(word.into(), 0);
                None
            }
            Some(0) => Some(self.define(word, field, defined)),
            Some(&number) => Some(number),
        }
    }

    fn define(&mut self, word: &str, field: u64, defined: &mut Vec<u8>) -> u64 {
        self.n_numbers += 1;
        let number = self.n_numbers;
        self.number_of.insert(word.into(), number);
        nested(defined, field, |entry| {
            uint(entry, 1, number);
            text(entry, 2, word);
        });
        number
    }
}

/// Adds the two packets of an event.
pub(super) fn put_slice(out: &mut Vec<u8>, dictionary: &mut Dictionary, slice: &Slice<'_>) {
    put_packet(out, Some(slice.start), |packet| {
        let flags = if dictionary.has_begun { USES_DICTIONARY } else { BEGINS_DICTIONARY | USES_DICTIONARY };
        dictionary.has_begun = true;
        uint(packet, 13, flags);
        let mut defined = Vec::new();
        nested(packet, 11, |event| {
            uint(event, 9, SLICE_BEGIN);
            uint(event, 11, slice.track);
            uint(event, 3, dictionary.categories.number("hasse", 1, &mut defined));
            uint(event, 10, dictionary.names.number(slice.name, 2, &mut defined));
            for (name, value) in slice.args {
                nested(event, 4, |annotation| {
                    uint(annotation, 1, dictionary.arg_names.number(name, 3, &mut defined));
                    put_value(annotation, value, &mut dictionary.values, &mut defined);
                });
            }
            slice.leaving.clone().for_each(|id| fixed(event, 47, id));
            slice.arriving.iter().for_each(|&id| fixed(event, 48, id));
        });
        if !defined.is_empty() {
            bytes(packet, 12, &defined);
        }
    });
    put_packet(out, Some(slice.end), |packet| {
        nested(packet, 11, |event| {
            uint(event, 9, SLICE_END);
            uint(event, 11, slice.track);
        });
    });
}

fn put_value(annotation: &mut Vec<u8>, value: &Arg<'_>, values: &mut Words, defined: &mut Vec<u8>) {
    match value {
        Arg::Uint(number) => uint(annotation, 3, *number),
        // Negative numbers take ten bytes: the field is not zigzag-coded.
        Arg::Int(number) => uint(annotation, 4, number.cast_unsigned()),
        Arg::Unique(value) => text(annotation, 6, value),
        Arg::Text(value) => match values.number_of_frequent(value, 29, defined) {
            Some(number) => uint(annotation, 17, number),
            None => text(annotation, 6, value),
        },
        Arg::Texts(items) => {
            items.iter().for_each(|item| nested(annotation, 12, |entry| text(entry, 6, item)))
        }
    }
}

/// A packet of the one sequence that the export is.
fn put_packet(out: &mut Vec<u8>, timestamp: Option<u64>, fill: impl FnOnce(&mut Vec<u8>)) {
    nested(out, 1, |packet| {
        if let Some(timestamp) = timestamp {
            uint(packet, 8, timestamp);
        }
        uint(packet, 10, 1);
        fill(packet);
    });
}

fn nested(out: &mut Vec<u8>, field: u64, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut inner = Vec::new();
    fill(&mut inner);
    bytes(out, field, &inner);
}

fn text(out: &mut Vec<u8>, field: u64, value: &str) {
    bytes(out, field, value.as_bytes());
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn fixed(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

fn uint(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}
