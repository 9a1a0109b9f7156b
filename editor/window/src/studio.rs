//! The window's state and how it goes round: what a person does changes the editor and the panels, and what has changed
//! is shown once before the next frame.
//!
//! The toolkit is single-threaded; so is `Studio`. It is borrowed by one callback at a time. What makes the toolkit call
//! back at once (the focus, the clipboard) is therefore done after the borrow, as `Later`.

/// Changes of the state, and showing what has changed once before the next frame.
pub(crate) mod update;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hasse_editor::panels::settings::{Settings, Theme};
use hasse_editor::panels::subject::Subject;
use hasse_editor::run::{Host, RunPanel, RunState};
use hasse_editor::state::action::Action;
use hasse_editor::state::selection::Selection;
use hasse_editor::state::{Editor, Request};
use hasse_editor::views::coverage::Covered;
use hasse_editor::views::state::Views;
use hasse_model::function::FunctionTable;
use hasse_ui::{App, EditorWindow, Graph};
use slint::{ComponentHandle, Timer};

use crate::apart::panels::ApartPanels;
use crate::beginning::pages::Beginning;
use crate::body::pane::Body;
use crate::canvas::CanvasRows;
use crate::command::Command;
use crate::compare::list::Comparing;
use crate::dialogs::dialog::Dialogs;
use crate::form::fields::Form;
use crate::instances::button::Instances;
use crate::legend::rows::Legend;
use crate::lists::panels::Lists;
use crate::menus::menu::Menus;
use crate::models::Rows;
use crate::pace::{Drag, Pace};
use crate::panes::pane::Panes;
use crate::pointer::clicks::Clicks;
use crate::points::fields::Points;
use crate::results::pane::Results;
use crate::run::running::Running;
use crate::search::palette::Search;
use crate::text::view::TextView;
use crate::values::pane::ValuesPane;
use crate::views::viewing::Viewing;

/// What is done when nothing is borrowed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Later {
    FocusCanvas,
    /// The part of the lower panel that is shown, or the canvas: a field of a tab that was left would keep the keyboard.
    FocusPanel,
    FocusCode,
    FocusText,
    FocusFind,
    FocusConsole,
    Copy(String),
    Paste,
    Quit,
}

/// All that the window shows.
pub(crate) struct Studio {
    pub(crate) window: slint::Weak<EditorWindow>,
    pub(crate) wake: Arc<dyn Fn() + Send + Sync>,
    pub(crate) editor: Editor,
    pub(crate) functions: Arc<FunctionTable>,
    pub(crate) settings: Settings,
    state_folder: Option<PathBuf>,
    pub(crate) canvas: CanvasRows,
    pub(crate) panes: Panes,
    pub(crate) menus: Menus,
    pub(crate) dialogs: Dialogs,
    pub(crate) search: Search,
    pub(crate) form: Form,
    pub(crate) body: Body,
    pub(crate) lists: Lists,
    pub(crate) beginning: Beginning,
    pub(crate) text: TextView,
    /// Runs; none where the window was given no host for them.
    pub(crate) running: Option<Running>,
    pub(crate) viewing: Viewing,
    pub(crate) results: Results,
    pub(crate) values: ValuesPane,
    pub(crate) comparing: Comparing,
    /// Coverage by the record that is shown, of whatever program.
    pub(crate) covered: Option<Arc<Covered>>,
    pub(crate) clicks: Clicks,
    /// Set while a button is down on a dot or badge of the picture.
    pub(crate) is_spot_pressed: bool,
    pub(crate) points: Points,
    pub(crate) legend: Legend,
    pub(crate) instances: Instances,
    pub(crate) drag: Drag,
    pace: Pace,
    pub(crate) is_dark: bool,
    pub(crate) later: Vec<Later>,
    /// Number of the window in which menu, palette or dialog were opened.
    popup_window: i32,
    /// Panels in windows of their own.
    pub(crate) apart: ApartPanels,
    /// Lines of the user's file of keys that cannot be followed.
    pub(crate) key_faults: Vec<String>,
    crumbs: Rows<slint::SharedString>,
    /// Version of the editor, the theme, and whether the tour was open, as they were shown last.
    shown: Option<(u64, bool, bool)>,
    /// The program, what is wrong with it, and the graph that panels show.
    shown_program: Option<(u64, u64, String)>,
    /// Sources of the shown marks: the versions of runs and views, the graph, and that of the second pane.
    pub(crate) marked: Option<((u64, u64, String), Option<String>)>,
    /// Number of the program that runs and records are of.
    pub(crate) opened: u64,
    /// What was selected on the picture when the views were told last.
    selected: Selection,
    ticked: Duration,
    is_scheduled: bool,
    started: Instant,
    ticker: Timer,
}

