//! Changes of what is selected: removing, collapsing, unpacking, what units begin and end with.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Value};

use super::editor::Editor;
use super::selection::selected::Selection;
use crate::drawing::scene::BoxKind;
use crate::edit::{EditError, collapse, heal, link, node, note, route, unpack};

/// `3 things`, or what the only one is.
fn said(selection: &Selection) -> String {
    match (selection.nodes.first(), selection.len()) {
        (Some(name), 1) => name.clone(),
        (None, 1) if !selection.links.is_empty() => "a wire".to_owned(),
        (None, 1) if !selection.bends.is_empty() => "a bend".to_owned(),
        (None, 1) if !selection.comments.is_empty() => "a comment".to_owned(),
        (None, 1) => "a frame".to_owned(),
        (_, n_things) => format!("{n_things} things"),
    }
}

/// Removes bends, lines and notes, the last ones first, so that the others keep their places.
fn remove_beside_nodes(
    tables: &mut DocumentMut,
    graph: &str,
    selection: &Selection,
) -> Result<(), EditError> {
    for ((list, row), bend) in selection.bends.iter().rev().filter(|(key, _)| !selection.links.contains(key))
    {
        route::remove_bend(tables, graph, *list, *row, *bend)?;
    }
    for (list, row) in selection.links.iter().rev() {
        link::remove(tables, graph, *list, *row)?;
    }
    for number in &selection.comments {
        note::remove_comment(tables, graph, *number)?;
    }
    for number in &selection.frames {
        note::remove_frame(tables, graph, *number)?;
    }
    Ok(())
}

impl Editor {
    /// The selected nodes that the program has; boxes that only links name are not.
    pub(super) fn selected_nodes(&self) -> Vec<String> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let boxes = self.selected_boxes().into_iter().map(|idx| &shown.scene.boxes[idx]);
        boxes.filter(|node| node.kind != BoxKind::Missing).map(|node| node.name.clone()).collect()
    }

    /// Removes what is selected. Of a box that only links name, the links are.
    pub(super) fn delete(&mut self, is_healing: bool) {
        let nodes = self.selected_nodes();
        let mut selection = self.selection.clone();
        if let Some(shown) = self.drawn.shown() {
            let boxes = self.selected_boxes().into_iter();
            for box_idx in boxes.filter(|&idx| shown.scene.boxes[idx].kind == BoxKind::Missing) {
                let links = shown.scene.links_of(box_idx).iter().map(|&idx| &shown.scene.links[idx]);
                selection.links.extend(links.map(|link| (link.list, link.row)));
            }
        }
        let label = format!("delete {}", said(&self.selection));
        let mut n_joined = 0;
        let is_done = self.edit_graph(&label, |tables, graph| {
            remove_beside_nodes(tables, graph, &selection)?;
            let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
            if is_healing {
                n_joined = heal::remove(tables, graph, &names)?;
                return Ok(());
            }
            node::remove(tables, graph, &names)
        });
        if is_done && is_healing {
            self.say(format!("Deleted {}; {n_joined} arcs joined", said(&selection)));
        }
    }

    /// Makes a graph of the selected nodes; gives the name of the call in their place.
    pub fn collapse(&mut self, name: &str) -> Option<String> {
        let nodes = self.selected_nodes();
        let mut call = None;
        self.edit_graph(&format!("collapse into {name}"), |tables, graph| {
            let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
            call = Some(collapse::collapse(tables, graph, &names, name)?);
            Ok(())
        })
        .then_some(())?;
        let call = call?;
        self.select(Selection { nodes: [call.clone()].into(), ..Selection::default() });
        Some(call)
    }

    /// Puts the nodes of the called graph in place of the selected call.
    pub(super) fn unpack(&mut self) {
        let Some(call) = self.selected_call() else { return };
        let mut names = Vec::new();
        if self.edit_graph(&format!("unpack {call}"), |tables, graph| {
            names = unpack::unpack(tables, graph, &call)?;
            Ok(())
        }) {
            self.select(Selection { nodes: names.into_iter().collect(), ..Selection::default() });
        }
    }

    /// The selected node, where it is one call.
    pub(super) fn selected_call(&self) -> Option<String> {
        let [box_idx] = self.selected_boxes()[..] else { return None };
        let node = &self.drawn.shown()?.scene.boxes[box_idx];
        matches!(node.kind, BoxKind::Call { .. }).then(|| node.name.clone())
    }

    /// The selected units, with whether they are start and stop nodes.
    pub(super) fn selected_units(&self) -> Vec<(String, bool, bool)> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let boxes = self.selected_boxes().into_iter().map(|idx| &shown.scene.boxes[idx]);
        let units = boxes.filter_map(|node| match node.kind {
            BoxKind::Unit { is_start, is_stop } => Some((node.name.clone(), is_start, is_stop)),
            _ => None,
        });
        units.collect()
    }

    /// Makes the selected units start nodes (`key` is `start`) or stop nodes, or takes that back where all are.
    pub(super) fn toggle_flag(&mut self, key: &'static str) {
        let units = self.selected_units();
        let is_set = |unit: &(String, bool, bool)| if key == "start" { unit.1 } else { unit.2 };
        let value = !units.iter().all(is_set);
        let label = if value { format!("make a {key} node") } else { format!("no {key} node any more") };
        self.edit_graph(&label, |tables, graph| {
            units.iter().try_for_each(|(name, ..)| {
                node::set_attribute(tables, graph, name, key, value.then(|| Value::from(true)))
            })
        });
    }

    /// Takes the bends out of the selected links, and of the links whose boxes are all selected.
    pub(super) fn remove_bends(&mut self) {
        let links = self.selected_bent_links();
        self.edit_graph("remove bends", |tables, graph| {
            links.iter().try_for_each(|(list, row)| route::set_bends(tables, graph, *list, *row, &[]))
        });
    }

    pub(super) fn selected_bent_links(&self) -> Vec<super::selection::LinkKey> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let boxes: BTreeSet<usize> = self.selected_boxes().into_iter().collect();
        let bent = shown.scene.links.iter().filter(|link| !link.bends.is_empty());
        let chosen = bent.filter(|link| {
            self.selection.links.contains(&(link.list, link.row))
                || (boxes.contains(&link.source.box_idx) && boxes.contains(&link.target.box_idx))
        });
        chosen.map(|link| (link.list, link.row)).collect()
    }
}
