//! What is behind the editor's window: the program as it is being edited.
//!
//! A [`Document`](document::Document) holds a program's text and how it came to be; the functions of [`edit`] and
//! [`forms`] change it as a person with a mouse does. What is wrong with it ([`problems`], compiled beside the window by a
//! [`checker`]) and what is found in it ([`find`]) is told as a [`target`]: a graph, a node, an arc, a line of a body;
//! [`places`] leads from there to the file and back. [`complete`], [`palette`] and [`highlight`] help while it is
//! written, and [`files`] keeps it. [`drawing`] says what is seen of a graph and where, [`state`] turns what a mouse and
//! keys do into edits, [`panels`] are what stands around the picture, [`run`] steers a debug session and [`views`] show
//! its record. All of it is plain data: the toolkit is in the packages `hasse-ui` and `hasse-window` alone, and `hasse edit`
//! opens the window.

/// Paths of instances through calls.
pub mod calls;
/// Compiling beside the window.
pub mod checker;
/// The program next to another version.
pub mod comparison;
/// What can be typed at a cursor.
pub mod complete;
/// The program's text, and undoing.
pub mod document;
/// What is drawn of a graph and where.
pub mod drawing;
/// Changes of a program by what a person does to its picture.
pub mod edit;
/// Program files on the disk.
pub mod files;
/// Finding text in the program.
pub mod find;
/// Edits that hints ask for.
pub mod fixes;
/// The fields of nodes and graphs.
pub mod forms;
/// Programs and graphs that the editor carries with it.
pub mod gallery;
/// What the pieces of a text are, for coloring.
pub mod highlight;
/// Keys of commands.
pub mod keymap;
/// Words and signs.
mod lex;
/// What runs, records and findings show on the picture of a graph.
pub mod marks;
/// The names that texts can use.
pub mod names;
/// What can be put into a graph.
pub mod palette;
/// What the panels beside the picture show.
pub mod panels;
/// Where drawn things stand in the file.
pub mod places;
/// The ports that nodes have.
mod ports;
/// What is wrong with the program, at what is drawn.
pub mod problems;
/// Running and debugging on the picture.
pub mod run;
/// What bodies in Rust bind and name.
mod rust_text;
/// The editor of one program, without a window.
pub mod state;
/// What a place in the file is in the picture.
pub mod target;
/// The tour that draws a first program.
pub mod tour;
/// Views of a record, linked by one selection.
pub mod views;
