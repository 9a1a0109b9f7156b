//! Comparing the program with another version of it.

use hasse_compiler::Presence;

use super::editor::Editor;
use crate::comparison::{Comparison, DifferencePlace};
use crate::drawing::geometry::Point;

/// Room around a part that is gone, in world units.
const MARGIN: f64 = 120.0;

impl Editor {
    /// Compares the program with another version from now on. `is_with_saved`: the other version is the program as it was
    /// saved last, also after the next time.
    pub fn compare_with(&mut self, name: &str, base: &str, is_with_saved: bool) {
        let comparison = Comparison::new(name, base, is_with_saved, self.document.text());
        let note = format!("Compared with {name}: {}", comparison.note());
        self.comparison = Some((comparison, self.document.revision()));
        self.say(note);
    }

    /// Ends the comparison.
    pub fn end_comparison(&mut self) {
        if self.comparison.take().is_some() {
            self.changed();
        }
    }

    /// The comparison, while there is one.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_ref().map(|(comparison, _)| comparison)
    }

    /// Brings the comparison in line with the program. Cost: reads both texts where the program has changed, none else.
    pub fn update_comparison(&mut self) {
        let revision = self.document.revision();
        let is_saved = self.document.is_saved();
        let Some((comparison, compared)) = &mut self.comparison else { return };
        // What has just been saved is what it is compared with.
        let is_saved_anew = comparison.is_with_saved() && is_saved && !comparison.found().is_empty();
        if *compared == revision && !is_saved_anew {
            return;
        }
        *compared = revision;
        let text = self.document.text();
        if is_saved_anew {
            *comparison = Comparison::new(comparison.name(), text, true, text);
        } else {
            comparison.update(text);
        }
        self.changed();
    }

    /// Goes to a line of the list of differences.
    pub fn show_difference(&mut self, line: usize) {
        let line = self.comparison().and_then(|comparison| comparison.lines().get(line));
        let Some(line) = line.cloned() else { return };
        match line.place {
            Some(DifferencePlace::Part(target)) => {
                // A part that was only moved has no field that differs.
                let is_drawn = line.presence.is_some_and(|presence| presence == Presence::Moved);
                self.show(&target);
                if is_drawn {
                    self.fit_to_selection();
                }
            }
            Some(DifferencePlace::Gone(graph, area)) => {
                self.show_graph(&graph);
                let visible = self.view().visible(self.size);
                let is_seen = visible.contains(area.min) && visible.contains(area.max);
                if !is_seen {
                    let room = area.grown(MARGIN);
                    let view = crate::drawing::view::View::fit(room, self.size, 0.0);
                    self.set_view(view);
                }
                self.changed();
            }
            None => {}
        }
    }

    fn fit_to_selection(&mut self) {
        let Some(bounds) = self.selection_bounds() else { return };
        let visible = self.view().visible(self.size);
        if !(visible.contains(bounds.min) && visible.contains(bounds.max)) {
            let mut view = self.view();
            let center: Point = bounds.center();
            view.center_on(center, self.size);
            self.set_view(view);
        }
    }
}
