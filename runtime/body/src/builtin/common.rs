//! What all interpreters of the process share: the functions that depend on no run.
//!
//! Each worker of each run has an interpreter of its own. To register some hundred functions takes longer than many a
//! small run, so that those without a context are registered once, into modules that the interpreters share.

use std::sync::{Arc, LazyLock};

use rhai::packages::{
    BasicArrayPackage, BasicBlobPackage, BasicMapPackage, BasicMathPackage, BitFieldPackage, CorePackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult, FuncRegistration, Module, RhaiNativeFunc, Variant};

use super::direct::Direct;
use super::{conversion, entries, factor, grid, image, json, market, matrix, number, table, text, vector};

/// A module under construction, with the interpreter's own names for registering.
#[derive(Default)]
pub(super) struct Common(Module, Vec<Direct>);

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
            self.1.extend(Direct::new::<R>(name, &takes, &function));
        }
        FuncRegistration::new(name).in_global_namespace().set_into_module_raw(&mut self.0, takes, function);
        self
    }

    pub(super) fn register_get<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        name: &str,
        getter: impl RhaiNativeFunc<A, 1, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_getter(name).set_into_module(&mut self.0, getter);
        self
    }

    pub(super) fn register_indexer_get<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        getter: impl RhaiNativeFunc<A, 2, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_index_getter().set_into_module(&mut self.0, getter);
        self
    }

    pub(super) fn register_indexer_set<A: 'static, const X: bool, R: Variant + Clone, const F: bool>(
        &mut self,
        setter: impl RhaiNativeFunc<A, 3, X, R, F> + Send + Sync + 'static,
    ) -> &mut Self {
        FuncRegistration::new_index_setter().set_into_module(&mut self.0, setter);
        self
    }

    pub(super) fn register_type_with_name<T: 'static>(&mut self, name: &str) -> &mut Self {
        self.0.set_custom_type::<T>(name);
        self
    }

    pub(super) fn register_iterator<T>(&mut self) -> &mut Self
    where
        T: Variant + Clone + IntoIterator,
        T::Item: Variant + Clone,
    {
        self.0.set_iterable::<T>();
        self
    }
}

/// The interpreter's own functions.
#[derive(Default)]
struct Packages {
    core: CorePackage,
    bits: BitFieldPackage,
    logic: LogicPackage,
    math: BasicMathPackage,
    array: BasicArrayPackage,
    blob: BasicBlobPackage,
    map: BasicMapPackage,
    string: MoreStringPackage,
}

static PACKAGES: LazyLock<Packages> = LazyLock::new(Packages::default);

static OURS: LazyLock<(Arc<Module>, Vec<Direct>)> = LazyLock::new(|| {
    let mut common = Common::default();
    number::register(&mut common);
    text::register(&mut common);
    conversion::register(&mut common);
    vector::register(&mut common);
    matrix::register(&mut common);
    entries::register(&mut common);
    factor::register(&mut common);
    grid::register(&mut common);
    market::register(&mut common);
    table::register(&mut common);
    json::register(&mut common);
    image::register(&mut common);
    // A sleeping body would hold its worker, and no record could show why it waited.
    let refuse = || -> Result<Dynamic, Box<EvalAltResult>> { Err("a body may not sleep".into()) };
    common.register_fn("sleep", move |_: i64| refuse()).register_fn("sleep", move |_: f64| refuse());
    common.0.build_index();
    (Arc::new(common.0), common.1)
});

/// Our functions that work on numbers, truth values, vectors, matrices and arrays alone.
pub(super) fn direct() -> &'static [Direct] {
    &OURS.1
}

/// Gives an interpreter all that is shared. Of two functions with the same name and types ours is called.
pub(super) fn share(engine: &mut Engine) {
    let packages = &*PACKAGES;
    packages.core.register_into_engine(engine);
    packages.bits.register_into_engine(engine);
    packages.logic.register_into_engine(engine);
    packages.math.register_into_engine(engine);
    packages.array.register_into_engine(engine);
    packages.blob.register_into_engine(engine);
    packages.map.register_into_engine(engine);
    packages.string.register_into_engine(engine);
    engine.register_global_module(Arc::clone(&OURS.0));
}
