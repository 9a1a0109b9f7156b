//! What a session tells a window: a queue that never makes the session wait, and stays bounded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hasse_editor::run::{LogLine, MOST_CONSOLE_LINES, MOST_LOG_LINES, Mode, Source, Told};
use hasse_model::event::EventBatch;
use hasse_model::id::TemplateId;
use hasse_model::table::IdTable;
use hasse_model::trace::TraceHeader;
use hasse_runtime::control::{News, Said, Why};
use parking_lot::Mutex;

use super::super::taps::Taps;
use super::options;

/// Most batches that wait to be taken; the views have the rest of the run from its record.
const MOST_BATCHES: usize = 256;

/// Called when something can be taken that could not before.
pub(crate) type Wake = Arc<dyn Fn() + Send + Sync>;

/// The queue.
pub(crate) struct Mailbox {
    queue: Mutex<Queue>,
    counts: Mutex<Counts>,
    /// Breakpoints at which actions have stopped, by the actions' paths; of the run under way.
    hits: Mutex<BTreeMap<String, Vec<u64>>>,
    /// Whether what comes is the answer to a line of the console, too.
    is_console: AtomicBool,
    wake: Wake,
}

#[derive(Default)]
struct Queue {
    told: VecDeque<Told>,
    n_batches: usize,
    /// Whether batches of the run under way have been left out: then all further ones are.
    is_left_out: bool,
}

/// Events recorded in the run under way.
#[derive(Default)]
struct Counts {
    templates: IdTable<Option<TemplateId>>,
    n_events: Vec<u64>,
}

impl Mailbox {
    pub(crate) fn new(wake: Wake) -> Self {
        Self {
            queue: Mutex::default(),
            counts: Mutex::default(),
            hits: Mutex::default(),
            is_console: AtomicBool::new(false),
            wake,
        }
    }

    /// The next thing told.
    pub(crate) fn take(&self) -> Option<Told> {
        let mut queue = self.queue.lock();
        let told = queue.told.pop_front();
        if matches!(told, Some(Told::Batch(_))) {
            queue.n_batches -= 1;
        }
        told
    }

    /// Tells something. Lines that nobody has taken yet come together.
    pub(crate) fn tell(&self, told: Told) {
        let mut queue = self.queue.lock();
        let was_empty = queue.told.is_empty();
        match (queue.told.back_mut(), told) {
            (Some(Told::Log(lines)), Told::Log(more)) => append(lines, more, MOST_LOG_LINES),
            (Some(Told::Answer(lines, is_done)), Told::Answer(more, is_also_done))
                if *is_done == is_also_done =>
            {
                append(lines, more, MOST_CONSOLE_LINES);
            }
            (_, told) => queue.told.push_back(told),
        }
        drop(queue);
        if was_empty {
            (self.wake)();
        }
    }

    pub(super) fn log(&self, source: Source, text: &str, event: Option<String>) {
        self.tell(Told::Log(vec![LogLine { source, text: text.to_owned(), event }]));
    }

    /// Lines of what was found, which answer the console where it waits.
    pub(super) fn found(&self, text: &str) {
        let lines = || text.lines().map(str::to_owned);
        let log = lines().map(|text| LogLine { source: Source::Findings, text, event: None });
        let log: Vec<LogLine> = log.collect();
        if log.is_empty() {
            return;
        }
        self.tell(Told::Log(log));
        if self.is_console() {
            self.tell(Told::Answer(lines().collect(), true));
        }
    }

    pub(super) fn set_console(&self, is_console: bool) {
        self.is_console.store(is_console, Ordering::Relaxed);
    }

    pub(super) fn is_console(&self) -> bool {
        self.is_console.load(Ordering::Relaxed)
    }

    /// Events recorded so far, by template.
    pub(super) fn n_events(&self) -> Vec<u64> {
        self.counts.lock().n_events.clone()
    }

    /// The breakpoints at which an action stopped last.
    pub(super) fn hits_of(&self, path: &str) -> Vec<u64> {
        self.hits.lock().get(path).cloned().unwrap_or_default()
    }

    fn begin(&self, mode: Mode, header: Option<TraceHeader>) {
        *self.counts.lock() = Counts::default();
        self.hits.lock().clear();
        self.queue.lock().is_left_out = false;
        self.tell(Told::Begun(mode));
        if let Some(header) = header {
            self.tell(Told::Header(Arc::new(header)));
        }
    }

    fn batch(&self, batch: &EventBatch) {
        self.counts.lock().count(batch);
        let mut queue = self.queue.lock();
        if queue.is_left_out {
            return;
        }
        let told = if queue.n_batches < MOST_BATCHES {
            queue.n_batches += 1;
            Told::Batch(Arc::new(batch.clone()))
        } else {
            queue.is_left_out = true;
            Told::BatchesLeftOut
        };
        drop(queue);
        self.tell(told);
    }

    /// Takes what happened at a stop point; it answers the console where that waits.
    fn news(&self, news: &News, text: &str) {
        if let Said::Stopped(reasons) = &news.said {
            let numbers = reasons.iter().filter_map(|why| match why {
                Why::Breakpoint { number, .. } | Why::Condition { number, .. } => Some(*number),
                Why::Everything | Why::Command | Why::Next | Why::Step => None,
            });
            let path = news.event.rsplit_once(':').map_or(news.event.as_str(), |(path, _)| path);
            self.hits.lock().insert(path.to_owned(), numbers.collect());
        }
        self.log(Source::Debugger, text, Some(news.event.clone()));
        if self.is_console() {
            self.tell(Told::Answer(text.lines().map(str::to_owned).collect(), true));
        }
    }

    /// What takes the place of standard output in a session.
    pub(super) fn taps(self: &Arc<Self>) -> Taps {
        let [line, shown, found, news, begin, batch] = std::array::from_fn(|_| Arc::clone(self));
        Taps {
            line: Arc::new(move |text| line.log(Source::Program, text, None)),
            shown: Arc::new(move |text| shown.log(Source::Debugger, text, None)),
            finding: Arc::new(move |text| found.found(text)),
            news: Arc::new(move |what, text| news.news(what, text)),
            begin: Arc::new(move |mode, header| begin.begin(options::mode_of(mode), header)),
            batch: Arc::new(move |events| batch.batch(events)),
        }
    }
}

/// Adds lines, of which whoever takes them keeps no more than `n_kept`: what is before them would be gone before anybody
/// could have read it.
fn append<T>(lines: &mut Vec<T>, more: Vec<T>, n_kept: usize) {
    lines.extend(more);
    if lines.len() > 2 * n_kept {
        lines.drain(..lines.len() - n_kept);
    }
}

impl Counts {
    fn count(&mut self, batch: &EventBatch) {
        for action in &batch.actions {
            *self.templates.slot(action.action.0) = Some(action.template);
        }
        for row in batch.rows() {
            let Some(Some(template)) = self.templates.get(row.id.action.0) else { continue };
            let template = template.idx();
            if self.n_events.len() <= template {
                self.n_events.resize(template + 1, 0);
            }
            self.n_events[template] += 1;
        }
    }
}
