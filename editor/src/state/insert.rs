//! New nodes from the palette, and what they are connected with.

use hasse_compiler::{GraphOutline, NodeKind, outline};
use toml_edit::{DocumentMut, Value};

use super::editor::Editor;
use super::gesture::carry::unplaced;
use super::request::Request;
use super::selection::selected::Selection;
use crate::drawing::arrange::snapped;
use crate::drawing::connect::{PortName, may_connect};
use crate::drawing::geometry::Point;
use crate::drawing::scene::{BoxKind, PortPlace};
use crate::edit::node::{self, NewNode};
use crate::edit::place::Position;
use crate::edit::port::Side;
use crate::edit::{EditError, graph, link, place, port};
use crate::gallery::ready_node;
use crate::palette::{Action, Wire, WireEnd, item_type};
use crate::ports::interface;

impl Editor {
    /// Asks for the palette at a place of the canvas, for a wire that was dropped there.
    pub(super) fn ask_for_palette(&mut self, at: Point, from: Option<PortPlace>) {
        let world = self.view().world_from_screen(at);
        let wire = from.and_then(|from| {
            let scene = &self.drawn.shown()?.scene;
            let (port, name) = (scene.port(from)?, scene.port_name(from)?);
            let end = match name.side {
                Side::Output => WireEnd::Source,
                Side::Input => WireEnd::Target,
                Side::Shared if scene.boxes[from.box_idx].kind.is_shared() => WireEnd::Object,
                Side::Shared => WireEnd::User,
            };
            Some((Wire { from: end, ty: port.ty.clone() }, name))
        });
        self.requests.push(Request::Palette { at, place: snapped(world.x, world.y), wire });
        self.changed();
    }

    /// Does what was chosen in the palette, as one step: a new node at a place, connected with the port that a wire came
    /// from. Gives the node's name; `None` where it was refused, which is the status then.
    pub fn insert(&mut self, action: &Action, at: Position, from: Option<&PortName>) -> Option<String> {
        self.cancel();
        let graph = self.graph.clone();
        let loose = self.drawn.shown().map(|shown| unplaced(&shown.scene, |_| false)).unwrap_or_default();
        let ty = from.and_then(|from| {
            let shown = self.drawn.shown()?;
            Some(shown.scene.port(shown.place_of(from)?)?.ty.clone())
        });
        let mut named = None;
        let label = match action.new_node() {
            Some(_) => "add a node",
            None => "connect",
        };
        let done = self.edit(label, |tables| {
            let adopted = adopted(tables, action, ty.as_deref())?;
            let action = adopted.as_ref().unwrap_or(action);
            let name = match action.new_node() {
                Some((new, wanted)) => {
                    // A formal port is called as the port that it is joined with.
                    let wanted = from.and_then(|from| joined_name(action, from)).unwrap_or(wanted);
                    let name = add(tables, &graph, action, new, wanted)?;
                    let mut places: Vec<(&str, Position)> =
                        loose.iter().map(|(name, at)| (&**name, *at)).collect();
                    places.push((&name, at));
                    place::set(tables, &graph, &places)?;
                    name
                }
                None => match action {
                    Action::Connect(node, _) => node.clone(),
                    _ => String::new(),
                },
            };
            if let Some(from) = from {
                let to = other_end(tables, &graph, action, &name, from, ty.as_deref().unwrap_or_default())?;
                connect(tables, &graph, from, &to)?;
            }
            named = Some(name);
            Ok(())
        });
        let name = named.filter(|_| done == Ok(true))?;
        if action.new_node().is_some() {
            self.note_fresh(&name);
        }
        self.select(Selection { nodes: [name.clone()].into(), ..Selection::default() });
        self.say(match action.new_node() {
            Some(_) => format!("Added {name}"),
            None => format!("Connected with {name}"),
        });
        Some(name)
    }
}

