//! What is selected: things of the shown graph by what the file calls them, so that edits and undoing keep them.

/// Selected things of one graph.
pub(super) mod selected;

use super::editor::Editor;
use crate::target::Target;
pub use selected::{LinkKey, Selection};

impl Editor {
    /// What is selected in the shown graph.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Selects things of the shown graph; those that are not there are left out.
    pub fn select(&mut self, selection: Selection) {
        let shown = self.drawn.shown();
        let selection = selection.keys(shown).selection(shown);
        if selection != self.selection {
            self.selection = selection;
            self.changed();
        }
    }

    /// Where the selection is one node or link: that. Where nothing is selected: the graph.
    pub fn selected_target(&self) -> Option<Target> {
        let selection = &self.selection;
        match (selection.nodes.first(), selection.links.first()) {
            _ if selection.is_empty() => Some(Target::of_graph(&self.graph)),
            (Some(node), _) if selection.nodes.len() == 1 => Some(Target::of_node(&self.graph, node)),
            (None, Some((list, row))) if selection.links.len() == 1 => {
                Some(Target::of_link(&self.graph, *list, *row))
            }
            _ => None,
        }
    }

    /// The positions of the selected boxes in the scene.
    pub(super) fn selected_boxes(&self) -> Vec<usize> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let boxes = shown.scene.boxes.iter().enumerate();
        boxes.filter(|(_, node)| self.selection.nodes.contains(&node.name)).map(|(idx, _)| idx).collect()
    }

    /// Adds all that hangs together with the selected nodes.
    pub(super) fn select_connected(&mut self) {
        let Some(shown) = self.drawn.shown() else { return };
        let mut open = self.selected_boxes();
        let mut selection = self.selection.clone();
        while let Some(box_idx) = open.pop() {
            for &link_idx in shown.scene.links_of(box_idx) {
                let link = &shown.scene.links[link_idx];
                selection.links.insert((link.list, link.row));
                for end in [link.source.box_idx, link.target.box_idx] {
                    if selection.nodes.insert(shown.scene.boxes[end].name.clone()) {
                        open.push(end);
                    }
                }
            }
        }
        self.select(selection);
    }
}
