//! Lines of a caller and of the graph that it calls, joined where they meet at the interface.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::TableLike;

use super::super::error::EditError;
use super::super::link::line::LinkList;
use super::super::node::FORMALS;
use super::super::obstacle::Obstacle;
use super::arguments::{Arguments, is_pattern};
use crate::edit::parts::{Line, lines};
use crate::edit::rows::Comments;
use crate::edit::way::{Joined, Spot, Way, join};
use crate::edit::words::{fresh, values};

/// Stands for the interface as a node: no node is named so.
const INTERFACE: &str = "=";
/// Most joints looked at for one line: a circle comes to an end here, and so few that the recursion is shallow.
const MOST_STEPS: usize = 1_000;

/// A line with its way.
struct Piece {
    list: LinkList,
    row: usize,
    way: Way,
    /// As it is written.
    text: String,
    comments: Comments,
}

/// The lines of the graph that is called, as they are in the caller.
pub(super) struct Inner {
    pieces: Vec<Piece>,
    /// Those that cannot be read.
    others: Vec<Line>,
}

impl Inner {
    pub(super) fn new(
        callee: &dyn TableLike,
        arguments: &Arguments,
        names: &BTreeMap<String, String>,
        caller_params: &BTreeSet<String>,
    ) -> Result<Self, EditError> {
        let mut inner = Self { pieces: Vec::new(), others: Vec::new() };
        let mut taken: BTreeSet<String> = caller_params.iter().chain(&arguments.index).cloned().collect();
        for arg in arguments.values.values() {
            taken.extend(values(arg).into_iter().map(|range| arg[range].to_owned()));
        }
        for line in lines(callee) {
            let Some(mut way) = Way::read(line.list, &line.text) else {
                inner.others.push(line);
                continue;
            };
            let mut map = arguments.values.clone();
            let variables = way.variables(&arguments.params);
            for variable in &variables {
                let is_taken = |name: &str| {
                    taken.contains(name) || name != variable && variables.iter().any(|known| known == name)
                };
                map.insert(variable.clone(), fresh(variable, is_taken));
            }
            for number in way.from.numbers() {
                if let Some(arg) = map.get(number).filter(|arg| !is_pattern(arg)) {
                    return Err(Obstacle::Argument { param: number.clone(), arg: arg.clone() }.into());
                }
            }
            way.substitute(&map);
            for spot in [&mut way.from, &mut way.to] {
                *spot = moved(spot, names, &arguments.index);
            }
            let Line { list, row, text, comments } = line;
            inner.pieces.push(Piece { list, row, way, text, comments });
        }
        Ok(inner)
    }
}

/// An end in the caller: with its node's new name, and the call's index numbers in front.
fn moved(spot: &Spot, names: &BTreeMap<String, String>, index: &[String]) -> Spot {
    match formal(&spot.node) {
        Some((_, port)) => Spot {
            node: INTERFACE.to_owned(),
            index: index.to_vec(),
            port: port.to_owned(),
            elements: spot.index.clone(),
        },
        None => Spot {
            node: names.get(&spot.node).cloned().unwrap_or_else(|| spot.node.clone()),
            index: index.iter().chain(&spot.index).cloned().collect(),
            ..spot.clone()
        },
    }
}

/// What becomes of the lines.
pub(super) struct JoinedLines {
    /// For each line at the call, in the order of the file, what stands in its place.
    pub(super) outer: Vec<(LinkList, usize, Vec<String>)>,
    /// New lines.
    pub(super) inner: Vec<(LinkList, String, Comments)>,
}

/// Joins the lines at a call, with `n_index` index numbers, and those of the graph.
pub(super) fn join_lines(
    call: &str,
    n_index: usize,
    outer: &[Line],
    inner: &Inner,
    params: &BTreeSet<String>,
) -> Result<JoinedLines, EditError> {
    let mut at_call = Vec::new();
    for line in outer {
        let Some(mut way) = Way::read(line.list, &line.text) else { continue };
        let mut is_at_call = false;
        for spot in [&mut way.from, &mut way.to].into_iter().filter(|spot| spot.node == call) {
            INTERFACE.clone_into(&mut spot.node);
            is_at_call = true;
            // Too few or too many index numbers: the compiler tells, and no line can be joined to it.
            if spot.index.len() != n_index {
                spot.elements.insert(0, String::new());
            }
        }
        if is_at_call {
            let (list, row, text, comments) = (line.list, line.row, line.text.clone(), line.comments.clone());
            at_call.push(Piece { list, row, way, text, comments });
        }
    }
    let search = Search { call, outer: &at_call, inner: &inner.pieces, params };
    let mut joined = JoinedLines { outer: Vec::new(), inner: Vec::new() };
    for piece in &at_call {
        let mut found = Found::default();
        if piece.way.from.node != INTERFACE {
            search.follow(&piece.way, piece, true, &mut found)?;
        }
        joined.outer.push((piece.list, piece.row, found.texts));
    }
    for piece in inner.pieces.iter().filter(|piece| piece.way.from.node != INTERFACE) {
        let mut found = Found::default();
        search.follow(&piece.way, piece, false, &mut found)?;
        for (idx, text) in found.texts.into_iter().enumerate() {
            let comments = if idx == 0 { piece.comments.clone() } else { Comments::default() };
            joined.inner.push((piece.list, text, comments));
        }
    }
    joined
        .inner
        .extend(inner.others.iter().map(|line| (line.list, line.text.clone(), line.comments.clone())));
    Ok(joined)
}

/// What a search has found so far.
#[derive(Default)]
struct Found {
    texts: Vec<String>,
    n_steps: usize,
}

struct Search<'s> {
    call: &'s str,
    outer: &'s [Piece],
    inner: &'s [Piece],
    params: &'s BTreeSet<String>,
}

impl Search<'_> {
    /// Adds the lines that a way becomes. `last` is the line by which it came, one of the caller's where `is_outer`.
    fn follow(&self, way: &Way, last: &Piece, is_outer: bool, found: &mut Found) -> Result<(), EditError> {
        if way.to.node != INTERFACE {
            found.texts.push(way.text(last.list));
            return Ok(());
        }
        found.n_steps += 1;
        if found.n_steps > MOST_STEPS {
            return Err(Obstacle::TooManyWays { node: self.call.to_owned() }.into());
        }
        let next = if is_outer { self.inner } else { self.outer };
        for piece in next.iter().filter(|piece| piece.list == last.list) {
            if piece.way.from.node != INTERFACE || piece.way.from.port != way.to.port {
                continue;
            }
            match join(way, &piece.way, self.params) {
                Joined::Way(way) => self.follow(&way, piece, !is_outer, found)?,
                Joined::Never => {}
                Joined::Cannot => {
                    let (first, second) = (last.text.clone(), piece.text.clone());
                    return Err(Obstacle::IndexMap { first, second }.into());
                }
            }
        }
        Ok(())
    }
}

/// The section and name of a formal port.
fn formal(node: &str) -> Option<(&str, &str)> {
    node.split_once('.').filter(|(section, _)| FORMALS.contains(section))
}