impl Studio {
    pub(crate) fn new(
        window: &EditorWindow,
        editor: Editor,
        host: Option<Box<dyn Host>>,
        functions: FunctionTable,
        wake: Arc<dyn Fn() + Send + Sync>,
        state_folder: Option<PathBuf>,
    ) -> Self {
        let settings = state_folder.as_deref().map(Settings::read).unwrap_or_default();
        let crumbs = Rows::new();
        window.global::<App>().set_path(crumbs.model());
        Self {
            window: window.as_weak(),
            opened: editor.n_opened(),
            editor,
            canvas: CanvasRows::new(&window.global::<Graph>()),
            panes: Panes::new(window),
            menus: Menus::new(window),
            dialogs: Dialogs::new(window),
            search: Search::new(window),
            form: Form::new(window),
            body: Body::new(window),
            lists: Lists::new(window),
            beginning: Beginning::new(window),
            text: TextView::new(window),
            running: host.map(|host| Running::new(window, RunPanel::new(host))),
            viewing: Viewing::new(window, Views::new(functions.clone(), Arc::clone(&wake))),
            wake,
            results: Results::new(window),
            values: ValuesPane::new(window),
            comparing: Comparing::new(window),
            covered: None,
            clicks: Clicks::default(),
            is_spot_pressed: false,
            points: Points::new(window),
            legend: Legend::new(window),
            instances: Instances::default(),
            drag: Drag::default(),
            pace: Pace::new(window),
            is_dark: settings.theme != Theme::Light,
            later: Vec::new(),
            popup_window: 0,
            apart: ApartPanels::default(),
            key_faults: Vec::new(),
            crumbs,
            shown: None,
            shown_program: None,
            is_scheduled: false,
            started: Instant::now(),
            ticker: Timer::default(),
            settings,
            state_folder,
            functions: Arc::new(functions),
            marked: None,
            selected: Selection::default(),
            ticked: Duration::ZERO,
        }
    }

    /// The window; it lives as long as its callbacks are called.
    pub(crate) fn window(&self) -> EditorWindow {
        self.window.upgrade().expect("the window calls its own callbacks")
    }

    /// What the inspector shows: what is selected, else the graph.
    pub(crate) fn subject(&self) -> Subject {
        let selection = self.editor.selection();
        let graph = self.editor.graph().to_owned();
        if graph.is_empty() {
            return Subject::Nothing;
        }
        let n_notes = selection.comments.len() + selection.frames.len();
        let n_links = selection.links.len();
        match (selection.nodes.len(), n_links, n_notes) {
            (0, 0, 0) => Subject::Graph(graph),
            (1, 0, 0) => match selection.nodes.first() {
                Some(node) => Subject::Node { graph, node: node.clone() },
                None => Subject::Graph(graph),
            },
            (0, 1, 0) => match selection.links.first() {
                Some((list, row)) => Subject::Link { graph, list: *list, row: *row },
                None => Subject::Graph(graph),
            },
            (0, 0, 1) => match (selection.comments.first(), selection.frames.first()) {
                (Some(number), _) => Subject::Comment { graph, number: *number },
                (None, Some(number)) => Subject::Frame { graph, number: *number },
                (None, None) => Subject::Graph(graph),
            },
            _ => {
                Subject::Several { graph, nodes: selection.nodes.iter().cloned().collect(), n_links, n_notes }
            }
        }
    }

