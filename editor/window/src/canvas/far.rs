//! Wires as pixels on their paper where boxes are small, and the boxes where they are blocks: thousands of them are drawn
//! in a frame.

use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::state::picture::{Detail, NodeItem, NodeLook, Picture};
use hasse_ui::Theme;
use slint::{Color, Image, Rgb8Pixel, SharedPixelBuffer};

use super::colors::{accent, first_highlight, highlight_color, state_number};
use super::items::wire_look;

/// The paper with its grid, the wires, and boxes that are blocks.
#[derive(Default)]
pub(super) struct Far {
    /// One is shown while the other is drawn.
    buffers: [Option<SharedPixelBuffer<Rgb8Pixel>>; 2],
    next: usize,
}

/// The window's colors.
pub(super) struct Paint {
    paper: Color,
    grid: Color,
    node: Color,
    border: Color,
    hovered: Color,
    error: Color,
    warning: Color,
    /// By state, from 1.
    states: [Color; 9],
}

impl Paint {
    pub(super) fn of(theme: &Theme<'_>) -> Self {
        Self {
            paper: theme.get_paper(),
            grid: theme.get_grid(),
            node: theme.get_node(),
            border: theme.get_strong_border(),
            hovered: theme.get_dim(),
            error: theme.get_error(),
            warning: theme.get_warning(),
            states: std::array::from_fn(|state| theme.invoke_state_color(state as i32)),
        }
    }

    /// What tells most about a box, as the border of one that is near has it.
    fn edge(&self, node: &NodeItem, is_dark: bool) -> Color {
        let counts = node.error.counts;
        match first_highlight(&node.marks.highlights) {
            Some(kind) => highlight_color(kind, is_dark),
            None if node.is_selected => accent(is_dark),
            None if counts.n_errors + counts.n_errors_inside > 0 => self.error,
            None if node.look == NodeLook::Missing => self.error,
            None => match node.marks.state {
                Some(state) => self.states[state_number(state) as usize],
                None if counts.n_warnings + counts.n_warnings_inside > 0 => self.warning,
                None if node.is_hovered => self.hovered,
                None => self.border,
            },
        }
    }
}

