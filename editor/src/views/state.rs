//! The linked views together: the state of the window's record page, without a window.
//!
//! Whatever is selected in one view is highlighted in all others; so are findings, a restriction, and the moment of
//! playback. [`Views::tick`] takes up what threads have made, and lets time pass.
//!
//! [`Views::tick`]: crate::views::state::Views::tick

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_model::function::FunctionTable;

use super::chart::{Chart, ChartOptions};
use super::elaborated::ElaboratedView;
use super::findings::Query;
use super::findings::finding::Finding;
use super::lanes::{Axis, LanesBy};
use super::models::ModelList;
use super::overlay::Overlay;
use super::player::Player;
use super::preview::Preview;
use super::program::SameProgram;
use super::record::arrays::Record;
use super::record::{self, Live, LoadError, LoadOptions, RecordSource};
use super::restrict::Restriction;
use super::select::Selection;
use super::task::{Task, Wake};
use super::timeline::{Performance, PerformanceError};

/// Selected event or instance, as menus name it.
mod asked;
/// Coverage.
mod covering;
/// A record that grows, and the whole one that takes its place.
mod growing;
/// Instances of nodes and calls.
mod instances;
/// Findings, what is looked for, and restricting.
mod looking;
/// What is seen on the program's picture.
mod marks;
/// Searching the history.
mod searching;
/// Selecting.
mod selecting;
/// Values.
mod valued;

pub use asked::described::Described;
pub use valued::known::ValueRequest;

use covering::count::Covering;
use searching::search::Search;
use valued::known::Valued;

/// The views of a record.
pub struct Page {
    /// The record.
    pub record: Arc<Record>,
    /// Events by instance, in causal order.
    pub history: Chart,
    /// Instances and what passed between them.
    pub elaborated: ElaboratedView,
    /// Events by worker, by the clock.
    pub timeline: Chart,
    /// Playback.
    pub player: Player,
}

impl Page {
    /// Moves the pictures with lanes so that the moment of playback is seen.
    fn follow(&mut self) {
        let position = self.player.position();
        for chart in [&mut self.history, &mut self.timeline] {
            if let Some(place) = chart.place_of_position(position) {
                chart.follow(place);
            }
        }
    }
}

/// A record that is being loaded.
struct Loading {
    source: RecordSource,
    task: Task<Result<Arc<Record>, LoadError>>,
}

/// All of it.
pub struct Views {
    wake: Wake,
    options: LoadOptions,
    /// Where the record that is shown comes from; `None` for one that grows.
    source: Option<RecordSource>,
    loading: Option<Loading>,
    live: Option<Live>,
    /// Whether no batch comes any more.
    is_live_over: bool,
    /// Whether the record that is being loaded is the whole one of what is shown.
    keeps_place: bool,
    page: Option<Page>,
    selection: Selection,
    overlay: Overlay,
    /// Instances that the display is restricted to; empty for all.
    chosen: BTreeSet<u32>,
    restricting: Option<Task<Result<Restriction, LoadError>>>,
    queries: Vec<Query>,
    looking: Option<Task<Result<Vec<Finding>, LoadError>>>,
    findings: Vec<Finding>,
    selected_finding: Option<usize>,
    /// Position of the query whose finding is selected once it is there.
    wanted_query: Option<usize>,
    /// Models that were drawn.
    pub models: ModelList,
    measuring: Option<Task<Result<Performance, PerformanceError>>>,
    performance: Option<Performance>,
    shows_path: bool,
    valued: Valued,
    search: Search,
    covering: Covering,
    /// The elaborated graph before a run.
    preview: Preview,
    /// True if it is shown although there is a record.
    prefers_preview: bool,
    message: Option<String>,
    same_program: SameProgram,
    version: u64,
}

