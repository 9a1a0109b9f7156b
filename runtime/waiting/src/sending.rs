//! Sending: whether an execution by a firing rule sends a value on an element of an output port.

use hasse_code::partial::{Known, Numbers, Scalar};
use hasse_model::name::is_of_name;
use hasse_model::plan::{Code, Expr, FiringRule, Loop, RoutingRule, Send, SlotKind, Template};

/// Maximum number of elements of a port that are counted out for one routing rule.
const MAX_ELEMENTS: usize = 64;

/// Whether an execution sends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sends {
    Never,
    /// That depends on values, vars, or the number of the execution.
    Maybe,
    Always,
}

/// Whether an execution by the rule that `known` names sends on elements of a port; `is_missing` tells of input ports
/// whether the rule misses a value there.
pub(crate) fn sends(
    known: &Known<'_>,
    texts: &Texts<'_>,
    port: usize,
    elements: &[Option<i64>],
    is_missing: &dyn Fn(usize) -> bool,
) -> Sends {
    let template = known.template;
    let rule = known.rule.and_then(|rule| template.fire.get(usize::try_from(rule).ok()?));
    let rules = template.route.iter().flat_map(|route| route.sends.iter().map(move |send| (route, send)));
    let of_port = rules.filter(|(_, send)| send.port == port);
    let found = of_port.map(|(route, send)| {
        let held = Held { known, texts, rule, is_missing };
        held.guard(route).min(held.elements(send, elements))
    });
    found.max().unwrap_or(Sends::Never)
}

/// Texts of scripts.
pub(crate) struct Texts<'a>(pub(crate) &'a [hasse_model::plan::Script]);

struct Held<'a> {
    known: &'a Known<'a>,
    texts: &'a Texts<'a>,
    rule: Option<&'a FiringRule>,
    is_missing: &'a dyn Fn(usize) -> bool,
}

impl Held<'_> {
    fn guard(&self, route: &RoutingRule) -> Sends {
        match &route.guard {
            // That the event fails is not known.
            _ if route.on_error => Sends::Maybe,
            None => Sends::Always,
            Some(Code::Expr(expr)) => match self.known.eval(expr, &[]) {
                Some(Scalar::Bool(true)) => Sends::Always,
                Some(Scalar::Bool(false)) => Sends::Never,
                _ => Sends::Maybe,
            },
            Some(Code::Script(_)) => Sends::Maybe,
        }
    }

    /// Whether what is sent reaches an element.
    fn elements(&self, send: &Send, wanted: &[Option<i64>]) -> Sends {
        let mut found = Sends::Always;
        for range in &send.loops {
            found = found.min(match self.bounds(range) {
                Some((low, high)) if low < high => Sends::Always,
                Some(_) => Sends::Never,
                None => Sends::Maybe,
            });
        }
        for (code, wanted) in send.elements.iter().zip(wanted) {
            let Some(wanted) = *wanted else { continue };
            found = found.min(self.element(send, code, wanted));
        }
        found
    }

    fn element(&self, send: &Send, code: &Code, wanted: i64) -> Sends {
        if let Code::Expr(Expr::Local(local)) = code {
            return match send.loops.get(*local as usize).and_then(|range| self.bounds(range)) {
                Some((low, high)) if (low..high).contains(&wanted) => Sends::Always,
                Some(_) => Sends::Never,
                None => Sends::Maybe,
            };
        }
        if let Code::Expr(expr) = code
            && let Some(value) = self.known.eval(expr, &[])
        {
            return if value == Scalar::Int(wanted) { Sends::Always } else { Sends::Never };
        }
        // A value that waits already decides it: it is on its way to somebody, and those that wait for it take turns.
        if self.is_decided(code) { Sends::Always } else { Sends::Maybe }
    }

    fn bounds(&self, range: &Loop<Code>) -> Option<(i64, i64)> {
        Some((int(self.known, &range.low)?, int(self.known, &range.high)?))
    }

    /// Whether code names only what is known, or is bound to a value that waits.
    fn is_decided(&self, code: &Code) -> bool {
        let template = self.known.template;
        let is_decided = |slot_idx: usize| match template.slots[slot_idx].kind {
            SlotKind::Param | SlotKind::Index | SlotKind::Rule => true,
            SlotKind::Bound => self.rule.is_some_and(|rule| {
                rule.takes.iter().any(|take| take.target.idx() == slot_idx && !(self.is_missing)(take.port))
            }),
            _ => false,
        };
        match code {
            Code::Expr(expr) => every_slot(expr, &is_decided),
            Code::Script(script) => {
                let text = &self.texts.0[script.idx()].text;
                let words: Vec<&str> = text.split(|character: char| !is_of_name(character)).collect();
                let mentioned =
                    template.slots.iter().enumerate().filter(|(_, slot)| words.contains(&slot.name.as_str()));
                let mut slots = mentioned.map(|(slot_idx, _)| slot_idx).peekable();
                slots.peek().is_some() && slots.all(is_decided)
            }
        }
    }
}

fn int(known: &Known<'_>, code: &Code) -> Option<i64> {
    match code {
        Code::Expr(expr) => known.eval(expr, &[])?.int(),
        Code::Script(_) => None,
    }
}

fn every_slot(expr: &Expr, holds: &dyn Fn(usize) -> bool) -> bool {
    match expr {
        Expr::Int(_) | Expr::Bool(_) | Expr::Param(_) => true,
        Expr::Slot(slot) => holds(slot.idx()),
        Expr::Local(_) | Expr::Length(_) => false,
        Expr::Negate(operand) | Expr::Not(operand) => every_slot(operand, holds),
        Expr::Binary(_, left, right) => every_slot(left, holds) && every_slot(right, holds),
    }
}

/// The elements of an output port on which a node may send, as far as they can be counted out.
pub(crate) fn countable_elements(known: &Known<'_>, port: usize) -> Vec<Numbers> {
    let mut found = Vec::new();
    for send in known.template.route.iter().flat_map(|route| &route.sends) {
        if send.port == port {
            count_out(known, send, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn count_out(known: &Known<'_>, send: &Send, locals: &mut Vec<Option<i64>>, found: &mut Vec<Numbers>) {
    if let Some(range) = send.loops.get(locals.len()) {
        let bound = |code: &Code, locals: &[Option<i64>]| match code {
            Code::Expr(expr) => known.eval(expr, locals).and_then(Scalar::int),
            Code::Script(_) => None,
        };
        let (Some(low), Some(high)) = (bound(&range.low, locals), bound(&range.high, locals)) else { return };
        for number in low..high {
            if found.len() >= MAX_ELEMENTS {
                return;
            }
            locals.push(Some(number));
            count_out(known, send, locals, found);
            locals.pop();
        }
        return;
    }
    let element = |code: &Code| match code {
        Code::Expr(expr) => known.eval(expr, locals).and_then(Scalar::int),
        Code::Script(_) => None,
    };
    let elements: Numbers = send.elements.iter().map(element).collect();
    if found.len() < MAX_ELEMENTS && !elements.contains(&None) {
        found.push(elements);
    }
}

/// Whether any routing rule sends on a port.
pub(crate) fn is_sent_on(template: &Template, port: usize) -> bool {
    template.route.iter().flat_map(|route| &route.sends).any(|send| send.port == port)
}
