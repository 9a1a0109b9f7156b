//! Formal ports and objects for lines that cross the border of a selection.

use std::collections::BTreeSet;

use hasse_compiler::link_ends;
use toml_edit::{DocumentMut, Item};

use super::super::error::EditError;
use super::super::link::line::LinkList;
use super::super::obstacle::Obstacle;
use crate::edit::node::free_name;
use crate::edit::parts::{Line, graph_of, index_of, node_of, params_of, port_of};
use crate::edit::way::{Spot, Way};
use crate::edit::words::fresh;

/// What becomes of a line.
pub(super) enum Crossing {
    /// It stays.
    Outside,
    /// It is moved.
    Inside,
    /// It is cut in two; a part is nothing where another line has it already.
    Across { outer: Option<String>, inner: Option<String> },
}

/// A formal port or object.
struct Formal {
    /// What it stands for: an end inside, with the pattern where values go out; the object outside.
    key: String,
    name: String,
    /// Names of its index numbers.
    dims: Vec<String>,
    ty: String,
}

impl Formal {
    fn declared(&self) -> (String, String) {
        let dims = if self.dims.is_empty() { String::new() } else { format!("[{}]", self.dims.join(", ")) };
        (format!("{}{dims}", self.name), self.ty.clone())
    }

    fn within(&self, section: &str, numbers: Vec<String>) -> Spot {
        Spot {
            node: format!("{section}.{}", self.name),
            index: numbers,
            port: String::new(),
            elements: Vec::new(),
        }
    }
}

/// The border of a selection.
pub(super) struct Border<'d> {
    document: &'d DocumentMut,
    graph: &'d str,
    nodes: &'d [&'d str],
    params: BTreeSet<String>,
    /// The name that the call will have.
    pub(super) call: String,
    inputs: Vec<Formal>,
    outputs: Vec<Formal>,
    objects: Vec<Formal>,
}