impl Editor {
    /// Whether a box is a unit that could have a port for a wire from a port of another one.
    pub(super) fn can_get_port(&self, box_idx: usize, from: PortPlace) -> bool {
        let Some(scene) = self.drawn.shown().map(|shown| &shown.scene) else { return false };
        let is_unit = |idx: usize| matches!(scene.boxes[idx].kind, BoxKind::Unit { .. });
        let is_object = scene.boxes[from.box_idx].kind.is_shared();
        let is_name = scene.port_name(from).is_some_and(|name| name.side == Side::Shared) && !is_object;
        let is_declared = scene.port(from).is_some_and(|port| port.is_declared);
        box_idx != from.box_idx && is_unit(box_idx) && !is_name && is_declared
    }

    /// Gives a unit a port for a wire, and connects it, as one step.
    pub(super) fn connect_to_new_port(&mut self, from: PortPlace, box_idx: usize) {
        let Some(scene) = self.drawn.shown().map(|shown| &shown.scene) else { return };
        let (Some(name), Some(port)) = (scene.port_name(from), scene.port(from)) else { return };
        let (unit, ty) = (scene.boxes[box_idx].name.clone(), port.ty.clone());
        let side = across(name.side);
        let own = if name.port.is_empty() { &name.node } else { &name.port };
        let wanted = own.split_once('.').map_or(&**own, |(_, formal)| formal).to_owned();
        let is_done = self.edit_graph("connect with a new port", |tables, graph| {
            let port = add_port(tables, graph, &unit, side, &wanted, &ty)?;
            connect(tables, graph, &name, &PortName { node: unit.clone(), side, port })
        });
        if is_done {
            self.say(format!("{unit} has a new port."));
        }
    }
}

/// Name of a new formal port for a wire from a port; `None` for other nodes.
fn joined_name<'n>(action: &Action, from: &'n PortName) -> Option<&'n str> {
    let is_formal = matches!(action, Action::Input(_) | Action::Output(_));
    (is_formal && !from.port.is_empty()).then_some(from.port.as_str())
}

/// Copies a ready graph into the program. Returns the call of the copy in place of the action; `None` for other actions.
fn adopted(tables: &mut DocumentMut, action: &Action, ty: Option<&str>) -> Result<Option<Action>, EditError> {
    let Action::Ready(graph, port) = action else { return Ok(None) };
    let missing = || EditError::Missing { what: "graph", name: graph.clone() };
    let node = ready_node(graph).ok_or_else(missing)?;
    let item = port.as_ref().zip(ty).and_then(|(port, ty)| {
        let graphs = outline(node.text).ok()?;
        let ports = interface(graphs.iter().find(|held| held.name == *graph)?);
        item_type(&ports.iter().find(|held| held.name == *port)?.ty, ty).map(str::to_owned)
    });
    let name = graph::adopt(tables, node.text, graph, item.as_deref())?;
    Ok(Some(Action::Call(name, port.clone())))
}

fn outlines(tables: &DocumentMut) -> Vec<GraphOutline> {
    outline(&tables.to_string()).unwrap_or_default()
}

/// Adds a node; gives its name as an outline has it.
fn add(
    tables: &mut DocumentMut,
    graph: &str,
    action: &Action,
    new: NewNode<'_>,
    wanted: &str,
) -> Result<String, EditError> {
    let section = match new {
        NewNode::Input(_) => Some("in"),
        NewNode::Output(_) => Some("out"),
        NewNode::InOut(_) => Some("inout"),
        NewNode::Unit | NewNode::Shared(_) | NewNode::Call(_) => None,
    };
    let Some(section) = section else {
        let name = node::free_name(tables, graph, wanted);
        node::add(tables, graph, &name, new)?;
        if let Action::Unit { is_start, is_stop } = action {
            for (key, is_set) in [("start", is_start), ("stop", is_stop)] {
                if *is_set {
                    node::set_attribute(tables, graph, &name, key, Some(Value::from(true)))?;
                }
            }
        }
        return Ok(name);
    };
    let graphs = outlines(tables);
    let nodes = graphs.iter().find(|held| held.name == graph).map_or(&[][..], |held| &held.nodes);
    let is_free = |name: &String| {
        let formal = [format!("in.{name}"), format!("out.{name}"), format!("inout.{name}")];
        !nodes.iter().any(|node| node.name == *name || formal.contains(&node.name))
    };
    let numbered = (2..).map(|number: u32| format!("{wanted}{number}"));
    let name = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
    node::add(tables, graph, &name, new)?;
    Ok(formal_name(&outlines(tables), graph, section, &name))
}

