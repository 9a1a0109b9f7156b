//! Pictures as pixels, and the texts that belong on them.
//!
//! Pixels are written directly: what is drawn are rectangles, rounded boxes and straight lines, up to a million of them in a
//! frame. Texts are told apart, so that the window sets them as elements that a screen reader finds.

/// Red, green, blue and opacity.
pub type Rgba = [u8; 4];

/// A picture: rows from above, each from the left, four bytes a pixel (red, green, blue, 255).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pixels {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// `4 * width * height` bytes.
    pub data: Vec<u8>,
}

/// A text on a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Left end, in pixels.
    pub x: f32,
    /// Middle of its height, in pixels.
    pub y: f32,
    /// Pixels that it may take to the right.
    pub width: f32,
    /// Height of letters, in pixels.
    pub size: f32,
    /// Color.
    pub color: Rgba,
    /// What is written.
    pub string: String,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// Colors of a theme.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub(super) paper: Rgba,
    /// Every second lane.
    pub(super) stripe: Rgba,
    pub(super) ink: Rgba,
    pub(super) faint_ink: Rgba,
    pub(super) edge: Rgba,
    pub(super) dimmed: Rgba,
    pub(super) selected: Rgba,
    pub(super) cause: Rgba,
    pub(super) effect: Rgba,
    pub(super) finding: Rgba,
    /// Matches of a search.
    pub(super) matched: Rgba,
    pub(super) path: Rgba,
    pub(super) animated: Rgba,
}

impl Theme {
    pub(super) fn palette(self) -> Palette {
        match self {
            Self::Light => Palette {
                paper: [0xff, 0xff, 0xff, 255],
                stripe: [0xf6, 0xf7, 0xf9, 255],
                ink: [0x22, 0x24, 0x2a, 255],
                faint_ink: [0x68, 0x6c, 0x76, 255],
                edge: [0x70, 0x76, 0x84, 150],
                dimmed: [0xd0, 0xd3, 0xd9, 255],
                selected: [0xe0, 0x00, 0x7a, 255],
                cause: [0x00, 0x5f, 0xcc, 255],
                effect: [0xc0, 0x5a, 0x00, 255],
                finding: [0xd0, 0x10, 0x10, 255],
                matched: [0x00, 0x83, 0x8f, 255],
                path: [0x9a, 0x62, 0x00, 255],
                animated: [0x00, 0x8a, 0x2e, 255],
            },
            Self::Dark => Palette {
                paper: [0x1e, 0x1f, 0x24, 255],
                stripe: [0x24, 0x26, 0x2c, 255],
                ink: [0xec, 0xed, 0xf0, 255],
                faint_ink: [0x9d, 0xa2, 0xad, 255],
                edge: [0xa8, 0xae, 0xbc, 130],
                dimmed: [0x45, 0x48, 0x50, 255],
                selected: [0xff, 0x5c, 0xb4, 255],
                cause: [0x6c, 0xb0, 0xff, 255],
                effect: [0xff, 0xa8, 0x4d, 255],
                finding: [0xff, 0x6a, 0x6a, 255],
                matched: [0x4d, 0xe0, 0xe8, 255],
                path: [0xf0, 0xb4, 0x29, 255],
                animated: [0x4c, 0xd9, 0x7b, 255],
            },
        }
    }

    /// The color of a template's events and instances. Neighbors in the program are far apart in hue.
    pub fn template(self, template: u32) -> Rgba {
        // Steps of the golden angle.
        let hue = (f64::from(template % 4096) * 137.507_764 + 205.0) % 360.0;
        let tint = f64::from((template / 3) % 3) * 0.06;
        match self {
            Self::Light => hsl(hue, 0.62, 0.44 + tint),
            Self::Dark => hsl(hue, 0.60, 0.58 + tint),
        }
    }
}

fn hsl(hue: f64, saturation: f64, lightness: f64) -> Rgba {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let at = (offset + hue / 30.0) % 12.0;
        let value = lightness - amplitude * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    [channel(0.0), channel(8.0), channel(4.0), 255]
}

/// A color between two, `share` of the second.
pub(super) fn mixed(one: Rgba, other: Rgba, share: f64) -> Rgba {
    let share = share.clamp(0.0, 1.0);
    let mix = |at: usize| (f64::from(one[at]) * (1.0 - share) + f64::from(other[at]) * share).round() as u8;
    [mix(0), mix(1), mix(2), 255]
}

