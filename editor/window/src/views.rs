//! The record of the last run in three linked views, its playback, and findings.

use std::collections::BTreeSet;
use std::rc::Rc;

use hasse_editor::marks::Marks;
use hasse_editor::run::Told;
use hasse_editor::state::Status as Said;
use hasse_editor::state::selection::Selection;
use hasse_editor::views::chart::ChartOptions;
use hasse_editor::views::findings::{Query, Status};
use hasse_editor::views::lanes::{Axis, LanesBy};
use hasse_editor::views::models;
use hasse_editor::views::pixels::{Pixels, Text, Theme};
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::state::{Page, Views};
use hasse_ui::{
    App, EditorWindow, Findings as UiFindings, LineOfList, PictureData, TextItem, Views as UiViews,
};
use slint::{Color, ComponentHandle, Image, Rgba8Pixel, SharedPixelBuffer, SharedString};

use crate::command::panel;
use crate::models::{Rows, model};
use crate::studio::{Shared, Studio, go};

/// What has lanes, and what places say, of the buttons above the event history.
const HISTORY_ORDERS: [(&str, LanesBy, Axis); 4] = [
    ("Actions, in causal order", LanesBy::Action, Axis::Order),
    ("Actions, by level", LanesBy::Action, Axis::Level),
    ("Templates, in causal order", LanesBy::Template, Axis::Order),
    ("Workers, in causal order", LanesBy::Worker, Axis::Order),
];
/// The same of the time-line.
const TIMELINE_KINDS: [(&str, LanesBy); 3] =
    [("By worker", LanesBy::Worker), ("By action", LanesBy::Action), ("By template", LanesBy::Template)];
/// How far a turn of the wheel moves, in pixels for a pixel of the wheel.
const ZOOM_STEP: f64 = 1.0015;
/// Events a second that the playback goes through in its slowest and fastest speed.
const SPEEDS: (f64, f64) = (0.5, 1_000_000.0);

/// A picture of the lower panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    History,
    Elaborated,
    Timeline,
}

impl Which {
    fn of(number: i32) -> Option<Self> {
        [Self::History, Self::Elaborated, Self::Timeline].get(usize::try_from(number).ok()?).copied()
    }

    fn of_panel(panel: i32) -> Option<Self> {
        Self::of(panel - panel::HISTORY)
    }
}

/// The views and what the window keeps for them.
pub(crate) struct Viewing {
    pub(crate) views: Views,
    history_texts: Rows<TextItem>,
    elaborated_texts: Rows<TextItem>,
    timeline_texts: Rows<TextItem>,
    facts: Rows<LineOfList>,
    figures: Rows<LineOfList>,
    findings: Rows<LineOfList>,
    /// For each line of findings: the finding, and the line of its evidence.
    places: Vec<(usize, Option<usize>)>,
    /// Events that lines of facts are about.
    fact_events: Vec<Option<u32>>,
    sizes: [(usize, usize); 3],
    /// Where the mouse went down, and where it was last, in which picture.
    pressed: Option<(Which, (f64, f64), (f64, f64))>,
    order: usize,
    kind: usize,
    is_restricted: bool,
    is_looping: bool,
    record_name: String,
    shown: Option<(u64, i32, bool)>,
    is_new_record: bool,
}

impl Viewing {
    pub(crate) fn new(window: &EditorWindow, views: Views) -> Self {
        let viewing = Self {
            views,
            history_texts: Rows::new(),
            elaborated_texts: Rows::new(),
            timeline_texts: Rows::new(),
            facts: Rows::new(),
            figures: Rows::new(),
            findings: Rows::new(),
            places: Vec::new(),
            fact_events: Vec::new(),
            sizes: [(0, 0); 3],
            pressed: None,
            order: 0,
            kind: 0,
            is_restricted: false,
            is_looping: false,
            record_name: String::new(),
            shown: None,
            is_new_record: false,
        };
        let ui = window.global::<UiViews>();
        ui.set_facts(viewing.facts.model());
        ui.set_figures(viewing.figures.model());
        ui.set_history_orders(model(HISTORY_ORDERS.iter().map(|(name, ..)| SharedString::from(*name))));
        ui.set_timeline_kinds(model(TIMELINE_KINDS.iter().map(|(name, _)| SharedString::from(*name))));
        window.global::<UiFindings>().set_lines(viewing.findings.model());
        viewing
    }

