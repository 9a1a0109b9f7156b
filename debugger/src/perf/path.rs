//! The critical path in words: what it consists of, what it goes along, and where it waits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use rustc_hash::FxHashMap;

use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::chain::Tail;
use super::chain_log::{ChainLog, Link, Via};
use super::report::{GroupShare, LinkShare, Mark, Path, Step, Waiting};
use crate::check::evidence::arcs_between;

/// Marks of the course; a picture has fewer pixels.
const MOST_MARKS: usize = 1 << 14;

/// What names are looked up in.
pub(super) struct World<'w> {
    pub(super) names: &'w Names,
    /// Lists of routing rules by number.
    pub(super) routes: &'w [Box<[u32]>],
    pub(super) program: Option<(&'w Plan, &'w [(String, Value)])>,
    pub(super) is_restricted: bool,
    pub(super) is_timed: bool,
}

/// Critical path of the chain that ends with `tail`. Reads the chain from its last event back.
///
/// # Errors
/// The log cannot be read.
pub(super) fn path(
    tail: Option<Tail>,
    log: &mut ChainLog,
    world: &World<'_>,
    n_kept: usize,
    group_of: impl Fn(ActionId) -> usize,
) -> io::Result<Path> {
    let Some(tail) = tail else { return Ok(Path::default()) };
    let mut kept = Kept { n_most: n_kept, heap: BinaryHeap::new() };
    let mut shares = Shares::default();
    let mut course = Course::default();
    let mut waiting_sum = Waiting::default();
    let mut labels = Labels::default();
    let mut n_steps = 0;
    let mut next = Some(log.get(tail.place)?);
    // From when on the link that is looked at does not count, because the next one computes.
    let mut cut = next.map_or(0, |link| link.end);
    while let Some(link) = next.filter(|link| link.counts) {
        let before = link.before.map(|place| log.get(place)).transpose()?;
        let adds = if world.is_timed { link.end.min(cut) - link.computes } else { 1 };
        let waiting = before.map_or(Waiting::default(), |before| waiting(&before, &link));
        let group = group_of(link.event.action);
        let label = labels.of(before.as_ref(), &link, world);
        shares.add(group, label, adds, waiting);
        waiting_sum = waiting_sum.and(waiting);
        course.add(link.worker, link.computes, adds);
        kept.add(Weighed {
            weight: adds.saturating_add(waiting.total()),
            back: n_steps,
            link,
            label,
            adds,
            waiting,
        });
        n_steps += 1;
        cut = link.computes;
        next = before;
    }
    let step = |weighed: Weighed| Step {
        place: n_steps - 1 - weighed.back,
        event: world.names.event(weighed.link.event).to_string(),
        group: group_of(weighed.link.event.action),
        link: labels.text(weighed.label).to_owned(),
        worker: weighed.link.worker,
        start: weighed.link.start,
        computes: weighed.link.computes,
        end: weighed.link.end,
        adds: weighed.adds,
        waiting: weighed.waiting,
    };
    let mut steps: Vec<Step> = kept.heap.into_iter().map(|Reverse(weighed)| step(weighed)).collect();
    steps.sort_unstable_by_key(|step| step.place);
    let (groups, links) = shares.finish(&labels);
    let span = if world.is_timed { tail.depth } else { tail.level };
    Ok(Path { span, n_steps, waiting: waiting_sum, steps, groups, links, course: course.finish() })
}

/// A step before its texts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Weighed {
    weight: u64,
    /// Number of steps after it.
    back: u64,
    link: Link,
    label: usize,
    adds: u64,
    waiting: Waiting,
}

/// By weight; of equally heavy ones the earlier one is heavier.
impl Ord for Weighed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.weight, self.back).cmp(&(other.weight, other.back))
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The heaviest steps so far.
struct Kept {
    n_most: usize,
    heap: BinaryHeap<Reverse<Weighed>>,
}

impl Kept {
    fn add(&mut self, weighed: Weighed) {
        if self.heap.len() < self.n_most {
            self.heap.push(Reverse(weighed));
        } else if let Some(mut lightest) = self.heap.peek_mut()
            && weighed > lightest.0
        {
            *lightest = Reverse(weighed);
        }
    }
}

/// The course of the path, from its last step back.
#[derive(Default)]
struct Course {
    marks: Vec<Mark>,
    /// Whether steps of a worker that follow one another only by way of others are one mark.
    is_merged: bool,
    /// Width of the smallest gap that is kept.
    gap: u64,
}

impl Course {
    fn add(&mut self, worker: u32, from: u64, adds: u64) {
        let to = from + adds;
        let gap = self.gap;
        let near = |mark: &&mut Mark| mark.worker == worker && mark.from.saturating_sub(to) <= gap;
        let known = match self.is_merged {
            false => self.marks.last_mut().filter(near),
            true => self.marks.iter_mut().rev().find(|mark| mark.worker == worker).filter(near),
        };
        match known {
            Some(mark) => mark.from = from,
            None => self.marks.push(Mark { worker, from, to }),
        }
        if self.marks.len() > MOST_MARKS {
            self.coarsen();
        }
    }

