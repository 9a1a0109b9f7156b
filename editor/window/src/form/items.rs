//! Lines of the form as rows of the window's list.

use std::collections::BTreeMap;

use hasse_editor::forms::FieldKind;
use hasse_editor::panels::inspector::{Cell, CellKind, RowProblem, Section};
use hasse_editor::state::capital;
use hasse_model::diagnostic::Severity;
use hasse_ui::{CellItem, CompletionItem, FormItem};
use slint::SharedString;

/// Lines of a section that are shown at first, and by how many more at a time: each is a dozen elements of the window.
pub(super) const N_LINES: usize = 60;

/// A line of a list of completions.
pub(crate) fn completion_item(item: &hasse_editor::complete::Item) -> CompletionItem {
    CompletionItem {
        text: (&item.text).into(),
        kind: format!("{:?}", item.kind).to_lowercase().into(),
        detail: (&item.detail).into(),
    }
}

/// Number of events that took a rule, in words.
fn count_text(n_taken: u64) -> String {
    match n_taken {
        0 => "not taken".to_owned(),
        1 => "taken once".to_owned(),
        n_taken => format!("taken {n_taken} times"),
    }
}

pub(super) fn problem_text(problems: &[RowProblem]) -> (String, i32) {
    let text: Vec<String> = problems
        .iter()
        .map(|problem| match &problem.help {
            Some(help) => {
                format!("{}: {} {}", problem.code, sentence(&problem.message), capital(help))
            }
            None => format!("{}: {}", problem.code, problem.message),
        })
        .collect();
    let is_error = problems.iter().any(|problem| problem.severity == Severity::Error);
    (text.join("\n"), if is_error { 2 } else { 1 })
}

/// Label of the first hint with an edit, for its button; empty without one.
fn fix_label(problems: &[RowProblem]) -> SharedString {
    let fix = problems.iter().find_map(|problem| problem.fix.as_ref());
    fix.map(|fix| (&fix.label).into()).unwrap_or_default()
}

fn sentence(message: &str) -> String {
    if message.ends_with('.') { message.to_owned() } else { format!("{message}.") }
}

/// The first cells of a row, with what may stand in each: the parts of a list's example, or what the cell is for.
fn cell_items(section: &Section, cells: &[Cell]) -> [CellItem; 3] {
    let is_pair = matches!(section.kind, FieldKind::Entries | FieldKind::Accesses | FieldKind::Arguments);
    let (name, text) = section.example.split_once(" = ").unwrap_or((&section.example, ""));
    [0, 1, 2].map(|place| {
        let Some(cell) = cells.get(place) else { return CellItem::default() };
        let example = match (is_pair, place) {
            (true, 0) => name,
            (true, _) => text,
            (false, 0) if cells.len() == 1 => &section.example,
            (false, _) => &cell.label,
        };
        cell_item(cell, example)
    })
}

fn cell_item(cell: &Cell, example: &str) -> CellItem {
    let (kind, text) = match cell.kind {
        CellKind::Line if cell.choices.is_empty() => ("prose", cell.text.clone()),
        CellKind::Line => ("line", cell.text.clone()),
        CellKind::Flag => ("flag", cell.text.clone()),
        CellKind::Choice => ("choice", cell.text.clone()),
        CellKind::Lines => ("lines", cell.text.clone()),
        CellKind::Code(kind) if kind.is_many_lines() => {
            let n_lines = cell.text.lines().count();
            let lines = if n_lines == 1 { "line" } else { "lines" };
            (
                "body",
                if cell.text.trim().is_empty() { String::new() } else { format!("Edit {n_lines} {lines}") },
            )
        }
        CellKind::Code(_) => ("code", cell.text.clone()),
    };
    CellItem {
        label: (&cell.label).into(),
        example: example.into(),
        text: text.into(),
        kind: kind.into(),
        is_mono: match cell.kind {
            CellKind::Code(_) => true,
            // Types and ports are offered.
            CellKind::Line => !cell.choices.is_empty(),
            CellKind::Flag | CellKind::Choice | CellKind::Lines => false,
        },
        error: cell.error.clone().unwrap_or_default().into(),
    }
}

/// Lines of the form. `n_taken` says how often the rule in a row of a section was taken, where that is known.
pub(super) fn items(
    sections: &[Section],
    n_shown: &BTreeMap<String, usize>,
    n_taken: &impl Fn(&str, usize) -> Option<u64>,
) -> (Vec<FormItem>, Vec<(String, Option<usize>)>) {
    let (mut items, mut places) = (Vec::new(), Vec::new());
    for section in sections {
        let (problem, severity) = problem_text(&section.problems);
        let is_flag = section.rows.len() == 1
            && section.rows[0].cells.first().is_some_and(|cell| cell.kind == CellKind::Flag);
        if !is_flag {
            items.push(FormItem {
                is_head: true,
                label: (&section.label).into(),
                help: (&section.help).into(),
                note: if section.is_foreign { "edit as text".into() } else { "".into() },
                problem: problem.into(),
                fix: fix_label(&section.problems),
                severity,
                can_add: section.can_add,
                ..FormItem::default()
            });
            places.push((section.key.clone(), None));
        }
        let n_shown = n_shown.get(&section.key).copied().unwrap_or(N_LINES);
        for (number, row) in section.rows.iter().enumerate().take(n_shown) {
            let errors = row.cells.iter().filter_map(|cell| cell.error.clone());
            let (found, severity) = problem_text(&row.problems);
            let told: Vec<String> = errors.chain((!found.is_empty()).then_some(found)).collect();
            let has_error = row.cells.iter().any(|cell| cell.error.is_some());
            let [first, second, third] = cell_items(section, &row.cells);
            items.push(FormItem {
                is_head: false,
                label: (&section.label).into(),
                help: (&section.help).into(),
                problem: told.join("\n").into(),
                fix: fix_label(&row.problems),
                severity: if has_error { 2 } else { severity },
                can_remove: row.can_remove,
                can_up: row.can_move_up,
                can_down: row.can_move_down,
                first,
                second,
                third,
                count: n_taken(&section.key, number).map(count_text).unwrap_or_default().into(),
                ..FormItem::default()
            });
            places.push((section.key.clone(), Some(number)));
        }
        if let Some(n_more) = section.rows.len().checked_sub(n_shown).filter(|n_more| *n_more > 0) {
            let next = n_more.min(N_LINES);
            let more = format!("{next} more of {}", section.rows.len());
            items.push(FormItem { more: more.into(), ..FormItem::default() });
            places.push((section.key.clone(), None));
        }
    }
    (items, places)
}
