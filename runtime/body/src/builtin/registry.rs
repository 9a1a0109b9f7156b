//! A module under construction, to be shared by interpreters.

use std::sync::Arc;

use rhai::{FuncRegistration, Module, RhaiNativeFunc, Variant};

use super::direct_function::Direct;

/// A module under construction, with the interpreter's own names for registering.
#[derive(Default)]
pub(super) struct Common {
    module: Module,
    /// Those of its functions that can be called without an interpreter.
    direct: Vec<Direct>,
}

impl Common {
    pub(super) fn register_fn<
        A: 'static,
        const N: usize,
        const X: bool,
        R: Variant + Clone,
        const F: bool,
        Function: RhaiNativeFunc<A, N, X, R, F> + Send + Sync + 'static,
    >(
        &mut self,
        name: &str,
        function: Function,
    ) -> &mut Self {
        let takes = Function::param_types();
        // What `set_into_module` makes of a function that is no getter or setter.
        let function = function.into_rhai_function(true, false);
        if !X {
            self.direct.extend(Direct::new::<R>(name, &takes, &function));
        }
        FuncRegistration::new(name).in_global_namespace().set_into_module_raw(
            &mut self.module,
            takes,
            function,
        );
        self
    }

    pub(super) fn register_get<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        name: &str,
        getter: impl RhaiNativeFunc<A, 1, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_getter(name).set_into_module(&mut self.module, getter);
        self
    }

    pub(super) fn register_indexer_get<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        getter: impl RhaiNativeFunc<A, 2, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_index_getter().set_into_module(&mut self.module, getter);
        self
    }

    pub(super) fn register_indexer_set<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        setter: impl RhaiNativeFunc<A, 3, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_index_setter().set_into_module(&mut self.module, setter);
        self
    }

    pub(super) fn register_type_with_name<T: 'static>(&mut self, name: &str) -> &mut Self {
        self.module.set_custom_type::<T>(name);
        self
    }

    pub(super) fn register_iterator<T>(&mut self) -> &mut Self
    where
        T: Variant + Clone + IntoIterator,
        T::Item: Variant + Clone,
    {
        self.module.set_iterable::<T>();
        self
    }

    /// Returns the module, and the functions that can be called without an interpreter.
    pub(super) fn finish(mut self) -> (Arc<Module>, Vec<Direct>) {
        self.module.build_index();
        (Arc::new(self.module), self.direct)
    }
}