    /// Does what the editor asks the window for.
    pub(crate) fn serve(&mut self) {
        self.editor.set_unsaved_models(self.has_unsaved_models());
        self.follow_document();
        self.take_up_tour();
        self.leave_start_page();
        let mut requests = self.editor.take_requests();
        while !requests.is_empty() {
            for request in requests {
                self.serve_one(request);
            }
            requests = self.editor.take_requests();
        }
    }

    fn serve_one(&mut self, request: Request) {
        match request {
            Request::Palette { at, place, wire } => self.open_nodes(at, place, wire),
            Request::Menu { at } => self.open_context(at),
            Request::Prompt(prompt) => self.open_prompt(prompt),
            Request::Show(target) => self.show_target(&target),
            Request::SetClipboard(text) => self.later.push(Later::Copy(text)),
            Request::Paste => self.later.push(Later::Paste),
            Request::SaveModels => self.save_models_to_leave(),
            Request::OpenDialog => self.open_file_dialog(false),
            Request::SaveDialog => self.open_file_dialog(true),
            Request::Find if self.beginning.book.is_open() => self.beginning.book.ask_search(),
            Request::Find if self.is_history_used() => self.open_search(),
            Request::Find => self.later.push(Later::FocusFind),
            Request::Commands => self.open_commands(),
            Request::Close => self.later.push(Later::Quit),
        }
    }

    /// Brings the window in line with the state.
    pub(crate) fn refresh(&mut self) {
        let window = self.window();
        let program = (
            self.editor.document().revision(),
            self.editor.problems_version(),
            self.editor.graph().to_owned(),
        );
        let is_other_program = self.shown_program.as_ref() != Some(&program);
        let is_same_graph = self.shown_program.as_ref().is_some_and(|shown| shown.2 == program.2);
        let subject = self.subject();
        self.refresh_form(&window, subject, is_other_program);
        self.refresh_body(&window, is_other_program);
        if is_other_program {
            self.refresh_lists();
            self.shown_program = Some(program);
        }
        self.show_lists(&window);
        self.show_beginning(&window, is_other_program);
        self.show_comparison(&window);
        self.show_text(&window);
        if *self.editor.selection() != self.selected {
            self.selected = self.editor.selection().clone();
            if !self.selected.is_empty() {
                self.select_in_views();
                self.look_at_selected_node();
            } else if is_same_graph {
                self.viewing.views.unselect_program();
            }
        }
        self.look_at_selected_arc();
        self.follow_player();
        self.look_at_values();
        self.refresh_marks();
        self.show_run(&window);
        self.show_results(&window);
        self.show_options(&window);
        self.show_completion(&window);
        self.show_views(&window);
        self.show_player(&window);
        self.show_values(&window);
        self.show_menus(&window);
        self.show_dialogs(&window);
        self.show_point(&window);
        self.show_legend(&window);
        self.show_search(&window);
        let shown = (self.editor.version(), self.is_dark, self.beginning.tour.is_open());
        if self.shown != Some(shown) {
            self.shown = Some(shown);
            self.canvas.show(&window, &mut self.editor, self.is_dark);
            self.show_bars(&window);
        }
        self.show_panes(&window);
        // The button avoids the labels, which must be placed before it.
        self.show_instances(&window);
        let app = window.global::<App>();
        app.set_popup_window(self.popup_window);
        app.set_n_apart(i32::try_from(self.apart.tabs().count()).unwrap_or(0));
    }

    /// Selects something on the picture that the views know already.
    pub(crate) fn select_on_picture(&mut self, selection: Selection) {
        self.editor.select(selection);
        self.selected = self.editor.selection().clone();
    }

    /// State of all that opens above the panels: the number of menus opened so far, and which of menu, palette, form and dialog are
    /// open.
    fn popups(&self) -> (u64, [bool; 4]) {
        let open = [self.has_menu(), self.search.is_open(), self.points.is_open(), self.has_dialog()];
        (self.menus.n_opened(), open)
    }

