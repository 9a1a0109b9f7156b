//! What the window can do beside editing: one table for menus, keys and the search for commands.

use hasse_editor::state::input::{Key, Modifiers};

/// Carrying commands out.
mod execution;
/// Keys of commands.
mod keys;
/// What the book says of keys.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod page;
/// Showing panels.
mod panels;

/// Where a command is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    File,
    View,
    Run,
    Record,
    Window,
    Help,
    /// The menu of what is under the pointer.
    Context,
}

/// A command of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    StartPage,
    Recent,
    SavePicture,
    Compare,
    CompareSaved,
    Coverage,
    ShowGraphs,
    ShowInspector,
    ShowLower,
    Split,
    Enlarge,
    Apart,
    ShowMinimap,
    ShowText,
    Dark,
    Body,
    Problems,
    Tour,
    Book,
    Tutorial,
    Keys,
    Legend,
    About,
    Run,
    Stop,
    Next,
    Continue,
    End,
    Step,
    Breakpoint,
    Breakpoints,
    Actions,
    Why,
    Instances,
    Console,
    Log,
    Results,
    OpenRecord,
    History,
    SearchHistory,
    Elaborated,
    Preview,
    Timeline,
    Findings,
    Values,
    Pin,
    Play,
    Forward,
    Backward,
    First,
    Last,
    ActionForward,
    ActionBackward,
    HitForward,
    HitBackward,
    LevelForward,
    LevelBackward,
    Loop,
    Fork,
}

