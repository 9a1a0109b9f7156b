//! Rhai scripts: the interpreter's set-up, compilation, and errors at places of the program file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hasse_model::function::FunctionTable;
use hasse_model::name::begins_name;
use hasse_model::plan::{Script, ScriptKind};
use hasse_model::value::StructTable;
use rhai::{AST, Dynamic, Engine, EvalAltResult, Scope};

use crate::code_error::place;
pub use crate::code_error::{CodeError, ScriptEnd};
use crate::effects::SharedContext;
use crate::interrupt::StopSignal;
use crate::waiting::WAITING;
use crate::{builtin, memory, object, out_of_band, part};

/// How deep calls of script functions may nest; a worker's stack is sized for it.
const MAX_CALL_LEVELS: usize = 64;
/// How deep expressions may nest, as the compiler checks it.
const MAX_EXPR_DEPTH: usize = 64;

/// Makes an interpreter with all functions that a body may call, for one worker. A running script ends
/// when `stop` is set.
pub fn engine(context: &SharedContext, stop: &StopSignal, types: &Arc<StructTable>) -> Engine {
    let mut engine = Engine::new_raw();
    engine.disable_symbol("eval");
    engine.set_max_call_levels(MAX_CALL_LEVELS);
    engine.set_max_expr_depths(MAX_EXPR_DEPTH, MAX_EXPR_DEPTH);
    engine.set_fast_operators(true);
    builtin::register(&mut engine, context);
    object::register(&mut engine, types);
    part::register(&mut engine);
    let stop = stop.clone();
    engine.on_progress(move |_| match memory::excess().or_else(out_of_band::excess) {
        None => stop.is_set().then_some(Dynamic::UNIT),
        excess => excess,
    });
    engine
}

/// Functions that the interpreter registers and programs may not call.
pub const NOT_FOR_PROGRAMS: &[&str] = &["debug", "back_trace", "get_fn_metadata_list"];

/// The functions that a program may call, for the compiler.
pub fn functions() -> FunctionTable {
    let engine = engine(&SharedContext::default(), &StopSignal::default(), &Arc::default());
    let mut table = FunctionTable::default();
    let facts = engine.collect_fn_metadata(
        None,
        |info| Some((info.metadata.name.to_string(), info.metadata.num_params)),
        true,
    );
    for (name, n_params) in facts {
        // Getters, setters and the like have names with a `$`.
        let is_callable = !name.contains('$') && name.chars().next().is_some_and(begins_name);
        if is_callable && !NOT_FOR_PROGRAMS.contains(&name.as_str()) {
            table.add(&name, n_params, builtin::IN_BODY_ONLY.contains(&name.as_str()));
        }
    }
    table.add("print", 1, true);
    WAITING.iter().for_each(|name| table.note_waiting(name));
    builtin::direct::tell(&mut table);
    builtin::question::tell(&mut table);
    table
}

/// Compiles a script.
///
/// # Errors
/// R0001: the interpreter cannot parse it.
pub fn compile(engine: &Engine, script: &Script) -> Result<AST, CodeError> {
    let compiled = match script.kind {
        ScriptKind::Body | ScriptKind::Init => engine.compile(&script.text),
        ScriptKind::Expression => engine.compile_expression(&script.text),
    };
    compiled.map_err(|error| CodeError {
        code: "R0001",
        message: error.0.to_string(),
        at: place(script, error.1),
    })
}

/// Runs a script to its end and returns the value of its last expression.
///
/// # Errors
/// The script failed or was interrupted.
pub fn eval(engine: &Engine, ast: &AST, script: &Script, scope: &mut Scope) -> Result<Dynamic, ScriptEnd> {
    memory::begin_script();
    // A native function that panics is an error of this event, not the end of the worker.
    let ended = catch_unwind(AssertUnwindSafe(|| engine.eval_ast_with_scope::<Dynamic>(scope, ast)));
    match ended {
        Ok(Ok(value)) => Ok(value.flatten()),
        Ok(Err(error)) => Err(script_end(script, *error)),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_default();
            let message = format!("a native function panicked: {text}");
            Err(ScriptEnd::Failed(CodeError { code: "R0001", message, at: script.at }))
        }
    }
}

fn script_end(script: &Script, mut error: EvalAltResult) -> ScriptEnd {
    let inner = error.unwrap_inner();
    let code = match inner {
        EvalAltResult::ErrorTerminated(token, position) if token.is_string() => {
            let error = CodeError { code: "R0010", message: token.to_string(), at: place(script, *position) };
            return ScriptEnd::Failed(error);
        }
        EvalAltResult::ErrorTerminated(token, _) if token.is_bool() => return ScriptEnd::Waits,
        EvalAltResult::ErrorTerminated(..) => return ScriptEnd::Interrupted,
        EvalAltResult::ErrorSystem(_, error) if error.is::<builtin::Denied>() => "R0011",
        _ => "R0001",
    };
    let inner_position = inner.position();
    let position = if inner_position.is_none() { error.position() } else { inner_position };
    error.clear_position();
    let message = match error.unwrap_inner() {
        EvalAltResult::ErrorFunctionNotFound(call, _) => crate::misuse::message(call),
        _ => error.to_string(),
    };
    ScriptEnd::Failed(CodeError { code, message, at: place(script, position) })
}
