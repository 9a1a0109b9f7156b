//! Which ports may be connected, and the line that does it.
//!
//! The compiler decides what a program means; this says the same beforehand, while a person drags from port to port, and
//! fills in indices as they are most often wanted: what has the same name is the same number.

/// Ports by name.
pub(super) mod name;
/// Why two ports cannot be connected.
pub(crate) mod refusal;

use hasse_compiler::{EndOutline, GraphOutline, LinkKind, NodeKind, NodeOutline, link_ends};
use hasse_model::name::{begins_name, is_of_name};

use super::scene::parts::Port;
use super::scene::ports::declared_ports;
use crate::edit::link::LinkList;
use crate::edit::port::Side;
use crate::ports::{accepts, squeezed};
pub use name::PortName;
pub use refusal::Refusal;

/// A line to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLink {
    /// The list that it belongs to.
    pub list: LinkList,
    /// The line, `A.x[i] -> B[i].y`.
    pub text: String,
}

/// A port with all that is said of it.
struct Found<'g> {
    name: &'g PortName,
    node: &'g NodeOutline,
    port: Port,
}

impl Found<'_> {
    /// Whether it is a shared object, not a name for one.
    fn is_object(&self) -> bool {
        matches!(self.node.kind, NodeKind::Shared(_) | NodeKind::InOut(_))
    }

    /// Index names behind the port; those of a formal port or object stand with its node.
    fn elements(&self) -> &[String] {
        if self.port.name.is_empty() { &[] } else { &self.port.elements }
    }

    fn end(&self, index: &[String], elements: &[String]) -> String {
        let port = if self.port.name.is_empty() { String::new() } else { format!(".{}", self.port.name) };
        format!("{}{}{port}{}", self.node.name, brackets(index), brackets(elements))
    }
}

fn brackets(index: &[String]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) }
}

/// The line that connects two ports of a graph, in whatever order they are given, with indices filled in.
///
/// # Errors
/// They cannot be connected: why. Cost: linear in the links of the graph.
pub fn may_connect(
    graph: &GraphOutline,
    graphs: &[GraphOutline],
    from: &PortName,
    to: &PortName,
) -> Result<NewLink, Refusal> {
    let (one, other) = (find(graph, graphs, from)?, find(graph, graphs, to)?);
    match (from.side, to.side) {
        (Side::Output, Side::Input) => arc(graph, &one, &other),
        (Side::Input, Side::Output) => arc(graph, &other, &one),
        (Side::Output, Side::Output) => Err(Refusal::BothSend(from.said(), to.said())),
        (Side::Input, Side::Input) => Err(Refusal::BothTake(from.said(), to.said())),
        (Side::Shared, Side::Shared) => match (one.is_object(), other.is_object()) {
            (true, false) => share(graph, &one, &other),
            (false, true) => share(graph, &other, &one),
            (true, true) => Err(Refusal::BothObjects(from.said(), to.said())),
            (false, false) => Err(Refusal::BothNames(from.said(), to.said())),
        },
        (Side::Shared, Side::Input | Side::Output) => {
            Err(Refusal::SharedAndPort { shared: from.said(), port: to.said() })
        }
        (Side::Input | Side::Output, Side::Shared) => {
            Err(Refusal::SharedAndPort { shared: to.said(), port: from.said() })
        }
    }
}

fn find<'g>(
    graph: &'g GraphOutline,
    graphs: &[GraphOutline],
    name: &'g PortName,
) -> Result<Found<'g>, Refusal> {
    let node = graph.nodes.iter().find(|node| node.name == name.node);
    let node = node.filter(|node| node.kind != NodeKind::Missing);
    let node = node.ok_or_else(|| Refusal::NoNode(name.node.clone()))?;
    if let NodeKind::Call(called) = &node.kind
        && !graphs.iter().any(|graph| graph.name == *called)
    {
        return Err(Refusal::NoGraph(node.name.clone()));
    }
    let is_it = |port: &Port| {
        let side = match port.kind {
            hasse_compiler::PortKind::Input => Side::Input,
            hasse_compiler::PortKind::Output => Side::Output,
            hasse_compiler::PortKind::Shared { .. } => Side::Shared,
        };
        side == name.side && port.name == name.port
    };
    let port = declared_ports(node, graphs).into_iter().find(is_it);
    let missing = || Refusal::NoPort { node: name.node.clone(), port: name.port.clone() };
    Ok(Found { name, node, port: port.ok_or_else(missing)? })
}

