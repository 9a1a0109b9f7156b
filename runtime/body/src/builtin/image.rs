//! Images: PNG, PGM and PPM. An image is a matrix with a row for each line of pixels and entries from
//! 0 (black) to 1 (white); in color it is an array of three, red, green and blue.
//!
//! Colors become gray by `0.2126 r + 0.7152 g + 0.0722 b` of the stored numbers (the weights of ITU-R
//! BT.709); transparency is not looked at. Images are written with 8 bits: `round(255 * x)`, x first
//! brought within 0..=1.

use std::io::Cursor;

use rhai::{Array, Blob, Dynamic, Engine};

use self::pixels::Pixels;
use super::effect::bytes_from;
use super::files::{bytes_of, write_file};
use super::limits::{Outcome, failure, room_for_bytes};
use super::matrix::{matrix_of, zero_entries};
use super::registry::Common;
use super::table::named;
use crate::convert::MatrixValue;
use crate::effects::SharedContext;

/// Reading the formats.
mod pixels;

/// An image in colors of 8 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row after row: `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

/// Decodes the bytes of a PNG, PGM or PPM image; `None` where they are none of these, are damaged, or have more than
/// `most_pixels` pixels. Transparency is ignored.
pub fn decoded_image(bytes: &[u8], most_pixels: usize) -> Option<Image> {
    let pixels = Pixels::decode(bytes).ok()?;
    let (width, height) = (pixels.width, pixels.height);
    let n_pixels = width.checked_mul(height).filter(|n_pixels| *n_pixels <= most_pixels)?;
    let mut rgb = Vec::with_capacity(3 * n_pixels);
    let mut pixel = [0.0; 4];
    for pixel_idx in 0..n_pixels {
        let n_channels = pixels.read(pixel_idx, &mut pixel);
        let color = |channel: usize| pixel[if n_channels < 3 { 0 } else { channel }];
        rgb.extend((0..3).map(|channel| (color(channel) * 255.0).round() as u8));
    }
    Some(Image { width, height, rgb })
}

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("decode_image", |bytes: Blob| gray(&Pixels::decode(&bytes)?))
        .register_fn("decode_image_rgb", |bytes: Blob| colors(&Pixels::decode(&bytes)?))
        .register_fn("encode_png", |gray: MatrixValue| png_of(&[&gray]))
        .register_fn("encode_png", |red: MatrixValue, green: MatrixValue, blue: MatrixValue| {
            png_of(&[&red, &green, &blue])
        })
        .register_fn("encode_pgm", |gray: MatrixValue| pgm_of(&gray));
}

/// Registers those that ask the world outside.
pub(super) fn register_effects(engine: &mut Engine, context: &SharedContext) {
    let (grays, in_color) = (context.clone(), context.clone());
    engine
        .register_fn("read_image", move |path: &str| {
            gray(&of_file(&grays, path)?).map_err(|error| named(path, *error))
        })
        .register_fn("read_image_rgb", move |path: &str| {
            colors(&of_file(&in_color, path)?).map_err(|error| named(path, *error))
        });
    let (grays, in_color, portable) = (context.clone(), context.clone(), context.clone());
    engine
        .register_fn("write_png", move |path: &str, gray: MatrixValue| {
            write_file(&grays, path, || png_of(&[&gray]))
        })
        .register_fn(
            "write_png",
            move |path: &str, red: MatrixValue, green: MatrixValue, blue: MatrixValue| {
                write_file(&in_color, path, || png_of(&[&red, &green, &blue]))
            },
        )
        .register_fn("write_pgm", move |path: &str, gray: MatrixValue| {
            write_file(&portable, path, || pgm_of(&gray))
        });
}

fn of_file(context: &SharedContext, path: &str) -> Outcome<Pixels> {
    let bytes = bytes_from(context, |context| bytes_of(context, path))?;
    Pixels::decode(&bytes).map_err(|error| named(path, *error))
}

/// An image as one matrix.
fn gray(pixels: &Pixels) -> Outcome<MatrixValue> {
    const WEIGHTS: [f64; 3] = [0.2126, 0.7152, 0.0722];
    if pixels.n_channels < 3 {
        return channel(pixels, |pixel| pixel[0]);
    }
    channel(pixels, |pixel| {
        // Gray stays exactly what it is.
        if pixel[0] == pixel[1] && pixel[1] == pixel[2] {
            return pixel[0];
        }
        pixel.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum()
    })
}

/// An image as `[red, green, blue]`.
fn colors(pixels: &Pixels) -> Outcome<Array> {
    let place = |color: usize| if pixels.n_channels < 3 { 0 } else { color };
    (0..3).map(|color| channel(pixels, |pixel| pixel[place(color)]).map(Dynamic::from)).collect()
}

/// One number of each pixel as a matrix.
fn channel(pixels: &Pixels, number: impl Fn(&[f64]) -> f64) -> Outcome<MatrixValue> {
    let (height, width) = (pixels.height, pixels.width);
    let mut entries = zero_entries(height, width)?;
    let mut pixel = [0.0; 4];
    for row in 0..height {
        for col in 0..width {
            let n_channels = pixels.read(row * width + col, &mut pixel);
            entries[col * height + row] = number(&pixel[..n_channels]);
        }
    }
    matrix_of(height, width, entries)
}