impl Pixels {
    /// A picture of one color. `reused` is a picture whose memory is not needed any more.
    pub(super) fn filled(reused: Self, width: usize, height: usize, color: Rgba) -> Self {
        let mut data = reused.data;
        let n_bytes = 4 * width * height;
        data.resize(n_bytes, 0);
        let [red, green, blue, _] = color;
        if red == green && green == blue && red == 255 {
            data.fill(255);
        } else if let Some((first, rest)) = data.split_at_mut_checked(4 * width) {
            first.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[red, green, blue, 255]));
            rest.chunks_exact_mut(4 * width.max(1)).for_each(|row| row.copy_from_slice(first));
        }
        Self { width, height, data }
    }

    /// The color of a pixel; transparent outside.
    pub fn at(&self, x: usize, y: usize) -> Rgba {
        let start = 4 * (y * self.width + x);
        match self.data.get(start..start + 4) {
            Some(pixel) if x < self.width => [pixel[0], pixel[1], pixel[2], pixel[3]],
            _ => [0; 4],
        }
    }

    /// Fills columns `x` to before `x_end` and rows `y` to before `y_end`, as far as they are inside.
    #[inline]
    pub(super) fn rect(&mut self, (x, x_end): (i64, i64), (y, y_end): (i64, i64), color: Rgba) {
        let (x, x_end) = (x.max(0) as usize, x_end.clamp(0, self.width as i64) as usize);
        let (y, y_end) = (y.max(0) as usize, y_end.clamp(0, self.height as i64) as usize);
        if x >= x_end {
            return;
        }
        for row in y..y_end {
            let start = 4 * (row * self.width + x);
            let end = 4 * (row * self.width + x_end);
            self.data[start..end].chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&color));
        }
    }

    /// Copies the first of these rows to the others, as far as they are inside.
    pub(super) fn repeat_row(&mut self, (y, y_end): (i64, i64)) {
        if y < 0 || y >= self.height as i64 {
            return;
        }
        let n_bytes = 4 * self.width;
        let first = y as usize * n_bytes;
        for row in y as usize + 1..y_end.clamp(0, self.height as i64) as usize {
            self.data.copy_within(first..first + n_bytes, row * n_bytes);
        }
    }

    /// Length of the part of a line that [`line`](Self::line) draws.
    pub(super) fn line_length(&self, from: (f64, f64), to: (f64, f64), left: f64) -> f64 {
        let bounds = (left, 0.0, self.width as f64, self.height as f64);
        let part = clipped(from, to, bounds);
        part.map_or(0.0, |(from, to)| (to.0 - from.0).abs().max((to.1 - from.1).abs()))
    }

    /// Lays a color over a pixel; `cover` from 0 to 1.
    #[inline]
    pub(super) fn blend(&mut self, x: i64, y: i64, color: Rgba, cover: f64) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let start = 4 * (y as usize * self.width + x as usize);
        let weight = (f64::from(color[3]) * cover) as u32;
        for (own, new) in self.data[start..start + 3].iter_mut().zip(color) {
            *own = ((u32::from(*own) * (255 - weight) + u32::from(new) * weight) / 255) as u8;
        }
    }

    /// A box with round corners, filled and with an edge.
    pub(super) fn rounded(&mut self, (x, x_end): (i64, i64), (y, y_end): (i64, i64), fill: Rgba, edge: Rgba) {
        let radius = ((x_end - x).min(y_end - y) / 3).clamp(0, 5);
        let inset = |row: i64| {
            let from_edge = (row - y).min(y_end - 1 - row);
            let depth = radius - from_edge;
            if depth <= 0 {
                return 0;
            }
            let radius = radius as f64;
            (radius - (radius * radius - (depth as f64) * (depth as f64)).max(0.0).sqrt()).round() as i64
        };
        for row in y.max(0)..y_end.min(self.height as i64) {
            let by = inset(row);
            let (left, right) = (x + by, x_end - by);
            let is_end = row == y || row == y_end - 1;
            self.rect((left, right), (row, row + 1), if is_end { edge } else { fill });
            if !is_end {
                let wide = if row - y <= radius || y_end - 1 - row <= radius { 2 } else { 1 };
                let wide = wide.min((right - left).max(0));
                self.rect((left, left + wide), (row, row + 1), edge);
                self.rect((right - wide, right), (row, row + 1), edge);
            }
        }
    }

    /// A frame around a box, outside of it.
    pub(super) fn frame(&mut self, (x, x_end): (i64, i64), (y, y_end): (i64, i64), wide: i64, color: Rgba) {
        self.rect((x - wide, x_end + wide), (y - wide, y), color);
        self.rect((x - wide, x_end + wide), (y_end, y_end + wide), color);
        self.rect((x - wide, x), (y, y_end), color);
        self.rect((x_end, x_end + wide), (y, y_end), color);
    }

    /// A straight line within columns from `left` on (Wu 1991).
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), left: f64, color: Rgba) {
        let bounds = (left, 0.0, self.width as f64, self.height as f64);
        let Some(((mut x, mut y), (mut x_end, mut y_end))) = clipped(from, to, bounds) else { return };
        let is_steep = (y_end - y).abs() > (x_end - x).abs();
        if is_steep {
            (x, y, x_end, y_end) = (y, x, y_end, x_end);
        }
        if x > x_end {
            (x, y, x_end, y_end) = (x_end, y_end, x, y);
        }
        let slope = if x_end - x < 1e-9 { 0.0 } else { (y_end - y) / (x_end - x) };
        let mut at = y + slope * (x.round() - x);
        for column in x.round() as i64..=x_end.round() as i64 {
            let low = at.floor();
            let share = at - low;
            for (row, cover) in [(low as i64, 1.0 - share), (low as i64 + 1, share)] {
                let (x, y) = if is_steep { (row, column) } else { (column, row) };
                self.blend(x, y, color, cover);
            }
            at += slope;
        }
    }
}

/// The part of a line in a rectangle (Liang and Barsky 1984).
fn clipped(
    from: (f64, f64),
    to: (f64, f64),
    (left, top, right, bottom): (f64, f64, f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    let edges = [(-dx, from.0 - left), (dx, right - from.0), (-dy, from.1 - top), (dy, bottom - from.1)];
    for (speed, room) in edges {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            enters = enters.max(room / speed);
        } else {
            leaves = leaves.min(room / speed);
        }
    }
    let at = |share: f64| (from.0 + dx * share, from.1 + dy * share);
    (enters <= leaves).then(|| (at(enters), at(leaves)))
}
