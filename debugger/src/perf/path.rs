//! The critical path in words: what it consists of, what it goes along, and where it waits.

use rustc_hash::FxHashMap;

use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::chain::{Link, Via};
use super::report::{GroupShare, LinkShare, Path, Step, Waiting};
use crate::check::evidence::arcs_between;

/// What names are looked up in.
pub(super) struct World<'w> {
    pub(super) names: &'w Names,
    /// Lists of routing rules by number.
    pub(super) routes: &'w [Box<[u32]>],
    pub(super) program: Option<(&'w Plan, &'w [(String, Value)])>,
    pub(super) is_restricted: bool,
    pub(super) is_timed: bool,
}

/// Tells a chain from its last link.
pub(super) fn path(chain: Option<&Link>, world: &World<'_>, group_of: impl Fn(ActionId) -> usize) -> Path {
    let Some(last) = chain else { return Path::default() };
    let mut steps = Vec::new();
    // From when on the link that is looked at does not count, because the next one computes.
    let mut cut = last.end;
    let mut next = Some(last);
    while let Some(link) = next.filter(|link| link.counts) {
        steps.push(Step {
            event: world.names.event(link.event).to_string(),
            group: group_of(link.event.action),
            link: world.label(link),
            worker: link.worker,
            start: link.start,
            computes: link.computes,
            end: link.end,
            adds: if world.is_timed { link.end.min(cut) - link.computes } else { 1 },
            waiting: link.before.as_deref().map_or(Waiting::default(), |before| waiting(before, link)),
        });
        cut = link.computes;
        next = link.before.as_deref();
    }
    steps.reverse();
    let (groups, links) = (group_shares(&steps), link_shares(&steps));
    let span = if world.is_timed { last.depth } else { last.level };
    Path { span, steps, groups, links }
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

fn group_shares(steps: &[Step]) -> Vec<GroupShare> {
    let mut share_of: FxHashMap<usize, usize> = FxHashMap::default();
    let mut shares: Vec<GroupShare> = Vec::new();
    for step in steps {
        let at = *share_of.entry(step.group).or_insert_with(|| {
            shares.push(GroupShare { group: step.group, n_events: 0, adds: 0, waiting: 0 });
            shares.len() - 1
        });
        shares[at].n_events += 1;
        shares[at].adds += step.adds;
        shares[at].waiting += step.waiting.total();
    }
    shares.sort_by_key(|share| (std::cmp::Reverse(share.adds), share.group));
    shares
}

fn link_shares(steps: &[Step]) -> Vec<LinkShare> {
    let mut share_of: FxHashMap<&str, usize> = FxHashMap::default();
    let mut shares: Vec<LinkShare> = Vec::new();
    for step in steps.iter().filter(|step| !step.link.is_empty()) {
        let at = *share_of.entry(&step.link).or_insert_with(|| {
            shares.push(LinkShare { link: step.link.clone(), n_links: 0, waiting: Waiting::default() });
            shares.len() - 1
        });
        shares[at].n_links += 1;
        shares[at].waiting = shares[at].waiting.and(step.waiting);
    }
    let rank = |share: &LinkShare| (share.waiting.total(), share.n_links);
    shares.sort_by(|one, other| rank(other).cmp(&rank(one)).then_with(|| one.link.cmp(&other.link)));
    shares
}

impl World<'_> {
    /// By what the event before is before this one.
    fn label(&self, link: &Link) -> String {
        let Some(before) = link.before.as_deref() else { return String::new() };
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
