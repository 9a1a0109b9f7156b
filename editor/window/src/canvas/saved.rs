//! Pictures of graphs as files: SVG for what is printed and scaled, PNG for everything else.

use std::path::Path;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::files::{FileError, save, save_bytes};
use hasse_editor::state::picture::Picture;
use slint::{PlatformError, Rgba8Pixel, SharedPixelBuffer};

use super::sheet::Sheet;
use super::svg::{Colors, write};

/// Pixels of a PNG for a pixel of the window.
const SCALE: f64 = 2.0;
/// Longest side of a PNG, in pixels: the renderer counts them in 16 bits.
const MAX_SIDE: f64 = 16_000.0;
/// Most pixels of a PNG.
const MAX_PIXELS: f64 = 64e6;

/// Why a picture was not saved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The toolkit cannot draw it.
    #[error("cannot draw the picture: {0}")]
    Platform(#[from] PlatformError),
    /// The pixels cannot be encoded.
    #[error("cannot encode the picture: {0}")]
    Png(#[from] png::EncodingError),
}

/// A picture of all of a graph, to be saved.
pub(crate) struct WholePicture {
    /// The picture, in pixels of the window.
    pub(crate) picture: Picture,
    /// Width and height.
    pub(crate) size: Point,
    /// Heading for whoever reads the file with a screen reader.
    pub(crate) title: String,
    /// True for dark colors.
    pub(crate) is_dark: bool,
}

impl WholePicture {
    /// Writes the file as a whole, in the form that its ending names. Returns pixels of the file for a pixel of the window, where it
    /// has pixels.
    ///
    /// # Errors
    /// The picture cannot be drawn, or the file not be written.
    pub(crate) fn save(&self, path: &Path) -> Result<Option<f64>, PictureError> {
        if path.extension().is_some_and(|ending| ending == "png") {
            let scale = scale(self.size);
            save_bytes(path, &encoded(&Sheet::new()?.draw(&self.picture, self.size, scale, self.is_dark)?)?)?;
            return Ok(Some(scale));
        }
        let sheet = Sheet::new()?;
        let colors = Colors::of(&sheet.theme(self.is_dark));
        save(path, &write(&self.picture, self.size, &colors, self.is_dark, &self.title))?;
        Ok(None)
    }
}

/// Returns pixels of the file for a pixel of the window: fewer than usual where the picture would be too large.
fn scale(size: Point) -> f64 {
    let longest = size.x.max(size.y).max(1.0);
    let area = (size.x * size.y).max(1.0);
    SCALE.min(MAX_SIDE / longest).min((MAX_PIXELS / area).sqrt())
}

fn encoded(pixels: &SharedPixelBuffer<Rgba8Pixel>) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_bytes())?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_picture_gets_fewer_pixels() {
        assert_eq!(scale(Point::new(800.0, 600.0)), 2.0);
        assert_eq!(scale(Point::new(16_000.0, 100.0)), 1.0);
        let scale = scale(Point::new(16_000.0, 16_000.0));
        assert!((16_000.0 * scale).powi(2) <= MAX_PIXELS + 1.0, "{scale}");
    }
}
