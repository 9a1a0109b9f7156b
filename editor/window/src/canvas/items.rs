//! Things of the picture as rows of the window's lists.

use hasse_editor::drawing::color::{Rgb, Shape};
use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::measure::text_width;
use hasse_editor::drawing::scene::Edge;
use hasse_editor::marks::{BreakpointMark, CheckMark, Highlight, NodeMarks};
use hasse_editor::state::picture::{
    self, Detail, ErrorMark, MinimapPicture, NodeLook, Picture, PortState, WireGroup, WireStyle,
};
use hasse_ui::{BlockItem, CommentItem, FrameItem, LabelItem, LineItem, NodeItem, PortItem, WireItem};
use slint::{Color, Image, Rgba8Pixel, SharedPixelBuffer};

use super::badges::badge_label;
use super::colors::{accent, color, first_highlight, highlight_color, inks, refused, state_number};
use super::description::described;
use super::dots::{caption_inset, dots_height, foot, sink};

pub(super) fn detail(detail: Detail) -> &'static str {
    match detail {
        Detail::Blocks => "blocks",
        Detail::Titles => "titles",
        Detail::Full => "full",
    }
}

/// Places of the grid's vertical and horizontal lines.
pub(super) fn grid_lines(picture: &Picture, size: Point) -> [Vec<f32>; 2] {
    let (step, offset) = (picture.grid.step, picture.grid.offset);
    let lines = |offset: f64, length: f64| {
        if step < 4.0 || !step.is_finite() {
            return Vec::new();
        }
        let places = (0..).map(|number| (offset + f64::from(number) * step).round());
        places.take_while(|at| *at < length).map(|at| at as f32).collect()
    };
    [lines(offset.x, size.x), lines(offset.y, size.y)]
}

pub(super) fn line_item(area: Rect) -> LineItem {
    LineItem {
        x: area.min.x as f32,
        y: area.min.y as f32,
        width: area.width() as f32,
        height: area.height() as f32,
    }
}

pub(super) fn path_item(area: Rect, commands: &str, color: Color, thickness: f32) -> WireItem {
    WireItem {
        x: area.min.x as f32,
        y: area.min.y as f32,
        width: area.width().max(1.0) as f32,
        height: area.height().max(1.0) as f32,
        commands: commands.into(),
        color,
        thickness,
    }
}

/// Color and thickness of wires.
pub(super) fn wire_look(group: &WireGroup, is_dark: bool) -> (Color, f32) {
    let own = color(if is_dark { group.dark } else { group.light });
    match group.style {
        WireStyle::Dimmed => (own.with_alpha(0.25), 1.5),
        WireStyle::Normal => (own, if group.is_share { 1.25 } else { 1.75 }),
        WireStyle::Error | WireStyle::Refused => (refused(is_dark), 2.5),
        WireStyle::Highlight(kind) => (highlight_color(kind, is_dark), 3.0),
        WireStyle::Hovered => (own, 3.0),
        WireStyle::Selected => (accent(is_dark), 3.0),
    }
}

pub(super) fn wire_item(group: &WireGroup, is_dark: bool) -> WireItem {
    let (shown, thickness) = wire_look(group, is_dark);
    path_item(group.area, &group.commands, shown, thickness)
}

fn highlight_number(highlights: &[Highlight]) -> i32 {
    first_highlight(highlights).map_or(0, |kind| match kind {
        Highlight::Selected => 1,
        Highlight::Related => 2,
        Highlight::Finding => 3,
        Highlight::Race => 4,
        Highlight::Cycle => 5,
        Highlight::Animated => 6,
        Highlight::Path => 7,
        Highlight::Added => 8,
        Highlight::Changed => 9,
        Highlight::Removed => 10,
        Highlight::Moved => 11,
    })
}

fn breakpoint_number(breakpoint: Option<BreakpointMark>) -> i32 {
    match breakpoint {
        None => 0,
        Some(BreakpointMark::Enabled) => 1,
        Some(BreakpointMark::Conditional) => 2,
        Some(BreakpointMark::LogPoint) => 3,
        Some(BreakpointMark::Hit) => 4,
        Some(BreakpointMark::Off) => 5,
    }
}

fn check_number(check: Option<CheckMark>) -> i32 {
    match check {
        None => 0,
        Some(CheckMark::Violated) => 1,
        Some(CheckMark::Unknown) => 2,
        Some(CheckMark::Holds) => 3,
    }
}

fn kind(look: NodeLook) -> &'static str {
    match look {
        NodeLook::Unit => "unit",
        NodeLook::Shared => "shared",
        NodeLook::Call => "call",
        NodeLook::Input => "input",
        NodeLook::Output => "output",
        NodeLook::InOut => "inout",
        NodeLook::Missing => "missing",
    }
}