/// A formal port as the outline names it: shared ones have no section before their name.
fn formal_name(graphs: &[GraphOutline], graph: &str, section: &str, name: &str) -> String {
    let with_section = format!("{section}.{name}");
    let nodes = graphs.iter().find(|held| held.name == graph).map_or(&[][..], |held| &held.nodes);
    let is_named = |wanted: &str| nodes.iter().any(|node| node.name == wanted);
    if is_named(&with_section) { with_section } else { name.to_owned() }
}

/// The side of the ports that take a wire from a side.
fn across(side: Side) -> Side {
    match side {
        Side::Output => Side::Input,
        Side::Input => Side::Output,
        Side::Shared => Side::Shared,
    }
}

/// Gives a unit a port of a type, under a name that is free on its side.
fn add_port(
    tables: &mut DocumentMut,
    graph: &str,
    unit: &str,
    side: Side,
    wanted: &str,
    ty: &str,
) -> Result<String, EditError> {
    let graphs = outlines(tables);
    let nodes = graphs.iter().find(|held| held.name == graph).map_or(&[][..], |held| &held.nodes);
    let ports = nodes.iter().find(|node| node.name == unit).map_or(&[][..], |node| &node.ports);
    let numbered = (2..).map(|number: u32| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let name = names.find(|name| !ports.iter().any(|port| port.name == *name)).unwrap_or_default();
    let ty = match side {
        Side::Shared => "write",
        _ if ty.trim().is_empty() => "any",
        _ => ty,
    };
    port::add(tables, graph, unit, side, &name, ty)?;
    Ok(name)
}

/// The port of a node that takes a wire; a new unit gets one.
fn other_end(
    tables: &mut DocumentMut,
    graph: &str,
    action: &Action,
    name: &str,
    from: &PortName,
    ty: &str,
) -> Result<PortName, EditError> {
    let side = across(from.side);
    let named = |port: &str| PortName { node: name.to_owned(), side, port: port.to_owned() };
    Ok(match action {
        Action::Connect(_, port) | Action::Call(_, Some(port)) | Action::Ready(_, Some(port)) => named(port),
        Action::UnitWithPort | Action::Unit { .. } => {
            let wanted = match side {
                Side::Input => "a",
                Side::Output => "x",
                Side::Shared if !from.node.contains('.') => &from.node,
                Side::Shared => "s",
            };
            let port = add_port(tables, graph, name, side, wanted, ty)?;
            named(&port)
        }
        Action::Call(called, None) | Action::Ready(called, None) => {
            // The first port that takes it.
            let graphs = outlines(tables);
            let formal = graphs.iter().find(|held| held.name == *called).map_or(&[][..], |held| &held.nodes);
            let ports = formal.iter().filter(|node| {
                matches!(
                    (&node.kind, side),
                    (NodeKind::Input(_), Side::Input)
                        | (NodeKind::Output(_), Side::Output)
                        | (NodeKind::InOut(_), Side::Shared)
                )
            });
            let mut names =
                ports.map(|node| node.name.split_once('.').map_or(&*node.name, |(_, name)| name).to_owned());
            named(&names.next().unwrap_or_default())
        }
        Action::Shared(_) | Action::Input(_) | Action::Output(_) | Action::InOut(_) => named(""),
    })
}

fn connect(tables: &mut DocumentMut, graph: &str, from: &PortName, to: &PortName) -> Result<(), EditError> {
    let graphs = outlines(tables);
    let missing = || EditError::Missing { what: "graph", name: graph.to_owned() };
    let own = graphs.iter().find(|held| held.name == graph).ok_or_else(missing)?;
    let line = may_connect(own, &graphs, from, to)?;
    link::add(tables, graph, line.list, &line.text).map(|_| ())
}