impl Far {
    /// All that is seen from far away on paper as large as the canvas; `grid` are places of vertical and horizontal lines.
    pub(super) fn draw(
        &mut self,
        picture: &Picture,
        size: Point,
        [columns, rows]: &[Vec<f32>; 2],
        paint: &Paint,
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
        pixels.fill(pixel(paint.paper));
        let grid = pixel(paint.grid);
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
        if picture.detail == Detail::Blocks {
            let mut sheet = Sheet { pixels, width, height };
            picture.nodes.iter().for_each(|node| sheet.block(node, picture.zoom, paint, is_dark));
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

/// What boxes are drawn on.
struct Sheet<'a> {
    pixels: &'a mut [Rgb8Pixel],
    width: u32,
    height: u32,
}

impl Sheet<'_> {
    fn block(&mut self, node: &NodeItem, zoom: f64, paint: &Paint, is_dark: bool) {
        let edge = paint.edge(node, is_dark);
        let area = Rect { min: rounded(node.area.min), max: rounded(node.area.max) };
        let is_box = matches!(node.look, NodeLook::Unit | NodeLook::Call | NodeLook::Missing);
        let radius = if is_box { 6.0 * zoom } else { (14.0 * zoom).min(area.height() / 2.0) };
        let opacity = if node.marks.is_dimmed { 0.35 } else { 1.0 };
        if node.is_selected || !node.marks.highlights.is_empty() {
            self.ring(area.grown(3.0), 2.0, edge.with_alpha(0.55 * opacity));
        }
        self.fill(area, radius, edge.with_alpha(opacity));
        let border = if node.look == NodeLook::Call { 2.0 } else { 1.0 };
        let inside = area.grown(-border);
        self.fill(inside, radius - border, paint.node.with_alpha(opacity));
        if let Some(state) = node.marks.state {
            let shown = paint.states[state_number(state) as usize];
            self.fill(inside, radius - border, shown.with_alpha(0.6 * opacity));
        }
    }

    /// Fills a rectangle with round corners. Cost: linear in what of it is within the picture.
    fn fill(&mut self, area: Rect, radius: f64, color: Color) {
        let rows = area.min.y.max(0.0) as u32..area.max.y.clamp(0.0, f64::from(self.height)) as u32;
        for row in rows {
            let middle = f64::from(row) + 0.5;
            let into = radius - (middle - area.min.y).min(area.max.y - middle);
            let inset =
                if into > 0.0 { radius - (radius * radius - into * into).max(0.0).sqrt() } else { 0.0 };
            self.span(row, (area.min.x + inset).round(), (area.max.x - inset).round(), color);
        }
    }

    /// The border of a rectangle, within it.
    fn ring(&mut self, area: Rect, thickness: f64, color: Color) {
        let Rect { min, max } = area;
        let corner = |x, y| Point::new(x, y);
        for side in [
            Rect { min, max: corner(max.x, min.y + thickness) },
            Rect { min: corner(min.x, max.y - thickness), max },
            Rect { min: corner(min.x, min.y + thickness), max: corner(min.x + thickness, max.y - thickness) },
            Rect { min: corner(max.x - thickness, min.y + thickness), max: corner(max.x, max.y - thickness) },
        ] {
            self.fill(side, 0.0, color);
        }
    }

    fn span(&mut self, row: u32, from: f64, to: f64, color: Color) {
        let place = |x: f64| x.clamp(0.0, f64::from(self.width)) as usize;
        let (from, to) = (place(from), place(to));
        if from < to {
            let line = (row * self.width) as usize;
            let cover = u32::from(color.alpha());
            self.pixels[line + from..line + to].iter_mut().for_each(|own| mix(own, color, cover));
        }
    }
}

fn rounded(point: Point) -> Point {
    Point::new(point.x.round(), point.y.round())
}

/// Puts a color on a pixel, which it covers by so many of 255.
fn mix(own: &mut Rgb8Pixel, color: Color, cover: u32) {
    let mixed = |own: u8, new: u8| ((u32::from(own) * (255 - cover) + u32::from(new) * cover) / 255) as u8;
    *own = Rgb8Pixel::new(mixed(own.r, color.red()), mixed(own.g, color.green()), mixed(own.b, color.blue()));
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
            mix(&mut pixels[(y * width + x) as usize], color, cover);
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

    /// What is brighter than the paper, as a digit; a dot for nothing.
    fn shown(size: (u32, u32), draw: impl FnOnce(&mut Sheet<'_>)) -> Vec<String> {
        let mut pixels = vec![Rgb8Pixel::default(); (size.0 * size.1) as usize];
        draw(&mut Sheet { pixels: &mut pixels, width: size.0, height: size.1 });
        let digit = |pixel: &Rgb8Pixel| match pixel.g {
            0 => '.',
            green => char::from_digit(u32::from(green) * 9 / 255, 10).unwrap_or('?'),
        };
        pixels.chunks(size.0 as usize).map(|row| row.iter().map(digit).collect()).collect()
    }

    fn area(left: f64, top: f64, right: f64, bottom: f64) -> Rect {
        Rect { min: Point::new(left, top), max: Point::new(right, bottom) }
    }

    #[test]
    fn boxes_have_round_corners_and_stay_within() {
        let white = Color::from_rgb_u8(255, 255, 255);
        let round = shown((8, 5), |sheet| sheet.fill(area(1.0, 0.0, 7.0, 5.0), 2.0, white));
        assert_eq!(round, ["..9999..", ".999999.", ".999999.", ".999999.", "..9999.."]);
        let cut = shown((3, 2), |sheet| sheet.fill(area(-5.0, -5.0, 2.0, 9.0), 0.0, white.with_alpha(0.5)));
        assert_eq!(cut, ["44.", "44."]);
        let outside = shown((2, 2), |sheet| sheet.fill(area(5.0, 5.0, 9.0, 9.0), 1.0, white));
        assert_eq!(outside, ["..", ".."]);
        let ring = shown((5, 4), |sheet| sheet.ring(area(0.0, 0.0, 5.0, 4.0), 1.0, white));
        assert_eq!(ring, ["99999", "9...9", "9...9", "99999"]);
    }
}
