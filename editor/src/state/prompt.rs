//! Names and texts that are typed into a field above the picture: of nodes, graphs, comments and frames.

/// Texts to be asked for.
pub(super) mod question;

use super::editor::Editor;
use super::request::Request;
use super::selection::selected::Selection;
use crate::drawing::geometry::{Point, Rect};
use crate::edit::note::{self, Frame};
use crate::edit::place::Position;
use crate::edit::{graph, node};
pub use question::{Prompt, Purpose};

impl Editor {
    fn ask_for(&mut self, purpose: Purpose, title: &'static str, text: String, area: Rect) {
        let area = self.view().screen_rect_from_world(area);
        let is_multiline = matches!(purpose, Purpose::NewComment(_) | Purpose::Comment(_));
        self.requests.push(Request::Prompt(Prompt { purpose, title, text, area, is_multiline }));
        self.changed();
    }

    /// Asks for another name of the selected node, comment or frame; nothing selected, of the graph.
    pub(super) fn prompt_rename(&mut self) {
        let selection = self.selection.clone();
        if let Some(node) = selection.nodes.first() {
            let Some(shown) = self.drawn.shown() else { return };
            let Some(box_idx) = shown.scene.box_named(node) else { return };
            let area = shown.scene.boxes[box_idx].area;
            let name = node.split_once('.').map_or(&**node, |(_, name)| name).to_owned();
            self.ask_for(Purpose::RenameNode(node.clone()), "Name", name, area);
        } else if let Some(number) = selection.comments.first() {
            self.prompt_comment(*number);
        } else if let Some(number) = selection.frames.first() {
            self.prompt_frame(*number);
        } else {
            let name = self.graph.clone();
            let area = self.view().visible(self.size);
            self.ask_for(Purpose::RenameGraph(name.clone()), "Name of the graph", name, area);
        }
    }

    pub(super) fn prompt_collapse(&mut self) {
        let Some(bounds) = self.boxes_bounds() else { return };
        let is_taken = |name: &String| self.drawn.graph(name).is_some();
        let numbered = (2..).map(|number: u32| format!("Part{number}"));
        let mut names = std::iter::once("Part".to_owned()).chain(numbered);
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        self.ask_for(Purpose::Collapse, "Name of the new graph", name, bounds);
    }

    pub(super) fn prompt_new_comment(&mut self, at: Position) {
        let area = Rect::new(at[0] as f64, at[1] as f64, 160.0, 40.0);
        self.ask_for(Purpose::NewComment(at), "Comment", String::new(), area);
    }

    pub(super) fn prompt_comment(&mut self, number: u64) {
        let Some(shown) = self.drawn.shown() else { return };
        let Some(comment) = shown.scene.comments.iter().find(|held| held.number == number) else { return };
        let (text, area) = (comment.text.clone(), comment.area);
        self.ask_for(Purpose::Comment(number), "Comment", text, area);
    }

    pub(super) fn prompt_frame(&mut self, number: u64) {
        let Some(shown) = self.drawn.shown() else { return };
        let Some(frame) = shown.scene.frames.iter().find(|held| held.number == number) else { return };
        let (text, area) = (frame.title.clone(), frame.area);
        let corner = Point::new(area.min.x, area.min.y);
        let head = Rect::new(corner.x, corner.y, area.width(), 22.0);
        self.ask_for(Purpose::FrameTitle(number), "Title", text, head);
    }

    /// Takes in the text that was asked for. Tells whether it could be used; where not, the status says why, and the
    /// field should stay. An empty comment is removed.
    pub fn answer_prompt(&mut self, purpose: &Purpose, text: &str) -> bool {
        let shown = self.graph.clone();
        match purpose {
            Purpose::RenameNode(name) => {
                let new = text.trim();
                let done = self.edit(&format!("rename {name} to {new}"), |tables| {
                    node::rename(tables, &shown, name, new)
                });
                if done == Ok(true) {
                    let new = name
                        .split_once('.')
                        .map_or(new.to_owned(), |(section, _)| format!("{section}.{new}"));
                    self.select(Selection { nodes: [new].into(), ..Selection::default() });
                }
                done.is_ok()
            }
            Purpose::RenameGraph(name) => self.rename_graph(name, text.trim()),
            Purpose::Collapse => self.collapse(text.trim()).is_some(),
            Purpose::NewComment(at) => {
                if text.trim().is_empty() {
                    return true;
                }
                let mut number = None;
                let done = self.edit("add a comment", |tables| {
                    number = Some(note::add_comment(tables, &shown, *at, text)?);
                    Ok(())
                });
                self.select(Selection { comments: number.into_iter().collect(), ..Selection::default() });
                done.is_ok()
            }
            Purpose::Comment(number) if text.trim().is_empty() => {
                self.edit("remove a comment", |tables| note::remove_comment(tables, &shown, *number)).is_ok()
            }
            Purpose::Comment(number) => self
                .edit("change a comment", |tables| note::set_comment(tables, &shown, *number, text))
                .is_ok(),
            Purpose::FrameTitle(number) => {
                let done = self.edit("title a frame", |tables| {
                    let held = note::frames(tables, &shown).into_iter().find(|held| held.number == *number);
                    match held {
                        Some(held) => {
                            note::set_frame(tables, &shown, &Frame { title: text.trim().to_owned(), ..held })
                        }
                        None => Ok(()),
                    }
                });
                done.is_ok()
            }
        }
    }

    /// Renames a graph, everywhere; the views and the path go with it.
    pub fn rename_graph(&mut self, name: &str, new: &str) -> bool {
        self.cancel();
        let crumbs = self.crumbs.clone();
        let view = self.views.get(name).copied();
        if name == new {
            return true;
        }
        // The path is of the new names before the program is looked at again.
        let done = self
            .document
            .edit(&format!("rename graph {name} to {new}"), |tables| graph::rename(tables, name, new));
        if done == Ok(true) {
            self.views.extend(view.map(|view| (new.to_owned(), view)));
            self.crumbs = crumbs;
            self.tabs.rename_graph(name, new);
            for crumb in self.crumbs.iter_mut().filter(|crumb| crumb.graph == name) {
                crumb.graph = new.to_owned();
            }
            if self.graph == name {
                self.graph = new.to_owned();
            }
        }
        self.after_edit(&format!("renamed {name} to {new}"), done).is_ok()
    }
}