    fn page(&mut self) -> Option<&mut Page> {
        self.views.page_mut()
    }

    fn apply_options(&mut self) {
        let (_, by, axis) = HISTORY_ORDERS[self.order];
        let (_, lanes) = TIMELINE_KINDS[self.kind];
        let overlay = self.views.overlay().clone();
        if let Some(page) = self.views.page_mut() {
            page.history.set_options(ChartOptions { by, axis, hides_others: true }, &overlay);
            page.timeline
                .set_options(ChartOptions { by: lanes, axis: Axis::Time, hides_others: false }, &overlay);
        }
    }

    fn apply_sizes(&mut self) {
        let sizes = self.sizes;
        if let Some(page) = self.views.page_mut() {
            page.history.set_size(sizes[0].0, sizes[0].1);
            page.elaborated.set_size(sizes[1].0, sizes[1].1);
            page.timeline.set_size(sizes[2].0, sizes[2].1);
        }
    }

    fn pan(&mut self, which: Which, dx: f64, dy: f64) {
        if let Some(page) = self.page() {
            match which {
                Which::History => page.history.pan(dx, dy),
                Which::Elaborated => page.elaborated.pan(dx, dy),
                Which::Timeline => page.timeline.pan(dx, dy),
            }
        }
    }

    fn hover(&mut self, which: Which, at: Option<(f64, f64)>) {
        if let Some(page) = self.page() {
            match which {
                Which::History => page.history.hover(at),
                Which::Elaborated => page.elaborated.hover(at),
                Which::Timeline => page.timeline.hover(at),
            };
        }
    }

    fn click(&mut self, which: Which, at: (f64, f64)) {
        match which {
            Which::History => self.views.click_history(at.0, at.1),
            Which::Elaborated => self.views.click_elaborated(at.0, at.1),
            Which::Timeline => self.views.click_timeline(at.0, at.1),
        };
    }

    fn pointer(&mut self, which: Which, kind: &str, at: (f64, f64)) {
        match (kind, self.pressed) {
            ("down", _) => self.pressed = Some((which, at, at)),
            ("move", Some((held, from, last))) if held == which => {
                self.pan(which, at.0 - last.0, at.1 - last.1);
                self.pressed = Some((held, from, at));
            }
            ("move", _) => self.hover(which, Some(at)),
            ("up", Some((held, from, _))) if held == which => {
                self.pressed = None;
                // A way of a few pixels is a click, not a drag.
                if (at.0 - from.0).abs() + (at.1 - from.1).abs() < 5.0 {
                    self.click(which, at);
                }
            }
            ("double", _) => {
                if let Some(page) = self.page() {
                    match which {
                        Which::History => page.history.fit(),
                        Which::Elaborated => page.elaborated.fit(),
                        Which::Timeline => page.timeline.fit(),
                    }
                }
            }
            _ => {
                self.pressed = None;
                self.hover(which, None);
            }
        }
    }

    fn wheel(&mut self, which: Which, at: (f64, f64), by: (f64, f64), is_shift: bool, is_control: bool) {
        if is_shift || by.0 != 0.0 {
            self.pan(which, by.0 + if is_shift { by.1 } else { 0.0 }, 0.0);
            return;
        }
        let factor = ZOOM_STEP.powf(by.1);
        let Some(page) = self.page() else { return };
        let chart = match which {
            Which::Elaborated => {
                page.elaborated.zoom(at.0, at.1, factor);
                return;
            }
            Which::History => &mut page.history,
            Which::Timeline => &mut page.timeline,
        };
        if is_control {
            chart.zoom_y(at.1, factor);
        } else {
            chart.zoom_x(at.0, factor);
        }
    }

