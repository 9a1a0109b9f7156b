//! What the panels, popups and dialogs beside the picture show, without a window.
//!
//! Each panel is plain data with methods for what a person does in it. It is given the program's text and what is wrong
//! with it, and changes the program through [`edit`](crate::edit) and [`forms`](crate::forms) only, so that everything
//! can be undone. Each has a `version`, which is another number whenever what it shows has changed.

/// The book in the window.
pub mod book;
/// The way from the main graph to the one shown.
pub mod breadcrumbs;
/// Writing bodies, rules and expressions.
pub mod code;
/// Choosing a file or folder.
pub mod file_dialog;
/// Finding in the program.
pub mod find_panel;
/// The fields of what is selected.
pub mod inspector;
/// The tree of graphs.
pub mod outline_panel;
/// Pages that explain, as blocks.
pub mod page;
/// The list of what is wrong.
pub mod problems_panel;
/// The program that panels change.
pub mod program;
/// The text of the program.
pub mod program_text;
/// Choosing a node to add, or a command, by typing.
pub mod search_popup;
/// What the window remembers between starts.
pub mod settings;
/// The page to begin with.
pub mod start_page;
/// What is selected.
pub mod subject;

/// The position so many further down in a list, around its ends; 0 of an empty one.
pub(crate) fn moved(selected: usize, n_down: isize, n_all: usize) -> usize {
    if n_all == 0 {
        return 0;
    }
    let n_steps = n_down.unsigned_abs() % n_all;
    let selected = selected.min(n_all - 1);
    if n_down < 0 { (selected + n_all - n_steps) % n_all } else { (selected + n_steps) % n_all }
}

/// The row behind the selected one, or before it, around the ends of a list; without one, the first or the last. `None`
/// of an empty list.
pub(crate) fn next_row(selected: Option<usize>, is_forward: bool, n_rows: usize) -> Option<usize> {
    let last = n_rows.checked_sub(1)?;
    Some(match selected {
        Some(selected) => moved(selected, if is_forward { 1 } else { -1 }, n_rows),
        None if is_forward => 0,
        None => last,
    })
}
