//! Bodies and expressions that are in a typed numeric subset are lowered to routines; of all others it is noted why not.

use std::collections::HashMap;
use std::sync::Arc;

use hasse_model::function::FunctionTable;
use hasse_model::id::{ScriptId, SlotId};
use hasse_model::plan::routine::{Kind, Lowering, Obstacle, Routine};
use hasse_model::plan::{Body, Code, Plan, Script, Send, Slot, SlotKind, Template};

use crate::rhai_front::lower::{lower, only_expression};
use crate::rhai_front::routine::{LoweredBody, Names, lower_body, lower_expression};
use crate::rhai_front::{Front, structs};
use crate::scope::{Meaning, Scope};

/// Lowers what can be lowered of a plan without errors.
pub(crate) fn lower_routines(plan: &mut Plan, front: &Front, functions: &FunctionTable) {
    plan.lowerings = vec![None; plan.scripts.len()];
    let mut templates = std::mem::take(&mut plan.templates);
    let mut lowering = Templates { plan, front, functions, routines: HashMap::new() };
    for template in &mut templates {
        lowering.lower(template);
    }
    plan.templates = templates;
}

struct Templates<'a> {
    plan: &'a mut Plan,
    front: &'a Front,
    functions: &'a FunctionTable,
    /// Those made so far, by their size: nodes with one body share its routine.
    routines: HashMap<(usize, usize), Vec<Arc<Routine>>>,
}

