//! What the names of a template stand for while the lane serves an instance of it without the interpreter.

use std::ops::Range;

use hasse_body::convert::value_from_dynamic;
use hasse_body::natives::{put, put_int};
use hasse_code::graph::GraphInstance;
use hasse_code::layout::Layout;
use hasse_model::id::GraphInstanceId;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::{Instance, Vars};

/// Values by slot.
pub(crate) struct Names {
    pub(crate) values: Vec<Value>,
    /// The graph instance whose parameters stand in the slots.
    params_of: Option<GraphInstanceId>,
}

impl Names {
    /// For a template, with extras after its slots.
    pub(crate) fn of(layout: &Layout, extras: &[Value]) -> Self {
        let mut values = vec![Value::Unit; layout.names.len()];
        values.extend_from_slice(extras);
        Self { values, params_of: None }
    }

    /// Makes them those of an instance, and takes its vars. `None` where a parameter or a var is no value of the program
    /// language.
    #[inline]
    pub(crate) fn load<M: Instrumentation>(
        &mut self,
        layout: &Layout,
        instance: &Instance<M>,
        vars: &mut Vars,
    ) -> Option<()> {
        if self.params_of != Some(instance.graph.id) {
            self.params_of = None;
            for (slot_idx, held) in layout.params.clone().zip(&instance.graph.params) {
                self.values[slot_idx] = value_from_dynamic(held).ok()?;
            }
            self.params_of = Some(instance.graph.id);
        }
        if !layout.indices.is_empty() {
            for (slot_idx, &number) in layout.indices.clone().zip(instance.index.as_slice()) {
                put_int(&mut self.values[slot_idx], number);
            }
        }
        if layout.vars.is_empty() {
            return Some(());
        }
        if let Vars::Held(held) = vars {
            let values = held.iter().map(value_from_dynamic).collect::<Result<_, _>>().ok()?;
            *vars = Vars::Values(values);
        }
        self.swap_vars(layout, vars);
        Some(())
    }

    /// Whether the parameters of a graph instance stand in the slots.
    #[inline]
    pub(crate) fn has_params_of(&self, graph: &GraphInstance) -> bool {
        self.params_of == Some(graph.id)
    }

    /// Gives the vars back, or takes them.
    #[inline]
    pub(crate) fn swap_vars(&mut self, layout: &Layout, vars: &mut Vars) {
        if !layout.vars.is_empty()
            && let Vars::Values(vars) = vars
        {
            self.values[layout.vars.clone()].swap_with_slice(vars);
        }
    }

    /// Empties slots.
    #[inline]
    pub(crate) fn clear(&mut self, slots: Range<usize>) {
        self.values[slots].iter_mut().for_each(|value| put(value, Value::Unit));
    }
}
