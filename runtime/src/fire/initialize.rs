//! Initialization of an instance, before its first firing rule is looked at: vars, `init`, and the
//! shared objects that it reaches.

use std::sync::Arc;

use hasse_body::convert::dynamic_from_value;
use hasse_body::edge::{admit, default_of};
use hasse_body::effects::EffectSource;
use hasse_body::script::{self, CodeError};
use hasse_code::eval;
use hasse_code::eval::Env;
use hasse_code::graph::GraphInstance;
use hasse_model::id::{Index, SharedId};
use hasse_model::plan::{Code, ShareBinding, ShareSource};
use hasse_record::event::ObjectPlace;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::{Core, Instance, LockUse, SharedObject, Vars, lock_order};
use rhai::{Dynamic, Engine};
use thin_vec::thin_vec;

use crate::fire::session::Session;
use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Gives the vars their first values, runs `init` and finds the shared objects.
    pub(crate) fn initialize(&mut self, instance: &Instance<M>, core: &mut Core<M>) -> Result<(), CodeError> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        self.context.lock().begin(EffectSource::World, 0);
        for slot_idx in layout.vars.clone() {
            let value = default_of(&template.slots[slot_idx].ty, template.at)?;
            self.frame.set(slot_idx, dynamic_from_value(value));
        }
        for (slot_idx, default) in layout.vars.clone().zip(&template.var_defaults) {
            if let Some(code) = default {
                let slot = &template.slots[slot_idx];
                let held = self.default_value(code, template.at)?;
                let value = admit(&held, &slot.ty, "var", &slot.name, template.at)?;
                self.frame.set(slot_idx, dynamic_from_value(value));
            }
        }
        if let Some(init) = template.init {
            let text = &program.plan.scripts[init.idx()];
            let ended = script::eval(&self.engine, &program.asts[init.idx()], text, self.frame.enter_scope());
            self.frame.leave_scope();
            let _ = ended?;
            for slot_idx in layout.vars.clone() {
                self.admit_var(template, slot_idx, template.init)?;
            }
        }
        core.locks = self.session.find_locks(&self.engine, instance)?.into();
        core.vars = Vars::Held(thin_vec![Dynamic::UNIT; layout.vars.len()]);
        core.is_initialized = true;
        Ok(())
    }

    fn default_value(
        &mut self,
        code: &Code,
        at: hasse_model::diagnostic::Location,
    ) -> Result<Dynamic, CodeError> {
        let program = self.session.program;
        match code {
            Code::Expr(expr) => {
                let env = Env { frame: Some(&self.frame), locals: &[], params: &[] };
                eval::eval(expr, &env).map_err(|message| CodeError { code: "R0005", message, at })
            }
            Code::Script(script) => {
                let text = &program.plan.scripts[script.idx()];
                let scope = self.frame.enter_scope();
                let held = script::eval(&self.engine, &program.asts[script.idx()], text, scope);
                self.frame.leave_scope();
                Ok(held?)
            }
        }
    }
}

impl<M: Instrumentation> Session<'_, M> {
    /// The shared objects that an instance reaches, in canonical lock order.
    ///
    /// # Errors
    /// A shared name of the instance leads to no object, or an object cannot be created.
    pub(crate) fn find_locks(
        &self,
        engine: &Engine,
        instance: &Instance<M>,
    ) -> Result<Vec<LockUse<M>>, CodeError> {
        let program = self.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        let mut locks = Vec::with_capacity(template.shared.len());
        for (slot_idx, shared_use) in layout.shared.clone().zip(&template.shared) {
            let name = &template.slots[slot_idx].name;
            let missing = || CodeError {
                code: "R0006",
                message: format!("no share line gives `{name}` an object for this instance"),
                at: shared_use.at,
            };
            let mut graph = &instance.graph;
            let (mut source, mut index) =
                bound_object(&shared_use.bindings, instance.index.as_slice(), graph)?.ok_or_else(missing)?;
            // A formal shared object is an object of the caller, or again a formal one there.
            let shared = loop {
                match source {
                    ShareSource::Own(shared) => break shared,
                    ShareSource::Formal(formal) => {
                        let place = graph.call.as_ref().ok_or_else(missing)?;
                        let bindings = &program.plan.call(place.call).bindings[formal];
                        let numbers: Vec<i64> =
                            place.index.as_slice().iter().chain(index.as_slice()).copied().collect();
                        graph = &place.parent;
                        (source, index) = bound_object(bindings, &numbers, graph)?.ok_or_else(missing)?;
                    }
                }
            };
            let create = |index| self.create(engine, graph, shared, index);
            let object = self.registry.object(graph.id, shared, index, create)?;
            locks.push(LockUse { object, access: shared_use.access, slot_idx });
        }
        locks.sort_by(|left, right| lock_order(&left.object).cmp(&lock_order(&right.object)));
        if let Some(pair) = locks.windows(2).find(|pair| pair[0].object.place.id == pair[1].object.place.id) {
            let names = [pair[0].slot_idx, pair[1].slot_idx].map(|slot_idx| &template.slots[slot_idx].name);
            return Err(CodeError {
                code: "R0006",
                message: format!("`{}` and `{}` are one shared object for this instance", names[0], names[1]),
                at: template.at,
            });
        }
        Ok(locks)
    }

    fn create(
        &self,
        engine: &Engine,
        graph: &Arc<GraphInstance>,
        shared: SharedId,
        index: Index,
    ) -> Result<SharedObject<M>, CodeError> {
        let program = self.program;
        let declared = &program.plan.shared[shared.idx()];
        let value = match &declared.init {
            None => default_of(&declared.ty, declared.at)?,
            Some(code) => {
                let names = program.param_names(graph.graph);
                let (params, locals) = (&graph.params, index.as_slice());
                let value = program.constant(code, engine, &names, params, &declared.index_names, locals)?;
                let held = dynamic_from_value(value);
                admit(&held, &declared.ty, "shared object", &declared.name, declared.at)?
            }
        };
        let id = self.instrumentation.object_id(shared, graph.id, &index);
        let (ty, follows_turns) = (declared.ty.clone(), self.replays());
        let place = ObjectPlace { id, shared, graph: Arc::clone(graph), index };
        Ok(SharedObject::new(place, ty, value, follows_turns))
    }
}

/// What the first fitting share line leads to within a graph instance, with the index there.
fn bound_object(
    bindings: &[ShareBinding],
    numbers: &[i64],
    graph: &GraphInstance,
) -> Result<Option<(ShareSource, Index)>, CodeError> {
    for binding in bindings {
        let mut locals = vec![None; binding.pattern.len()];
        if !eval::matches(&binding.pattern, numbers, &graph.params, &mut locals) {
            continue;
        }
        let locals: Vec<i64> = locals.into_iter().map(Option::unwrap_or_default).collect();
        let env = Env { frame: None, locals: &locals, params: &graph.params };
        let index = binding
            .elements
            .iter()
            .map(|element| eval::eval_int(element, &env))
            .collect::<Result<Index, _>>()
            .map_err(|message| CodeError { code: "R0005", message, at: binding.at })?;
        return Ok(Some((binding.object, index)));
    }
    Ok(None)
}
