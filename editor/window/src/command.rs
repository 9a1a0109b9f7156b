//! What the window can do beside editing: one table for menus, keys and the search for commands.

use hasse_editor::run::Button;
use hasse_editor::state::input::{Key, Modifiers};
use hasse_ui::App;
use slint::ComponentHandle;

use crate::studio::{Later, Studio};

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
    LevelForward,
    LevelBackward,
    Loop,
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
        Self::LevelForward,
        Self::LevelBackward,
        Self::Loop,
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

impl Studio {
    /// Whether a command can be carried out now.
    pub(crate) fn can(&self, command: Command) -> bool {
        match command {
            Command::Recent => !self.editor.recent().is_empty(),
            Command::SavePicture => self.editor.has_picture(),
            Command::CompareSaved => self.editor.path().is_some(),
            Command::Coverage => {
                let views = &self.viewing.views;
                views.covered().is_some() || views.shows_coverage()
            }
            Command::Body => self.form.has_body(),
            Command::Run => self.can_press(Button::Run),
            Command::Stop => self.can_press(Button::Stop),
            Command::Next => self.can_press(Button::Next),
            Command::Step => self.can_press(Button::StepAction),
            Command::Continue => self.can_press(Button::Cont),
            Command::End => self.can_press(Button::End),
            Command::Breakpoint => {
                let selection = self.editor.selection();
                self.running.is_some() && !(selection.nodes.is_empty() && selection.links.is_empty())
            }
            Command::Why | Command::Instances => {
                self.running.as_ref().is_some_and(|running| running.panel.state().can_be_asked())
                    && !self.editor.selection().nodes.is_empty()
            }
            Command::Console => self.running.is_some(),
            Command::Pin => !self.pinnable().is_empty(),
            Command::Play
            | Command::Forward
            | Command::Backward
            | Command::LevelForward
            | Command::LevelBackward
            | Command::Loop => self.viewing.views.page().is_some(),
            _ => true,
        }
    }

    /// Whether what a command switches is on.
    pub(crate) fn is_on(&self, command: Command) -> bool {
        let window = self.window();
        let app = window.global::<App>();
        match command {
            Command::ShowGraphs => app.get_has_left(),
            Command::ShowInspector => app.get_has_right(),
            Command::ShowLower => app.get_has_bottom(),
            Command::Split => app.get_second_tab() >= 0,
            Command::Enlarge => app.get_is_enlarged(),
            Command::Apart => self.apart.tabs().next().is_some(),
            Command::ShowMinimap => window.global::<hasse_ui::Graph>().get_has_minimap(),
            Command::ShowText => app.get_has_text(),
            Command::Dark => self.is_dark,
            Command::Compare => self.editor.comparison().is_some_and(|known| !known.is_with_saved()),
            Command::CompareSaved => self.editor.comparison().is_some_and(|known| known.is_with_saved()),
            Command::Coverage => self.viewing.views.shows_coverage(),
            Command::Legend => window.global::<hasse_ui::Legend>().get_is_open(),
            Command::Loop => self.viewing.is_looping(),
            Command::Preview => self.viewing.views.is_previewing(),
            Command::Pin => {
                let targets = self.pinnable();
                !targets.is_empty() && targets.iter().all(|target| self.viewing.views.is_pinned(target))
            }
            _ => false,
        }
    }

    /// Carries a command out.
    pub(crate) fn command(&mut self, command: Command) {
        let window = self.window();
        let app = window.global::<App>();
        match command {
            Command::StartPage => self.open_start_page(),
            Command::Recent => self.open_recent_dialog(),
            Command::SavePicture => self.ask_for_picture(),
            Command::Compare => self.ask_to_compare(),
            Command::CompareSaved => self.toggle_comparison_with_saved(),
            Command::Coverage => self.toggle_coverage(),
            // A field of a panel that is hidden would keep the keyboard.
            Command::ShowGraphs => {
                app.set_has_left(!app.get_has_left());
                self.later.push(Later::FocusCanvas);
            }
            Command::ShowInspector => {
                app.set_has_right(!app.get_has_right());
                self.later.push(Later::FocusCanvas);
            }
            Command::ShowLower => {
                app.set_has_bottom(!app.get_has_bottom());
                self.later.push(Later::FocusPanel);
            }
            Command::Split => self.split(),
            Command::Apart => self.toggle_apart(),
            Command::Enlarge => {
                app.set_has_bottom(true);
                app.set_is_enlarged(!app.get_is_enlarged());
            }
            Command::ShowMinimap => {
                let graph = window.global::<hasse_ui::Graph>();
                graph.set_has_minimap(!graph.get_has_minimap());
            }
            Command::Dark => {
                self.is_dark = !self.is_dark;
                window.invoke_set_dark(self.is_dark);
                self.remember();
            }
            Command::Body => self.later.push(Later::FocusCode),
            Command::Problems => self.show_panel(panel::PROBLEMS),
            Command::Run => self.press(Button::Run),
            Command::Stop => self.press(Button::Stop),
            Command::Next => self.press(Button::Next),
            Command::Step => self.press(Button::StepAction),
            Command::Continue => self.press(Button::Cont),
            Command::End => self.press(Button::End),
            Command::Breakpoint => self.toggle_breakpoints(),
            Command::Breakpoints => self.show_panel(panel::BREAKPOINTS),
            Command::Actions => self.show_panel(panel::ACTIONS),
            Command::Why => self.ask_why(),
            Command::Instances => self.list_instances(),
            Command::Console => self.later.push(Later::FocusConsole),
            Command::Log => self.show_panel(panel::LOG),
            Command::Results => self.show_panel(panel::RESULTS),
            Command::OpenRecord => self.open_file_dialog(false),
            Command::History => {
                self.show_panel(panel::HISTORY);
                self.use_history(true);
            }
            Command::SearchHistory => self.open_search(),
            Command::Elaborated => self.show_panel(panel::ELABORATED),
            Command::Preview => self.toggle_preview(),
            Command::Timeline => self.show_panel(panel::TIMELINE),
            Command::Findings => self.show_panel(panel::FINDINGS),
            Command::Values => self.show_panel(panel::VALUES),
            Command::Pin => self.toggle_pins(),
            Command::Play => self.viewing.act("play"),
            Command::Forward => self.viewing.act("forward"),
            Command::Backward => self.viewing.act("backward"),
            Command::LevelForward => self.viewing.act("level-forward"),
            Command::LevelBackward => self.viewing.act("level-backward"),
            Command::Loop => self.viewing.act("loop"),
            Command::ShowText => self.toggle_text(),
            Command::Tour => self.open_tour(),
            Command::Book => self.open_book(None),
            Command::Tutorial => self.open_book(Some("tutorials/editor.md")),
            Command::Keys => self.open_keys(),
            Command::Legend => self.toggle_legend(),
            Command::About => self.open_about(),
        }
    }
}
