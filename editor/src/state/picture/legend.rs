//! Legend: samples of colors, shapes, lines and badges, drawn as on the picture.

use super::super::check::findings::ErrorMark;
use super::items::{NodeItem, NodeLook, PortItem, PortState, WireBadge, WireGroup, WireStyle};
use super::wires::sample_wire;
use crate::drawing::color::type_token;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::scene::Edge;
use crate::edit::link::LinkList;
use crate::marks::{ActionMark, BreakpointMark, CheckMark, Highlight, NodeMarks};

/// Size of a sample, in pixels.
pub const SAMPLE: Point = Point { x: 96.0, y: 30.0 };

/// Something that is drawn on the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum LegendSample {
    /// Nothing: the text is the title of what follows.
    Title,
    /// A box.
    Node(Box<NodeItem>),
    /// A wire.
    Wire(WireGroup),
    /// A port.
    Port(PortItem),
    /// An instance.
    Dot(ActionMark),
    /// Badge of a wire.
    Badge(WireBadge),
}

/// A line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendLine {
    /// Sample.
    pub sample: LegendSample,
    /// Its meaning.
    pub text: &'static str,
}

fn line(sample: LegendSample, text: &'static str) -> LegendLine {
    LegendLine { sample, text }
}

fn title(text: &'static str) -> LegendLine {
    line(LegendSample::Title, text)
}

fn node(title: &str, look: NodeLook, marks: NodeMarks) -> NodeItem {
    NodeItem {
        key: title.to_owned(),
        area: Rect::new(0.0, 0.0, SAMPLE.x, SAMPLE.y),
        title: title.to_owned(),
        note: String::new(),
        doc: String::new(),
        look,
        is_start: false,
        is_stop: false,
        is_selected: false,
        is_hovered: false,
        last_port_below: None,
        error: ErrorMark::default(),
        marks,
    }
}

fn boxed(node: NodeItem, text: &'static str) -> LegendLine {
    line(LegendSample::Node(Box::new(node)), text)
}

fn look(title: &str, look: NodeLook, text: &'static str) -> LegendLine {
    boxed(node(title, look, NodeMarks::default()), text)
}

fn state(mark: ActionMark, text: &'static str) -> LegendLine {
    boxed(node("A", NodeLook::Unit, NodeMarks { state: Some(mark), ..NodeMarks::default() }), text)
}

fn breakpoint(mark: BreakpointMark, text: &'static str) -> LegendLine {
    boxed(node("A", NodeLook::Unit, NodeMarks { breakpoint: Some(mark), ..NodeMarks::default() }), text)
}

fn check(mark: CheckMark, text: &'static str) -> LegendLine {
    boxed(node("A", NodeLook::Unit, NodeMarks { check: Some(mark), ..NodeMarks::default() }), text)
}

fn wire(ty: &str, is_share: bool, style: WireStyle, text: &'static str) -> LegendLine {
    let token = type_token(ty);
    let (area, commands) = sample_wire(SAMPLE, is_share);
    let group = WireGroup {
        light: token.light,
        dark: token.dark,
        is_share,
        style,
        area,
        commands,
        segments: Vec::new(),
    };
    line(LegendSample::Wire(group), text)
}

fn port(ty: &str, text: &'static str) -> LegendLine {
    let port = PortItem {
        node_idx: 0,
        at: Point::new(SAMPLE.x / 2.0, SAMPLE.y / 2.0),
        token: type_token(ty),
        ty: ty.to_owned(),
        label: String::new(),
        label_at: Point::default(),
        edge: Edge::Left,
        is_declared: true,
        is_connected: true,
        is_hovered: false,
        is_covered: false,
        is_label_covered: false,
        state: PortState::Normal,
    };
    line(LegendSample::Port(port), text)
}

