//! The scope of a worker: names of the instance that it serves or looks at.

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_code::frame::Frame;
use hasse_code::layout::Layout;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::{Core, Instance, Vars};

use crate::fire::worker::Worker;

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Makes the scope that of the instance.
    pub(crate) fn load(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        let program = self.session.program;
        let layout = &program.layouts[instance.template.idx()];
        let frame = self.frames[instance.template.idx()].take();
        let frame = frame.unwrap_or_else(|| Box::new(Frame::new(layout.names.clone())));
        self.no_frame = Some(std::mem::replace(&mut self.frame, frame));
        if self.frame.params_of != Some(instance.graph.id) {
            for (slot_idx, value) in layout.params.clone().zip(&instance.graph.params) {
                self.frame.set(slot_idx, value.clone());
            }
            self.frame.params_of = Some(instance.graph.id);
        }
        for (slot_idx, &number) in layout.indices.clone().zip(instance.index.as_slice()) {
            self.frame.set(slot_idx, rhai::Dynamic::from_int(number));
        }
        self.load_vars(instance, core);
    }

    /// Takes the vars of the instance.
    pub(crate) fn load_vars(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        let layout = &self.session.program.layouts[instance.template.idx()];
        match &mut core.vars {
            Vars::Held(vars) => {
                for (slot_idx, held) in layout.vars.clone().zip(vars) {
                    self.frame.set(slot_idx, std::mem::take(held));
                }
            }
            Vars::Values(vars) => {
                for (slot_idx, value) in layout.vars.clone().zip(vars) {
                    self.frame.set(slot_idx, dynamic_from_value(std::mem::take(value)));
                }
            }
        }
    }

    /// Gives the vars back to the instance.
    pub(crate) fn unload(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        let layout = &self.session.program.layouts[instance.template.idx()];
        if core.is_initialized {
            self.unload_vars(layout, core);
        }
        let no_frame = self.no_frame.take().unwrap_or_else(|| Box::new(Frame::new(Vec::new())));
        self.frames[instance.template.idx()] = Some(std::mem::replace(&mut self.frame, no_frame));
    }

    /// Gives the vars back in the form in which the instance has them.
    fn unload_vars(&mut self, layout: &Layout, core: &mut Core<M>) {
        match &mut core.vars {
            Vars::Held(vars) => {
                for (slot_idx, held) in layout.vars.clone().zip(vars) {
                    *held = self.frame.take(slot_idx);
                }
            }
            Vars::Values(vars) => {
                for (slot_idx, value) in layout.vars.clone().zip(vars) {
                    // What an event leaves in a var is a value, or the event has failed.
                    *value = value_from_dynamic(&self.frame.take(slot_idx)).unwrap_or_default();
                }
            }
        }
    }

    /// Makes the scope that of an instance that is looked at. One that was never served is initialized, as its guards see what
    /// `init` leaves; where `init` fails, the vars have the defaults of their types.
    pub(crate) fn load_to_look(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        self.load(instance, core);
        if core.is_initialized || !core.has_failed && self.initialize(instance, core).is_ok() {
            return;
        }
        // What the scope holds is of another instance.
        let program = self.session.program;
        let slots = &program.plan.template(instance.template).slots;
        for slot_idx in program.layouts[instance.template.idx()].vars.clone() {
            self.frame.set(slot_idx, dynamic_from_value(slots[slot_idx].ty.default_value()));
        }
    }

    /// For the quiescence report: makes the scope that of an instance and lists its waiting rules.
    pub(crate) fn inspect<R>(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        look: impl FnOnce(&mut Self, &mut Core<M>) -> R,
    ) -> R {
        self.collect(instance, core);
        self.load_to_look(instance, core);
        let layout = &self.session.program.layouts[instance.template.idx()];
        self.frame.set(layout.count, rhai::Dynamic::from_int(core.count as i64 + 1));
        let seen = look(self, core);
        self.unload(instance, core);
        seen
    }
}