fn arc(graph: &GraphOutline, source: &Found<'_>, target: &Found<'_>) -> Result<NewLink, Refusal> {
    let (sent, taken) = (source.port.ty.trim(), target.port.ty.trim());
    if !accepts(taken, sent) {
        let is_any = sent == "any";
        let help = if is_any { " Convert the value where it is sent, and give the port a type." } else { "" };
        return Err(Refusal::Types {
            source_port: source.name.said(),
            sent: sent.to_owned(),
            target_port: target.name.said(),
            taken: taken.to_owned(),
            help,
        });
    }
    let (left, right) = indices(source, target);
    let text = format!("{} -> {}", source.end(&left.0, &left.1), target.end(&right.0, &right.1));
    new_link(graph, LinkList::Arcs, text)
}

fn share(graph: &GraphOutline, object: &Found<'_>, user: &Found<'_>) -> Result<NewLink, Refusal> {
    let (own, wanted) = (object.port.ty.trim(), user.port.ty.trim());
    // A unit's name takes the type of its object; only formal shared objects have one.
    if squeezed(own) != squeezed(wanted) && !own.is_empty() && !wanted.is_empty() {
        return Err(Refusal::SharedTypes {
            object: object.name.said(),
            own: own.to_owned(),
            name: user.name.said(),
            wanted: wanted.to_owned(),
        });
    }
    let (right, left) = indices(user, object);
    let text = format!("{} -- {}", object.end(&left.0, &left.1), user.end(&right.0, &right.1));
    let added = new_link(graph, LinkList::Shares, text)?;
    if user.node.index.is_empty() && user.elements().is_empty() {
        let is_user = |end: &EndOutline| end.node == user.node.name && end.port == user.port.name;
        let mut shares = graph.links.iter().filter(|link| link.kind != LinkKind::Arc);
        if let Some(bound) = shares.find(|link| is_user(&link.target)) {
            return Err(Refusal::Bound { name: user.name.said(), object: bound.source.node.clone() });
        }
    }
    Ok(added)
}

/// Refuses a line that the graph has, whatever its spacing.
fn new_link(graph: &GraphOutline, list: LinkList, text: String) -> Result<NewLink, Refusal> {
    let end = |end: &EndOutline| {
        let index = squeezed(&end.index.join(","));
        (end.node.clone(), index, end.port.clone(), squeezed(&end.elements.join(",")))
    };
    let ends = link_ends(&text).map(|(source, target)| (end(&source), end(&target)));
    let is_listed = |link: &&hasse_compiler::LinkOutline| {
        (link.kind == LinkKind::Arc) == (list == LinkList::Arcs)
            && ends.as_ref() == Some(&(end(&link.source), end(&link.target)))
    };
    if graph.links.iter().any(|link| is_listed(&link)) {
        return Err(Refusal::Duplicate(text));
    }
    Ok(NewLink { list, text })
}

/// Index of a node, and of a port.
type Index = (Vec<String>, Vec<String>);

/// Index names of the end that binds them, each another one, and expressions at the other end: the variable of the same
/// name, else the next that is left over, else 0.
fn indices(binding: &Found<'_>, other: &Found<'_>) -> (Index, Index) {
    let mut variables: Vec<String> = Vec::new();
    for name in binding.node.index.iter().chain(binding.elements()) {
        let spare = ["i", "j", "k", "l", "m", "n"].map(str::to_owned).into_iter();
        let numbered = (1..).map(|number: u32| format!("i{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(spare).chain(numbered);
        variables.extend(candidates.find(|name| is_name(name) && !variables.contains(name)));
    }
    let slots: Vec<&String> = other.node.index.iter().chain(other.elements()).collect();
    let mut filled: Vec<Option<String>> = vec![None; slots.len()];
    let mut left_over = variables.clone();
    for (slot, expression) in slots.iter().zip(&mut filled) {
        if let Some(place) = left_over.iter().position(|variable| variable == *slot) {
            *expression = Some(left_over.remove(place));
        }
    }
    let mut left_over = left_over.into_iter();
    let filled = filled.into_iter().map(|expression| expression.or_else(|| left_over.next()));
    let mut filled: Vec<String> = filled.map(|text| text.unwrap_or_else(|| "0".to_owned())).collect();
    let elements = filled.split_off(other.node.index.len());
    let binding_elements = variables.split_off(binding.node.index.len());
    ((variables, binding_elements), (filled, elements))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first| begins_name(first) && first != '_') && text.chars().all(is_of_name)
}