impl Command {
    pub(crate) const ALL: &'static [Self] = &[
        Self::StartPage,
        Self::Recent,
        Self::SavePicture,
        Self::Compare,
        Self::CompareSaved,
        Self::Coverage,
        Self::ShowGraphs,
        Self::ShowInspector,
        Self::ShowLower,
        Self::Split,
        Self::Enlarge,
        Self::Apart,
        Self::ShowMinimap,
        Self::ShowText,
        Self::Dark,
        Self::Body,
        Self::Problems,
        Self::Tour,
        Self::Book,
        Self::Tutorial,
        Self::Keys,
        Self::Legend,
        Self::About,
        Self::Run,
        Self::Continue,
        Self::Stop,
        Self::Next,
        Self::Step,
        Self::End,
        Self::Breakpoint,
        Self::Why,
        Self::Instances,
        Self::Breakpoints,
        Self::Actions,
        Self::Console,
        Self::Log,
        Self::Results,
        Self::OpenRecord,
        Self::History,
        Self::SearchHistory,
        Self::Elaborated,
        Self::Preview,
        Self::Timeline,
        Self::Findings,
        Self::Values,
        Self::Pin,
        Self::Play,
        Self::Forward,
        Self::Backward,
        Self::First,
        Self::Last,
        Self::ActionForward,
        Self::ActionBackward,
        Self::HitForward,
        Self::HitBackward,
        Self::LevelForward,
        Self::LevelBackward,
        Self::Loop,
        Self::Fork,
    ];

    /// What is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::StartPage => "Start page",
            Self::Recent => "Open a recent file...",
            Self::SavePicture => "Save picture...",
            Self::Compare => "Compare with...",
            Self::CompareSaved => "Compare with the saved version",
            Self::Coverage => "Coverage by the record",
            Self::ShowGraphs => "Left panel",
            Self::ShowInspector => "Inspector",
            Self::ShowLower => "Lower panel",
            Self::Split => "Two lower panels",
            Self::Enlarge => "Large lower panel",
            Self::Apart => "Panel in a window of its own",
            Self::ShowMinimap => "Overview",
            Self::ShowText => "Text of the program",
            Self::Dark => "Dark",
            Self::Body => "Write the body",
            Self::Problems => "Show problems",
            Self::Tour => "Tour: a first program",
            Self::Book => "The book",
            Self::Tutorial => "The tutorial of the editor",
            Self::Keys => "Keys...",
            Self::Legend => "Legend of the picture",
            Self::About => "About Hasse...",
            Self::Run => "Run",
            Self::Stop => "Stop all actions",
            Self::Next => "Next event of each stopped action",
            Self::Step => "Next statement of the body",
            Self::Continue => "Continue",
            Self::End => "End the run",
            Self::Breakpoint => "Breakpoint",
            Self::Breakpoints => "Show breakpoints",
            Self::Actions => "Show actions",
            Self::Why => "Why is it not firing?",
            Self::Instances => "List instances",
            Self::Console => "Console",
            Self::Log => "Log",
            Self::Results => "Results",
            Self::OpenRecord => "Open a record...",
            Self::History => "Event history",
            Self::SearchHistory => "Search in the history",
            Self::Elaborated => "Elaborated graph",
            Self::Preview => "Preview of instances",
            Self::Timeline => "Time-line",
            Self::Findings => "Findings",
            Self::Values => "Values at this moment",
            Self::Pin => "Pin its values",
            Self::Play => "Play or pause",
            Self::Forward => "One event on",
            Self::Backward => "One event back",
            Self::First => "To the first event",
            Self::Last => "To the last event",
            Self::ActionForward => "Next event of the action",
            Self::ActionBackward => "Event of the action before",
            Self::HitForward => "To the next hit",
            Self::HitBackward => "To the hit before",
            Self::Fork => "Fork from here",
            Self::LevelForward => "To the next level",
            Self::LevelBackward => "To the level before",
            Self::Loop => "Begin again at the end",
        }
    }

    pub(crate) fn group(self) -> Group {
        match self {
            Self::StartPage | Self::Recent | Self::SavePicture | Self::Compare | Self::CompareSaved => {
                Group::File
            }
            Self::Coverage => Group::View,
            Self::OpenRecord
            | Self::History
            | Self::SearchHistory
            | Self::Elaborated
            | Self::Preview
            | Self::Timeline
            | Self::Findings
            | Self::Values
            | Self::Play
            | Self::Forward
            | Self::Backward
            | Self::First
            | Self::Last
            | Self::ActionForward
            | Self::ActionBackward
            | Self::HitForward
            | Self::HitBackward
            | Self::Fork
            | Self::LevelForward
            | Self::LevelBackward
            | Self::Loop => Group::Record,
            Self::Body | Self::Breakpoint | Self::Pin | Self::Why | Self::Instances => Group::Context,
            Self::Run
            | Self::Stop
            | Self::Next
            | Self::Step
            | Self::Continue
            | Self::End
            | Self::Breakpoints
            | Self::Actions
            | Self::Console
            | Self::Log
            | Self::Results => Group::Run,
            Self::ShowGraphs
            | Self::ShowInspector
            | Self::ShowLower
            | Self::Split
            | Self::Enlarge
            | Self::Apart
            | Self::ShowMinimap
            | Self::ShowText
            | Self::Dark
            | Self::Problems => Group::Window,
            Self::Tour | Self::Book | Self::Tutorial | Self::Keys | Self::Legend | Self::About => Group::Help,
        }
    }

    /// Whether a line stands above it.
    pub(crate) fn is_apart(self) -> bool {
        matches!(
            self,
            Self::SavePicture
                | Self::Compare
                | Self::Dark
                | Self::Problems
                | Self::Keys
                | Self::End
                | Self::Breakpoints
                | Self::Breakpoint
                | Self::History
                | Self::Play
                | Self::Fork
        )
    }

    fn shortcut(self) -> Option<(Key, Modifiers)> {
        let alt = |letter| Some((Key::Char(letter), Modifiers::ALT));
        match self {
            Self::Recent => Some((Key::Char('r'), Modifiers::CTRL)),
            Self::ShowGraphs => alt('1'),
            Self::ShowInspector => alt('2'),
            Self::ShowLower => alt('3'),
            Self::Split => alt('5'),
            Self::Enlarge => alt('6'),
            Self::Apart => alt('8'),
            Self::ShowText => alt('4'),
            Self::Book => Some((Key::F(1), Modifiers::SHIFT)),
            Self::Body => Some((Key::F(4), Modifiers::NONE)),
            Self::Problems => Some((Key::Char('m'), Modifiers::CTRL)),
            Self::Keys => Some((Key::F(1), Modifiers::NONE)),
            Self::Legend => Some((Key::F(1), Modifiers::CTRL)),
            Self::Run => Some((Key::F(5), Modifiers::NONE)),
            Self::End => Some((Key::F(5), Modifiers::SHIFT)),
            Self::Stop => Some((Key::F(6), Modifiers::NONE)),
            Self::Continue => Some((Key::F(7), Modifiers::NONE)),
            Self::Breakpoint => Some((Key::F(9), Modifiers::NONE)),
            Self::Next => Some((Key::F(10), Modifiers::NONE)),
            Self::Step => Some((Key::F(11), Modifiers::NONE)),
            Self::Why => Some((Key::Char('y'), Modifiers::ALT)),
            Self::Instances => Some((Key::Char('i'), Modifiers::ALT)),
            Self::Pin => alt('p'),
            Self::Forward => Some((Key::Right, Modifiers::ALT)),
            Self::Backward => Some((Key::Left, Modifiers::ALT)),
            Self::First => Some((Key::Home, Modifiers::ALT)),
            Self::Last => Some((Key::Home, Modifiers { shift: true, ..Modifiers::ALT })),
            Self::ActionForward => Some((Key::Right, Modifiers { shift: true, ..Modifiers::ALT })),
            Self::ActionBackward => Some((Key::Left, Modifiers { shift: true, ..Modifiers::ALT })),
            Self::HitForward => Some((Key::F(7), Modifiers::CTRL)),
            Self::HitBackward => Some((Key::F(7), Modifiers { shift: true, ..Modifiers::CTRL })),
            Self::Fork => Some((Key::F(5), Modifiers::CTRL)),
            Self::Values => alt('7'),
            Self::Console => Some((Key::Char('`'), Modifiers::CTRL)),
            _ => None,
        }
    }

    /// Its usual key as it is written; empty without.
    #[cfg(test)]
    pub(crate) fn keys(self) -> &'static str {
        match self {
            Self::Recent => "Ctrl+R",
            Self::ShowGraphs => "Alt+1",
            Self::ShowInspector => "Alt+2",
            Self::ShowLower => "Alt+3",
            Self::Split => "Alt+5",
            Self::Enlarge => "Alt+6",
            Self::Apart => "Alt+8",
            Self::ShowText => "Alt+4",
            Self::Book => "Shift+F1",
            Self::Body => "F4",
            Self::Problems => "Ctrl+M",
            Self::Keys => "F1",
            Self::Legend => "Ctrl+F1",
            Self::Run => "F5",
            Self::End => "Shift+F5",
            Self::Stop => "F6",
            Self::Continue => "F7",
            Self::Breakpoint => "F9",
            Self::Next => "F10",
            Self::Step => "F11",
            Self::Why => "Alt+Y",
            Self::Instances => "Alt+I",
            Self::Pin => "Alt+P",
            Self::Forward => "Alt+Right",
            Self::Backward => "Alt+Left",
            Self::First => "Alt+Home",
            Self::Last => "Alt+Shift+Home",
            Self::ActionForward => "Alt+Shift+Right",
            Self::ActionBackward => "Alt+Shift+Left",
            Self::HitForward => "Ctrl+F7",
            Self::HitBackward => "Ctrl+Shift+F7",
            Self::Fork => "Ctrl+F5",
            Self::Values => "Alt+7",
            Self::Console => "Ctrl+`",
            _ => "",
        }
    }
}

/// Panels below the picture, in the order of their tabs.
pub(crate) mod panel {
    pub(crate) const BODY: i32 = 0;
    pub(crate) const PROBLEMS: i32 = 1;
    pub(crate) const HISTORY: i32 = 3;
    pub(crate) const ELABORATED: i32 = 4;
    pub(crate) const TIMELINE: i32 = 5;
    pub(crate) const ACTIONS: i32 = 6;
    pub(crate) const BREAKPOINTS: i32 = 7;
    pub(crate) const LOG: i32 = 9;
    pub(crate) const FINDINGS: i32 = 10;
    pub(crate) const RESULTS: i32 = 11;
    pub(crate) const VALUES: i32 = 12;
}
