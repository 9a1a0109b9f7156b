//! What all interpreters of the process share: the functions that depend on no run.
//!
//! Each worker of each run has an interpreter of its own. To register some hundred functions takes longer than many a
//! small run, so that those without a context are registered once, into modules that the interpreters share.

use std::sync::{Arc, LazyLock};

use rhai::packages::{
    BasicArrayPackage, BasicBlobPackage, BasicMapPackage, BasicMathPackage, BitFieldPackage, CorePackage,
    LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult, Module};

use super::direct_function::Direct;
use super::registry::Common;
use super::{
    calendar, conversion, entries, factor, grid, image, json, market, matrix, number, pattern, table, text,
    vector,
};

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
    pattern::register(&mut common);
    calendar::register(&mut common);
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
    common.finish()
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
