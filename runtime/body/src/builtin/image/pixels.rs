//! Reading PNG, PGM and PPM into samples, whatever the file's depth.

use std::io::Cursor;

use super::super::limits::{MOST_ENTRIES, Outcome, failure, room_for_bytes};

/// The samples of an image, row after row, the channels of a pixel together.
#[derive(Debug)]
pub(super) struct Pixels {
    /// Rows.
    pub(super) height: usize,
    /// Columns.
    pub(super) width: usize,
    /// Samples for each pixel: 1 gray, 2 gray with transparency, 3 colors, 4 with transparency.
    pub(super) n_channels: usize,
    samples: Vec<u16>,
    /// The sample that stands for 1.
    most: u16,
}

impl Pixels {
    /// The image of a file's bytes.
    ///
    /// # Errors
    /// It is in no known format, broken, or too large.
    pub(super) fn decode(bytes: &[u8]) -> Outcome<Pixels> {
        match bytes {
            [b'P', kind @ (b'2' | b'3' | b'5' | b'6'), rest @ ..] => portable(*kind, rest).map_err(failure),
            [0x89, b'P', b'N', b'G', ..] => png(bytes),
            _ => Err(failure("neither a PNG nor a PGM or PPM image")),
        }
        .and_then(|pixels| if pixels.samples.is_empty() { Err(empty(&pixels)) } else { Ok(pixels) })
    }

    /// Writes the numbers of a pixel, 0 to 1; returns how many channels it has.
    pub(super) fn read(&self, pixel_idx: usize, pixel: &mut [f64; 4]) -> usize {
        let samples = &self.samples[pixel_idx * self.n_channels..][..self.n_channels];
        for (number, sample) in pixel.iter_mut().zip(samples) {
            *number = f64::from(*sample) / f64::from(self.most);
        }
        // What makes a pixel transparent is not looked at.
        match self.n_channels {
            2 => 1,
            4 => 3,
            n_channels => n_channels,
        }
    }
}

fn empty(pixels: &Pixels) -> Box<rhai::EvalAltResult> {
    failure(format!("an image of {} x {} pixels", pixels.height, pixels.width))
}

fn png(bytes: &[u8]) -> Outcome<Pixels> {
    let unsound = |error: png::DecodingError| failure(format!("not a sound PNG: {error}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(unsound)?;
    let n_bytes = reader.output_buffer_size().filter(|n_bytes| *n_bytes <= MOST_ENTRIES);
    let n_bytes = n_bytes.ok_or_else(|| failure("the image is too large"))?;
    room_for_bytes(3 * n_bytes)?;
    let mut buffer = vec![0; n_bytes];
    let frame = reader.next_frame(&mut buffer).map_err(unsound)?;
    buffer.truncate(frame.buffer_size());
    let (samples, most) = match frame.bit_depth {
        png::BitDepth::Sixteen => {
            (buffer.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(), u16::MAX)
        }
        _ => (buffer.into_iter().map(u16::from).collect(), u16::from(u8::MAX)),
    };
    let (height, width) = (frame.height as usize, frame.width as usize);
    Ok(Pixels { height, width, n_channels: frame.color_type.samples(), samples, most })
}

/// A portable gray map (P2 as text, P5 as bytes) or pixel map (P3, P6), behind its first two bytes.
/// Format: the Netpbm manual, "pgm" and "ppm".
fn portable(kind: u8, rest: &[u8]) -> Result<Pixels, String> {
    let mut text = Text { rest };
    let width = text.number().ok_or("the width is missing")?;
    let height = text.number().ok_or("the height is missing")?;
    let most = text.number().ok_or("the greatest value is missing")?;
    let most = u16::try_from(most)
        .ok()
        .filter(|most| *most > 0)
        .ok_or_else(|| format!("the greatest value is {most}, which is not within 1..=65535"))?;
    let n_channels = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let n_samples = width.saturating_mul(height).saturating_mul(n_channels);
    if n_samples > MOST_ENTRIES {
        return Err("the image is too large".to_owned());
    }
    // No room is made for more than the file can hold.
    let mut samples = Vec::with_capacity(n_samples.min(rest.len()));
    if matches!(kind, b'2' | b'3') {
        while samples.len() < n_samples
            && let Some(number) = text.number()
        {
            samples.push(sample(number, most)?);
        }
        if samples.len() < n_samples {
            return Err(format!("{n_samples} numbers are announced, {} follow", samples.len()));
        }
    } else {
        let width_bytes = if most > 255 { 2 } else { 1 };
        let data = text.rest.get(1..).unwrap_or_default();
        if data.len() < n_samples * width_bytes {
            return Err(format!("{} bytes are announced, {} follow", n_samples * width_bytes, data.len()));
        }
        for bytes in data.chunks_exact(width_bytes).take(n_samples) {
            let number = bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
            samples.push(sample(number, most)?);
        }
    }
    Ok(Pixels { height, width, n_channels, samples, most })
}

fn sample(number: usize, most: u16) -> Result<u16, String> {
    u16::try_from(number)
        .ok()
        .filter(|sample| *sample <= most)
        .ok_or_else(|| format!("a value of {number}, beyond {most}"))
}

/// Numbers between blanks and comments.
struct Text<'a> {
    rest: &'a [u8],
}

impl Text<'_> {
    fn number(&mut self) -> Option<usize> {
        loop {
            match self.rest {
                [b'#', ..] => {
                    let end = self.rest.iter().position(|byte| *byte == b'\n');
                    self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
                }
                [blank, rest @ ..] if blank.is_ascii_whitespace() => self.rest = rest,
                _ => break,
            }
        }
        let n_digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(n_digits);
        self.rest = rest;
        let digit =
            |number: usize, byte: &u8| number.saturating_mul(10).saturating_add(usize::from(byte - b'0'));
        (n_digits > 0).then(|| digits.iter().fold(0, digit))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Pixels;

    fn sample() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(b"P2\n# c\n3 2\n255\n1 2 3 4 5 6\n".to_vec()),
            Just(b"P6 2 1 255 abcdef".to_vec()),
            Just(b"P5 2 1 65535 abcd".to_vec()),
            Just(small_png()),
        ]
    }

    fn small_png() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Rgba);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&[7; 8]));
        assert!(written.is_ok());
        bytes
    }

    proptest! {
        /// Broken files give an error or an image, and never a panic.
        #[test]
        fn any_bytes_are_survived(
            bytes in sample(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            length in any::<prop::sample::Index>(),
        ) {
            let mut bytes = bytes;
            for (place, byte) in &changes {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            bytes.truncate(length.index(bytes.len() + 1));
            if let Ok(pixels) = Pixels::decode(&bytes) {
                let mut pixel = [0.0; 4];
                for pixel_idx in 0..pixels.width * pixels.height {
                    let n_channels = pixels.read(pixel_idx, &mut pixel);
                    prop_assert!(pixel[..n_channels].iter().all(|number| (0.0..=1.0).contains(number)));
                }
            }
        }
    }
}
