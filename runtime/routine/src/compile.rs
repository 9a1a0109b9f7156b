//! The second tier: machine code, made by Cranelift.
//!
//! The invariant that all `unsafe` in this package leans on: machine code is made of routines that were verified only, and
//! touches nothing but the words, of which there are as many as the routine has inputs and outputs, the first fields of its
//! context, the views, of which there is one for each object, the entries that a view describes, within its sizes,
//! and its own stack, which is bounded. All else it leaves to helpers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use cranelift_codegen::Context as Compilation;
use cranelift_codegen::ir::{AbiParam, Signature, Type, types};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use hasse_model::plan::routine::{Function, Kind, MAX_CALL_LEVELS, Routine};
use hasse_model::value::Value;

use crate::compute::resized;
use crate::context::{Context, View};
use crate::machine::{Ended, Links, Scratch};
use crate::route::Route;

/// A function of a routine, operation by operation.
mod function;

/// Operations on scalars.
mod scalar;

/// Operations on objects.
mod object;

/// What machine code says when it has come to the end.
const DONE: i64 = 0;
/// What it says when it gives up.
const GAVE_UP: i64 = 1;
/// What it says when it found the flag set.
const INTERRUPTED: i64 = 2;

/// Routines with more operations stay with the evaluator: they take too long to compile.
const MOST_OPS: usize = 20_000;

/// So do those where operations times registers, over all functions, are more: what takes long are many values that are
/// needed across many operations.
const MOST_WORK: usize = 1 << 21;

/// Most bytes of stack that a routine may take with its calls nested as deep as they may be.
const MOST_STACK: u64 = 256 << 10;

/// The first function of a routine as machine code.
type Entry = unsafe extern "C" fn(*mut u64, *mut Context) -> u32;

/// Machine code of a routine.
pub(crate) struct Code {
    /// Where it begins. Invariant: it stands in the memory that is held, and is called by [`Code::run`] only.
    entry: Entry,
    /// What holds it.
    _held: Held,
}

/// The memory of machine code, which is given back when this is dropped.
struct Held(Option<JITModule>);

// SAFETY: The module is not looked at until it is dropped: what is shared is the code alone, which nobody writes.
unsafe impl Sync for Held {}
// SAFETY: The module is moved to be kept and to be dropped, and consists of memory that belongs to no thread.
unsafe impl Send for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: what runs machine code borrows it, so that nobody does; and the only pointer to it goes with it.
            unsafe { module.free_memory() };
        }
    }
}

impl Code {
    /// Compiles a verified routine; `None` where that cannot be.
    pub(crate) fn of(routine: &Routine, routes: &[Route]) -> Option<Self> {
        let n_ops: usize = routine.functions.iter().map(|function| function.ops.len()).sum();
        let work = |function: &Function| function.ops.len().saturating_mul(function.kinds.len());
        let work = routine.functions.iter().map(work).fold(0, usize::saturating_add);
        if n_ops > MOST_OPS || work > MOST_WORK || cfg!(miri) {
            return None;
        }
        catch_unwind(AssertUnwindSafe(|| compile(routine, routes))).ok().flatten()
    }

    /// Runs the routine. There must be as many words and objects as it has; the links are its own.
    #[inline]
    pub(crate) fn run(
        &self,
        routine: &Routine,
        links: &Links,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> Ended {
        if !objects.is_empty() {
            scratch.views.clear();
            for (object, declared) in objects.iter().zip(&routine.objects) {
                let Some(view) = View::of(object, &declared.ty) else { return Ended::GaveUp };
                scratch.views.push(view);
            }
            scratch.views.resize_with(objects.len(), View::of_nothing);
            scratch.journal.begin(routine.objects.len(), routine.own_objects.len());
        }
        let mut context = Context {
            stop,
            views: scratch.views.as_mut_ptr(),
            result: 0,
            objects: objects.as_mut_ptr(),
            n_objects: objects.len(),
            journal: &mut scratch.journal,
            routes: links.routes.as_ptr(),
            n_routes: links.routes.len(),
            natives: links.natives.as_ptr(),
            n_natives: links.natives.len(),
            routine,
            tasks: links.tasks.as_ptr(),
            n_tasks: links.tasks.len(),
            library: links.library.as_ptr(),
            n_library: links.library.len(),
            budget: &mut scratch.budget,
        };
        // SAFETY: the code belongs to a verified routine with these links, words and objects; the pointers are those of
        // borrows that last beyond the call and are not used during it.
        let ended = unsafe { self.enter(words, &mut context) };
        if !objects.is_empty() {
            match ended {
                Ended::Done => scratch.journal.forget(),
                Ended::GaveUp | Ended::Interrupted => scratch.journal.take_back(objects),
            }
        }
        ended
    }
}

impl Code {
    /// # Safety
    /// There must be as many words as the routine has, and the context must be one for it.
    #[inline(always)]
    unsafe fn enter(&self, words: &mut [u64], context: &mut Context) -> Ended {
        // SAFETY: the caller says so.
        match i64::from(unsafe { (self.entry)(words.as_mut_ptr(), context) }) {
            DONE => Ended::Done,
            GAVE_UP => Ended::GaveUp,
            _ => Ended::Interrupted,
        }
    }
}

/// Runs of a routine without objects and computations, one after another. What they need but for their words is made ready once.
pub(crate) struct CodeSeries<'a> {
    code: &'a Code,
    n_words: usize,
    /// Invariant: as for a single run, where what belongs to objects and computations is null: nothing in the routine leads there. The
    /// flag and the links are borrowed for `'a`.
    context: Context,
}