    fn act(&mut self, name: &str) {
        match name {
            "play" => self.views.play(|player| {
                if player.is_at_end() && !player.is_playing() {
                    player.seek(0);
                }
                player.toggle();
            }),
            "first" => self.views.play(|player| player.seek(0)),
            "last" => self.views.play(|player| player.seek(player.n_events())),
            "forward" => self.views.play(|player| player.step(1)),
            "backward" => self.views.play(|player| player.step(-1)),
            "level-forward" => self.views.play(|player| player.step_level(true)),
            "level-backward" => self.views.play(|player| player.step_level(false)),
            "slower" => self.views.play(|player| player.set_speed((player.speed() / 2.0).max(SPEEDS.0))),
            "faster" => self.views.play(|player| player.set_speed((player.speed() * 2.0).min(SPEEDS.1))),
            "loop" => {
                self.is_looping = !self.is_looping;
                let loops = self.is_looping;
                self.views.play(|player| player.set_loops(loops));
            }
            "fit-history" => {
                if let Some(page) = self.page() {
                    page.history.fit();
                }
            }
            "fit-elaborated" => {
                if let Some(page) = self.page() {
                    page.elaborated.fit();
                }
            }
            "fit-timeline" => {
                if let Some(page) = self.page() {
                    page.timeline.fit();
                }
            }
            _ => {}
        }
    }
}

fn picture(pixels: &Pixels) -> Image {
    let (width, height) = (pixels.width as u32, pixels.height as u32);
    if width == 0 || height == 0 {
        return Image::default();
    }
    Image::from_rgba8(SharedPixelBuffer::<Rgba8Pixel>::clone_from_slice(&pixels.data, width, height))
}

fn text_item(text: &Text) -> TextItem {
    let [red, green, blue, alpha] = text.color;
    TextItem {
        x: text.x,
        y: text.y - text.size * 0.65,
        width: text.width,
        text: (&text.string).into(),
        color: Color::from_argb_u8(alpha, red, green, blue),
        size: text.size,
        align: -1,
    }
}

fn speed(events: f64) -> String {
    if events < 10.0 { format!("{events:.1} ev/s") } else { format!("{events:.0} ev/s") }
}

