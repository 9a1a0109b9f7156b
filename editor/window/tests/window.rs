//! The window, driven by mouse and keyboard through the toolkit's testing backend.
//!
//! One program of tests: the toolkit takes long to link.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

/// A window, a mouse and a keyboard.
mod common;

/// Roles, labels, looks.
#[path = "window/access.rs"]
mod access;
/// The first minutes.
#[path = "window/beginning.rs"]
mod beginning;
/// The text editor for bodies.
#[path = "window/body.rs"]
mod body;
/// Boxes and the clipboard.
#[path = "window/boxes.rs"]
mod boxes;
/// Another version of the program next to it.
#[path = "window/compare.rs"]
mod compare;
/// Rules and arcs that were never used.
#[path = "window/coverage.rs"]
mod coverage;
/// Files and questions about them.
#[path = "window/files.rs"]
mod files;
/// Where keys go.
#[path = "window/focus.rs"]
mod focus;
/// The inspector.
#[path = "window/form.rs"]
mod form;
/// Graphs, notes, and ways between graphs.
#[path = "window/graphs.rs"]
mod graphs;
/// Keys of the user's file.
#[path = "window/keys.rs"]
mod keys;
/// Another program in place of the one that was run.
#[path = "window/leaving.rs"]
mod leaving;
/// Breakpoints at lines, tables and queues.
#[path = "window/lines.rs"]
mod lines;
/// Records that grow, and those of files.
#[path = "window/live.rs"]
mod live;
/// Menus, the palette of commands, and what there is to read.
#[path = "window/menus.rs"]
mod menus;
/// Models of expected behavior.
#[path = "window/models.rs"]
mod models;
/// The options form.
#[path = "window/options.rs"]
mod options;
/// Outcomes and results of runs.
#[path = "window/outcome.rs"]
mod outcome;
/// Open graphs and the window of one panel.
#[path = "window/panes.rs"]
mod panes;
/// Pictures that are saved.
#[path = "window/pictures.rs"]
mod pictures;
/// The player below the picture.
#[path = "window/player.rs"]
mod player;
/// Debugging where one points.
#[path = "window/pointing.rs"]
mod pointing;
/// The elaborated graph before a run.
#[path = "window/previews.rs"]
mod previews;
/// Running and debugging.
#[path = "window/running.rs"]
mod running;
/// Searching the history.
#[path = "window/searching.rs"]
mod searching;
/// What is seen of the picture.
#[path = "window/sight.rs"]
mod sight;
/// Panels in half of the room.
#[path = "window/split.rs"]
mod split;
/// Stops of runs, and runs that do not begin.
#[path = "window/stops.rs"]
mod stops;
/// Values of events.
#[path = "window/values.rs"]
mod values;
/// Records.
#[path = "window/views.rs"]
mod views;
/// Wires.
#[path = "window/wires.rs"]
mod wires;
