//! The second tier: machine code, made by Cranelift.
//!
//! The invariant that all `unsafe` in this package leans on: machine code is made of routines that were verified only, and
//! touches nothing but the words, of which there are as many as the routine has inputs and outputs, or the cells of a table in the rows
//! that it runs, the first fields of its context, the views, of which there is one for each object, the entries that a view describes, within its sizes,
//! and its own stack, which is bounded. All else it leaves to helpers.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use cranelift_codegen::Context as Compilation;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use hasse_model::plan::routine::{Function, MAX_CALL_LEVELS, Routine};
use hasse_model::value::Value;

use crate::compute::{Budget, resized};
use crate::context::Context;
use crate::effects::Sink;
use crate::journal::Journal;
use crate::links::Links;
use crate::route::Route;
use crate::run::{Ended, Scratch};
use crate::table::{Table, Track};
use crate::view::View;
use form::{DONE, Form, GAVE_UP, Parts, type_of};

/// Forms of functions.
mod form;
/// A function of a routine, operation by operation.
mod function;

/// Runs one after another.
mod rows;

/// Operations on scalars.
mod scalar;

/// Operations on objects.
mod object;

/// Routines with more operations stay with the evaluator: they take too long to compile.
const MOST_OPS: usize = 20_000;

/// So do those where operations times registers, over all functions, are more: what takes long are many values that are
/// needed across many operations.
const MOST_WORK: usize = 1 << 21;

/// Most bytes of stack that a routine may take with its calls nested as deep as they may be.
const MOST_STACK: u64 = 256 << 10;

/// The first function of a routine as machine code.
type Entry = unsafe extern "C" fn(*mut u64, *mut Context) -> u32;

/// The same in a loop of its own: cells, tracks that are taken and that are given, the first row, and the one behind the last.
type RowsEntry =
    unsafe extern "C" fn(*const Cell<i64>, *const Track, *const Track, usize, usize, *mut Context) -> u32;

/// Machine code of a routine.
pub(crate) struct Code {
    /// Where it begins. Invariant: it stands in the memory that is held, and is called by [`Code::run`] only.
    entry: Entry,
    /// Where it begins for many runs, if it is one of scalars alone. Invariant: as before, with [`Code::run_rows`].
    rows: Option<RowsEntry>,
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

    /// Runs the routine, for this row where the run is one of many. There must be as many words and objects as it has; the links are its
    /// own.
    #[inline]
    pub(crate) fn run(
        &self,
        routine: &Routine,
        links: &Links,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        (stop, row, mut effects): (&AtomicBool, usize, Sink<'_>),
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
            views: scratch.views.as_mut_ptr(),
            objects: objects.as_mut_ptr(),
            n_objects: objects.len(),
            journal: &mut scratch.journal,
            tasks: links.tasks.as_ptr(),
            n_tasks: links.tasks.len(),
            library: links.library.as_ptr(),
            n_library: links.library.len(),
            budget: &mut scratch.budget,
            // It is looked at during the call alone.
            effects: ptr::from_mut(&mut effects).cast(),
            row,
            ..Context::of_scalars(routine, links, stop)
        };
        // SAFETY: the code belongs to a verified routine with these links, words and objects; the pointers are those of
        // borrows that last beyond the call and are not used during it.
        let ended = ended(unsafe { (self.entry)(words.as_mut_ptr(), &mut context) });
        if !objects.is_empty() {
            match ended {
                Ended::Done => scratch.end_run(),
                Ended::GaveUp | Ended::Interrupted => scratch.journal.take_back(objects),
            }
        }
        ended
    }

