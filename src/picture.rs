//! Pictures of programs: what is drawn, where it stands, and the three forms in which it is written.
//!
//! A [`scene`](scene::Scene) has boxes and links with their texts. DOT and Mermaid leave the layout to
//! who shows them; for SVG it is made here.

/// DOT, the language of Graphviz.
pub(crate) mod dot;
/// Mermaid, which READMEs show.
pub(crate) mod mermaid;
/// What is drawn.
pub(crate) mod scene;
/// SVG.
pub(crate) mod svg;

/// Positions by layers of what is large.
mod large;
/// Positions by layers.
mod layered;
/// Where boxes, links and texts stand.
mod placed;
/// Positions from the file.
mod positioned;
