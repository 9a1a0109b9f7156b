//! From a predicate as it was read to what is searched: negations moved inward, conjunctions taken apart, and an order
//! in which variables are tried.

use hasse_model::plan::Plan;

use super::attribute::Attribute;
use super::condition::Ready;
use super::formula::{Formula, Predicate, Quantified, Quantifier, Relation, VarId};
use super::levels::{is_bounded, kept, levels};
use crate::check::resolve::{self, ResolveError, Target};
use crate::check::values::Moment;

/// A predicate that can be evaluated.
#[derive(Debug)]
pub(super) struct Lowered {
    pub(super) quantifier: Quantifier,
    pub(super) vars: Vec<Var>,
    /// Variables of the quantifier at the top.
    pub(super) top: Vec<VarId>,
    /// What makes a combination count: what stands behind `where`, and for `never` and `exists` behind `:`.
    pub(super) guard: Vec<Part>,
    /// What makes one that counts a violation of `forall`.
    pub(super) rest: Vec<Part>,
    /// For each variable at the top, how the others are tried when an event comes for it; empty for one that is
    /// never the last to come.
    pub(super) starts: Vec<Vec<Level>>,
    pub(super) conditions: Vec<Ready>,
}

/// An event variable.
#[derive(Debug)]
pub(super) struct Var {
    pub(super) target: Target,
    /// What must be true of an event by itself for it to be looked at.
    pub(super) own: Vec<Form>,
    pub(super) keep: Keep,
    /// Whether its actions need slots in the clocks.
    pub(super) needs_slot: bool,
    /// Whether it is looked for by what it is an immediate predecessor to.
    pub(super) needs_successors: bool,
    /// Whether an event that can have no further immediate successors no longer matters.
    pub(super) is_spent_without_successors: bool,
}

/// Which events of an action matter for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// None: it is never looked for when another event has come.
    None,
    /// The first: the variable is asked for something before other events only.
    First,
    /// The last: something behind other events only.
    Last,
    All,
}

/// A part of a conjunction.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) form: Form,
    /// Variables in it that it does not bind.
    pub(super) free: Vec<VarId>,
}

/// A formula in which only order, conditions and inner quantifiers are negated.
#[derive(Debug)]
pub(super) enum Form {
    Constant(bool),
    Order(VarId, Relation, VarId),
    Condition(usize),
    Not(Box<Form>),
    And(Vec<Form>),
    Or(Vec<Form>),
    Exists(Box<Block>),
}

/// An inner `exists`.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) vars: Vec<VarId>,
    pub(super) parts: Vec<Part>,
    /// What does not speak of its variables.
    pub(super) outer: Vec<usize>,
    pub(super) levels: Vec<Level>,
    /// Whether all its events are in the past of others, so that no later one can be one of them.
    pub(super) is_bounded: bool,
}

/// A step of the search: a variable, where it is looked for, and what is known when it stands for an event.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) var: VarId,
    /// Orders to variables that stand for events already; whether the new variable is on the left.
    pub(super) orders: Vec<(bool, Relation, VarId)>,
    /// Positions of the parts that can be evaluated then.
    pub(super) checks: Vec<usize>,
    /// Whether it stands for earlier events than the one that has come.
    pub(super) is_earlier: bool,
}

/// Resolves and lowers a predicate.
///
/// # Errors
/// Where it names what the program does not have.
pub(super) fn lower(predicate: &Predicate, plan: &Plan) -> Result<Lowered, ResolveError> {
    let mut vars = Vec::new();
    for variable in &predicate.variables {
        vars.push(Var {
            target: resolve::resolve(&variable.spec, plan)?,
            own: Vec::new(),
            keep: Keep::All,
            needs_slot: false,
            needs_successors: false,
            is_spent_without_successors: false,
        });
    }
    check_attributes(predicate, &vars, plan)?;
    let conditions = predicate.conditions.iter().map(|condition| condition.ready()).collect();
    let mut lowering = Lowering { predicate, vars };
    let Quantified { quantifier, variables: top, guard, body } = &predicate.top;
    let mut forms = Vec::new();
    guard.iter().for_each(|guard| forms.push(lowering.form(guard, false)));
    let mut rest = Vec::new();
    match (quantifier, body) {
        (_, None) => {}
        (Quantifier::Forall, Some(body)) => rest.push(lowering.form(body, true)),
        (Quantifier::Exists | Quantifier::Never, Some(body)) => forms.push(lowering.form(body, false)),
    }
    let rest = parts(rest, predicate);
    let guard = lowering.take_own(top, parts(forms, predicate));
    let starts: Vec<_> = (0..top.len()).map(|start| levels(top, Some(start), &guard)).collect();
    let starts = starts.into_iter().zip(top).map(|(levels, &var)| {
        // What must come before another one is never the last to come.
        let is_never_last = |part: &Part| match part.form {
            Form::Order(left, Relation::Immediate | Relation::Before, right) => left == var && right != var,
            _ => false,
        };
        if guard.iter().any(is_never_last) { Vec::new() } else { levels }
    });
    let starts: Vec<Vec<Level>> = starts.collect();
    starts.iter().for_each(|levels| lowering.note_levels(levels));
    lowering.note_needs(&guard);
    lowering.note_needs(&rest);
    lowering.choose_what_to_keep(top, &starts, &guard, &rest);
    let (vars, top) = (lowering.vars, top.clone());
    Ok(Lowered { quantifier: *quantifier, vars, top, guard, rest, starts, conditions })
}