/// The 8-bit samples of an image of one or three matrices. Errors: there is no pixel; sizes differ; an
/// entry is not a number.
fn samples(channels: &[&MatrixValue]) -> Outcome<(usize, usize, Vec<u8>)> {
    let (height, width) = (channels[0].0.n_rows(), channels[0].0.n_cols());
    for other in &channels[1..] {
        let (n_rows, n_cols) = (other.0.n_rows(), other.0.n_cols());
        if (n_rows, n_cols) != (height, width) {
            return Err(failure(format!(
                "the colors of an image differ in size: {height} x {width} and {n_rows} x {n_cols}"
            )));
        }
    }
    if height == 0 || width == 0 {
        return Err(failure(format!("an image of {height} x {width} pixels has none")));
    }
    room_for_bytes(2 * height * width * channels.len())?;
    let mut samples = Vec::with_capacity(height * width * channels.len());
    for row in 0..height {
        for col in 0..width {
            for channel in channels {
                let entry = channel.0.entries()[col * height + row];
                if entry.is_nan() {
                    return Err(failure(format!("pixel ({row}, {col}) is not a number")));
                }
                samples.push((entry.clamp(0.0, 1.0) * 255.0).round() as u8);
            }
        }
    }
    Ok((height, width, samples))
}

fn png_of(channels: &[&MatrixValue]) -> Outcome<Blob> {
    let (height, width, samples) = samples(channels)?;
    let side = |pixels: usize| {
        u32::try_from(pixels).map_err(|_| failure(format!("a PNG cannot have a side of {pixels} pixels")))
    };
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = png::Encoder::new(&mut bytes, side(width)?, side(height)?);
    encoder.set_color(if channels.len() == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&samples)?;
        writer.finish()
    });
    written.map_err(|error| failure(format!("the PNG cannot be made: {error}")))?;
    Ok(bytes.into_inner())
}

fn pgm_of(gray: &MatrixValue) -> Outcome<Blob> {
    let (height, width, samples) = samples(&[gray])?;
    let mut bytes = format!("P5\n{width} {height}\n255\n").into_bytes();
    bytes.extend_from_slice(&samples);
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};

    #[test]
    fn images_go_there_and_back() {
        check(
            "let m = matrix([[0, 1], [0.2, 0.8], [2, -1]]); let d = decode_image(encode_png(m)); to_rows(d)",
            "[[0.0, 1.0], [0.2, 0.8], [1.0, 0.0]]",
        );
        check(
            "let m = matrix([[0, 1, 0.2]]); decode_image(encode_pgm(m)) == decode_image(encode_png(m))",
            "true",
        );
        check(
            "let r = matrix(1, 2, 1); let z = matrix(1, 2); let d = decode_image_rgb(encode_png(r, z, z)); [d[0] == r, d[1] == z, d[2] == z]",
            "[true, true, true]",
        );
        check(
            "let r = matrix(1, 1, 1); let z = matrix(1, 1); decode_image(encode_png(r, z, z)).get(0, 0)",
            "0.2126",
        );
        check("let d = decode_image_rgb(encode_pgm(matrix(1, 1, 1))); d[0] == d[2]", "true");
    }

    #[test]
    fn portable_maps_are_read() {
        check(
            "to_rows(decode_image(\"P2 # a comment\\n3 1\\n4\\n0 1 4\\n\".to_blob()))",
            "[[0.0, 0.25, 1.0]]",
        );
        check("to_rows(decode_image_rgb(\"P3\\n1 1\\n255\\n255 0 51\\n\".to_blob())[2])", "[[0.2]]");
        check(
            "let b = \"P5 1 1 65535\\n\".to_blob(); b.push(255); b.push(255); to_rows(decode_image(b))",
            "[[1.0]]",
        );
        for (text, expected) in [
            ("P9", "neither a PNG nor a PGM or PPM"),
            ("", "neither a PNG"),
            ("P2 2", "the height is missing"),
            ("P2 2 x 255", "the height is missing"),
            ("P2 2 1 0 1 1", "the greatest value is 0, which is not within 1..=65535"),
            ("P2 2 1 255 1", "2 numbers are announced, 1 follow"),
            ("P2 2 1 255 1 256", "a value of 256, beyond 255"),
            ("P5 2 1 255 ", "2 bytes are announced, 0 follow"),
            ("P2 0 1 255 ", "an image of 1 x 0 pixels"),
            ("P5 4000000000 4000000000 255 ", "the image is too large"),
        ] {
            check_error(&format!("decode_image(\"{text}\".to_blob())"), expected);
        }
        check_error("let b = encode_png(matrix(9, 9)); b.truncate(60); decode_image(b)", "not a sound PNG");
    }

    #[test]
    fn what_is_no_image_is_refused() {
        check_error("encode_png(matrix(0, 3))", "an image of 0 x 3 pixels has none");
        check_error("encode_pgm(matrix([[0.0 / 0.0]]))", "pixel (0, 0) is not a number");
        check_error(
            "encode_png(matrix(1, 1), matrix(1, 1), matrix(1, 2))",
            "differ in size: 1 x 1 and 1 x 2",
        );
    }

    #[test]
    fn files_hold_images() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, _) = engine_in(folder.path());
        let script = r#"
            let m = matrix([[0, 1]]);
            write_png("a.png", m); write_pgm("a.pgm", m); write_png("c.png", m, m, m); write_text("x.png", "x");
            read_image("a.png") == m && read_image("a.pgm") == m && read_image_rgb("c.png")[1] == m"#;
        assert!(engine.eval::<bool>(script).unwrap());
        let message = engine.eval::<rhai::Dynamic>("read_image(\"x.png\")").unwrap_err().to_string();
        assert!(message.contains("`x.png`: neither a PNG"), "{message}");
    }
}
