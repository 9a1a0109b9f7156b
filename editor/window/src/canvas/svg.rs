//! A picture as SVG: what `canvas.slint` and `node.slint` draw, with texts as texts.

use std::fmt::Write as _;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::drawing::measure::text_width;
use hasse_editor::state::picture::Picture;
use hasse_ui::{CommentItem, DotItem, FrameItem, LabelItem, NodeItem, PortItem, Theme, WireItem};
use slint::Color;

use super::colors::color;
use super::description::port_descriptions;
use super::dots::dots;
use super::items::{comment_item, frame_item, labels, node_item, port_item, wire_item};

/// The distance from the middle of a line of text down to its baseline, over the height of its letters.
const BASELINE: f32 = 0.36;
/// Height of a title, as in `node.slint`.
const TITLE_HEIGHT: f32 = 30.0;
/// Height of a line of a comment, and of a note below a box, over the height of its letters.
const LINE: f32 = 1.25;

/// Colors of the window.
pub(super) struct Colors {
    is_dark: bool,
    paper: Color,
    border: Color,
    strong_border: Color,
    text: Color,
    dim: Color,
    accent: Color,
    accent_text: Color,
    node: Color,
    node_title: Color,
    error: Color,
    warning: Color,
    good: Color,
    waiting: Color,
    stopped: Color,
    /// By state, from 0.
    states: [Color; 9],
}

impl Colors {
    pub(super) fn of(theme: &Theme<'_>) -> Self {
        Self {
            is_dark: theme.get_dark(),
            paper: theme.get_paper(),
            border: theme.get_border(),
            strong_border: theme.get_strong_border(),
            text: theme.get_text(),
            dim: theme.get_dim(),
            accent: theme.get_accent(),
            accent_text: theme.get_accent_text(),
            node: theme.get_node(),
            node_title: theme.get_node_title(),
            error: theme.get_error(),
            warning: theme.get_warning(),
            good: theme.get_good(),
            waiting: theme.get_waiting(),
            stopped: theme.get_stopped(),
            states: std::array::from_fn(|state| theme.invoke_state_color(state as i32)),
        }
    }

    fn state(&self, state: i32) -> Color {
        usize::try_from(state).ok().and_then(|state| self.states.get(state)).copied().unwrap_or(self.dim)
    }

    /// The color of a box's border, as `edge` in `node.slint`.
    fn edge(&self, node: &NodeItem) -> Color {
        match node.highlight {
            1 => self.accent,
            2 | 11 => self.accent.with_alpha(0.6),
            3 | 4 | 10 => self.error,
            5 => self.waiting,
            6 | 8 => self.good,
            7.. => self.warning,
            _ if node.errors > 0 || node.kind == "missing" => self.error,
            _ if node.state > 0 => self.state(node.state),
            _ if node.warnings > 0 => self.warning,
            _ => self.strong_border,
        }
    }
}

/// Writes a picture of a size. The order is that of drawing.
pub(super) fn write(picture: &Picture, size: Point, colors: &Colors, is_dark: bool, title: &str) -> String {
    let mut svg = Svg(String::new());
    let _ = writeln!(
        svg.0,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\" \
         font-family=\"Inter, 'Helvetica Neue', Arial, sans-serif\" role=\"img\">",
        size.x.ceil(),
        size.y.ceil()
    );
    let _ = writeln!(svg.0, "<title>{}</title>", escaped(title));
    svg.rect([0.0, 0.0, size.x.ceil() as f32, size.y.ceil() as f32], 0.0, colors.paper);
    for frame in &picture.frames {
        svg.frame(&frame_item(frame, is_dark), colors);
    }
    for comment in &picture.comments {
        svg.comment(&comment_item(comment), colors);
    }
    for group in picture.wires.iter().filter(|group| !group.commands.is_empty()) {
        svg.wire(&wire_item(group, is_dark), if group.is_share { "share" } else { "arc" });
    }
    for (node, ports) in picture.nodes.iter().zip(&port_descriptions(picture)) {
        svg.node(&node_item(node, ports, picture.zoom), colors);
    }
    for port in picture.ports.iter().filter(|port| !port.is_covered) {
        svg.port(&port_item(port, picture.zoom, is_dark), colors);
    }
    for dot in &dots(picture) {
        svg.dot(dot, colors);
    }
    for label in &labels(picture, is_dark) {
        svg.label(label);
    }
    svg.0.push_str("</svg>\n");
    svg.0
}

/// Text of an SVG file under construction.
struct Svg(String);

