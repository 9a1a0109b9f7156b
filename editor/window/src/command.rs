//! What the window can do beside editing: one table for menus, keys and the search for commands.

use hasse_editor::state::input::{Key, Modifiers};
use hasse_ui::App;
use slint::ComponentHandle;

use crate::studio::{Later, Studio};

/// Where a command is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    File,
    Run,
    Record,
    Window,
    /// The menu of what is under the pointer.
    Context,
}

/// A command of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Recent,
    ShowGraphs,
    ShowInspector,
    ShowLower,
    ShowMinimap,
    Dark,
    Body,
    Problems,
    Keys,
    About,
}

impl Command {
    pub(crate) const ALL: &'static [Self] = &[
        Self::Recent,
        Self::ShowGraphs,
        Self::ShowInspector,
        Self::ShowLower,
        Self::ShowMinimap,
        Self::Dark,
        Self::Body,
        Self::Problems,
        Self::Keys,
        Self::About,
    ];

    /// What is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Recent => "Open a recent file...",
            Self::ShowGraphs => "Left panel",
            Self::ShowInspector => "Inspector",
            Self::ShowLower => "Lower panel",
            Self::ShowMinimap => "Overview",
            Self::Dark => "Dark",
            Self::Body => "Write the body",
            Self::Problems => "Show problems",
            Self::Keys => "Keys...",
            Self::About => "About Hasse...",
        }
    }

    pub(crate) fn group(self) -> Group {
        match self {
            Self::Recent => Group::File,
            Self::Body => Group::Context,
            Self::ShowGraphs
            | Self::ShowInspector
            | Self::ShowLower
            | Self::ShowMinimap
            | Self::Dark
            | Self::Problems
            | Self::Keys
            | Self::About => Group::Window,
        }
    }

    /// Whether a line stands above it.
    pub(crate) fn is_apart(self) -> bool {
        matches!(self, Self::Dark | Self::Problems | Self::Keys)
    }

    fn shortcut(self) -> Option<(Key, Modifiers)> {
        let alt = |letter| Some((Key::Char(letter), Modifiers::ALT));
        match self {
            Self::Recent => Some((Key::Char('r'), Modifiers::CTRL)),
            Self::ShowGraphs => alt('1'),
            Self::ShowInspector => alt('2'),
            Self::ShowLower => alt('3'),
            Self::Body => Some((Key::F(4), Modifiers::NONE)),
            Self::Problems => Some((Key::Char('m'), Modifiers::CTRL)),
            Self::Keys => Some((Key::F(1), Modifiers::NONE)),
            Self::ShowMinimap | Self::Dark | Self::About => None,
        }
    }

    /// Its keys as they are written; empty without.
    pub(crate) fn keys(self) -> &'static str {
        match self {
            Self::Recent => "Ctrl+R",
            Self::ShowGraphs => "Alt+1",
            Self::ShowInspector => "Alt+2",
            Self::ShowLower => "Alt+3",
            Self::Body => "F4",
            Self::Problems => "Ctrl+M",
            Self::Keys => "F1",
            Self::ShowMinimap | Self::Dark | Self::About => "",
        }
    }
}

/// Panels below the picture, in the order of their tabs.
pub(crate) mod panel {
    pub(crate) const BODY: i32 = 0;
    pub(crate) const PROBLEMS: i32 = 1;
    pub(crate) const FIND: i32 = 2;
}

impl Studio {
    /// Whether a command can be carried out now.
    pub(crate) fn can(&self, command: Command) -> bool {
        match command {
            Command::Recent => !self.editor.recent().is_empty(),
            Command::Body => self.form.has_body(),
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
            Command::ShowMinimap => window.global::<hasse_ui::Graph>().get_has_minimap(),
            Command::Dark => self.is_dark,
            _ => false,
        }
    }

    /// Carries a command out.
    pub(crate) fn command(&mut self, command: Command) {
        let window = self.window();
        let app = window.global::<App>();
        match command {
            Command::Recent => self.open_file_dialog(false),
            Command::ShowGraphs => app.set_has_left(!app.get_has_left()),
            Command::ShowInspector => app.set_has_right(!app.get_has_right()),
            Command::ShowLower => app.set_has_bottom(!app.get_has_bottom()),
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
            Command::Keys => self.open_keys(),
            Command::About => self.open_about(),
        }
    }

    /// Shows one of the panels below the picture.
    pub(crate) fn show_panel(&mut self, panel: i32) {
        let window = self.window();
        let app = window.global::<App>();
        app.set_has_bottom(true);
        app.set_panel(panel);
    }

    /// A key of the window's own commands; tells whether it was one.
    pub(crate) fn own_key(&mut self, key: Key, modifiers: Modifiers) -> bool {
        let lower = match key {
            Key::Char(letter) => Key::Char(letter.to_ascii_lowercase()),
            key => key,
        };
        let found = Command::ALL.iter().find(|command| command.shortcut() == Some((lower, modifiers)));
        match found {
            Some(command) if self.can(*command) => {
                self.command(*command);
                true
            }
            _ => false,
        }
    }
}