impl Templates<'_> {
    fn lower(&mut self, template: &mut Template) {
        if let Some(Body::Script(script)) = template.body {
            let lowered = self.body(template, script);
            let lowering = match lowered {
                Ok(LoweredBody { routine, lets, exits }) => {
                    template.slots.extend(lets.into_iter().map(|(name, ty)| Slot {
                        name,
                        kind: SlotKind::Let,
                        ty,
                    }));
                    Lowering::Routine { routine: self.shared(routine), exits }
                }
                Err(obstacle) => Lowering::Interpreted(*obstacle),
            };
            self.plan.lowerings[script.idx()] = Some(lowering);
        }
        let mut fire = std::mem::take(&mut template.fire);
        for rule in &mut fire {
            if let Some(guard) = &mut rule.guard {
                self.code(template, guard, &[], Some(Kind::Bool));
            }
        }
        template.fire = fire;
        let mut route = std::mem::take(&mut template.route);
        for rule in &mut route {
            let loops_of =
                |send: &Send| -> Vec<String> { send.loops.iter().map(|range| range.name.clone()).collect() };
            let all_loops: Vec<Vec<String>> = rule.sends.iter().map(loops_of).collect();
            for send in &mut rule.sends {
                let names: Vec<String> = send.loops.iter().map(|range| range.name.clone()).collect();
                for (place, range) in send.loops.iter_mut().enumerate() {
                    self.code(template, &mut range.low, &names[..place], Some(Kind::Int));
                    self.code(template, &mut range.high, &names[..place], Some(Kind::Int));
                }
                for element in &mut send.elements {
                    self.code(template, element, &names, Some(Kind::Int));
                }
                self.code(template, &mut send.value, &names, None);
                if let Some(after) = &mut send.after {
                    self.code(template, &mut after.number, &names, None);
                }
            }
            match &mut rule.guard {
                None => {}
                Some(guard) if !rule.guards_elements => {
                    self.code(template, guard, &[], Some(Kind::Bool));
                }
                // Asked for the elements of each sending: its loop variables must have the same places in all of them.
                Some(guard) => match all_loops.split_first() {
                    Some((first, others)) if others.iter().all(|other| other == first) => {
                        self.code(template, guard, first, Some(Kind::Bool));
                    }
                    _ => self.note_loops(guard),
                },
            }
        }
        template.route = route;
    }

    fn body(&self, template: &Template, script: ScriptId) -> Result<LoweredBody, Box<Obstacle>> {
        let text = &self.plan.scripts[script.idx()];
        let obstacle = |message: String| Box::new(Obstacle { message, at: text.at, help: None });
        let Some(ast) = self.front.reparsed(text) else {
            return Err(obstacle("the text is not read again".to_owned()));
        };
        let lowered = self.with_names(template, &[], |names| lower_body(&ast, text, names))?;
        let hides = |name: &str| template.slots.iter().any(|slot| slot.name == name);
        match lowered.lets.iter().find(|(name, _)| hides(name)) {
            Some((name, _)) => Err(obstacle(format!("a `let` hides the name `{name}` of the node"))),
            None => Ok(lowered),
        }
    }

    /// Lowers an expression that is a script; `wanted` is what it must give.
    fn code(&mut self, template: &Template, code: &mut Code, locals: &[String], wanted: Option<Kind>) {
        let Code::Script(script) = *code else { return };
        let text = &self.plan.scripts[script.idx()];
        let Some(ast) = self.front.reparsed(text) else { return };
        let Some(expression) = only_expression(&ast) else { return };
        let lets_are_known = template.body_script().is_none_or(|body| {
            self.plan.lowerings[body.idx()].as_ref().is_some_and(|lowering| lowering.routine().is_some())
        });
        if lets_are_known && let Some((expr, _)) = lower(expression, &scope_of(template, locals)) {
            *code = Code::Expr(expr);
            return;
        }
        let lowered =
            self.with_names(template, locals, |names| lower_expression(expression, &ast, text, names));
        let lowered = lowered.and_then(|routine| fitting(routine, wanted, text));
        let lowering = match lowered {
            Ok(routine) => Lowering::Routine { routine: self.shared(routine), exits: Vec::new() },
            Err(obstacle) => Lowering::Interpreted(*obstacle),
        };
        self.plan.lowerings[script.idx()] = Some(lowering);
    }

    /// The routine, or one that is the same.
    fn shared(&mut self, routine: Routine) -> Arc<Routine> {
        let n_ops = routine.functions.iter().map(|function| function.ops.len()).sum();
        let alike = self.routines.entry((n_ops, routine.inputs.len())).or_default();
        if let Some(known) = alike.iter().find(|known| ***known == routine) {
            return Arc::clone(known);
        }
        let routine = Arc::new(routine);
        alike.push(Arc::clone(&routine));
        routine
    }

    /// A guard over loops that differ from sending to sending stays with the interpreter.
    fn note_loops(&mut self, guard: &Code) {
        let Code::Script(script) = *guard else { return };
        let message = "the sendings of the rule have different loops".to_owned();
        let help = Some("write a rule for each".to_owned());
        let at = self.plan.scripts[script.idx()].at;
        self.plan.lowerings[script.idx()] = Some(Lowering::Interpreted(Obstacle { message, at, help }));
    }

    fn with_names<T>(
        &self,
        template: &Template,
        locals: &[String],
        lower: impl FnOnce(&Names<'_>) -> T,
    ) -> T {
        lower(&Names {
            slots: &template.slots,
            is_always_bound: &|slot| is_always_bound(template, slot),
            locals,
            structs: &self.plan.structs,
            functions: self.functions,
            has_own_function: &|name| {
                structs::function_names(&self.plan.structs).iter().any(|own| own == name)
            },
        })
    }
}

fn fitting(routine: Routine, wanted: Option<Kind>, text: &Script) -> Result<Routine, Box<Obstacle>> {
    let found = routine.outputs.first().map(|output| output.kind);
    if wanted.is_none() || found == wanted {
        return Ok(routine);
    }
    let (message, at) = ("the expression does not give what is wanted here".to_owned(), text.at);
    Err(Box::new(Obstacle { message, at, help: None }))
}

/// Whether a bound name holds a value whichever rule was taken. A start node executes once without any rule.
fn is_always_bound(template: &Template, slot: SlotId) -> bool {
    let binds = |rule: &hasse_model::plan::FiringRule| rule.takes.iter().any(|take| take.target == slot);
    !template.is_start && template.fire.iter().all(binds)
}

fn scope_of(template: &Template, locals: &[String]) -> Scope {
    let mut scope = Scope::default();
    scope.add_slots(&template.slots, |_| None);
    scope.set_always_bound(|slot| is_always_bound(template, slot));
    for (place, name) in locals.iter().enumerate() {
        scope.add(name, Meaning::Local(place as u32));
    }
    scope
}