impl Svg {
    fn frame(&mut self, frame: &FrameItem, colors: &Colors) {
        self.0.push_str("<g class=\"frame\">\n");
        let area = [frame.x, frame.y, frame.width, frame.height];
        self.rect(area, 6.0, frame.color.with_alpha(if colors.is_dark { 0.13 } else { 0.16 }));
        self.border(area, 6.0, 1.0, frame.color);
        let at = [frame.x + 8.0, frame.y + 12.0];
        self.text(at, &frame.title, &Letters { size: 12.0, is_bold: true, ..Letters::new(colors.text) });
        self.0.push_str("</g>\n");
    }

    fn comment(&mut self, comment: &CommentItem, colors: &Colors) {
        self.0.push_str("<g class=\"comment\">\n");
        let area = [comment.x, comment.y, comment.width, comment.height];
        let paper = if colors.is_dark { [0x37, 0x34, 0x2a] } else { [0xff, 0xf8, 0xdc] };
        self.rect(area, 3.0, color(paper));
        self.border(area, 3.0, 1.0, colors.border);
        let letters = Letters::new(colors.text);
        for (line, text) in comment.text.lines().enumerate() {
            let y = comment.y + 4.0 + (line as f32 + 0.5) * LINE * letters.size;
            self.text([comment.x + 6.0, y], text, &letters);
        }
        self.0.push_str("</g>\n");
    }

    fn wire(&mut self, wire: &WireItem, class: &str) {
        let _ = writeln!(
            self.0,
            "<path class=\"{class}\" transform=\"translate({} {})\" d=\"{}\" fill=\"none\" {} stroke-width=\"{}\"/>",
            rounded(wire.x),
            rounded(wire.y),
            wire.commands.trim_end(),
            paint("stroke", wire.color),
            wire.thickness
        );
    }

    fn node(&mut self, node: &NodeItem, colors: &Colors) {
        let opacity = if node.is_dimmed { " opacity=\"0.35\"" } else { "" };
        let _ = writeln!(self.0, "<g class=\"node\"{opacity}>");
        let described = format!("{}: {}", node.title, node.described);
        let _ = writeln!(self.0, "<title>{}</title>", escaped(&described));
        let (edge, area) = (colors.edge(node), [node.x, node.y, node.width, node.height]);
        let is_box = matches!(node.kind.as_str(), "unit" | "call" | "missing");
        let radius = if is_box { 6.0 } else { (node.height / 2.0).min(14.0) };
        if node.highlight > 0 {
            let ring = [node.x - 3.0, node.y - 3.0, node.width + 6.0, node.height + 6.0];
            self.border(ring, radius + 3.0, 2.0, edge.with_alpha(0.55));
        }
        self.rect(area, radius, colors.node);
        if !matches!(node.kind.as_str(), "shared" | "inout") {
            let title =
                if node.state > 0 { colors.state(node.state).with_alpha(0.22) } else { colors.node_title };
            self.title_band(node, radius - 1.0, title);
        }
        self.border(area, radius, if node.kind == "call" { 2.0 } else { 1.0 }, edge);
        let middle = node.x + node.width / 2.0;
        let title = Letters { size: 13.0, is_bold: true, align: 0, ..Letters::new(colors.text) };
        if node.note.is_empty() {
            self.text([middle, node.y + TITLE_HEIGHT / 2.0], &node.title, &title);
        } else {
            self.text([middle, node.y + 12.0], &node.title, &title);
            let note = Letters { align: 0, ..Letters::new(colors.dim) };
            self.text([middle, node.y + 28.0], &node.note, &note);
        }
        if node.is_start {
            let _ = writeln!(
                self.0,
                "<path d=\"M{} {}l10 5.5l-10 5.5z\" {}/>",
                node.x + 5.0,
                node.y + 9.0,
                paint("fill", colors.good)
            );
        }
        if node.is_stop {
            self.rect([node.x + node.width - 15.0, node.y + 10.0, 9.0, 9.0], 0.0, colors.error);
        }
        if node.kind == "call" {
            let inner = [node.x + 3.0, node.y + 3.0, node.width - 6.0, node.height - 6.0];
            self.border(inner, 4.0, 1.0, colors.border);
        }
        self.badges(node, colors);
        self.0.push_str("</g>\n");
    }

