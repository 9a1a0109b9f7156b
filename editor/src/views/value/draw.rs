//! Pictures of values as pixels.

use hasse_model::show::{Limits, Shown};
use hasse_model::value::{Matrix, Value};

use super::Picture;
use crate::views::pixels::{Pixels, Rgba, Text, Theme, mixed};

/// Room for the numbers at the left of a plot, below it, and around, in pixels.
const LEFT: f64 = 84.0;
const BELOW: f64 = 22.0;
const MARGIN: f64 = 10.0;
/// Width of the scale beside a heat map with its numbers.
const SCALE: f64 = 104.0;
/// Height of letters.
const SIZE: f32 = 10.0;
/// Points that are close enough together to be drawn as a line only, in pixels.
const NEAR: f64 = 6.0;

/// Colors from low to high that differ in brightness, too, so that they are told apart in gray and by people who see few
/// colors: points of the map viridis (Smith and van der Walt 2015).
const STEPS: [Rgba; 6] = [
    [68, 1, 84, 255],
    [65, 68, 135, 255],
    [42, 120, 142, 255],
    [34, 168, 132, 255],
    [122, 209, 81, 255],
    [253, 231, 37, 255],
];

impl Picture {
    /// Draws it into so many pixels. Cost: linear in its numbers and in the pixels.
    pub fn draw(&self, width: usize, height: usize, theme: Theme) -> (Pixels, Vec<Text>) {
        let mut pixels = Pixels::filled(Pixels::default(), width, height, theme.palette().paper);
        let texts = match self {
            Self::Plot(numbers) => plot(&mut pixels, numbers, theme),
            Self::HeatMap(matrix) => heat_map(&mut pixels, matrix, theme),
            Self::Image { width, height, rgb } => {
                image(&mut pixels, (*width, *height), rgb);
                Vec::new()
            }
        };
        (pixels, texts)
    }
}

/// The least and the greatest of the finite numbers.
fn bounds(numbers: &[f64]) -> Option<(f64, f64)> {
    let finite = numbers.iter().copied().filter(|number| number.is_finite());
    finite.fold(None, |found, number| match found {
        None => Some((number, number)),
        Some((low, high)) => Some((number.min(low), number.max(high))),
    })
}

/// Where a number is between two others, from 0 to 1.
fn share(number: f64, (low, high): (f64, f64)) -> f64 {
    // Half of each, so that the difference of the greatest numbers is finite.
    let span = high / 2.0 - low / 2.0;
    if span > 0.0 { ((number / 2.0 - low / 2.0) / span).clamp(0.0, 1.0) } else { 0.5 }
}

fn number(value: f64) -> String {
    Shown::new(&Value::Real(value), &Limits::one_line()).lines().first().cloned().unwrap_or_default()
}

fn text(x: f64, y: f64, width: f64, string: String, color: Rgba) -> Text {
    let (x, y, width) = (x.max(0.0) as f32, y.max(0.0) as f32, width.max(0.0) as f32);
    Text { x, y, width, size: SIZE, color, string }
}

/// A line through the numbers over their positions; of many numbers in one column of pixels, from the least to the
/// greatest of them.
fn plot(pixels: &mut Pixels, numbers: &[f64], theme: Theme) -> Vec<Text> {
    let palette = theme.palette();
    let (left, right) = (LEFT, pixels.width as f64 - MARGIN);
    let (top, bottom) = (MARGIN, pixels.height as f64 - BELOW);
    let Some(range) = bounds(numbers) else {
        return vec![text(MARGIN, MARGIN + 4.0, right, "no finite number".to_owned(), palette.faint_ink)];
    };
    if right <= left || bottom <= top {
        return Vec::new();
    }
    let last = (numbers.len() - 1).max(1) as f64;
    let x = |position: usize| left + (right - left) * position as f64 / last;
    let y = |number: f64| bottom - (bottom - top) * share(number, range);
    for row in [top, f64::midpoint(top, bottom), bottom] {
        pixels.rect((left as i64, right as i64 + 1), (row as i64, row as i64 + 1), palette.dimmed);
    }
    if range.0 < 0.0 && range.1 > 0.0 {
        let zero = y(0.0) as i64;
        pixels.rect((left as i64, right as i64 + 1), (zero, zero + 1), palette.faint_ink);
    }
    let has_dots = (right - left) / last > NEAR;
    let mut before: Option<(f64, f64)> = None;
    let mut column: Option<(i64, f64, f64)> = None;
    for (position, &held) in numbers.iter().enumerate() {
        if !held.is_finite() {
            before = None;
            continue;
        }
        let at = (x(position), y(held));
        match &mut column {
            // Lines within one column of pixels would be drawn again and again.
            Some((known, low, high)) if *known == at.0 as i64 && before.is_some() => {
                *low = low.min(at.1);
                *high = high.max(at.1);
            }
            _ => {
                if let Some((known, low, high)) = column.take() {
                    pixels.rect((known, known + 1), (low as i64, high as i64 + 1), palette.cause);
                }
                if let Some(before) = before {
                    pixels.line(before, at, left, palette.cause);
                }
                column = Some((at.0 as i64, at.1, at.1));
            }
        }
        if has_dots || before.is_none() {
            let (x, y) = (at.0 as i64, at.1 as i64);
            pixels.rect((x - 1, x + 2), (y - 1, y + 2), palette.cause);
        }
        before = Some(at);
    }
    if let Some((known, low, high)) = column {
        pixels.rect((known, known + 1), (low as i64, high as i64 + 1), palette.cause);
    }
    let room = LEFT - 12.0;
    let below = bottom + 10.0;
    let ink = palette.faint_ink;
    let mut texts = vec![text(6.0, top, room, number(range.1), ink)];
    if range.0 < range.1 {
        texts.push(text(6.0, bottom, room, number(range.0), ink));
    }
    texts.push(text(left, below, 60.0, "0".to_owned(), ink));
    let end = (numbers.len() - 1).to_string();
    texts.push(text(right - 6.5 * end.len() as f64, below, 80.0, end, ink));
    texts
}