fn number(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

fn line(badge: &str, tone: i32, text: &str, depth: i32, is_current: bool) -> LineOfList {
    LineOfList { badge: badge.into(), tone, text: text.into(), depth, is_current, ..LineOfList::default() }
}

impl Studio {
    /// Takes in what the session tells the views.
    pub(crate) fn take_told(&mut self) {
        let Some(running) = &mut self.running else { return };
        for told in running.panel.take_for_views() {
            if let Told::Recorded(path) = told {
                self.viewing.record_name = "record of the last run".to_owned();
                self.viewing.is_new_record = true;
                self.viewing.views.open(RecordSource::File(path));
            }
        }
    }

    /// A run begins: the record before stays until there is a new one.
    pub(crate) fn begin_record(&mut self) {
        self.viewing.views.play(|player| player.pause());
    }

    /// Shows a record of a file.
    pub(crate) fn open_record(&mut self, path: &std::path::Path) {
        self.viewing.record_name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.viewing.is_new_record = true;
        self.viewing.views.open(RecordSource::File(path.to_owned()));
        self.show_panel(panel::HISTORY);
    }

    /// Lets the views take up what their threads have made.
    pub(crate) fn tick_views(&mut self, seconds: f64) {
        self.viewing.views.tick(seconds);
        if self.viewing.is_new_record
            && self.viewing.views.progress().is_none()
            && self.viewing.views.page().is_some()
        {
            self.viewing.is_new_record = false;
            self.viewing.is_restricted = false;
            self.viewing.apply_sizes();
            self.viewing.apply_options();
            self.viewing.views.measure();
            if !self.viewing.views.queries().is_empty() {
                self.viewing.views.look_again();
            }
        }
    }

    /// What runs and records show on a graph, together.
    pub(crate) fn marks_of(&self, graph: &str) -> Marks {
        let mut marks = self.running.as_ref().map(|running| running.panel.marks(graph)).unwrap_or_default();
        let is_live = self.running.as_ref().is_some_and(|running| running.panel.state().is_under_way());
        let own = self.viewing.views.marks(graph);
        for (name, seen) in own.nodes {
            let held = marks.nodes.entry(name).or_default();
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            if !is_live {
                // Of a run that is over, what the playback shows.
                held.state = seen.state.or(held.state);
                held.n_events = seen.n_events.or(held.n_events);
                if !seen.dots.is_empty() {
                    held.dots = seen.dots;
                    held.n_more = seen.n_more;
                }
                if held.note.is_empty() {
                    held.note = seen.note;
                }
            }
        }
        for (key, seen) in own.links {
            let held = marks.links.entry(key).or_default();
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            if !is_live {
                held.n_queued = seen.n_queued.or(held.n_queued);
                held.n_passed = seen.n_passed.or(held.n_passed);
                held.pulse = seen.pulse.or(held.pulse);
            }
        }
        marks
    }

    /// Selects in the views what is selected on the picture.
    pub(crate) fn select_in_views(&mut self) {
        let selection = self.editor.selection().clone();
        let graph = self.editor.graph().to_owned();
        let views = &mut self.viewing.views;
        match (selection.nodes.len(), selection.links.len()) {
            (1, 0) => selection.nodes.first().is_some_and(|node| views.click_node(&graph, node)),
            (0, 1) => selection.links.first().is_some_and(|(_, row)| views.click_arc(&graph, *row)),
            _ => false,
        };
    }

    /// Restricts the views to what is selected on the picture, or shows all again.
    fn restrict_views(&mut self) {
        let viewing = &mut self.viewing;
        if viewing.is_restricted {
            viewing.is_restricted = false;
            viewing.views.restrict_to(BTreeSet::new());
            return;
        }
        let nodes = self.editor.selection().nodes.clone();
        if nodes.is_empty() {
            let text = "Select the nodes that the display is to be restricted to.".to_owned();
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        }
        viewing.is_restricted = true;
        viewing.views.restrict_to_nodes(self.editor.graph(), &nodes);
    }

    fn look_for(&mut self, query: Query) {
        let status = match query.check() {
            Ok(()) => {
                let mut queries = self.viewing.views.queries().to_vec();
                if !queries.contains(&query) {
                    queries.push(query);
                }
                self.viewing.views.look_for(queries);
                String::new()
            }
            Err(error) => error,
        };
        self.window().global::<UiFindings>().set_status(status.into());
    }

    /// The model of what is selected on the picture, to be checked with the rest.
    fn draw_model(&mut self) {
        let selection = self.editor.selection().clone();
        let graph_name = self.editor.graph().to_owned();
        let outline = hasse_compiler::outline(self.editor.document().text());
        let graphs = outline.unwrap_or_default();
        let Some(graph) = graphs.iter().find(|graph| graph.name == graph_name) else { return };
        if selection.nodes.is_empty() && selection.links.is_empty() {
            let text = "Select the nodes and arcs whose behavior is expected.".to_owned();
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        }
        let rows = selection.links.iter().map(|(_, row)| *row).collect();
        let name = format!("model {}", self.viewing.views.models.texts().len() + 1);
        let draft = models::draft(&name.replace(' ', "_"), graph, &selection.nodes, &rows);
        self.viewing.views.models.add(draft.text);
        self.viewing.views.look_again();
        self.viewing.shown = None;
        self.window().global::<UiFindings>().set_status(draft.notes.join(" ").into());
    }

    fn finding_clicked(&mut self, row: usize) {
        let Some((finding, evidence)) = self.viewing.places.get(row).copied() else { return };
        self.viewing.views.select_finding(finding, evidence);
        let found = self.viewing.views.findings().get(finding);
        let target = found.and_then(|found| {
            let lines = evidence.and_then(|line| found.evidence.get(line));
            let targets = &lines.or(found.evidence.first())?.targets;
            // A rule says more than the node that it belongs to.
            let line = targets.iter().find(|target| target.attribute.is_some());
            line.or(targets.first()).cloned()
        });
        let text = found.map(|found| found.text.clone()).unwrap_or_default();
        let window = self.window();
        window.global::<UiFindings>().set_detail(text.into());
        if let Some(target) = target {
            self.show_target(&target);
        }
    }

    /// Shows what has changed of the record.
    pub(crate) fn show_views(&mut self, window: &EditorWindow) {
        let app = window.global::<App>();
        let open = app.get_panel();
        let shown = (self.viewing.views.version(), open, self.is_dark);
        if self.viewing.shown == Some(shown) {
            return;
        }
        self.viewing.shown = Some(shown);
        let theme = if self.is_dark { Theme::Dark } else { Theme::Light };
        let viewing = &mut self.viewing;
        let ui = window.global::<UiViews>();
        let messages = viewing.views.messages();
        ui.set_progress(viewing.views.progress().map_or(-1.0, |progress| progress as f32));
        let told = match (viewing.views.progress(), viewing.views.page()) {
            (Some(progress), _) => format!("The record is being loaded: {:.0} %", progress * 100.0),
            (None, None) if messages.is_empty() => {
                "Run the program in a mode that records, or open a record.".to_owned()
            }
            (None, None) => messages.join(" "),
            (None, Some(_)) => messages.join(" "),
        };
        let is_there = viewing.views.page().is_some();
        ui.set_has_record(is_there);
        ui.set_record(if is_there {
            format!("{} {}", viewing.record_name, messages.join(" ")).trim().into()
        } else {
            "".into()
        });
        ui.set_is_restricted(viewing.is_restricted);
        ui.set_is_looping(viewing.is_looping);
        ui.set_history_order(number(viewing.order));
        ui.set_timeline_kind(number(viewing.kind));
        if let Some(page) = viewing.views.page() {
            ui.set_n_events(i32::try_from(page.player.n_events()).unwrap_or(i32::MAX));
            ui.set_position(i32::try_from(page.player.position()).unwrap_or(i32::MAX));
            ui.set_is_playing(page.player.is_playing());
            ui.set_speed(speed(page.player.speed()).into());
            let overlay = viewing.views.overlay();
            match Which::of_panel(open) {
                Some(Which::History) => {
                    let (pixels, texts) = page.history.draw(overlay, theme, Pixels::default());
                    viewing.history_texts.set(texts.iter().map(text_item));
                    let texts = viewing.history_texts.model();
                    ui.set_history(PictureData { image: picture(&pixels), texts, told: told.clone().into() });
                }
                Some(Which::Elaborated) => {
                    let (pixels, texts) = page.elaborated.draw(overlay, theme, Pixels::default());
                    viewing.elaborated_texts.set(texts.iter().map(text_item));
                    let graph = page.elaborated.graph();
                    let count =
                        format!("{} instances, {} arcs between them", graph.boxes.len(), graph.lines.len());
                    let notes: Vec<String> =
                        std::iter::once(count).chain(graph.notes.iter().cloned()).collect();
                    let texts = viewing.elaborated_texts.model();
                    let told = notes.join(". ").into();
                    ui.set_elaborated(PictureData { image: picture(&pixels), texts, told });
                }
                Some(Which::Timeline) => {
                    let (pixels, texts) = page.timeline.draw(overlay, theme, Pixels::default());
                    viewing.timeline_texts.set(texts.iter().map(text_item));
                    let texts = viewing.timeline_texts.model();
                    ui.set_timeline(PictureData {
                        image: picture(&pixels),
                        texts,
                        told: told.clone().into(),
                    });
                }
                None => {}
            }
        } else {
            let empty = |texts: &Rows<TextItem>| {
                texts.set([]);
                PictureData { image: Image::default(), texts: texts.model(), told: told.clone().into() }
            };
            ui.set_history(empty(&viewing.history_texts));
            ui.set_elaborated(empty(&viewing.elaborated_texts));
            ui.set_timeline(empty(&viewing.timeline_texts));
        }
        let facts = viewing.views.facts();
        viewing.fact_events = facts.iter().map(|fact| fact.event).collect();
        viewing.facts.set(facts.iter().map(|fact| LineOfList {
            badge: (&fact.name).into(),
            text: (&fact.text).into(),
            tone: if fact.event.is_some() { 4 } else { 0 },
            ..LineOfList::default()
        }));
        let mut figures = Vec::new();
        if let Some(performance) = viewing.views.performance() {
            for table in performance.tables() {
                figures.push(LineOfList {
                    text: (&table.title).into(),
                    detail: table.columns.get(1..).unwrap_or_default().join("  ").into(),
                    is_title: true,
                    ..LineOfList::default()
                });
                for row in &table.rows {
                    let name = row.first().cloned().unwrap_or_default();
                    let rest = row.get(1..).unwrap_or_default().join("  ");
                    figures.push(LineOfList {
                        depth: 1,
                        text: name.into(),
                        detail: rest.into(),
                        ..LineOfList::default()
                    });
                }
            }
        }
        viewing.figures.set(figures);

        let selected = viewing.views.selected_finding();
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for (at, finding) in viewing.views.findings().iter().enumerate() {
            let (badge, tone) = match finding.status {
                Status::Holds => ("holds", 3),
                Status::Unknown => ("unknown", 1),
                Status::Violated if finding.is_race => ("race", 2),
                Status::Violated => ("violated", 2),
            };
            lines.push(line(badge, tone, &finding.title, 0, selected == Some(at)));
            places.push((at, None));
            for (number, evidence) in finding.evidence.iter().enumerate() {
                lines.push(line("", 0, &evidence.text, 1, false));
                places.push((at, Some(number)));
            }
        }
        if viewing.views.is_looking() {
            lines.push(line("", 0, "The record is being checked...", 0, false));
            places.push((usize::MAX, None));
        }
        viewing.findings.set(lines);
        viewing.places = places;
    }
}

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of the views.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiViews>();
    let weak = Rc::downgrade(shared);
    ui.on_resized(move |picture, width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(size) = studio.viewing.sizes.get_mut(index(picture)) {
                *size = (width.max(0.0) as usize, height.max(0.0) as usize);
                studio.viewing.apply_sizes();
                studio.viewing.shown = None;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_pointer(move |picture, kind, x, y, button, _, _| {
        let Some(shared) = weak.upgrade() else { return };
        let _ = button;
        go(&shared, |studio| {
            if let Some(which) = Which::of(picture) {
                let before = studio.viewing.views.selection();
                studio.viewing.pointer(which, &kind, (f64::from(x), f64::from(y)));
                if studio.viewing.views.selection() != before {
                    // What is selected in a view is told on the picture by marks, not as its selection.
                    studio.editor.select(Selection::default());
                }
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_wheel(move |picture, x, y, dx, dy, shift, control| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(which) = Which::of(picture) {
                let by = (f64::from(dx), f64::from(dy));
                studio.viewing.wheel(which, (f64::from(x), f64::from(y)), by, shift, control);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_act(move |name| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if name == "restrict" {
                studio.restrict_views();
            } else {
                studio.viewing.act(&name);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_seek(move |position| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.viewing.views.play(|player| {
                player.pause();
                player.seek(position.max(0.0).round() as u32);
            });
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_set_order(move |order| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.viewing.order = index(order).min(HISTORY_ORDERS.len() - 1);
            studio.viewing.apply_options();
            studio.viewing.shown = None;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_set_kind(move |kind| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.viewing.kind = index(kind).min(TIMELINE_KINDS.len() - 1);
            studio.viewing.apply_options();
            studio.viewing.shown = None;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_fact_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(Some(event)) = studio.viewing.fact_events.get(index(row)).copied() {
                studio.viewing.views.select(hasse_editor::views::select::Selection::Event(event));
                if let Some(page) = studio.viewing.views.page_mut() {
                    page.history.reveal(event);
                }
            }
        });
    });
    let findings = window.global::<UiFindings>();
    let weak = Rc::downgrade(shared);
    findings.on_check(move |command| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let text = command.trim();
            if !text.is_empty() {
                studio.look_for(Query::Check(text.to_owned()));
            }
        });
    });
    let weak = Rc::downgrade(shared);
    findings.on_races(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.look_for(Query::Races));
    });
    let weak = Rc::downgrade(shared);
    findings.on_model(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::draw_model);
    });
    let weak = Rc::downgrade(shared);
    findings.on_remove(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let views = &mut studio.viewing.views;
            let selected =
                views.selected_finding().and_then(|at| views.findings().get(at)).map(|found| found.query);
            let mut queries = views.queries().to_vec();
            match selected {
                Some(at) if at < queries.len() => {
                    queries.remove(at);
                }
                Some(at) => views.models.remove(at - queries.len()),
                None => {
                    queries.pop();
                }
            }
            views.look_for(queries);
        });
    });
    let weak = Rc::downgrade(shared);
    findings.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.finding_clicked(index(row)));
    });
}