    /// The band behind the title, round at its upper corners alone.
    fn title_band(&mut self, node: &NodeItem, radius: f32, color: Color) {
        let (width, height) = (node.width - 2.0, TITLE_HEIGHT.min(node.height) - 2.0);
        let radius = radius.min(height).max(0.0);
        let (x, y, straight) = (node.x + 1.0, node.y + 1.0, width - 2.0 * radius);
        let _ = writeln!(
            self.0,
            "<path d=\"M{x} {}v{}a{radius} {radius} 0 0 1 {radius} -{radius}h{straight}a{radius} {radius} 0 0 1 {radius} \
             {radius}v{}z\" {}/>",
            y + height,
            radius - height,
            height - radius,
            paint("fill", color)
        );
    }

    /// Marks at a box: problems, a breakpoint, counts, and a note below it.
    fn badges(&mut self, node: &NodeItem, colors: &Colors) {
        if node.errors + node.warnings > 0 {
            let (count, color) =
                if node.errors > 0 { (node.errors, colors.error) } else { (node.warnings, colors.warning) };
            let count = count.to_string();
            let width = (text_width(&count, 10.0) as f32 + 8.0).max(16.0);
            let left = node.x + node.width - 8.0;
            self.rect([left, node.y - 8.0, width, 16.0], 8.0, color);
            let letters = Letters { size: 10.0, is_bold: true, align: 0, ..Letters::new(colors.accent_text) };
            self.text([left + width / 2.0, node.y], &count, &letters);
        }
        if node.breakpoint > 0 {
            let radius = if node.breakpoint == 3 { 2.0 } else { 7.0 };
            let fill = match node.breakpoint {
                2 | 5 => colors.paper,
                4 => colors.stopped,
                _ => colors.error,
            };
            let area = [node.x - 7.0, node.y - 7.0, 14.0, 14.0];
            self.rect(area, radius, fill);
            let (width, edge) = match node.breakpoint {
                2 => (4.0, colors.error),
                5 => (2.0, colors.dim),
                _ => (1.0, colors.paper),
            };
            self.border(area, radius, width, edge);
        }
        let foot = node.y + node.height;
        if node.check > 0 {
            let (sign, color) = match node.check {
                1 => ("\u{d7}", colors.error),
                3 => ("\u{2713}", colors.good),
                _ => ("?", colors.dim),
            };
            self.rect([node.x - 13.0, foot - 8.0, 16.0, 16.0], 8.0, color);
            let letters = Letters { size: 10.0, is_bold: true, align: 0, ..Letters::new(colors.paper) };
            self.text([node.x - 5.0, foot], sign, &letters);
        }
        if !node.events.is_empty() {
            let letters = Letters { size: 10.0, align: 1, ..Letters::new(colors.dim) };
            self.text([node.x + node.width, foot + node.sink + 9.0], &node.events, &letters);
        }
        if !node.below.is_empty() {
            let color = match node.state {
                _ if node.highlight >= 8 => colors.edge(node),
                1 => colors.error,
                _ => colors.waiting,
            };
            let letters = Letters { size: 10.5, ..Letters::new(color) };
            let top = foot + (node.foot + 2.0).max(3.0);
            let width = (node.width * 1.6).max(120.0);
            for (line, text) in wrapped(&node.below, width, letters.size).iter().enumerate() {
                let y = top + (line as f32 + 0.5) * LINE * letters.size;
                self.text([node.x + node.inset, y], text, &letters);
            }
        }
    }

    fn port(&mut self, port: &PortItem, colors: &Colors) {
        let fill = if port.is_connected { port.color } else { colors.paper };
        if port.shape.is_empty() {
            let radius = rounded(port.radius * 0.7);
            let (radius, ring) = if port.is_connected {
                (radius, String::new())
            } else {
                (rounded(radius - 0.75), ring(port.color, 1.5))
            };
            let _ = writeln!(
                self.0,
                "<circle class=\"port\" cx=\"{}\" cy=\"{}\" r=\"{radius}\" {}{ring}/>",
                rounded(port.x),
                rounded(port.y),
                paint("fill", fill)
            );
            return;
        }
        // The shape is in a box of 10 by 10; its line is as thick as it would be without that.
        let (corner, scale) = (port.radius * 0.8, rounded(port.radius * 0.16));
        let _ = writeln!(
            self.0,
            "<path class=\"port\" transform=\"translate({} {}) scale({scale})\" d=\"{}\" {}{}/>",
            rounded(port.x - corner),
            rounded(port.y - corner),
            port.shape,
            paint("fill", fill),
            ring(port.color, rounded(1.5 / scale))
        );
    }

