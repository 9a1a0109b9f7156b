//! What a picture is drawn on.

use super::super::overlay::Overlay;
use super::super::pixels::{Palette, Pixels, Text, Theme};
use super::Chart;

/// A picture under way.
pub(super) struct Canvas<'c> {
    pub(super) chart: &'c Chart,
    pub(super) overlay: &'c Overlay,
    pub(super) theme: Theme,
    pub(super) palette: Palette,
    pub(super) pixels: Pixels,
    pub(super) texts: Vec<Text>,
}
