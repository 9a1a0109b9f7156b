//! Undoing from a field of the form, or from the body: of a step that was elsewhere a person sees where.

use hasse_editor::panels::inspector::CellId;
use hasse_editor::panels::subject::Subject;
use hasse_editor::target::{Part, Target};

use crate::studio::Studio;

impl Studio {
    /// Undoes what was typed into a field, else the last step of the program, or makes that again. A step about another node or
    /// arc is shown.
    pub(crate) fn step_in_field(&mut self, cell: Option<&CellId>, is_undo: bool) {
        let inspector = &mut self.form.inspector;
        if is_undo && cell.is_some_and(|cell| inspector.cancel(self.editor.document(), cell)) {
            return;
        }
        let here = match inspector.subject() {
            Subject::Node { graph, node } => Target::of_node(graph, node),
            Subject::Link { graph, list, row } => Target::of_link(graph, *list, *row),
            Subject::Graph(graph) => Target { graph: graph.clone(), part: Part::Graph, attribute: None },
            Subject::Nothing | Subject::Comment { .. } | Subject::Frame { .. } | Subject::Several { .. } => {
                Target::default()
            }
        };
        self.editor.step_from(&here, is_undo);
    }
}