    fn dot(&mut self, dot: &DotItem, colors: &Colors) {
        let radius = dot.size / 2.0;
        let ring = if dot.is_selected { ring(colors.text, 2.0) } else { String::new() };
        let _ = writeln!(
            self.0,
            "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"{radius}\" {}{ring}/>",
            rounded(dot.x + radius),
            rounded(dot.y + radius),
            paint("fill", colors.state(dot.state))
        );
    }

    fn label(&mut self, label: &LabelItem) {
        if label.background.alpha() > 0 {
            self.rect([label.x, label.y, label.width, label.height], 3.0, label.background);
        }
        let x = label.x + label.width * (label.align + 1) as f32 / 2.0;
        let letters = Letters { size: label.size, align: label.align, ..Letters::new(label.color) };
        self.text([x, label.y + label.height / 2.0], &label.text, &letters);
    }

    fn rect(&mut self, area: [f32; 4], radius: f32, color: Color) {
        let [x, y, width, height] = area.map(rounded);
        let _ = writeln!(
            self.0,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" {}/>",
            paint("fill", color)
        );
    }

    /// A border that is within its rectangle, as those of the toolkit are.
    fn border(&mut self, [x, y, width, height]: [f32; 4], radius: f32, thickness: f32, color: Color) {
        let inset = thickness / 2.0;
        let _ = writeln!(
            self.0,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"none\"{}/>",
            rounded(x + inset),
            rounded(y + inset),
            rounded((width - thickness).max(0.0)),
            rounded((height - thickness).max(0.0)),
            (radius - inset).max(0.0),
            ring(color, thickness)
        );
    }

    /// A text whose left end, middle or right end is at a place, vertically its middle.
    fn text(&mut self, [x, y]: [f32; 2], text: &str, letters: &Letters) {
        if text.is_empty() {
            return;
        }
        let anchor = match letters.align {
            ..0 => "",
            0 => " text-anchor=\"middle\"",
            1.. => " text-anchor=\"end\"",
        };
        let weight = if letters.is_bold { " font-weight=\"600\"" } else { "" };
        let _ = writeln!(
            self.0,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight}{anchor} xml:space=\"preserve\" {}>{}</text>",
            rounded(x),
            rounded(y + BASELINE * letters.size),
            letters.size,
            paint("fill", letters.color),
            escaped(text)
        );
    }
}

/// Look of a text.
struct Letters {
    size: f32,
    is_bold: bool,
    /// -1 left, 0 center, 1 right.
    align: i32,
    color: Color,
}

impl Letters {
    fn new(color: Color) -> Self {
        Self { size: 11.0, is_bold: false, align: -1, color }
    }
}

/// A length with two decimals.
fn rounded(length: f32) -> f32 {
    (length * 100.0).round() / 100.0
}

fn ring(color: Color, thickness: f32) -> String {
    format!(" {} stroke-width=\"{thickness}\"", paint("stroke", color))
}

/// The attributes of a color.
fn paint(attribute: &str, color: Color) -> String {
    let (red, green, blue, alpha) = (color.red(), color.green(), color.blue(), color.alpha());
    let solid = format!("{attribute}=\"#{red:02x}{green:02x}{blue:02x}\"");
    match alpha {
        255 => solid,
        alpha => format!("{solid} {attribute}-opacity=\"{:.2}\"", f32::from(alpha) / 255.0),
    }
}

/// Lines of a text that are at most so wide, cut between words.
fn wrapped(text: &str, width: f32, size: f32) -> Vec<String> {
    let fits = |line: &str| text_width(line, f64::from(size)) <= f64::from(width);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text without the signs that mean something in XML, and without those that it cannot hold.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            letter if letter < ' ' || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_means_something_in_xml_is_written_otherwise() {
        assert_eq!(escaped("a < b && \"c\"\u{1}"), "a &lt; b &amp;&amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn note_is_cut_between_words() {
        assert_eq!(wrapped("one two three", 60.0, 10.0), ["one two", "three"]);
        assert_eq!(wrapped("", 60.0, 10.0), Vec::<String>::new());
    }

    #[test]
    fn color_that_is_not_opaque_has_an_opacity() {
        assert_eq!(paint("fill", Color::from_rgb_u8(1, 2, 255)), "fill=\"#0102ff\"");
        assert_eq!(
            paint("stroke", Color::from_argb_u8(128, 0, 0, 0)),
            "stroke=\"#000000\" stroke-opacity=\"0.50\""
        );
    }
}
