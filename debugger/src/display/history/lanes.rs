//! Lanes: one for each action or template of a page, with a mark for each event and its predecessors.
//!
//! `*` is the event, `o` a lane with an event whose value it took, `x` one with an event that accessed an object before it, and `|`
//! says that the lane has events above and below.

use std::collections::BTreeMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, TemplateId};
use hasse_model::trace::Names;

use super::options::{Columns, HistoryOptions, Lanes};
use crate::display::rank;

/// What a lane stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Action(ActionId),
    Template(Option<TemplateId>),
}

/// The lanes of a page.
pub(super) struct Drawing {
    /// Names, from left to right.
    pub(super) names: Vec<String>,
    /// Whether the names stand above the lanes, rather than numbers.
    pub(super) is_named: bool,
    lane_of: BTreeMap<Key, usize>,
    by: Lanes,
    /// Where the mark of each lane is.
    centers: Vec<usize>,
    width: usize,
    /// For each lane the first and the last line in which there is a mark.
    lives: Vec<(usize, usize)>,
}

/// The lanes of a page's events; `None` where they are not wanted or do not fit.
pub(super) fn draw(events: &[EventRecord], names: &Names, options: &HistoryOptions) -> Option<Drawing> {
    let key = |action: ActionId| match options.lanes {
        Lanes::Action => Key::Action(action),
        Lanes::Template => Key::Template(names.template_of(action)),
    };
    let mut firsts: BTreeMap<Key, ActionId> = BTreeMap::new();
    for event in events {
        firsts.entry(key(event.id.action)).or_insert(event.id.action);
    }
    if options.columns == Columns::Never || firsts.is_empty() {
        return None;
    }
    let mut order: Vec<(Key, ActionId)> = firsts.into_iter().collect();
    order.sort_by_cached_key(|(_, action)| rank(*action, names));
    let name = |&(key, action): &(Key, ActionId)| match key {
        Key::Action(_) => names.action(action).to_string(),
        Key::Template(template) => {
            template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
        }
    };
    let lane_names: Vec<String> = order.iter().map(name).collect();
    let named: usize = lane_names.iter().map(|name| name.chars().count() + 2).sum();
    let digits = order.len().to_string().len();
    let is_named = named <= options.lanes_width;
    if !is_named && order.len() * (digits + 1) > options.lanes_width && options.columns == Columns::Auto {
        return None;
    }
    let mut centers = Vec::new();
    let mut width = 0;
    for name in &lane_names {
        let own = if is_named { name.chars().count() + 2 } else { digits + 1 };
        centers.push(width + (own - 1) / 2);
        width += own;
    }
    let lane_of: BTreeMap<Key, usize> =
        order.iter().enumerate().map(|(lane, (key, _))| (*key, lane)).collect();
    let mut lives = vec![(usize::MAX, 0); order.len()];
    let drawing = Drawing {
        names: lane_names,
        is_named,
        lane_of,
        by: options.lanes,
        centers,
        width,
        lives: Vec::new(),
    };
    for (line, event) in events.iter().enumerate() {
        for (lane, _) in drawing.marks(event, names) {
            lives[lane] = (lives[lane].0.min(line), line);
        }
    }
    Some(Drawing { lives, ..drawing })
}

impl Drawing {
    fn lane(&self, action: ActionId, names: &Names) -> Option<usize> {
        let key = match self.by {
            Lanes::Action => Key::Action(action),
            Lanes::Template => Key::Template(names.template_of(action)),
        };
        self.lane_of.get(&key).copied()
    }

    /// The marks of an event's line, each lane once: its own, then values, then objects.
    fn marks(&self, event: &EventRecord, names: &Names) -> Vec<(usize, char)> {
        let own = self.lane(event.id.action, names).map(|lane| (lane, '*'));
        let flow = event.flow.iter().filter_map(|sender| Some((self.lane(sender.action, names)?, 'o')));
        let writers = event.shared.iter().filter_map(|access| access.writer);
        let shared = writers.chain(event.relayed.iter().map(|relayed| relayed.event));
        let shared = shared.filter_map(|other| Some((self.lane(other.action, names)?, 'x')));
        let mut marks: Vec<(usize, char)> = Vec::new();
        for mark in own.into_iter().chain(flow).chain(shared) {
            if !marks.iter().any(|(lane, _)| *lane == mark.0) {
                marks.push(mark);
            }
        }
        marks
    }

    /// The names or numbers above the lanes.
    pub(super) fn head(&self) -> String {
        let mut head = String::new();
        for (lane, name) in self.names.iter().enumerate() {
            let text = if self.is_named { name.clone() } else { (lane + 1).to_string() };
            let start = self.centers[lane] - (text.chars().count() - 1) / 2;
            let n_blanks = start.saturating_sub(head.chars().count());
            head += &" ".repeat(n_blanks);
            head += &text;
        }
        format!("{head:width$}", width = self.width)
    }

    /// The lanes of an event's line.
    pub(super) fn line(&self, line: usize, event: &EventRecord, names: &Names) -> String {
        let marks = self.marks(event, names);
        let mut letters = vec![' '; self.width];
        for (lane, (first, last)) in self.lives.iter().enumerate() {
            if (*first..=*last).contains(&line) {
                letters[self.centers[lane]] = '|';
            }
        }
        let places = || marks.iter().map(|(lane, _)| self.centers[*lane]);
        if let (Some(left), Some(right)) = (places().min(), places().max()) {
            for letter in &mut letters[left..right] {
                *letter = if *letter == '|' { '+' } else { '-' };
            }
        }
        for (lane, mark) in marks {
            letters[self.centers[lane]] = mark;
        }
        letters.into_iter().collect()
    }
}