/// The color of a share, from 0 to 1.
fn color(share: f64, is_gray: bool) -> Rgba {
    if is_gray {
        let level = (share * 255.0).round() as u8;
        return [level, level, level, 255];
    }
    let at = share.clamp(0.0, 1.0) * (STEPS.len() - 1) as f64;
    let low = (at as usize).min(STEPS.len() - 2);
    mixed(STEPS[low], STEPS[low + 1], at - low as f64)
}

/// The largest box of the shape `(width, height)` within an area, from its left and upper end.
fn fitted(
    (width, height): (f64, f64),
    (left, right): (f64, f64),
    (top, bottom): (f64, f64),
) -> Option<[f64; 4]> {
    let scale = ((right - left) / width).min((bottom - top) / height);
    (scale > 0.0).then_some([left, top, left + width * scale, top + height * scale])
}

/// A square for each entry. One that is no finite number is hatched. Entries that are all from 0 to 1, with a bright one among
/// them, are those of an image, and gray.
fn heat_map(pixels: &mut Pixels, matrix: &Matrix, theme: Theme) -> Vec<Text> {
    let palette = theme.palette();
    let (n_rows, n_columns) = (matrix.n_rows(), matrix.n_cols());
    let Some(range) = bounds(matrix.entries()) else {
        let width = pixels.width as f64;
        return vec![text(MARGIN, MARGIN + 4.0, width, "no finite number".to_owned(), palette.faint_ink)];
    };
    let is_gray = range.0 >= 0.0 && range.1 <= 1.0 && range.1 > 0.5;
    let scaled = if is_gray { (0.0, 1.0) } else { range };
    let (width, height) = (pixels.width as f64, pixels.height as f64);
    let area = fitted(
        (n_columns as f64, n_rows as f64),
        (MARGIN, width - MARGIN - SCALE),
        (MARGIN, height - MARGIN),
    );
    let Some([left, top, right, bottom]) = area else { return Vec::new() };
    for y in top as i64..(bottom as i64).max(top as i64 + 1) {
        let row = (((y as f64 + 0.5 - top) / (bottom - top)) * n_rows as f64) as usize;
        for x in left as i64..(right as i64).max(left as i64 + 1) {
            let column = (((x as f64 + 0.5 - left) / (right - left)) * n_columns as f64) as usize;
            let entry = matrix.get(row.min(n_rows - 1), column.min(n_columns - 1)).unwrap_or(f64::NAN);
            let painted = match entry.is_finite() {
                true => color(share(entry, scaled), is_gray),
                false if (x + y) % 6 == 0 => palette.finding,
                false => palette.paper,
            };
            pixels.rect((x, x + 1), (y, y + 1), painted);
        }
    }
    let (x, scale_top, scale_bottom) = (right + 14.0, top, bottom.max(top + 1.0));
    for y in scale_top as i64..scale_bottom as i64 {
        let from_top = (y as f64 - scale_top) / (scale_bottom - scale_top);
        pixels.rect((x as i64, x as i64 + 12), (y, y + 1), color(1.0 - from_top, is_gray));
    }
    let (x, room) = (x + 18.0, SCALE - 36.0);
    let mut texts = vec![text(x, scale_top + 5.0, room, number(scaled.1), palette.faint_ink)];
    if scaled.0 < scaled.1 && scale_bottom - scale_top > 24.0 {
        texts.push(text(x, scale_bottom - 5.0, room, number(scaled.0), palette.faint_ink));
    }
    texts
}

/// Pixels of an image, as large as they fit.
fn image(pixels: &mut Pixels, (n_columns, n_rows): (usize, usize), rgb: &[u8]) {
    let (width, height) = (pixels.width as f64, pixels.height as f64);
    let area = fitted((n_columns as f64, n_rows as f64), (MARGIN, width - MARGIN), (MARGIN, height - MARGIN));
    let Some([left, top, right, bottom]) = area else { return };
    for y in top as i64..(bottom as i64).max(top as i64 + 1) {
        let row = (((y as f64 + 0.5 - top) / (bottom - top)) * n_rows as f64) as usize;
        for x in left as i64..(right as i64).max(left as i64 + 1) {
            let column = (((x as f64 + 0.5 - left) / (right - left)) * n_columns as f64) as usize;
            let start = 3 * (row.min(n_rows - 1) * n_columns + column.min(n_columns - 1));
            if let Some(&[red, green, blue]) = rgb.get(start..start + 3) {
                pixels.rect((x, x + 1), (y, y + 1), [red, green, blue, 255]);
            }
        }
    }
}
