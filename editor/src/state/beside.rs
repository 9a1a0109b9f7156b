//! The program for panels beside the picture, which read it and change it in their own ways.

use super::editor::Editor;
use crate::document::Document;
use crate::problems::Problems;

impl Editor {
    /// Lends the program with what is known to be wrong with it, and brings the picture in line with what was changed. A
    /// gesture under way ends without effect where the program changes.
    pub fn with_document<R>(&mut self, panel: impl FnOnce(&mut Document, &Problems) -> R) -> R {
        let none;
        let problems = match self.check.problems() {
            Some(problems) => problems,
            None => {
                none = Problems::of("", &self.config.functions);
                &none
            }
        };
        let done = panel(&mut self.document, problems);
        self.refresh();
        done
    }

    /// Returns whether the graph that is shown is the one with which the program begins.
    pub fn is_main_shown(&self) -> bool {
        self.drawn.graph(&self.graph).is_some_and(|graph| graph.is_main)
    }

    /// Another number for each result of the compiler and each program that is opened.
    pub fn problems_version(&self) -> u64 {
        self.check.version
    }
}
