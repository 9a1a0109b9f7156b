//! From a predicate as it was read to what is searched: negations moved inward, conjunctions taken apart, and an order
//! in which variables are tried.

use hasse_model::plan::Plan;

use super::attribute::Attribute;
use super::formula::{Formula, Predicate, Quantified, Quantifier};
use super::levels::{is_bounded, kept, levels};
use super::relation::{Relation, VarId};
use super::search_plan::{Block, Form, Level, Lowered, Part, Var};
use super::store::Keep;
use crate::check::moment::Moment;
use crate::check::resolve::{self, ResolveError};

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
