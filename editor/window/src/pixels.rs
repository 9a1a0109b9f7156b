//! Pictures and texts that views have drawn, as the toolkit has them.

use hasse_editor::views::pixels::{Pixels, Text};
use hasse_ui::TextItem;
use slint::{Color, Image, Rgba8Pixel, SharedPixelBuffer};

pub(crate) fn picture(pixels: &Pixels) -> Image {
    let (width, height) = (pixels.width as u32, pixels.height as u32);
    if width == 0 || height == 0 {
        return Image::default();
    }
    Image::from_rgba8(SharedPixelBuffer::<Rgba8Pixel>::clone_from_slice(&pixels.data, width, height))
}

pub(crate) fn text_item(text: &Text) -> TextItem {
    let [red, green, blue, alpha] = text.color;
    TextItem {
        x: text.x,
        y: text.y - text.size * 0.65,
        width: text.width,
        text: (&text.string).into(),
        color: Color::from_argb_u8(alpha, red, green, blue),
        size: text.size,
        align: -1,
    }
}
