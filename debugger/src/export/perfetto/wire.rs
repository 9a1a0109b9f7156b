//! The few messages of Perfetto's trace format that an export needs, as bytes.
//!
//! Field numbers are those of `perfetto_trace.proto` (`Trace`, `TracePacket`, `TrackDescriptor`, `TrackEvent`,
//! `DebugAnnotation`); the encoding is that of Protocol Buffers: a tag, then a variable-length integer, eight bytes, or a
//! length and so many bytes.

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
    Text(&'a str),
    Texts(&'a [String]),
}

/// The process of all tracks.
pub(super) const PROCESS: u64 = 1;
/// Children are placed by their rank.
const EXPLICIT: u64 = 3;
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;

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

/// Adds the two packets of an event.
pub(super) fn put_slice(out: &mut Vec<u8>, slice: &Slice<'_>) {
    put_packet(out, Some(slice.start), |packet| {
        nested(packet, 11, |event| {
            uint(event, 9, SLICE_BEGIN);
            uint(event, 11, slice.track);
            text(event, 22, "hasse");
            text(event, 23, slice.name);
            for (name, value) in slice.args {
                nested(event, 4, |annotation| {
                    text(annotation, 10, name);
                    put_value(annotation, value);
                });
            }
            slice.leaving.clone().for_each(|id| fixed(event, 47, id));
            slice.arriving.iter().for_each(|&id| fixed(event, 48, id));
        });
    });
    put_packet(out, Some(slice.end), |packet| {
        nested(packet, 11, |event| {
            uint(event, 9, SLICE_END);
            uint(event, 11, slice.track);
        });
    });
}

fn put_value(annotation: &mut Vec<u8>, value: &Arg<'_>) {
    match value {
        Arg::Uint(number) => uint(annotation, 3, *number),
        // Negative numbers take ten bytes: the field is not zigzag-coded.
        Arg::Int(number) => uint(annotation, 4, number.cast_unsigned()),
        Arg::Text(value) => text(annotation, 6, value),
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
