//! Templates whose instances may be entries of the matching store.

use hasse_code::calc::{Calc, Leaf, Term, orders_of};
use hasse_code::layout::Layout;
use hasse_model::id::TemplateId;
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;

use crate::entries::{MAX_NUMBERS, MAX_PORTS};
use crate::lane::begins_plainly;
use crate::matching::{Matching, Test};
use crate::program::Program;
use crate::straight::{IndexedTo, Straight, StraightGuard};

impl Matching {
    /// Lowers a template whose instances are entries of the store; `None` where there is more to it.
    pub(crate) fn of(
        program: &Program<'_>,
        (template_id, template): (TemplateId, &Template),
        layout: &Layout,
        straight: &Straight,
    ) -> Option<Self> {
        let obstacles = [
            template.graph != program.plan.main,
            template.n_indices == 0,
            template.n_indices > MAX_NUMBERS,
            template.inputs.len() != straight.takes.len(),
            template.inputs.len() > MAX_PORTS,
            template.inputs.iter().any(|input| input.n_indices > 0),
            !straight.sends.is_empty() || !straight.own.is_empty(),
            straight.indexed.iter().any(|send| matches!(send.to, IndexedTo::Port(..))),
            template.is_start,
            !straight.is_of_ints(),
            !layout.vars.is_empty(),
            !begins_plainly(template, layout),
        ];
        if obstacles.contains(&true) {
            return None;
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
                let function = body?.scalars.as_ref().ok()?;
                if function.speaks || function.asks || function.kinds.iter().any(|kind| *kind != Kind::Int) {
                    return None;
                }
                for name in &function.names.takes {
                    let slot_idx = slot_of(name).filter(|&slot_idx| is_known(slot_idx, &[]));
                    takes.push(slot_idx?);
                }
                for name in &function.names.gives {
                    let slot_idx = slot_of(name).filter(|slot_idx| layout.lets.contains(slot_idx));
                    gives.push(slot_idx?);
                }
            }
        }
        let mut are_known = true;
        let mut look = |slot_idx: usize| are_known &= is_known(slot_idx, &gives);
        for route in &straight.routes {
            route.sends.iter().for_each(|send| look(send.slot_idx));
            if let Some(guard) = &route.guard {
                guard.each_slot(&mut look);
            }
        }
        let mut slots = vec![0; template.inputs.len()];
        for take in &straight.takes {
            slots[take.port] = take.slot_idx;
        }
        // As replays and records tell them: by port.
        let is_in_order = straight.ports.iter().enumerate().all(|(nth, (port, _))| nth == *port);
        if !are_known || !is_in_order {
            return None;
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
        Some(Self { n_numbers: template.n_indices, slots, takes, gives, guards, constants })
    }
}
