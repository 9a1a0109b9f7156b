//! What is behind the editor's window: the program as it is being edited.
//!
//! A [`Document`](document::Document) holds a program's text and how it came to be; the functions of [`edit`] change
//! it as a person with a mouse does. This crate knows no window yet; programs are written as text and debugged from
//! the command line.

/// The program's text, and undoing.
pub mod document;
/// What is drawn of a graph and where.
pub mod drawing;
/// Changes of a program by what a person does to its picture.
pub mod edit;
