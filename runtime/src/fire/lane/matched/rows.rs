//! Serving several entries of one template side by side: each step is taken for all of them before the next one. What they
//! send to a neighbor finds its entry in the same block, just looked up, and each loop does one thing.

use hasse_model::id::{Index, TemplateId};
use hasse_record::event::Done;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::entries::ROWS;
use hasse_runtime_plan::straight::bits_of;
use hasse_store::matching::{Ended, Put, Spot};

use crate::fire::lane::follow::is_as_told;
use crate::fire::lane::matched::matcher::{Destination, Matcher, Open, all_of};
use crate::fire::worker::Worker;

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// Executes the events of the newest `n_spots` entries that are ready, all of one template.
    pub(crate) fn serve_spots(
        &mut self,
        (template, n_spots): (TemplateId, usize),
        matcher: &mut Matcher<'s, M>,
        open: &mut Open<'s, M>,
        n_created: &mut u64,
    ) {
        self.begin_spots((template, n_spots), matcher, open);
        self.session.instrumentation.begin_turn(&mut self.notes);
        if self.matches.are_slow {
            // Nobody is to wait for a body that may take long.
            open.close();
        }
        let all = all_of(matcher.rows.len());
        let mut odd = matcher.compute();
        odd |= matcher.route(all & !odd);
        matcher.leave_out(odd);
        if self.session.instrumentation.follows() {
            let untold = self.untold(matcher, all & !odd);
            matcher.leave_out(untold);
            odd |= untold;
        }
        if odd != 0 {
            self.serve_generally(matcher, open, odd);
        }
        self.note_spots(template, matcher, all & !odd);
        self.session.instrumentation.end_turn(&mut self.notes);
        for to in 0..matcher.destinations.len() {
            self.send_along(matcher, to, open, n_created);
        }
        for row in bits_of(all & !odd) {
            let spot = matcher.rows[row as usize].0;
            match open.shard(matcher.store, template, spot.shard).end(spot) {
                Ended::Idle => {}
                Ended::Again => self.matches.ready.push(spot),
                Ended::Promoted => {
                    open.close();
                    self.make_promoted_ready(template, &matcher.index(row as usize));
                }
            }
        }
    }

    /// Begins their executions.
    #[inline(always)]
    fn begin_spots(
        &mut self,
        (template, n_spots): (TemplateId, usize),
        matcher: &mut Matcher<'s, M>,
        open: &mut Open<'s, M>,
    ) {
        let n_before = self.matches.ready.len() - n_spots;
        let promoted = matcher.begin(template, &self.matches.ready[n_before..], open);
        self.matches.ready.truncate(n_before);
        if !promoted.is_empty() {
            open.close();
            promoted.iter().for_each(|index| self.make_promoted_ready(template, index));
        }
    }

    /// Those of some events that the record tells otherwise.
    fn untold(&self, matcher: &Matcher<'s, M>, events: u64) -> u64 {
        let mut routes = Vec::new();
        bits_of(events).fold(0, |untold, row| {
            let at = row as usize;
            let n_sent = matcher.list_routes(at, &mut routes);
            let is_told =
                is_as_told(self.session.instrumentation, matcher.id(at), matcher.taken(at), &routes, n_sent);
            untold | u64::from(!is_told) << row
        })
    }

    /// Tells the record of events.
    #[inline(always)]
    fn note_spots(&mut self, template: TemplateId, matcher: &mut Matcher<'s, M>, events: u64) {
        let (session, notes) = (self.session, self.session.instrumentation);
        self.n_events += u64::from(events.count_ones());
        matcher.stamps.clear();
        if !M::RECORDS && events != 0 {
            let light = notes.begin_light(&mut self.notes, &matcher.keep, matcher.id(0), 0);
            matcher.stamps.resize(matcher.rows.len(), notes.stamp_light(&light));
            return;
        }
        let changes = matcher.changes() | 1;
        let mut flow_successors = 0;
        for row in 0..matcher.rows.len() {
            if changes >> row & 1 != 0 {
                flow_successors = matcher.list_routes(row, &mut self.routes_taken);
            }
            if events >> row & 1 == 0 {
                // It sends nothing.
                matcher.stamps.push(matcher.taken(row)[0].clone());
                continue;
            }
            let id = matcher.id(row);
            let mut light = notes.begin_light(&mut self.notes, &matcher.keep, id, 0);
            let taken = matcher.taken(row).iter();
            taken.for_each(|stamp| notes.take_light(&mut self.notes, &mut light, stamp));
            let routes = self.routes_taken.iter();
            routes.for_each(|&route| notes.route_light(&mut self.notes, &mut light, route));
            matcher.stamps.push(notes.stamp_light(&light));
            // It announces the action, once.
            let index = if id.count == 1 { matcher.index(row) } else { Index::none() };
            let done = Done {
                template,
                rule: 0,
                graph: &session.main,
                index: &index,
                routes: &self.routes_taken,
                flow_successors,
            };
            notes.end_light(&mut self.notes, light, done);
        }
    }

    /// Sends what events send by an arc.
    #[inline(always)]
    fn send_along(
        &mut self,
        matcher: &mut Matcher<'s, M>,
        to: usize,
        open: &mut Open<'s, M>,
        n_created: &mut u64,
    ) {
        let session = self.session;
        let store = matcher.find_entries(to);
        let (matcher, destination) = (&*matcher, &matcher.destinations[to]);
        let (way, sent) = (destination.way, matcher.sent(destination));
        let (target, port) = (way.target, way.port);
        let Some(store) = store else { return self.send_to_instances(matcher, destination) };
        for row in bits_of(destination.goes) {
            let row = row as usize % ROWS;
            let (number, stamp) = (sent[row].get(), M::via(&matcher.stamps[row], way.arc));
            let tag = store.tag_at(&matcher.tags, row);
            let shard = open.shard(store, target, tag.shard);
            let spare = &mut self.matches.spare;
            let index = || store.index_of(&tag);
            let create = || {
                *n_created += 1;
                session.instrumentation.next_action_id(spare, target, index)
            };
            match shard.put(target, &tag, (port, number, stamp), create) {
                Put::Waits => {}
                Put::Ready(spot) => self.matches.ready.push(spot),
                put => self.put_promoted(shard, (target, &index()), (port, number), put),
            }
        }
    }

    /// The same, to instances of a template without a store.
    fn send_to_instances(&mut self, matcher: &Matcher<'s, M>, destination: &Destination<'s, M>) {
        let (session, way) = (self.session, destination.way);
        let (plan, notes) = (session.program.plan, session.instrumentation);
        for row in bits_of(destination.goes) {
            let row = row as usize;
            let stamp = M::via(&matcher.stamps[row], way.arc);
            if let Some(index) = way.index(matcher.index(row).as_slice()) {
                let (target, _) = session.registry.instance(plan, notes, &session.main, way.target, index);
                self.put_into_inbox(target, (way.port, matcher.sent(destination)[row].get(), stamp));
            }
        }
    }

    /// Leaves events under way to the general way, which begins them anew.
    #[cold]
    fn serve_generally(&mut self, matcher: &Matcher<'s, M>, open: &mut Open<'s, M>, events: u64) {
        let session = self.session;
        let (plan, notes) = (session.program.plan, session.instrumentation);
        for row in bits_of(events) {
            let Spot { template, shard, .. } = matcher.rows[row as usize].0;
            let (spot, taken) = (matcher.rows[row as usize].0, matcher.taken(row as usize));
            let shard = open.shard(matcher.store, template, shard);
            let numbers = matcher.numbers_taken(row as usize);
            let instance = session.registry.return_taken((plan, notes), shard, spot, (&numbers, taken));
            session.make_ready(&mut self.local, instance);
        }
    }
}

const _: () = assert!(ROWS <= u64::BITS as usize, "events are told as bits");