    /// Does what a button of the tool bar says.
    pub(crate) fn act_named(&mut self, id: &str) {
        let action = match id {
            "save" => Action::Save,
            "undo" => Action::Undo,
            "redo" => Action::Redo,
            "palette" => Action::AddNode,
            "tidy" => Action::TidyAll,
            "fit" => Action::FitAll,
            "split" => return self.command(Command::Split),
            "enlarge" => return self.command(Command::Enlarge),
            "apart" => return self.command(Command::Apart),
            _ => return,
        };
        self.editor.act(action);
    }

    fn show_bars(&self, window: &EditorWindow) {
        let app = window.global::<App>();
        app.set_title(self.editor.title().into());
        let status = self.editor.status();
        app.set_status((&status.text).into());
        app.set_status_tone(if status.is_refusal { 2 } else { 0 });
        self.crumbs.set(self.editor.crumbs().iter().map(|crumb| crumb.label().into()));
        let [n_errors, n_warnings] = self.editor.problem_counts();
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        app.set_problems(match (n_errors, n_warnings) {
            (0, 0) => "no problems".into(),
            (0, n_warnings) => count(n_warnings, "warning").into(),
            (n_errors, 0) => count(n_errors, "error").into(),
            _ => format!("{}, {}", count(n_errors, "error"), count(n_warnings, "warning")).into(),
        });
        // The steps of the tour are hints of their own.
        let hint = self.editor.hint().filter(|_| !self.beginning.tour.is_open());
        app.set_hint(hint.unwrap_or_default().into());
        app.set_problems_tone(if n_errors > 0 { 2 } else { i32::from(n_warnings > 0) });
        app.set_zoom(format!("{:.0} %", self.editor.view().zoom() * 100.0).into());
        app.set_can_undo(self.editor.document().next_undo().is_some());
        app.set_can_redo(self.editor.document().next_redo().is_some());
        app.set_is_saved(self.editor.document().is_saved());
    }

    /// Shows on the picture what runs and records say of its graph.
    fn refresh_marks(&mut self) {
        let run = self.running.as_ref().map_or(0, |running| running.panel.version());
        let made_of = (run, self.viewing.views.version(), self.editor.graph().to_owned());
        let second = self.editor.second_graph().map(str::to_owned);
        if self.marked.as_ref() != Some(&(made_of.clone(), second.clone())) {
            for graph in second.iter().chain([&made_of.2]) {
                let marks = self.marks_of(graph);
                self.editor.set_marks(graph, marks);
            }
            self.marked = Some((made_of, second));
        }
    }

    /// Whether something goes on without a person.
    fn is_busy(&self) -> bool {
        let is_running = self.running.as_ref().is_some_and(|running| {
            let state = running.panel.state();
            state.is_busy() || state == RunState::Opening
        });
        let is_looking = self.viewing.views.is_busy() || self.results.is_busy() || self.values.is_busy();
        self.editor.is_busy() || is_running || is_looking
    }

    /// Time since the window was opened.
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes in what other threads have made, and lets time pass.
    pub(crate) fn tick(&mut self) {
        let now = self.started.elapsed();
        let passed = now.saturating_sub(self.ticked);
        self.ticked = now;
        self.editor.tick(now);
        self.tell_program(false);
        self.tick_run(now);
        self.tick_results();
        self.tick_cards(now);
        // After a rest the clock begins anew.
        self.tick_views(passed.as_secs_f64().min(0.2));
    }

    /// Writes down what the window remembers.
    pub(crate) fn remember(&mut self) {
        let window = self.window();
        let app = window.global::<App>();
        self.settings.theme = if self.is_dark { Theme::Dark } else { Theme::Light };
        self.settings.sizes.left = app.get_left_width();
        self.settings.sizes.right = app.get_right_width();
        self.settings.sizes.bottom = app.get_bottom_height();
        self.settings.sizes.text = app.get_text_width();
        let size = window.window().size().to_logical(window.window().scale_factor());
        self.settings.sizes.window_width = size.width;
        self.settings.sizes.window_height = size.height;
        if let Some(folder) = &self.state_folder
            && let Err(error) = self.settings.write(folder)
        {
            self.editor.set_status(hasse_editor::state::Status { text: error.to_string(), is_refusal: true });
        }
    }
}