impl Views {
    /// Nothing to be seen yet. `functions` lists what bodies of programs may call; `wake` is called from threads when
    /// [`tick`](Self::tick) has something to do.
    pub fn new(functions: FunctionTable, wake: Wake) -> Self {
        Self {
            preview: Preview::new(Arc::new(functions.clone()), Arc::clone(&wake)),
            prefers_preview: false,
            wake,
            options: LoadOptions::new(functions),
            source: None,
            loading: None,
            live: None,
            is_live_over: false,
            keeps_place: false,
            page: None,
            selection: Selection::Nothing,
            overlay: Overlay::default(),
            chosen: BTreeSet::new(),
            restricting: None,
            queries: Vec::new(),
            looking: None,
            findings: Vec::new(),
            selected_finding: None,
            wanted_query: None,
            models: ModelList::default(),
            measuring: None,
            performance: None,
            shows_path: false,
            valued: Valued::default(),
            search: Search::default(),
            covering: Covering::default(),
            message: None,
            same_program: SameProgram::default(),
            version: 1,
        }
    }

    /// Sets the memory that a record may take, in bytes; for the next one.
    pub fn set_most_bytes(&mut self, most_bytes: u64) {
        self.options.most_bytes = most_bytes;
    }

    /// Begins to load a record. The one that is shown stays until the new one is there.
    pub fn open(&mut self, source: RecordSource) {
        self.live = None;
        self.keeps_place = false;
        let task = record::load(source.clone(), self.options.clone(), Arc::clone(&self.wake));
        self.loading = Some(Loading { source, task });
        self.message = None;
        self.version += 1;
    }

    /// Where the record that is shown comes from; `None` without one, and for one that grows.
    pub fn source(&self) -> Option<&RecordSource> {
        self.source.as_ref()
    }

    /// Gives loading up.
    pub fn cancel(&mut self) {
        if self.loading.take().is_some() {
            self.message = Some("loading was given up".to_owned());
        }
        self.version += 1;
    }

    /// How much of a record is loaded, from 0 to 1; `None` where none is being loaded.
    pub fn progress(&self) -> Option<f64> {
        self.loading.as_ref().map(|loading| loading.task.progress())
    }

    /// Shows nothing.
    pub fn close(&mut self) {
        let wake = Arc::clone(&self.wake);
        let options = self.options.clone();
        let (queries, models) = (std::mem::take(&mut self.queries), std::mem::take(&mut self.models));
        let (valued, search, version) = (self.valued.kept(), self.search.kept(), self.version + 1);
        let covering = self.covering.kept();
        let mut new = Self::new(FunctionTable::default(), wake);
        std::mem::swap(&mut new.preview, &mut self.preview);
        *self = Self { options, queries, models, valued, search, covering, version, ..new };
    }

    /// Shows nothing, and forgets checks of the program, as another one is open. Models stay, and races are looked for in any.
    pub fn leave_program(&mut self) {
        self.close();
        self.queries.retain(|query| matches!(query, Query::Races));
        self.valued = Valued::default();
        self.search = Search::default();
    }

    /// What is shown; `None` without a record.
    pub fn page(&self) -> Option<&Page> {
        self.page.as_ref()
    }

    /// The views, to be moved and asked. What concerns several goes through this type.
    pub fn page_mut(&mut self) -> Option<&mut Page> {
        self.page.as_mut()
    }

    /// Whether a text is that of the program that was run, wherever its parts are drawn. Where it is not, rows of arcs may be
    /// others by now.
    pub fn is_of_program(&self, text: &str) -> bool {
        let recorded = self.page.as_ref().map(|page| &page.record.header().program_text);
        recorded.is_some_and(|recorded| self.same_program.holds(recorded, text))
    }

    /// What views show beside the record, for drawing them.
    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// What a person must be told: why there is no record, or how complete it is.
    pub fn messages(&self) -> Vec<String> {
        let notes = self.page.iter().flat_map(|page| page.record.notes().iter().cloned());
        self.message.iter().cloned().chain(notes).collect()
    }

    /// Changes with everything that is shown.
    pub fn version(&self) -> u64 {
        let page = self.page.as_ref();
        let parts = page.map_or(0, |page| {
            page.history.version()
                + page.elaborated.version()
                + page.timeline.version()
                + page.player.version()
        });
        self.version + parts + self.preview.version()
    }

    /// The preview of the elaborated graph.
    pub fn preview(&self) -> &Preview {
        &self.preview
    }

    /// The same, to be moved and given the program.
    pub fn preview_mut(&mut self) -> &mut Preview {
        &mut self.preview
    }