impl<'a> CodeSeries<'a> {
    /// `None` where the routine has objects or computations.
    pub(crate) fn new(
        code: &'a Code,
        routine: &'a Routine,
        links: &'a Links,
        stop: &'a AtomicBool,
    ) -> Option<Self> {
        if routine.n_objects() > 0 || !routine.computations.is_empty() {
            return None;
        }
        let context = Context {
            stop,
            views: std::ptr::null_mut(),
            result: 0,
            objects: std::ptr::null_mut(),
            n_objects: 0,
            journal: std::ptr::null_mut(),
            routes: links.routes.as_ptr(),
            n_routes: links.routes.len(),
            natives: links.natives.as_ptr(),
            n_natives: links.natives.len(),
            routine,
            tasks: std::ptr::null(),
            n_tasks: 0,
            library: std::ptr::null(),
            n_library: 0,
            budget: std::ptr::null_mut(),
        };
        Some(Self { code, n_words: routine.inputs.len() + routine.outputs.len(), context })
    }

    /// Runs it once more.
    ///
    /// # Panics
    /// If there are not as many words as the routine has.
    #[inline(always)]
    pub(crate) fn run(&mut self, words: &mut [u64]) -> Ended {
        assert_eq!(words.len(), self.n_words, "there is one word for each input and each output");
        // SAFETY: the code belongs to the verified routine of that many words, and the context is one for it: a path leads into an
        // object, of which there are none, and so no helper looks at what is null.
        unsafe { self.code.enter(words, &mut self.context) }
    }
}

/// The instruction set of this machine; `None` where Cranelift has none for it.
fn isa() -> Option<&'static OwnedTargetIsa> {
    static ISA: OnceLock<Option<OwnedTargetIsa>> = OnceLock::new();
    ISA.get_or_init(|| {
        let mut flags = settings::builder();
        let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
        for (flag, value) in [
            ("opt_level", "speed"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("enable_verifier", verifier),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ] {
            flags.set(flag, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        (isa.pointer_type() == types::I64).then_some(isa)
    })
    .as_ref()
}

fn compile(routine: &Routine, routes: &[Route]) -> Option<Code> {
    let isa = isa()?;
    let builder = JITBuilder::with_isa(isa.clone(), default_libcall_names());
    let mut held = Held(Some(JITModule::new(builder)));
    let module = held.0.as_mut()?;
    let mut signatures = Vec::new();
    let mut ids = Vec::new();
    for (function_idx, function) in routine.functions.iter().enumerate() {
        let signature =
            if function_idx == 0 { entry_signature(isa.default_call_conv()) } else { signature(function) };
        ids.push(module.declare_anonymous_function(&signature).ok()?);
        signatures.push(signature);
    }
    let mut compilation = module.make_context();
    let mut memory = FunctionBuilderContext::new();
    let mut most_frame = 0;
    let is_resized = resized(routine);
    for (function_idx, signature) in signatures.into_iter().enumerate() {
        compilation.func.signature = signature;
        let parts = Parts { routine, routes, is_resized: &is_resized, ids: &ids, function_idx };
        function::translate(&parts, module, &mut compilation, &mut memory)?;
        module.define_function(ids[function_idx], &mut compilation).ok()?;
        most_frame = most_frame.max(frame_size(&compilation)?);
        module.clear_context(&mut compilation);
    }
    let n_levels = if routine.functions.len() > 1 { u64::from(MAX_CALL_LEVELS) + 1 } else { 1 };
    if most_frame * n_levels > MOST_STACK {
        return None;
    }
    module.finalize_definitions().ok()?;
    let entry = module.get_finalized_function(ids[0]);
    // SAFETY: the function was compiled with the signature of `Entry`, in the calling convention of `extern "C"`.
    let entry = unsafe { std::mem::transmute::<*const u8, Entry>(entry) };
    Some(Code { entry, _held: held })
}

/// What the translation of a function looks up.
struct Parts<'a> {
    routine: &'a Routine,
    routes: &'a [Route],
    /// For each object whether its size may change during a run.
    is_resized: &'a [bool],
    /// The functions' names in the module.
    ids: &'a [FuncId],
    /// The one that is translated.
    function_idx: usize,
}

/// Words and context to status.
fn entry_signature(call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend([AbiParam::new(types::I64), AbiParam::new(types::I64)]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Context, number of calls that wait, and parameters to status and value.
fn signature(function: &Function) -> Signature {
    let mut signature = Signature::new(CallConv::Fast);
    signature.params.extend([AbiParam::new(types::I64), AbiParam::new(types::I32)]);
    signature
        .params
        .extend(function.kinds[..function.n_params].iter().map(|&kind| AbiParam::new(type_of(kind))));
    signature.returns.push(AbiParam::new(types::I32));
    signature.returns.extend(function.gives.map(|kind| AbiParam::new(type_of(kind))));
    signature
}

/// What a register of that kind is in machine code.
fn type_of(kind: Kind) -> Type {
    match kind {
        Kind::Int => types::I64,
        Kind::Real => types::F64,
        Kind::Bool => types::I8,
    }
}

/// Bytes of stack that the compiled function takes, with some to spare for what the caller puts there.
fn frame_size(compilation: &Compilation) -> Option<u64> {
    let code = compilation.compiled_code()?;
    let frame = code.buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset);
    let arguments = 16 * compilation.func.signature.params.len() as u64;
    Some(u64::from(frame) + arguments + 64)
}
