//! Initialization of an instance, before its first firing rule is looked at: vars, `init`, and the
//! shared objects that it reaches.

use hasse_model::id::Index;
use hasse_model::plan::Code;
use rhai::Dynamic;

use crate::body::convert::dynamic_from_value;
use crate::body::edge::admit;
use crate::body::script::{self, CodeError};
use crate::effects::EffectSource;
use crate::eval::{self, Env};
use crate::instance::{Core, Instance, LockUse, lock_order};
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::scheduler::Scheduler;
use crate::shared::Object;
use crate::worker::{Ready, Worker};

impl<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'_, '_, M, K, S> {
    /// Gives the vars their first values, runs `init` and finds the shared objects.
    pub(crate) fn initialize(
        &mut self,
        instance: &Instance<M, K>,
        core: &mut Core<M, K>,
    ) -> Result<(), CodeError> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        self.context.lock().begin(EffectSource::World, 0);
        for slot_idx in layout.vars.clone() {
            let ty = &template.slots[slot_idx].ty;
            self.frame.set(slot_idx, dynamic_from_value(ty.default_value()));
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
        core.locks = self.find_locks(instance)?;
        core.vars = vec![Dynamic::UNIT; layout.vars.len()].into();
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
                let env = Env { frame: Some(&self.frame), locals: &[], params: &program.params };
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

    /// The shared objects that an instance reaches, in canonical lock order.
    fn find_locks(&mut self, instance: &Instance<M, K>) -> Result<Vec<LockUse<M, K>>, CodeError> {
        let program = self.session.program;
        let template = program.plan.template(instance.template);
        let layout = &program.layouts[instance.template.idx()];
        let mut locks = Vec::with_capacity(template.shared.len());
        for (slot_idx, shared_use) in layout.shared.clone().zip(&template.shared) {
            let name = &template.slots[slot_idx].name;
            let mut numbers = Vec::new();
            let binding = shared_use.bindings.iter().find(|binding| {
                let mut locals = vec![None; binding.pattern.len()];
                let fits =
                    eval::matches(&binding.pattern, instance.index.as_slice(), &program.params, &mut locals);
                numbers = locals.into_iter().map(Option::unwrap_or_default).collect();
                fits
            });
            let binding = binding.ok_or_else(|| CodeError {
                code: "R0006",
                message: format!("no share line gives `{name}` an object for this instance"),
                at: shared_use.at,
            })?;
            let env = Env { frame: None, locals: &numbers, params: &program.params };
            let index = binding
                .elements
                .iter()
                .map(|element| eval::eval_int(element, &env))
                .collect::<Result<Index, _>>()
                .map_err(|message| CodeError { code: "R0005", message, at: binding.at })?;
            let object = self
                .session
                .registry
                .object(binding.shared, index, |index| self.create(binding.shared, index))?;
            locks.push(LockUse { object, access: shared_use.access, slot_idx });
        }
        locks.sort_by(|left, right| lock_order(&left.object).cmp(&lock_order(&right.object)));
        if let Some(pair) = locks.windows(2).find(|pair| pair[0].object.id == pair[1].object.id) {
            let names = [pair[0].slot_idx, pair[1].slot_idx].map(|slot_idx| &template.slots[slot_idx].name);
            return Err(CodeError {
                code: "R0006",
                message: format!("`{}` and `{}` are one shared object for this instance", names[0], names[1]),
                at: template.at,
            });
        }
        Ok(locks)
    }

    fn create(&self, shared: hasse_model::id::SharedId, index: Index) -> Result<Object<M, K>, CodeError> {
        let program = self.session.program;
        let declared = &program.plan.shared[shared.idx()];
        let value = match &declared.init {
            None => declared.ty.default_value(),
            Some(code) => {
                let names: Vec<_> = program.plan.params.iter().map(|param| param.name.as_str()).collect();
                let locals = index.as_slice();
                let value = program.constant(
                    code,
                    &self.engine,
                    &names,
                    &program.params,
                    &declared.index_names,
                    locals,
                )?;
                let held = dynamic_from_value(value);
                admit(&held, &declared.ty, "shared object", &declared.name, declared.at)?
            }
        };
        let id = self.session.instrumentation.object_id(shared, &index);
        Ok(Object::new(id, shared, index, declared.ty.clone(), value))
    }
}