    /// Returns whether the elaborated graph is that before a run: where there is no record, and where it was asked for.
    pub fn is_previewing(&self) -> bool {
        self.prefers_preview || self.page.is_none() && self.loading.is_none()
    }

    /// Shows the elaborated graph before a run in place of the record's, or the record's again.
    pub fn set_prefers_preview(&mut self, prefers_preview: bool) {
        self.prefers_preview = prefers_preview;
        self.version += 1;
    }

    /// Whether something is under way, so that [`tick`](Self::tick) is to be called 30 times a second.
    pub fn is_busy(&self) -> bool {
        self.loading.is_some()
            || self.restricting.is_some()
            || self.looking.is_some()
            || self.measuring.is_some()
            || self.search.is_busy()
            || self.covering.is_busy()
            || self.preview.is_busy()
            || self.live.is_some() && self.is_live_over
            || self.page.as_ref().is_some_and(|page| {
                let views = page.history.is_busy() || page.timeline.is_busy() || page.elaborated.is_busy();
                views || page.player.is_playing() || page.player.is_busy()
            })
    }

    /// Takes up what threads have made, and lets so many seconds pass; whether something changed.
    pub fn tick(&mut self, seconds: f64) -> bool {
        let before = self.version();
        self.poll_loading();
        self.poll_looking();
        self.poll_search();
        self.poll_covering();
        self.preview.poll();
        if let Some(page) = &mut self.page {
            let has_grown = page.history.poll();
            page.timeline.poll();
            page.elaborated.poll();
            page.player.poll();
            page.player.advance(seconds);
            if has_grown && page.player.follows() {
                page.follow();
            }
        }
        self.poll_live();
        self.take_position();
        self.version() != before
    }

    fn poll_loading(&mut self) {
        let Some(Loading { source, task }) = &self.loading else { return };
        let problem = match task.poll() {
            Some(Ok(record)) => {
                let source = source.clone();
                self.loading = None;
                self.source = Some(source);
                if std::mem::take(&mut self.keeps_place) {
                    self.take_over(record);
                } else {
                    self.show(record);
                }
                self.look_again();
                return;
            }
            Some(Err(error)) => error.to_string(),
            None if task.is_lost() => "loading has failed".to_owned(),
            None => return,
        };
        self.loading = None;
        self.message = Some(problem);
        self.version += 1;
    }

    fn show(&mut self, record: Arc<Record>) {
        let wake = || Arc::clone(&self.wake);
        let history = ChartOptions::default();
        let axis = if record.is_timed() { Axis::Time } else { Axis::Level };
        let by = if record.is_timed() { LanesBy::Worker } else { LanesBy::Action };
        let timeline = ChartOptions { by, axis, hides_others: false };
        self.page = Some(Page {
            history: Chart::new(Arc::clone(&record), history, wake()),
            elaborated: ElaboratedView::new(Arc::clone(&record), wake()),
            timeline: Chart::new(Arc::clone(&record), timeline, wake()),
            player: Player::new(Arc::clone(&record), wake()),
            record,
        });
        self.prefers_preview = false;
        self.selection = Selection::Nothing;
        self.overlay = Overlay::default();
        self.search = self.search.kept();
        self.chosen.clear();
        self.restricting = None;
        self.looking = None;
        self.findings.clear();
        self.selected_finding = None;
        self.measuring = None;
        self.performance = None;
        self.version += 1;
    }

    /// Where playback is, for the pictures: nothing at the end of the record.
    fn take_position(&mut self) {
        let player = self.page.as_ref().map(|page| &page.player);
        let player = player.filter(|player| player.is_playing() || !player.is_at_end());
        self.overlay.position = player.map(Player::position);
        if let Some(page) = &mut self.page
            && page.player.is_playing()
        {
            page.follow();
        }
    }

    /// Moves playback: whatever is done with the player is seen in the pictures from then on.
    pub fn play(&mut self, change: impl FnOnce(&mut Player)) {
        if let Some(page) = &mut self.page {
            change(&mut page.player);
        }
        self.take_position();
        self.version += 1;
    }
}