    /// Runs the routine for rows of a table, up to one that does not come to its end: the row behind the last one that has, and how
    /// that one ended. `None` where the routine is not of scalars alone. The links must be its own.
    ///
    /// # Panics
    /// If the table has another number of tracks than the routine has inputs and outputs, or a track leaves the cells.
    #[inline]
    pub(crate) fn run_rows(
        &self,
        routine: &Routine,
        links: &Links,
        table: &Table<'_>,
        rows: Range<usize>,
        (stop, mut effects): (&AtomicBool, Sink<'_>),
    ) -> Option<(usize, Ended)> {
        let entry = self.rows?;
        if rows.is_empty() {
            return Some((rows.start, Ended::Done));
        }
        let Table { cells, takes, gives } = table;
        assert_eq!(takes.len(), routine.inputs.len(), "there is one track for each input");
        assert_eq!(gives.len(), routine.outputs.len(), "there is one track for each output");
        let last = |track: &Track| track.start.saturating_add(track.step.saturating_mul(rows.end - 1));
        let are_within = |tracks: &[Track]| tracks.iter().all(|track| last(track) < cells.len());
        let are_within = are_within(takes) && are_within(gives);
        assert!(are_within, "a track does not leave the cells");
        let mut context = Context { row: rows.start, ..Context::of_scalars(routine, links, stop) };
        let (mut journal, mut budget) = (Journal::default(), Budget::default());
        if effects.is_some() {
            context = Context {
                views: NonNull::dangling().as_ptr(),
                objects: NonNull::dangling().as_ptr(),
                journal: &mut journal,
                tasks: links.tasks.as_ptr(),
                n_tasks: links.tasks.len(),
                library: links.library.as_ptr(),
                n_library: links.library.len(),
                budget: &mut budget,
                // It is looked at during the call alone.
                effects: ptr::from_mut(&mut effects).cast(),
                ..context
            };
        }
        let (takes, gives) = (takes.as_ptr(), gives.as_ptr());
        // SAFETY: the code belongs to a verified routine with these links, which has no objects, so that nothing looks at what is dangling, and
        // gives up at its computations where they are null. It reads as many tracks as there are, and reads and writes cells in these rows alone, which were seen to
        // be there; cells may be written while they are borrowed.
        let status = unsafe { entry(cells.as_ptr(), takes, gives, rows.start, rows.end, &mut context) };
        Some((context.row, ended(status)))
    }
}

/// How a run has ended, by what machine code says.
fn ended(status: u32) -> Ended {
    match i64::from(status) {
        DONE => Ended::Done,
        GAVE_UP => Ended::GaveUp,
        _ => Ended::Interrupted,
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
    let of_function = |(function_idx, function): (usize, &Function)| match function_idx {
        0 => (Form::Run, entry_signature(isa.default_call_conv(), 1)),
        _ => (Form::Function, signature(function)),
    };
    let mut forms: Vec<_> = routine.functions.iter().enumerate().map(of_function).collect();
    if is_of_scalars(routine) {
        forms.push((Form::Rows, entry_signature(isa.default_call_conv(), 5)));
    }
    let ids: Option<Vec<FuncId>> =
        forms.iter().map(|(_, signature)| module.declare_anonymous_function(signature).ok()).collect();
    let ids = ids?;
    let mut compilation = module.make_context();
    let mut memory = FunctionBuilderContext::new();
    let mut most_frame = 0;
    let is_resized = resized(routine);
    for (form_idx, (form, signature)) in forms.into_iter().enumerate() {
        compilation.func.signature = signature;
        let function_idx = if form == Form::Rows { 0 } else { form_idx };
        let parts = Parts { routine, routes, is_resized: &is_resized, ids: &ids, function_idx, form };
        function::translate(&parts, module, &mut compilation, &mut memory)?;
        module.define_function(ids[form_idx], &mut compilation).ok()?;
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
    let rows = ids.get(routine.functions.len()).map(|&id| module.get_finalized_function(id));
    // SAFETY: as before, with that of `RowsEntry`.
    let rows = rows.map(|rows| unsafe { std::mem::transmute::<*const u8, RowsEntry>(rows) });
    Some(Code { entry, rows, _held: held })
}

/// Returns true if runs of the routine may be rows of a table.
fn is_of_scalars(routine: &Routine) -> bool {
    // A row gives up where it comes to a computation, such as the printing of a line.
    routine.n_objects() == 0
}

/// That many pointers and numbers, and the context, to status.
fn entry_signature(call_conv: CallConv, n_words: usize) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend(vec![AbiParam::new(types::I64); n_words + 1]);
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

/// Bytes of stack that the compiled function takes, with some to spare for what the caller puts there.
fn frame_size(compilation: &Compilation) -> Option<u64> {
    let code = compilation.compiled_code()?;
    let frame = code.buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset);
    let arguments = 16 * compilation.func.signature.params.len() as u64;
    Some(u64::from(frame) + arguments + 64)
}