fn badge(n_queued: Option<u64>, fill: Option<u8>, n_passed: Option<u64>, text: &'static str) -> LegendLine {
    let badge = WireBadge {
        key: (LinkList::Arcs, 0),
        area: Rect::new(0.0, 0.0, SAMPLE.x, SAMPLE.y),
        hug: 0.5,
        is_crowded: false,
        n_queued,
        fill,
        n_passed,
        breakpoint: None,
        check: None,
        error: ErrorMark::default(),
    };
    line(LegendSample::Badge(badge), text)
}

/// All of it, in the order in which a reader meets it.
pub fn legend() -> Vec<LegendLine> {
    let start = NodeItem { is_start: true, ..node("Start", NodeLook::Unit, NodeMarks::default()) };
    let stop = NodeItem { is_stop: true, ..node("Stop", NodeLook::Unit, NodeMarks::default()) };
    let selected = NodeItem { is_selected: true, ..node("A", NodeLook::Unit, NodeMarks::default()) };
    let highlight = |kind| WireStyle::Highlight(kind);
    let mut lines = vec![
        title("Nodes"),
        look("A", NodeLook::Unit, "unit of computation"),
        boxed(start, "start node"),
        boxed(stop, "stop node: the run ends after its event"),
        look("call", NodeLook::Call, "call of a graph"),
        look("object", NodeLook::Shared, "shared object"),
        look("in.a", NodeLook::Input, "port of the graph itself"),
        boxed(selected, "selected"),
        title("Wires"),
        wire("int", false, WireStyle::Normal, "arc: values go to the arrow head, in the color of their type"),
        wire("int", true, WireStyle::Normal, "share line: a unit uses an object"),
        wire("int", false, WireStyle::Selected, "selected, here or in a view of the record"),
        wire("int", false, highlight(Highlight::Animated), "carried a value at the moment of playback"),
        wire("int", false, highlight(Highlight::Path), "on the critical path"),
        wire("int", false, highlight(Highlight::Cycle), "in a cycle of actions that wait for each other"),
        wire("int", false, highlight(Highlight::Finding), "named by a finding or a race"),
        wire("int", false, WireStyle::Dimmed, "left out by a restriction"),
        badge(Some(2), None, None, "values that wait at its end"),
        badge(Some(6), Some(75), None, "more than 60 % of the bound of that port"),
        badge(Some(8), Some(100), None, "more than 85 % of the bound of that port"),
        badge(None, None, Some(7), "values that went along it"),
        title("Ports"),
    ];
    let types =
        ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "map[string]int", "any"];
    lines.extend(types.map(|ty| port(ty, ty)));
    lines.extend([
        port("Point", "a struct type"),
        title("States of a node: that of its most urgent instance"),
        state(ActionMark::Failed, "failed"),
        state(ActionMark::Stopped, "held by the debugger"),
        state(ActionMark::WaitingForCycle, "waits in a cycle"),
        state(ActionMark::Waiting, "waits for values or a lock"),
        state(ActionMark::Running, "executes"),
        state(ActionMark::Enabled, "could execute next"),
        state(ActionMark::Idle, "idle"),
        title("Dots below a node: its instances"),
        line(LegendSample::Dot(ActionMark::Failed), "failed, or waits in a cycle"),
        line(LegendSample::Dot(ActionMark::Stopped), "stopped; a click debugs it"),
        line(LegendSample::Dot(ActionMark::Waiting), "waits"),
        line(LegendSample::Dot(ActionMark::Running), "executes"),
        line(LegendSample::Dot(ActionMark::Done), "idle"),
        title("Breakpoints: a click switches, a right click edits"),
        breakpoint(BreakpointMark::Enabled, "stops"),
        breakpoint(BreakpointMark::Conditional, "stops under a condition, or after some hits"),
        breakpoint(BreakpointMark::LogPoint, "writes a line"),
        breakpoint(BreakpointMark::Hit, "holds an action now"),
        breakpoint(BreakpointMark::Off, "switched off"),
        title("Checks: a click shows the verdict"),
        check(CheckMark::Holds, "holds"),
        check(CheckMark::Violated, "violated"),
        check(CheckMark::Unknown, "not decided, or not made yet"),
    ]);
    lines
}
