//! Views of a record: event history, elaborated graph and time-line, linked by one selection, and played back.
//!
//! A [`Record`] is loaded in the background and is plain data from then on; all views are pictures of it. They
//! draw [`Pixels`] with level of detail, so that a frame costs what the picture has pixels and not what the
//! record has events, and tell texts apart. What is to be seen on the program's own picture is told as
//! [`Marks`](crate::marks::Marks). Nothing here knows a window, and time is passed in.
//!
//! [`Record`]: crate::views::record::Record
//! [`Pixels`]: crate::views::pixels::Pixels

/// Events in lanes: the event history and the time-line.
pub mod chart;
/// Rules and arcs that a record used.
pub mod coverage;
/// The elaborated graph.
pub mod elaborated;
/// What checks and races found.
pub mod findings;
/// Sorted lists of what is in lanes.
pub mod lanes;
/// Models of expected behavior.
pub mod models;
/// What is shown beside the record.
pub mod overlay;
/// Pictures as pixels.
pub mod pixels;
/// Playback.
pub mod player;
/// The elaborated graph before a run.
pub mod preview;
/// Cards with values on the program's picture.
pub mod probes;
/// The program of a record.
pub mod program;
/// A record in compact arrays.
pub mod record;
/// Chosen instances alone.
pub mod restrict;
/// Searching events.
pub mod search;
/// The selection.
pub mod select;
/// The linked views together.
pub mod state;
/// Tables of texts.
mod table;
/// Work in the background.
pub mod task;
/// Small pictures of programs.
pub mod thumbnail;
/// The clock and figures.
pub mod timeline;
/// One value: tables, plots, heat maps, images.
pub mod value;
/// Values of events, and the state of any moment.
pub mod values;
