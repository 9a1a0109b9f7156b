//! The graphs of the program, what is wrong with it, and what is found in it.

/// The panels of graphs, problems and what is found, with their rows.
pub(crate) mod panels;

use std::rc::Rc;

use hasse_editor::fixes::Fix;
use hasse_editor::panels::find_panel::Query;
use hasse_editor::panels::outline_panel::{OutlineKind, OutlineRow};
use hasse_editor::panels::page::{self, Block, BlockKind};
use hasse_editor::state::Status;
use hasse_editor::target::Target;
use hasse_model::diagnostic::Severity;
use hasse_ui::{EditorWindow, Find, LineOfList, PageBlock, Problems, Tree};
use slint::ComponentHandle;

use crate::command::panel;
use crate::hub::Shared;
use crate::studio::Studio;
use crate::studio::update::go;

fn tree_line(row: &OutlineRow) -> LineOfList {
    let kind = match row.kind {
        OutlineKind::Graph | OutlineKind::Unreachable => "",
        OutlineKind::Unit { is_start: true, .. } => "start",
        OutlineKind::Unit { is_stop: true, .. } => "stop",
        OutlineKind::Unit { .. } => "unit",
        OutlineKind::Call => "call",
        OutlineKind::Shared => "shared",
        OutlineKind::Formal => "port",
    };
    let counts = row.counts;
    let n_errors = counts.n_errors + counts.n_errors_inside;
    let n_warnings = counts.n_warnings + counts.n_warnings_inside;
    let (badge, tone) = match (n_errors, n_warnings) {
        (0, 0) => (kind.to_owned(), 0),
        (0, n_warnings) => (format!("{n_warnings}"), 1),
        (n_errors, _) => (format!("{n_errors}"), 2),
    };
    let mut said = vec![row.detail.clone()];
    if row.is_recursion {
        said.push("recursive".to_owned());
    }
    if row.is_missing {
        said.push("missing".to_owned());
    }
    said.retain(|part| !part.is_empty());
    LineOfList {
        depth: i32::try_from(row.depth).unwrap_or(0),
        fold: match (row.is_foldable, row.is_open) {
            (false, _) => "".into(),
            (true, true) => "open".into(),
            (true, false) => "closed".into(),
        },
        badge: badge.into(),
        tone: if row.is_missing { 2 } else { tone },
        text: (&row.label).into(),
        detail: said.join(" · ").into(),
        is_current: row.is_shown && row.node.is_none(),
        is_title: row.is_main && row.node.is_none(),
    }
}

fn page_block(block: &Block) -> PageBlock {
    let kind = match block.kind {
        BlockKind::Heading => 0,
        BlockKind::Text | BlockKind::TableHead | BlockKind::TableRow => 1,
        BlockKind::Item => 2,
        BlockKind::Code => 3,
    };
    PageBlock { kind, text: (&block.text).into() }
}

impl Studio {
    /// Reads the program for the lists.
    pub(crate) fn refresh_lists(&mut self) {
        let lists = &mut self.lists;
        let shown = self.editor.graph().to_owned();
        self.editor.with_document(|document, problems| {
            lists.tree.refresh(document, problems, Some(&shown));
            lists.problems.refresh(problems);
            lists.find.refresh(document);
        });
    }

    /// Shows the lists where they have changed.
    pub(crate) fn show_lists(&mut self, window: &EditorWindow) {
        let lists = &mut self.lists;
        let shown = (lists.tree.version(), lists.problems.version(), lists.find.version());
        if lists.shown == Some(shown) {
            return;
        }
        lists.shown = Some(shown);
        lists.tree_rows.set(lists.tree.rows().iter().map(tree_line));
        let selected = lists.problems.selected();
        lists.problem_rows.set(lists.problems.rows().iter().enumerate().map(|(number, row)| LineOfList {
            badge: row.code.into(),
            tone: if row.severity == Severity::Error { 2 } else { 1 },
            text: (&row.message).into(),
            detail: format!("{} · line {}", row.place, row.line).into(),
            is_current: selected == Some(number),
            ..LineOfList::default()
        }));
        let chosen = selected.and_then(|number| lists.problems.rows().get(number));
        let help = chosen.and_then(|row| row.help.clone());
        let help = help.map(|text| PageBlock { kind: 4, text: text.into() });
        let page = lists.problems.page().map(page::blocks).unwrap_or_default();
        let fix = chosen.and_then(|row| row.fix.as_ref()).map(|fix| (&fix.label).into());
        window.global::<hasse_ui::Problems>().set_fix(fix.unwrap_or_default());
        lists.explained.set(help.into_iter().chain(page.iter().map(page_block)));

        let found = lists.find.selected();
        let mut rows = Vec::new();
        for group in lists.find.groups() {
            rows.push(LineOfList { text: (&group.graph).into(), is_title: true, ..LineOfList::default() });
            for number in group.first..group.first + group.n_rows {
                let Some(row) = lists.find.rows().get(number) else { continue };
                rows.push(LineOfList {
                    depth: 1,
                    text: row.excerpt.trim().into(),
                    detail: format!("{} · line {}", row.place, row.line).into(),
                    is_current: found == Some(number),
                    ..LineOfList::default()
                });
            }
        }
        lists.find_rows.set(rows);
        let find = window.global::<Find>();
        find.set_summary(match (lists.find.query().text.is_empty(), lists.find.n_found()) {
            (true, _) | (false, 0) => "".into(),
            (false, 1) => "1 place".into(),
            (false, n_found) => format!("{n_found} places").into(),
        });
    }