    /// Keeps fewer marks: gaps that are shorter than a part of the whole go.
    fn coarsen(&mut self) {
        self.is_merged = true;
        let (first, last) =
            (self.marks.last().map_or(0, |mark| mark.from), self.marks.first().map_or(0, |mark| mark.to));
        self.gap = self.gap.saturating_mul(2).max((last.saturating_sub(first)) / (MOST_MARKS as u64));
        let marks = std::mem::take(&mut self.marks);
        let mut last_of: FxHashMap<u32, usize> = FxHashMap::default();
        for mark in marks {
            match last_of.get(&mark.worker).map(|&at| &mut self.marks[at]) {
                Some(known) if known.from.saturating_sub(mark.to) <= self.gap => known.from = mark.from,
                _ => {
                    last_of.insert(mark.worker, self.marks.len());
                    self.marks.push(mark);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Mark> {
        self.marks.reverse();
        self.marks
    }
}

/// Texts of links, each once.
#[derive(Default)]
struct Labels {
    texts: Vec<String>,
    known: FxHashMap<String, usize>,
    of_pair: FxHashMap<(ActionId, ActionId, i32, u32, Via), usize>,
}

impl Labels {
    /// The number of the text by what `before` is before `link`.
    fn of(&mut self, before: Option<&Link>, link: &Link, world: &World<'_>) -> usize {
        /// Pairs of actions in memory.
        const MOST: usize = 1 << 16;
        let (from, routes) =
            before.map_or((link.event.action, 0), |before| (before.event.action, before.routes));
        let pair = (from, link.event.action, link.firing_rule, routes, link.via);
        if let Some(&label) = self.of_pair.get(&pair) {
            return label;
        }
        let text = world.label(before, link);
        let n_texts = self.texts.len();
        let label = *self.known.entry(text.clone()).or_insert(n_texts);
        if label == n_texts {
            self.texts.push(text);
        }
        if self.of_pair.len() == MOST {
            self.of_pair.clear();
        }
        self.of_pair.insert(pair, label);
        label
    }

    fn text(&self, label: usize) -> &str {
        &self.texts[label]
    }
}

/// What is along each kind of link, and what each group adds.
#[derive(Default)]
struct Shares {
    groups: FxHashMap<usize, GroupShare>,
    links: FxHashMap<usize, (u64, Waiting)>,
}

impl Shares {
    fn add(&mut self, group: usize, label: usize, adds: u64, waiting: Waiting) {
        let nothing = GroupShare { group, n_events: 0, adds: 0, waiting: 0 };
        let share = self.groups.entry(group).or_insert(nothing);
        share.n_events += 1;
        share.adds += adds;
        share.waiting += waiting.total();
        let (n_links, sum) = self.links.entry(label).or_default();
        *n_links += 1;
        *sum = sum.and(waiting);
    }

    fn finish(self, labels: &Labels) -> (Vec<GroupShare>, Vec<LinkShare>) {
        let mut groups: Vec<GroupShare> = self.groups.into_values().collect();
        groups.sort_by_key(|share| (Reverse(share.adds), share.group));
        let link = |(label, (n_links, waiting)): (usize, (u64, Waiting))| LinkShare {
            link: labels.text(label).to_owned(),
            n_links,
            waiting,
        };
        let mut links: Vec<LinkShare> =
            self.links.into_iter().map(link).filter(|share| !share.link.is_empty()).collect();
        let rank = |share: &LinkShare| (share.waiting.total(), share.n_links);
        links.sort_by(|one, other| rank(other).cmp(&rank(one)).then_with(|| one.link.cmp(&other.link)));
        (groups, links)
    }
}

/// What passes between what `before` adds to the path and the computing of `link`.
fn waiting(before: &Link, link: &Link) -> Waiting {
    let gone = before.end.min(link.computes);
    let ready = link.ready.clamp(gone, link.computes);
    let started = link.start.clamp(ready, link.computes);
    let granted = link.granted.clamp(started, link.computes);
    let queued = started - ready + (link.computes - granted);
    Waiting { depends: ready - gone, queued, locked: granted - started }
}

impl World<'_> {
    /// By what the event before is before this one.
    fn label(&self, before: Option<&Link>, link: &Link) -> String {
        let Some(before) = before else { return String::new() };
        let (from, to) = (self.node(before.event.action), self.node(link.event.action));
        match link.via {
            Via::Nothing => String::new(),
            Via::Sequence => format!("{to}, execution after execution"),
            Via::Object(object) => {
                let shared =
                    self.names.shared_of(object).and_then(|shared| self.names.shared().get(shared.idx()));
                format!("object {} ({from}, {to})", shared.map_or("?", String::as_str))
            }
            Via::Relayed(_) => format!("{from} -> {to}, by way of others"),
            Via::Value { flow_idx, n_flow } => {
                let arcs = self.arcs(before, link, flow_idx, n_flow);
                if arcs.is_empty() { format!("{from} -> {to}") } else { arcs }
            }
        }
    }

    /// The texts of the arcs along which a value came; of all of them where the record does not tell.
    fn arcs(&self, before: &Link, link: &Link, flow_idx: usize, n_flow: usize) -> String {
        let Some((plan, params)) = self.program.filter(|_| !self.is_restricted) else { return String::new() };
        let routes = self.routes.get(before.routes as usize).map_or(&[][..], |routes| routes);
        let taken = (link.firing_rule, flow_idx, n_flow);
        let ways = arcs_between((self.names, plan, params), (before.event, routes), (link.event, taken));
        let mut texts: Vec<String> = ways.iter().map(|way| way.join(", ")).collect();
        texts.sort_unstable();
        texts.dedup();
        texts.join(" or ")
    }

    fn node(&self, action: ActionId) -> &str {
        let template = self.names.template_of(action);
        template.and_then(|template| self.names.template_name(template)).unwrap_or("?")
    }
}
