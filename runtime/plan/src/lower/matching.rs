//! Templates whose instances may be entries of the matching store.

use hasse_code::calc::{Calc, Leaf, Term, orders_of};
use hasse_code::layout::Layout;
use hasse_code::reason::{Cause, Reason, Site, Unmatched};
use hasse_model::id::TemplateId;
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;

use crate::entries::{MAX_NUMBERS, MAX_PORTS};
use crate::lane::begins_plainly;
use crate::matching::{Matching, Test};
use crate::program::Program;
use crate::straight::{Straight, StraightGuard};

impl Matching {
    /// Lowers a template whose instances are entries of the store.
    ///
    /// # Errors
    /// There is more to it.
    pub(crate) fn of(
        program: &Program<'_>,
        (template_id, template): (TemplateId, &Template),
        layout: &Layout,
        straight: &Straight,
    ) -> Result<Self, Reason> {
        let unmatched = |why| Site::Node.because(Cause::Indexed(why));
        let obstacles = [
            (template.graph != program.plan.main, Unmatched::Graph),
            (template.n_indices == 0, Unmatched::NoIndex),
            (template.n_indices > MAX_NUMBERS, Unmatched::ManyNumbers),
            (template.inputs.len() != straight.takes.len(), Unmatched::Ports),
            (template.inputs.len() > MAX_PORTS, Unmatched::Ports),
            (!straight.sends.is_empty() || !straight.own.is_empty(), Unmatched::PlainSends),
            (template.is_start, Unmatched::Starts),
            (!straight.is_of_ints(), Unmatched::NotInts),
            (!layout.vars.is_empty(), Unmatched::Vars),
            (!begins_plainly(template, layout), Unmatched::Begins),
        ];
        if let Some((_, why)) = obstacles.into_iter().find(|(holds, _)| *holds) {
            return Err(unmatched(why));
        }
        let (mut takes, mut gives) = (Vec::new(), Vec::new());
        let slot_of = |name: &String| template.slots.iter().position(|slot| slot.name == *name);
        let is_int_param = |slot_idx: usize| {
            let param = layout.params.contains(&slot_idx).then(|| slot_idx - layout.params.start);
            param.and_then(|param| program.params.get(param)).is_some_and(|held| held.as_int().is_ok())
        };
        let is_known = |slot_idx: usize, given: &[usize]| {
            slot_idx >= layout.names.len()
                || layout.indices.contains(&slot_idx)
                || is_int_param(slot_idx)
                || straight.takes.iter().any(|take| take.slot_idx == slot_idx)
                || given.contains(&slot_idx)
                || [layout.count, layout.rule].contains(&slot_idx)
        };
        match &template.body {
            None => {}
            Some(_) => {
                let body = program.native_bodies[template_id.idx()].as_ref();
                let body = body.ok_or_else(|| unmatched(Unmatched::Body))?;
                let function = body.scalars.as_ref().map_err(|reason| *reason)?;
                if function.kinds.iter().any(|kind| *kind != Kind::Int) {
                    return Err(unmatched(Unmatched::Body));
                }
                for name in &function.names.takes {
                    let slot_idx = slot_of(name).filter(|&slot_idx| is_known(slot_idx, &[]));
                    takes.push(slot_idx.ok_or_else(|| unmatched(Unmatched::Names))?);
                }
                for name in &function.names.gives {
                    let slot_idx = slot_of(name).filter(|slot_idx| layout.lets.contains(slot_idx));
                    gives.push(slot_idx.ok_or_else(|| unmatched(Unmatched::Body))?);
                }
            }
        }
        let mut are_known = true;
        let mut look = |slot_idx: usize| are_known &= is_known(slot_idx, &gives);
        for route in &straight.routes {
            route.indexed.iter().for_each(|(slot_idx, ..)| look(*slot_idx));
            if let Some(guard) = &route.guard {
                guard.each_slot(&mut look);
            }
        }
        let mut slots = vec![0; template.inputs.len()];
        for take in &straight.takes {
            slots[take.port] = take.slot_idx;
        }
        // As replays and records tell them: by port.
        let is_in_order = straight.ports.iter().enumerate().all(|(nth, port)| nth == *port);
        if !are_known {
            return Err(unmatched(Unmatched::Names));
        }
        if !is_in_order {
            return Err(unmatched(Unmatched::Ports));
        }
        let (first_constant, mut constants) = (layout.names.len() + straight.extras.len(), Vec::new());
        let mut leaf = |leaf: Leaf| match leaf {
            Leaf::Slot(slot_idx) => Some(slot_idx),
            Leaf::Int(number) => {
                constants.push(number);
                Some(first_constant + constants.len() - 1)
            }
            Leaf::Bool(_) | Leaf::Local(_) => None,
        };
        let mut test = |calc: &Calc| {
            if let Calc::Compare(op, Term::Leaf(left), Term::Leaf(right)) = *calc
                && let (Some(left), Some(right), Some(orders)) = (leaf(left), leaf(right), orders_of(op))
            {
                return Test::Orders(left, right, orders);
            }
            Test::Other(calc.clone())
        };
        let guards = straight.guards.iter().map(|StraightGuard { bit, calc, .. }| match calc {
            Calc::All(parts) => (*bit, parts.iter().map(&mut test).collect()),
            other => (*bit, vec![test(other)]),
        });
        let guards = guards.collect();
        Ok(Self { n_numbers: template.n_indices, slots, takes, gives, guards, constants })
    }
}