pub(super) fn node_item(node: &picture::NodeItem, ports: &str, zoom: f64) -> NodeItem {
    let NodeMarks { state, n_events, breakpoint, check, highlights, is_dimmed, note, .. } = &node.marks;
    let count = |own: usize, inside: usize| i32::try_from(own + inside).unwrap_or(i32::MAX);
    let counts = node.error.counts;
    NodeItem {
        x: node.area.min.x as f32,
        y: node.area.min.y as f32,
        width: node.area.width() as f32,
        height: node.area.height() as f32,
        // A block has no title that is drawn, but a name.
        title: if node.title.is_empty() { &node.key } else { &node.title }.into(),
        note: (&node.note).into(),
        kind: kind(node.look).into(),
        is_start: node.is_start,
        is_stop: node.is_stop,
        is_selected: node.is_selected,
        is_hovered: node.is_hovered,
        is_dimmed: *is_dimmed,
        errors: count(counts.n_errors, counts.n_errors_inside),
        warnings: count(counts.n_warnings, counts.n_warnings_inside),
        message: (&node.error.message).into(),
        state: state.map_or(0, state_number),
        foot: foot(node, zoom) as f32,
        sink: sink(node, zoom) as f32,
        inset: caption_inset(node, zoom) as f32,
        events: n_events.map(|n_events| n_events.to_string().into()).unwrap_or_default(),
        breakpoint: breakpoint_number(*breakpoint),
        check: check_number(*check),
        highlight: highlight_number(highlights),
        below: note.into(),
        described: described(node, ports).into(),
    }
}

/// Whether a box has marks beside it that the far picture has not.
pub(super) fn has_badge(node: &picture::NodeItem) -> bool {
    node.error != ErrorMark::default() || node.marks.breakpoint.is_some() || node.marks.check.is_some()
}

pub(super) fn block_item(node: &picture::NodeItem) -> BlockItem {
    BlockItem {
        x: node.area.min.x as f32,
        y: node.area.min.y as f32,
        width: node.area.width() as f32,
        height: node.area.height() as f32,
        name: (&node.key).into(),
        described: described(node, "").into(),
        is_selected: node.is_selected,
    }
}

pub(super) fn frame_item(frame: &picture::FrameItem, is_dark: bool) -> FrameItem {
    let rgb: Rgb = match frame.color {
        "blue" => [0x4a, 0x90, 0xe2],
        "green" => [0x4f, 0xb3, 0x6d],
        "yellow" => [0xd9, 0xb3, 0x2b],
        "orange" => [0xe0, 0x8a, 0x3c],
        "red" => [0xd9, 0x5b, 0x5b],
        "purple" => [0x96, 0x6f, 0xd6],
        _ if is_dark => [0x8a, 0x8f, 0x9c],
        _ => [0x7a, 0x80, 0x8c],
    };
    FrameItem {
        x: frame.area.min.x as f32,
        y: frame.area.min.y as f32,
        width: frame.area.width() as f32,
        height: frame.area.height() as f32,
        title: (&frame.title).into(),
        color: color(rgb),
        is_selected: frame.is_selected,
    }
}

pub(super) fn comment_item(comment: &picture::CommentItem) -> CommentItem {
    CommentItem {
        x: comment.area.min.x as f32,
        y: comment.area.min.y as f32,
        width: comment.area.width() as f32,
        height: comment.area.height() as f32,
        text: (&comment.text).into(),
        is_selected: comment.is_selected,
    }
}

/// The path of a shape in a box of 10 by 10; empty for a circle.
fn shape_path(shape: Shape) -> &'static str {
    match shape {
        Shape::Circle => "",
        Shape::Diamond => "M 5 0 L 10 5 L 5 10 L 0 5 Z",
        Shape::Triangle => "M 5 0.5 L 10 9.5 L 0 9.5 Z",
        Shape::TriangleDown => "M 0 0.5 L 10 0.5 L 5 9.5 Z",
        Shape::Square => "M 0.7 0.7 L 9.3 0.7 L 9.3 9.3 L 0.7 9.3 Z",
        Shape::Pentagon => "M 5 0 L 10 3.8 L 8 9.6 L 2 9.6 L 0 3.8 Z",
        Shape::Bar => "M 2.5 0 L 7.5 0 L 7.5 10 L 2.5 10 Z",
        Shape::Grid => "M 0.7 0.7 L 9.3 0.7 L 9.3 9.3 L 0.7 9.3 Z M 5 0.7 L 5 9.3 M 0.7 5 L 9.3 5",
        Shape::Columns => "M 0.7 0.7 L 9.3 0.7 L 9.3 9.3 L 0.7 9.3 Z M 3.6 0.7 L 3.6 9.3 M 3.6 5 L 9.3 5",
        Shape::Hexagon => "M 2.5 0.6 L 7.5 0.6 L 10 5 L 7.5 9.4 L 2.5 9.4 L 0 5 Z",
        Shape::Ring => {
            "M 5 0 C 11.6 0 11.6 10 5 10 C -1.6 10 -1.6 0 5 0 Z M 5 3 C 7.6 3 7.6 7 5 7 C 2.4 7 2.4 3 5 3 Z"
        }
        Shape::Cross => "M 1 1 L 9 9 M 9 1 L 1 9",
    }
}

