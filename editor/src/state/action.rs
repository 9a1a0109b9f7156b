//! All that can be done, in one table: menus, the keymap and the search for commands are made of it.

use super::input::{Key, Shortcut};
use crate::drawing::arrange::{Align, Distribute};

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// Something that can be done without more being said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names are in the table")]
pub enum Action {
    New,
    Open,
    Save,
    SaveAs,
    Close,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    Duplicate,
    Delete,
    DeleteAndHeal,
    SelectAll,
    InvertSelection,
    SelectConnected,
    SelectNone,
    Find,
    Rename,
    AddNode,
    Connect,
    AddComment,
    AddFrame,
    Collapse,
    Unpack,
    ToggleStart,
    ToggleStop,
    RemoveBends,
    Align(Align),
    Distribute(Distribute),
    TidyAll,
    TidySelection,
    FitAll,
    FitSelection,
    ActualSize,
    ZoomIn,
    ZoomOut,
    Enter,
    GoUp,
    OpenTab,
    CloseTab,
    NextTab,
    PreviousTab,
    SideBySide,
    NextProblem,
    PreviousProblem,
    NextBox,
    PreviousBox,
    Nudge(Direction),
    NudgeFar(Direction),
    Commands,
}

/// The menu that an action is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Files.
    File,
    /// Changes, the clipboard, selecting.
    Edit,
    /// The graph: nodes, wires, notes.
    Graph,
    /// Places of boxes.
    Arrange,
    /// What is seen.
    View,
    /// Graphs and problems.
    Go,
}

impl Category {
    /// All of them, in the order of the menu bar.
    pub const ALL: [Self; 6] = [Self::File, Self::Edit, Self::Graph, Self::Arrange, Self::View, Self::Go];

    /// What the menu is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Graph => "Graph",
            Self::Arrange => "Arrange",
            Self::View => "View",
            Self::Go => "Go",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// What it is called in menus; begins a word that says what happens.
    pub name: &'static str,
    /// The menu that it is in.
    pub category: Category,
    /// Its usual keys; the first one is shown.
    pub shortcuts: &'static [Shortcut],
}

const fn row(
    action: Action,
    name: &'static str,
    category: Category,
    shortcuts: &'static [Shortcut],
) -> ActionInfo {
    ActionInfo { action, name, category, shortcuts }
}

const fn ctrl(letter: char) -> Shortcut {
    Shortcut::ctrl(Key::Char(letter))
}

const fn ctrl_shift(letter: char) -> Shortcut {
    Shortcut::ctrl_shift(Key::Char(letter))
}

const fn plain(letter: char) -> Shortcut {
    Shortcut::plain(Key::Char(letter))
}

const fn shift(letter: char) -> Shortcut {
    Shortcut::shift(Key::Char(letter))
}

const fn alt(letter: char) -> Shortcut {
    Shortcut::alt(Key::Char(letter))
}

