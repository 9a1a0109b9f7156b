//! Carrying commands out.

use hasse_editor::run::Button;
use hasse_ui::App;
use slint::ComponentHandle;

use super::{Command, panel};
use crate::studio::{Later, Studio};

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
            | Command::First
            | Command::Last
            | Command::Loop => self.viewing.views.page().is_some(),
            Command::ActionForward | Command::ActionBackward => self.instance_of_player().is_some(),
            Command::HitForward | Command::HitBackward | Command::Fork => self.has_moments(),
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
            Command::First => self.viewing.act("first"),
            Command::Last => self.viewing.act("last"),
            Command::ActionForward => self.play_action(true),
            Command::ActionBackward => self.play_action(false),
            Command::HitForward => self.go_to_hit(false),
            Command::HitBackward => self.go_to_hit(true),
            Command::Fork => self.fork(),
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