pub(super) fn port_item(port: &picture::PortItem, zoom: f64, is_dark: bool) -> PortItem {
    let rgb = if is_dark { port.token.dark } else { port.token.light };
    PortItem {
        x: port.at.x as f32,
        y: port.at.y as f32,
        radius: (7.0 * zoom).clamp(3.0, 16.0) as f32,
        shape: shape_path(port.token.shape).into(),
        color: if port.is_declared { color(rgb) } else { refused(is_dark) },
        is_connected: port.is_connected,
        candidate: match port.state {
            PortState::Normal if port.is_hovered => 1,
            PortState::Normal => 0,
            PortState::Begin | PortState::Candidate => 1,
            PortState::Chosen => 2,
            PortState::Refused => 3,
        },
    }
}

pub(super) fn labels(picture: &Picture, is_dark: bool) -> Vec<LabelItem> {
    let zoom = picture.zoom;
    let size = 11.0 * zoom;
    let [text, dim, _] = inks(is_dark);
    let clear = Color::from_argb_u8(0, 0, 0, 0);
    let mut items = Vec::new();
    for port in picture.ports.iter().filter(|port| !port.label.is_empty() && !port.is_label_covered) {
        let width = text_width(&port.label, size) + 4.0;
        let (x, align) = match port.edge {
            Edge::Left => (port.label_at.x, -1),
            Edge::Right => (port.label_at.x - width, 1),
            Edge::Top | Edge::Bottom => (port.label_at.x - width / 2.0, 0),
        };
        items.push(LabelItem {
            x: x as f32,
            y: (port.label_at.y - size * 0.75) as f32,
            width: width as f32,
            height: (size * 1.5) as f32,
            text: (&port.label).into(),
            color: if port.is_hovered { text } else { dim },
            background: clear,
            size: size as f32,
            align,
        });
    }
    for label in &picture.labels {
        items.push(LabelItem {
            x: label.area.min.x as f32,
            y: label.area.min.y as f32,
            width: label.area.width() as f32,
            height: label.area.height() as f32,
            text: (&label.text).into(),
            color: if label.style > WireStyle::Normal { text } else { dim },
            background: clear,
            size: size as f32,
            align: 0,
        });
    }
    items.extend(picture.badges.iter().filter_map(|badge| badge_label(badge, zoom, is_dark)));
    for node in picture.nodes.iter().filter(|node| node.marks.n_more > 0) {
        items.push(LabelItem {
            x: node.area.max.x as f32 - 60.0,
            y: (node.area.max.y + sink(node, zoom) + dots_height(node, zoom) + 2.0) as f32,
            width: 60.0,
            height: (size * 1.4) as f32,
            text: format!("+{} more", node.marks.n_more).into(),
            color: dim,
            background: clear,
            size: (size * 0.9) as f32,
            align: 1,
        });
    }
    items
}

pub(super) fn minimap(map: &MinimapPicture, is_dark: bool) -> Image {
    let (width, height) = MINIMAP;
    let mut buffer = SharedPixelBuffer::<Rgba8Pixel>::new(width, height);
    let pixels = buffer.make_mut_slice();
    let mut fill = |area: &Rect, color: [u8; 4], is_outline: bool| {
        let limit = |value: f64, most: u32| value.round().clamp(0.0, f64::from(most)) as u32;
        let (left, top) = (limit(area.min.x, width), limit(area.min.y, height));
        let (right, bottom) =
            (limit(area.max.x, width).max(left + 1), limit(area.max.y, height).max(top + 1));
        for y in top..bottom.min(height) {
            for x in left..right.min(width) {
                let is_edge = x == left || y == top || x + 1 == right || y + 1 == bottom;
                if !is_outline || is_edge {
                    pixels[(y * width + x) as usize] =
                        Rgba8Pixel { r: color[0], g: color[1], b: color[2], a: color[3] };
                }
            }
        }
    };
    let (frame, node, view): ([u8; 4], [u8; 4], [u8; 4]) = if is_dark {
        ([0x3a, 0x3d, 0x48, 0xff], [0x8a, 0x8f, 0x9c, 0xff], [0x5b, 0x9d, 0xff, 0xff])
    } else {
        ([0xdd, 0xe1, 0xe8, 0xff], [0x7a, 0x80, 0x8c, 0xff], [0x0b, 0x62, 0xd6, 0xff])
    };
    map.frames.iter().for_each(|area| fill(area, frame, false));
    map.nodes.iter().for_each(|area| fill(area, node, false));
    fill(&map.view, view, true);
    Image::from_rgba8(buffer)
}

/// Size of the overview, in logical pixels.
pub(crate) const MINIMAP: (u32, u32) = (180, 120);
