//! The picture of the graph, from the editor to the window and back.

/// Badges of wires.
mod badges;
/// Colors.
mod colors;
/// The picture in words.
mod description;
/// Dots.
mod dots;
/// What is seen from far away.
mod far;
/// Rows of lists.
mod items;
/// The lists of the picture.
mod rows;
/// Samples for the legend.
pub(crate) mod sample;
/// Pictures that are saved.
mod saved;
/// Pictures as pixels.
mod sheet;
/// Dots and badges that can be clicked.
mod spots;
/// Pictures as SVG.
mod svg;

pub(crate) use items::MINIMAP;
pub(crate) use rows::CanvasRows;
pub(crate) use saved::WholePicture;
pub(crate) use sheet::PaneSheet;
pub(crate) use spots::Spot;

/// Height of the states of instances below a box, in pixels.
pub(crate) const STATE_ROOM: f64 = 32.0;