struct Lowering<'p> {
    predicate: &'p Predicate,
    vars: Vec<Var>,
}

impl Lowering<'_> {
    fn form(&mut self, formula: &Formula, is_negated: bool) -> Form {
        let negated = |form| if is_negated { Form::Not(Box::new(form)) } else { form };
        match formula {
            Formula::Constant(flag) => Form::Constant(*flag != is_negated),
            Formula::Order(left, relation, right) => negated(Form::Order(*left, *relation, *right)),
            Formula::Condition(condition) => negated(Form::Condition(*condition)),
            Formula::Not(inner) => self.form(inner, !is_negated),
            Formula::And(parts) | Formula::Or(parts) => {
                let forms = parts.iter().map(|part| self.form(part, is_negated)).collect();
                let is_and = matches!(formula, Formula::And(_)) != is_negated;
                if is_and { Form::And(forms) } else { Form::Or(forms) }
            }
            Formula::Implies(left, right) => {
                let forms = vec![self.form(left, !is_negated), self.form(right, is_negated)];
                if is_negated { Form::And(forms) } else { Form::Or(forms) }
            }
            Formula::Quantified(quantified) => self.quantified(quantified, is_negated),
        }
    }

    fn quantified(&mut self, quantified: &Quantified, is_negated: bool) -> Form {
        let Quantified { quantifier, variables, guard, body } = quantified;
        let is_forall = *quantifier == Quantifier::Forall;
        let mut forms: Vec<Form> = guard.iter().map(|guard| self.form(guard, false)).collect();
        forms.extend(body.iter().map(|body| self.form(body, is_forall)));
        let parts = self.take_own(variables, parts(forms, self.predicate));
        let is_outer = |part: &Part| !part.free.iter().any(|var| variables.contains(var));
        let outer = (0..parts.len()).filter(|&part_idx| is_outer(&parts[part_idx])).collect();
        let (levels, is_bounded) = (levels(variables, None, &parts), is_bounded(variables, &parts));
        self.note_needs(&parts);
        self.note_levels(&levels);
        if let [var] = variables[..] {
            self.vars[var].keep = kept(var, &parts);
        }
        let block =
            Form::Exists(Box::new(Block { vars: variables.clone(), parts, outer, levels, is_bounded }));
        let is_exists = *quantifier == Quantifier::Exists;
        if is_exists != is_negated { block } else { Form::Not(Box::new(block)) }
    }

    /// Moves what speaks of one of the variables alone, and of no quantifier, to that variable.
    fn take_own(&mut self, variables: &[VarId], parts: Vec<Part>) -> Vec<Part> {
        let mut left = Vec::new();
        for part in parts {
            match part.free[..] {
                [var] if variables.contains(&var) && !part.form.has_quantifier() => {
                    self.vars[var].own.push(part.form);
                }
                _ => left.push(part),
            }
        }
        left
    }

    fn note_needs(&mut self, parts: &[Part]) {
        for part in parts {
            // What an inner quantifier needs has been noted there.
            part.form.each_order(&mut |left, relation, right| match relation {
                Relation::Before => self.vars[left].needs_slot = true,
                Relation::Concurrent => {
                    self.vars[left].needs_slot = true;
                    self.vars[right].needs_slot = true;
                }
                Relation::Immediate | Relation::Same => {}
            });
        }
    }

    fn note_levels(&mut self, levels: &[Level]) {
        for level in levels {
            let is_wanted =
                |order: &(bool, Relation, VarId)| matches!(order, (false, Relation::Immediate, _));
            self.vars[level.var].needs_successors |= level.orders.iter().any(is_wanted);
        }
    }

    fn choose_what_to_keep(&mut self, top: &[VarId], starts: &[Vec<Level>], guard: &[Part], rest: &[Part]) {
        for &var in top {
            let mut later = starts.iter().flat_map(|levels| levels.iter().skip(1));
            if !later.any(|level| level.var == var) {
                self.vars[var].keep = Keep::None;
            }
        }
        let has_quantifier = |part: &Part| part.form.has_quantifier();
        // With a third variable, an event may matter although its successors have come.
        if top.len() != 2 || guard.iter().chain(rest).any(has_quantifier) {
            return;
        }
        for part in guard {
            if let Form::Order(left, Relation::Immediate, right) = part.form
                && left != right
            {
                self.vars[left].is_spent_without_successors = true;
            }
        }
    }
}

