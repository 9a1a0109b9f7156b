//! The interpreter of conditions: Rhai with its functions for numbers, texts, arrays and maps, and with limits.

use std::sync::LazyLock;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicBlobPackage, BasicFnPackage, BasicIteratorPackage,
    BasicMapPackage, BasicMathPackage, BasicStringPackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Engine, OptimizationLevel};

/// Most operations of the interpreter for one evaluation.
const MOST_OPERATIONS: u64 = 100_000;
/// Most items of an array or map, and characters of a text, that a condition may make.
const MOST_ITEMS: usize = 1_000_000;
/// Most levels of an expression.
const MOST_LEVELS: usize = 64;

/// The interpreter: what bodies know of files, time and waiting, it does not. Making one takes milliseconds, and it is
/// never changed: all conditions share it.
pub(super) static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicFnPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicBlobPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    engine.disable_symbol("eval").disable_symbol("print").disable_symbol("debug");
    engine.set_strict_variables(true);
    engine.set_fail_on_invalid_map_property(true);
    // Reading a condition evaluates nothing of it.
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_max_operations(MOST_OPERATIONS);
    engine.set_max_expr_depths(MOST_LEVELS, MOST_LEVELS);
    engine.set_max_call_levels(MOST_LEVELS);
    engine.set_max_array_size(MOST_ITEMS).set_max_map_size(MOST_ITEMS).set_max_string_size(MOST_ITEMS);
    engine
});