    /// Shows a thing of the program on the picture, in the inspector and in the body.
    pub(crate) fn show_target(&mut self, target: &Target) {
        self.editor.show(target);
        // Asked for by the editor itself, it would ask again.
        let _ = self.editor.take_requests();
        self.want_body_line(target);
        self.want_field(target);
    }

    /// Makes the change that a hint asks for, and has the program checked again.
    pub(crate) fn apply_fix(&mut self, fix: &Fix) {
        self.editor.apply_fix(fix);
        self.form.forget_texts();
    }

    /// Shows the first problem of a node or an arc in the list.
    pub(crate) fn show_problem_of(&mut self, target: &Target) {
        let is_of = |held: &Target| held.graph == target.graph && held.part == target.part;
        let row = self.lists.problems.rows().iter().position(|row| is_of(&row.target));
        if let Some(row) = row {
            self.lists.problems.select(row);
        }
        self.show_panel(panel::PROBLEMS);
    }

    fn fix_problem(&mut self) {
        let rows = self.lists.problems.rows();
        let chosen = self.lists.problems.selected().and_then(|number| rows.get(number));
        if let Some(fix) = chosen.and_then(|row| row.fix.clone()) {
            self.apply_fix(&fix);
        }
    }

    fn tree_clicked(&mut self, row: usize) {
        let Some(row) = self.lists.tree.rows().get(row).cloned() else { return };
        match &row.node {
            _ if row.is_missing || row.graph.is_empty() => {}
            Some(node) => self.editor.show(&Target::of_node(&row.graph, node)),
            None => self.editor.show_graph(&row.graph),
        }
    }

    fn found_row(&self, line: usize) -> Option<usize> {
        // Each group has a title above its rows.
        let mut at = 0;
        for group in self.lists.find.groups() {
            if line > at && line <= at + group.n_rows {
                return Some(group.first + line - at - 1);
            }
            at += group.n_rows + 1;
        }
        None
    }
}

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of the lists.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let weak = Rc::downgrade(shared);
    window.global::<hasse_ui::Problems>().on_apply_fix(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::fix_problem);
    });
    let tree = window.global::<Tree>();
    let weak = Rc::downgrade(shared);
    tree.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.tree_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    tree.on_activated(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some(row) = studio.lists.tree.rows().get(index(row)).cloned() else { return };
            if row.node.is_none() {
                studio.lists.tree.toggle_nodes(&row.graph);
                studio.refresh_lists();
            }
        });
    });
    let weak = Rc::downgrade(shared);
    tree.on_folded(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some(row) = studio.lists.tree.rows().get(index(row)).cloned() else { return };
            studio.lists.tree.toggle(&row.graph);
            studio.refresh_lists();
        });
    });
    let weak = Rc::downgrade(shared);
    tree.on_add(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let tree = &mut studio.lists.tree;
            match studio.editor.with_document(|document, _| tree.add_graph(document, "graph")) {
                Ok(name) => studio.editor.show_graph(&name),
                Err(error) => {
                    studio.editor.set_status(Status { text: error.to_string(), is_refusal: true });
                }
            }
        });
    });
    let problems = window.global::<Problems>();
    let weak = Rc::downgrade(shared);
    problems.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(target) = studio.lists.problems.select(index(row)) {
                studio.editor.show(&target);
                let _ = studio.editor.take_requests();
            }
        });
    });
    let weak = Rc::downgrade(shared);
    problems.on_activated(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(target) = studio.lists.problems.select(index(row)) {
                studio.show_target(&target);
            }
        });
    });
    let find = window.global::<Find>();
    let (weak, ui) = (Rc::downgrade(shared), window.as_weak());
    find.on_edited(move |text| {
        let (Some(shared), Some(window)) = (weak.upgrade(), ui.upgrade()) else { return };
        let find = window.global::<Find>();
        let query = Query {
            text: text.into(),
            is_case_sensitive: find.get_is_case_sensitive(),
            is_whole_word: find.get_is_whole_word(),
            ..Query::default()
        };
        go(&shared, |studio| {
            let panel = &mut studio.lists.find;
            studio.editor.with_document(|document, _| panel.set_query(document, query));
        });
    });
    let weak = Rc::downgrade(shared);
    find.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let row = studio.found_row(index(row));
            if let Some(target) = row.and_then(|row| studio.lists.find.select(row)) {
                studio.editor.show(&target);
                let _ = studio.editor.take_requests();
            }
        });
    });
    let weak = Rc::downgrade(shared);
    find.on_next(move |is_back| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(target) = studio.lists.find.next(!is_back) {
                studio.editor.show(&target);
                let _ = studio.editor.take_requests();
            }
        });
    });
}