/// All actions, in the order of the menus.
pub const ACTIONS: &[ActionInfo] = &[
    row(Action::New, "New program", Category::File, &[ctrl('n')]),
    row(Action::Open, "Open...", Category::File, &[ctrl('o')]),
    row(Action::Save, "Save", Category::File, &[ctrl('s')]),
    row(Action::SaveAs, "Save as...", Category::File, &[ctrl_shift('s')]),
    row(Action::Close, "Close the window", Category::File, &[ctrl('q')]),
    row(Action::Undo, "Undo", Category::Edit, &[ctrl('z')]),
    row(Action::Redo, "Redo", Category::Edit, &[ctrl_shift('z'), ctrl('y')]),
    row(Action::Cut, "Cut", Category::Edit, &[ctrl('x')]),
    row(Action::Copy, "Copy", Category::Edit, &[ctrl('c')]),
    row(Action::Paste, "Paste", Category::Edit, &[ctrl('v')]),
    row(Action::Duplicate, "Duplicate", Category::Edit, &[ctrl('d')]),
    row(
        Action::Delete,
        "Delete",
        Category::Edit,
        &[Shortcut::plain(Key::Delete), Shortcut::plain(Key::Backspace)],
    ),
    row(
        Action::DeleteAndHeal,
        "Delete and join the arcs",
        Category::Edit,
        &[Shortcut::ctrl(Key::Delete), Shortcut::ctrl(Key::Backspace)],
    ),
    row(Action::SelectAll, "Select all", Category::Edit, &[ctrl('a')]),
    row(Action::SelectNone, "Select nothing", Category::Edit, &[ctrl_shift('a')]),
    row(Action::InvertSelection, "Invert the selection", Category::Edit, &[ctrl('i')]),
    row(Action::SelectConnected, "Select what is connected", Category::Edit, &[ctrl('l')]),
    row(Action::Find, "Find...", Category::Edit, &[ctrl('f')]),
    row(Action::Commands, "Find a command...", Category::Edit, &[ctrl_shift('p')]),
    row(Action::AddNode, "Add a node...", Category::Graph, &[plain('a')]),
    row(Action::Connect, "Connect by keys", Category::Graph, &[plain('c')]),
    row(Action::Rename, "Rename...", Category::Graph, &[Shortcut::plain(Key::F(2))]),
    row(Action::ToggleStart, "Start node", Category::Graph, &[shift('s')]),
    row(Action::ToggleStop, "Stop node", Category::Graph, &[shift('x')]),
    row(Action::AddComment, "Add a comment...", Category::Graph, &[ctrl('/')]),
    row(Action::AddFrame, "Put a frame around it", Category::Graph, &[ctrl('g')]),
    row(Action::Collapse, "Collapse into a graph...", Category::Graph, &[ctrl_shift('g')]),
    row(Action::Unpack, "Unpack the call", Category::Graph, &[ctrl_shift('u')]),
    row(Action::RemoveBends, "Remove bends", Category::Graph, &[shift('b')]),
    row(Action::Align(Align::Left), "Align left edges", Category::Arrange, &[alt('a')]),
    row(Action::Align(Align::Center), "Align centers", Category::Arrange, &[alt('h')]),
    row(Action::Align(Align::Right), "Align right edges", Category::Arrange, &[alt('d')]),
    row(Action::Align(Align::Top), "Align upper edges", Category::Arrange, &[alt('w')]),
    row(Action::Align(Align::Middle), "Align middles", Category::Arrange, &[alt('v')]),
    row(Action::Align(Align::Bottom), "Align lower edges", Category::Arrange, &[alt('s')]),
    row(
        Action::Distribute(Distribute::Horizontally),
        "Distribute from left to right",
        Category::Arrange,
        &[Shortcut::alt_shift(Key::Char('h'))],
    ),
    row(
        Action::Distribute(Distribute::Vertically),
        "Distribute from top to bottom",
        Category::Arrange,
        &[Shortcut::alt_shift(Key::Char('v'))],
    ),
    row(Action::TidyAll, "Tidy all", Category::Arrange, &[plain('l')]),
    row(Action::TidySelection, "Tidy the selection", Category::Arrange, &[shift('l')]),
    row(Action::Nudge(Direction::Left), "Move left", Category::Arrange, &[Shortcut::plain(Key::Left)]),
    row(Action::Nudge(Direction::Right), "Move right", Category::Arrange, &[Shortcut::plain(Key::Right)]),
    row(Action::Nudge(Direction::Up), "Move up", Category::Arrange, &[Shortcut::plain(Key::Up)]),
    row(Action::Nudge(Direction::Down), "Move down", Category::Arrange, &[Shortcut::plain(Key::Down)]),
    row(Action::NudgeFar(Direction::Left), "Move far left", Category::Arrange, &[Shortcut::shift(Key::Left)]),
    row(
        Action::NudgeFar(Direction::Right),
        "Move far right",
        Category::Arrange,
        &[Shortcut::shift(Key::Right)],
    ),
    row(Action::NudgeFar(Direction::Up), "Move far up", Category::Arrange, &[Shortcut::shift(Key::Up)]),
    row(Action::NudgeFar(Direction::Down), "Move far down", Category::Arrange, &[Shortcut::shift(Key::Down)]),
    row(Action::FitAll, "Show all", Category::View, &[plain('h'), Shortcut::plain(Key::Home)]),
    row(Action::FitSelection, "Show the selection", Category::View, &[plain('f')]),
    row(Action::ActualSize, "Zoom to 100 %", Category::View, &[ctrl('0'), plain('1')]),
    row(Action::ZoomIn, "Zoom in", Category::View, &[ctrl('+'), ctrl('='), plain('+'), plain('=')]),
    row(Action::ZoomOut, "Zoom out", Category::View, &[ctrl('-'), plain('-')]),
    row(Action::Enter, "Open the node or call", Category::Go, &[Shortcut::plain(Key::Enter)]),
    row(Action::GoUp, "Go to the calling graph", Category::Go, &[plain('u'), Shortcut::alt(Key::Up)]),
    row(Action::OpenTab, "Open in a tab", Category::Go, &[Shortcut::ctrl(Key::Enter)]),
    row(Action::NextTab, "Next tab", Category::Go, &[Shortcut::ctrl(Key::Tab)]),
    row(Action::PreviousTab, "Previous tab", Category::Go, &[Shortcut::ctrl_shift(Key::Tab)]),
    row(Action::CloseTab, "Close the tab", Category::Go, &[ctrl('w')]),
    row(Action::SideBySide, "Two graphs side by side", Category::Go, &[ctrl('\\')]),
    row(Action::NextBox, "Next box", Category::Go, &[Shortcut::plain(Key::Tab)]),
    row(Action::PreviousBox, "Previous box", Category::Go, &[Shortcut::shift(Key::Tab)]),
    row(Action::NextProblem, "Next problem", Category::Go, &[Shortcut::plain(Key::F(8))]),
    row(Action::PreviousProblem, "Previous problem", Category::Go, &[Shortcut::shift(Key::F(8))]),
];

impl Action {
    /// Its row of the table.
    pub fn info(self) -> Option<&'static ActionInfo> {
        ACTIONS.iter().find(|info| info.action == self)
    }
}

/// An action that fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The action.
    pub action: Action,
    /// `Edit: Undo move A`.
    pub label: String,
    /// Its key as it is written; empty without one.
    pub shortcut: String,
    /// Whether it can be done now.
    pub is_enabled: bool,
    /// Which characters of the label were typed, ascending, from 0.
    pub letters: Vec<usize>,
}