/// Takes conjunctions apart.
fn parts(forms: Vec<Form>, predicate: &Predicate) -> Vec<Part> {
    let mut parts = Vec::new();
    for form in forms {
        match form {
            Form::And(inner) => parts.extend(self::parts(inner, predicate)),
            form => {
                let mut free = Vec::new();
                form.free(predicate, &mut free);
                free.sort_unstable();
                free.dedup();
                parts.push(Part { form, free });
            }
        }
    }
    parts
}

impl Form {
    pub(super) fn has_quantifier(&self) -> bool {
        match self {
            Form::Constant(_) | Form::Order(..) | Form::Condition(_) => false,
            Form::Not(inner) => inner.has_quantifier(),
            Form::And(forms) | Form::Or(forms) => forms.iter().any(Form::has_quantifier),
            Form::Exists(_) => true,
        }
    }

    fn each_order(&self, see: &mut impl FnMut(VarId, Relation, VarId)) {
        match self {
            Form::Constant(_) | Form::Condition(_) | Form::Exists(_) => {}
            Form::Order(left, relation, right) => see(*left, *relation, *right),
            Form::Not(inner) => inner.each_order(see),
            Form::And(forms) | Form::Or(forms) => forms.iter().for_each(|form| form.each_order(see)),
        }
    }

    fn free(&self, predicate: &Predicate, free: &mut Vec<VarId>) {
        match self {
            Form::Constant(_) => {}
            Form::Order(left, _, right) => free.extend([*left, *right]),
            Form::Condition(condition) => {
                free.extend(predicate.conditions[*condition].inputs.iter().map(|input| input.var));
            }
            Form::Not(inner) => inner.free(predicate, free),
            Form::And(forms) | Form::Or(forms) => {
                forms.iter().for_each(|form| form.free(predicate, free));
            }
            Form::Exists(block) => {
                let inner = block.parts.iter().flat_map(|part| part.free.iter().copied());
                free.extend(inner.filter(|var| !block.vars.contains(var)));
            }
        }
    }
}

/// Refuses attributes that the events of a node never have.
fn check_attributes(predicate: &Predicate, vars: &[Var], plan: &Plan) -> Result<(), ResolveError> {
    for input in predicate.conditions.iter().flat_map(|condition| &condition.inputs) {
        let template = &plan.templates[vars[input.var].target.template.idx()];
        let (column, node) = (input.column, plan.template_label(template));
        match &input.attribute {
            Attribute::Index(position) if *position >= template.n_indices => {
                let (n_indices, asked) = (template.n_indices, input.text.clone());
                return Err(ResolveError::NoIndexNumber { column, node, n_indices, asked });
            }
            Attribute::Values(moment, Some(name)) => {
                let names = |ports: &[hasse_model::plan::Port]| -> Vec<String> {
                    ports.iter().map(|port| port.name.clone()).collect()
                };
                let (kind, known) = match moment {
                    Moment::Took => ("input port", names(&template.inputs)),
                    Moment::Sent => ("output port", names(&template.outputs)),
                    Moment::Before | Moment::After => {
                        let slots = template.slots_of(hasse_model::plan::SlotKind::Var);
                        ("var", template.slots[slots].iter().map(|slot| slot.name.clone()).collect())
                    }
                };
                if !known.contains(name) {
                    return Err(ResolveError::UnknownValue { column, node, kind, name: name.clone(), known });
                }
            }
            _ => {}
        }
    }
    Ok(())
}