impl<'d> Border<'d> {
    pub(super) fn new(document: &'d DocumentMut, graph: &'d str, nodes: &'d [&'d str], name: &str) -> Self {
        let call = if nodes.contains(&name) { name.to_owned() } else { free_name(document, graph, name) };
        let params = params_of(document, graph);
        let (inputs, outputs, objects) = (Vec::new(), Vec::new(), Vec::new());
        Self { document, graph, nodes, params, call, inputs, outputs, objects }
    }

    /// What becomes of a line of the graph.
    pub(super) fn cross(&mut self, line: &Line) -> Result<Crossing, EditError> {
        let Some((source, target)) = link_ends(&line.text) else { return Ok(Crossing::Outside) };
        let Some(way) = Way::read(line.list, &line.text) else { return Ok(Crossing::Outside) };
        let is_inside = |node: &str| self.nodes.contains(&node);
        match (line.list, is_inside(&source.node), is_inside(&target.node)) {
            (_, false, false) => Ok(Crossing::Outside),
            (_, true, true) => Ok(Crossing::Inside),
            (LinkList::Arcs, false, true) => {
                let (outer, inner) = self.comes_in(&way.to)?;
                let before = &line.text[..target.node_range.start];
                let outer = Some(format!("{before}{}", outer.text()));
                Ok(Crossing::Across { outer, inner: inner.map(|way| way.text(line.list)) })
            }
            (LinkList::Arcs, true, false) => {
                let (outer, inner) = self.goes_out(&way)?;
                let behind = &line.text[target.node_range.start..];
                let outer = Some(format!("{} -> {behind}", outer.text()));
                Ok(Crossing::Across { outer, inner: inner.map(|way| way.text(line.list)) })
            }
            (LinkList::Shares, false, true) => {
                let (outer, formal) = self.is_shared(&way.to)?;
                let inner = Way { from: way.from, to: formal }.text(line.list);
                Ok(Crossing::Across { outer: outer.map(|way| way.text(line.list)), inner: Some(inner) })
            }
            (LinkList::Shares, true, false) => {
                Err(Obstacle::SharedOutside { object: source.node, user: target.node }.into())
            }
        }
    }

    /// The end outside that stands for an end inside, and the arc within where there is none yet.
    fn comes_in(&mut self, to: &Spot) -> Result<(Spot, Option<Way>), EditError> {
        let key = format!("{}.{}", to.node, to.port);
        let numbers: Vec<String> = to.numbers().cloned().collect();
        if let Some(formal) = self.inputs.iter().find(|formal| formal.key == key) {
            return Ok((self.outer_end(&formal.name, numbers), None));
        }
        let (elements, ty) = self.port(to, false)?;
        let mut wanted = index_of_node(self.document, self.graph, &to.node);
        wanted.extend(elements);
        let dims = self.dims(&wanted, numbers.len());
        let (at_node, at_port) = dims.split_at(to.index.len());
        let within = Spot { index: at_node.to_vec(), elements: at_port.to_vec(), ..to.clone() };
        let name = free_formal(&self.inputs, to);
        let formal = Formal { key, name, dims: dims.clone(), ty };
        let inner = Way { from: formal.within("in", dims), to: within };
        let outer = self.outer_end(&formal.name, numbers);
        self.inputs.push(formal);
        Ok((outer, Some(inner)))
    }

    /// As [`comes_in`](Self::comes_in), for an end that values go out of.
    fn goes_out(&mut self, way: &Way) -> Result<(Spot, Option<Way>), EditError> {
        let variables = way.variables(&self.params);
        let place = |number: &String| variables.iter().position(|variable| variable == number);
        let shape = |number: &String| place(number).map_or_else(|| number.clone(), |idx| format!("_{idx}"));
        let shapes: Vec<String> = way.from.numbers().map(shape).collect();
        let key = format!("{}.{} {}", way.from.node, way.from.port, shapes.join(", "));
        if let Some(formal) = self.outputs.iter().find(|formal| formal.key == key) {
            return Ok((self.outer_end(&formal.name, variables), None));
        }
        let (_, ty) = self.port(&way.from, true)?;
        let name = free_formal(&self.outputs, &way.from);
        let formal = Formal { key, name, dims: variables.clone(), ty };
        let inner = Way { from: way.from.clone(), to: formal.within("out", variables.clone()) };
        let outer = self.outer_end(&formal.name, variables);
        self.outputs.push(formal);
        Ok((outer, Some(inner)))
    }

    /// The formal object that stands for one outside, and the share line outside where there is none yet.
    fn is_shared(&mut self, object: &Spot) -> Result<(Option<Way>, Spot), EditError> {
        let key = object.node.clone();
        let numbers: Vec<String> = object.numbers().cloned().collect();
        if let Some(formal) = self.objects.iter().find(|formal| formal.key == key) {
            return Ok((None, formal.within("inout", numbers)));
        }
        let (wanted, ty) = self.object(&key).ok_or_else(|| Obstacle::NoType { name: key.clone() })?;
        let dims = self.dims(&wanted, numbers.len());
        let own = key.split_once('.').map_or(&*key, |(_, port)| port);
        let name = fresh(own, |name| self.objects.iter().any(|formal| formal.name == name));
        let formal = Formal { key, name, dims: dims.clone(), ty };
        let outer = Way {
            from: self.outer_end(&formal.name, dims.clone()),
            to: Spot { index: dims, ..object.clone() },
        };
        let within = formal.within("inout", numbers);
        self.objects.push(formal);
        Ok((Some(outer), within))
    }

    fn outer_end(&self, port: &str, numbers: Vec<String>) -> Spot {
        Spot { node: self.call.clone(), index: Vec::new(), port: port.to_owned(), elements: numbers }
    }

    fn port(&self, spot: &Spot, is_source: bool) -> Result<(Vec<String>, String), EditError> {
        let port = port_of(self.document, self.graph, &spot.node, &spot.port, is_source);
        port.ok_or_else(|| Obstacle::NoType { name: format!("{}.{}", spot.node, spot.port) }.into())
    }

    /// Index names and type of a shared object, or of a formal one.
    fn object(&self, name: &str) -> Option<(Vec<String>, String)> {
        if name.contains('.') {
            return port_of(self.document, self.graph, name, "", true);
        }
        let table = graph_of(self.document, self.graph)?;
        let ty = node_of(table, name)?.get("type").and_then(Item::as_str)?;
        Some((index_of(table, name), ty.to_owned()))
    }

    /// Names for index numbers that differ from each other and from parameters, which they would mean.
    fn dims(&self, wanted: &[String], n_dims: usize) -> Vec<String> {
        let mut dims: Vec<String> = Vec::new();
        for idx in 0..n_dims {
            let wanted = wanted.get(idx).map_or("i", String::as_str);
            let dim = fresh(wanted, |name| self.params.contains(name) || dims.iter().any(|dim| dim == name));
            dims.push(dim);
        }
        dims
    }

    /// Names, with index numbers, and types of the formal input ports.
    pub(super) fn inputs(&self) -> Vec<(String, String)> {
        self.inputs.iter().map(Formal::declared).collect()
    }

    /// Those of the formal output ports.
    pub(super) fn outputs(&self) -> Vec<(String, String)> {
        self.outputs.iter().map(Formal::declared).collect()
    }

    /// Those of the formal shared objects.
    pub(super) fn objects(&self) -> Vec<(String, String)> {
        self.objects.iter().map(Formal::declared).collect()
    }
}

fn index_of_node(document: &DocumentMut, graph: &str, node: &str) -> Vec<String> {
    graph_of(document, graph).map(|table| index_of(table, node)).unwrap_or_default()
}

/// The port's name; where another node's port has it, with the node's before it.
fn free_formal(formals: &[Formal], spot: &Spot) -> String {
    let is_taken = |name: &str| formals.iter().any(|formal| formal.name == name);
    let own = format!("{}.{}", spot.node, spot.port);
    let is_own = |formal: &&Formal| formal.key.split(' ').next() == Some(&own);
    match formals.iter().find(|formal| formal.name == spot.port) {
        Some(formal) if !is_own(&formal) => fresh(&format!("{}_{}", spot.node, spot.port), is_taken),
        _ => fresh(&spot.port, is_taken),
    }
}
