//! Wires as pixels on their paper, where boxes are small: thousands of them are drawn in a frame.

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::picture::Picture;
use slint::{Color, Image, Rgb8Pixel, SharedPixelBuffer};

use super::items::wire_look;

/// What lies below the boxes: the paper with its grid, and the wires.
#[derive(Default)]
pub(super) struct Far {
    /// One is shown while the other is drawn.
    buffers: [Option<SharedPixelBuffer<Rgb8Pixel>>; 2],
    next: usize,
}

/// Colors of the paper and of its grid.
#[derive(Clone, Copy)]
pub(super) struct Paper {
    pub(super) paper: Color,
    pub(super) grid: Color,
}

impl Far {
    /// The picture's wires on paper as large as the canvas; `grid` are places of vertical and horizontal lines.
    pub(super) fn draw(
        &mut self,
        picture: &Picture,
        size: Point,
        [columns, rows]: &[Vec<f32>; 2],
        paper: Paper,
        is_dark: bool,
    ) -> Image {
        let (width, height) = (size.x.max(0.0) as u32, size.y.max(0.0) as u32);
        if width == 0 || height == 0 {
            return Image::default();
        }
        let own = self.buffers[self.next].take();
        let own = own.filter(|buffer| (buffer.width(), buffer.height()) == (width, height));
        let mut buffer = own.unwrap_or_else(|| SharedPixelBuffer::new(width, height));
        let pixels = buffer.make_mut_slice();
        pixels.fill(pixel(paper.paper));
        let grid = pixel(paper.grid);
        for row in rows.iter().map(|row| *row as usize).filter(|row| *row < height as usize) {
            pixels[row * width as usize..(row + 1) * width as usize].fill(grid);
        }
        for line in pixels.chunks_exact_mut(width as usize) {
            for column in columns.iter().map(|column| *column as usize) {
                if let Some(own) = line.get_mut(column) {
                    *own = grid;
                }
            }
        }
        for group in &picture.wires {
            let (color, thickness) = wire_look(group, is_dark);
            for segment in &group.segments {
                line(pixels, (width, height), *segment, color, f64::from(thickness));
            }
        }
        let image = Image::from_rgb8(buffer.clone());
        self.buffers[self.next] = Some(buffer);
        self.next = 1 - self.next;
        image
    }

    /// Lets the memory go.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn pixel(color: Color) -> Rgb8Pixel {
    Rgb8Pixel::new(color.red(), color.green(), color.blue())
}

/// Draws a straight line, with soft edges. Cost: linear in its length within the picture.
fn line(
    pixels: &mut [Rgb8Pixel],
    (width, height): (u32, u32),
    [from, to]: [Point; 2],
    color: Color,
    thickness: f64,
) {
    let is_steep = (to.y - from.y).abs() > (to.x - from.x).abs();
    // Along the axis in which it is longer, and across.
    let along = |point: Point| if is_steep { (point.y, point.x) } else { (point.x, point.y) };
    let (mut begin, mut end) = (along(from), along(to));
    if begin.0 > end.0 {
        (begin, end) = (end, begin);
    }
    let (n_along, n_across) = if is_steep { (height, width) } else { (width, height) };
    let length = end.0 - begin.0;
    let slope = if length < 1e-9 { 0.0 } else { (end.1 - begin.1) / length };
    let half = thickness / 2.0 * (1.0 + slope * slope).sqrt();
    let first = (begin.0 - thickness / 4.0).floor().max(0.0);
    let last = (end.0 + thickness / 4.0).ceil().min(f64::from(n_along));
    if !(first < last && slope.is_finite()) {
        return;
    }
    for place in first as u32..last as u32 {
        let middle = begin.1 + slope * (f64::from(place) + 0.5 - begin.0);
        let low = (middle - half - 0.5).floor().max(0.0);
        let high = (middle + half + 0.5).ceil().min(f64::from(n_across));
        if low >= high {
            continue;
        }
        for across in low as u32..high as u32 {
            let distance = (f64::from(across) + 0.5 - middle).abs();
            let cover = ((half + 0.5 - distance).clamp(0.0, 1.0) * f64::from(color.alpha())) as u32;
            let (x, y) = if is_steep { (across, place) } else { (place, across) };
            let own = &mut pixels[(y * width + x) as usize];
            let mixed =
                |own: u8, new: u8| ((u32::from(own) * (255 - cover) + u32::from(new) * cover) / 255) as u8;
            *own = Rgb8Pixel::new(
                mixed(own.r, color.red()),
                mixed(own.g, color.green()),
                mixed(own.b, color.blue()),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much of each pixel is covered, as a digit; a dot for nothing.
    fn drawn(size: (u32, u32), segment: [Point; 2], thickness: f64) -> Vec<String> {
        let mut pixels = vec![Rgb8Pixel::default(); (size.0 * size.1) as usize];
        line(&mut pixels, size, segment, Color::from_rgb_u8(255, 0, 0), thickness);
        let digit = |pixel: &Rgb8Pixel| match pixel.r {
            0 => '.',
            red => char::from_digit(u32::from(red) * 9 / 255, 10).unwrap_or('?'),
        };
        pixels.chunks(size.0 as usize).map(|row| row.iter().map(digit).collect()).collect()
    }

    #[test]
    fn lines_are_as_thick_as_is_said_and_stay_within() {
        let level = [Point::new(1.0, 2.5), Point::new(5.0, 2.5)];
        assert_eq!(drawn((6, 5), level, 1.0), ["......", "......", "999999", "......", "......"]);
        let thick = drawn((6, 5), [Point::new(1.0, 2.5), Point::new(4.0, 2.5)], 2.0);
        assert_eq!(thick[1..4].iter().map(|row| &row[1..4]).collect::<Vec<_>>(), ["444", "999", "444"]);
        let upright = drawn((3, 4), [Point::new(1.5, 3.0), Point::new(1.5, 1.0)], 1.0);
        assert!(upright[1..3].iter().all(|row| row == ".9."), "{upright:?}");
        let far = [Point::new(-1e9, -3.0), Point::new(1e9, 9.0)];
        assert_eq!(drawn((3, 3), far, 1.0).len(), 3);
        let outside = drawn((3, 3), [Point::new(5.0, 5.0), Point::new(9.0, 5.0)], 3.0);
        assert_eq!(outside, ["...", "...", "..."]);
    }
}
