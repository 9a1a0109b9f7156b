//! What is drawn of a graph and where, as plain data: a window shows it, but none is needed here.
//!
//! A [`Scene`](crate::drawing::scene::Scene) is made from the outline of a graph and its layout in the file. A
//! [`View`] says what part of it a canvas shows, a [`SpatialIndex`] what is under the
//! mouse and what is to be drawn at all. Nothing here changes a program: what a person does ends in the functions of
//! [`edit`](crate::edit).
//!
//! [`View`]: crate::drawing::view::View
//! [`SpatialIndex`]: crate::drawing::index::SpatialIndex

/// On the grid, aligned, distributed.
pub mod arrange;
/// Colors and shapes of types.
pub mod color;
/// Which ports may be connected.
pub mod connect;
/// Curves of links.
mod course;
/// Points, rectangles, curves.
pub mod geometry;
/// What is under a point or in a rectangle.
pub mod hit;
/// Finding what is near, fast.
pub mod index;
/// Sizes of texts and boxes.
pub mod measure;
/// The whole picture, small.
pub mod minimap;
/// Ways of links around boxes.
mod router;
/// Boxes, ports and links with their places.
pub mod scene;
/// Automatic layout.
pub mod tidy;
/// Pan and zoom.
pub mod view;
/// Ways of plain lines between boxes.
pub mod wiring;
