//! Bodies in Rust of a program file, compiled by `rustc` to a library of their own and loaded: what `hasse run` and its
//! like do with them. A library is kept by what it is made of, so that it is made once.

/// Libraries that have been made.
mod cache;
/// Faults.
mod fault;
/// What the compiler says, as findings about the program file.
mod messages;
/// Which texts may run.
mod trust;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hasse_guest::{CallError, Library, guest_source};
use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::plan::Plan;
use hasse_runtime::natives::{BodyContext, BodyResult, NativeBody, Natives, TextFailure};

use crate::generate::bodies::{Bodies, imports};
use crate::generate::place;
use cache::{Cache, Workplace};
#[cfg(feature = "editor")]
pub(crate) use fault::CODE;
pub(crate) use fault::RustFault;

/// How bodies are compiled: as Cargo's release profile does, but sums that overflow are errors, as they are everywhere
/// else in a program.
const FLAGS: [&str; 11] = [
    "--edition=2024",
    "--crate-name=hasse_bodies",
    "--crate-type=cdylib",
    "--error-format=json",
    "-Copt-level=3",
    "-Coverflow-checks=on",
    "-Cpanic=unwind",
    "-Cdebuginfo=0",
    "-Cstrip=symbols",
    "-Awarnings",
    "-Ccodegen-units=4",
];

/// As [`FLAGS`], for a debugger of machine code: every line and variable is there.
const DEBUG_FLAGS: [&str; 9] = [
    "--edition=2024",
    "--crate-name=hasse_bodies",
    "--crate-type=cdylib",
    "--error-format=json",
    "-Copt-level=0",
    "-Coverflow-checks=on",
    "-Cpanic=unwind",
    "-Cdebuginfo=2",
    "-Awarnings",
];

/// The environment variable that has bodies compiled for a debugger of machine code.
pub(crate) const DEBUG_VARIABLE: &str = "HASSE_RUST_DEBUG";

/// What a check adds: the compiler looks at the text, and no code is made of it.
const CHECK_FLAGS: [&str; 1] = ["--emit=metadata"];

/// Returns what the compiler finds in the bodies in Rust of a plan. Nothing of them is executed: no library is made, and
/// none is loaded, as that would run its constructors. `program` is the path of the program file, `text` its text.
pub(crate) fn check_bodies(
    plan: &Plan,
    program: &Path,
    text: &str,
    natives: &Natives,
) -> Result<Vec<Diagnostic>, RustFault> {
    let bodies = Bodies::of(plan, program);
    if bodies.iter().all(|body| natives.has_body(body.label)) {
        return Ok(Vec::new());
    }
    let source = source(&bodies);
    let cache = Cache::open()?;
    if cache.find(&source, flags()).is_some() {
        return Ok(Vec::new());
    }
    let place = cache.workplace()?;
    match compile(&place, &source, None, &CHECK_FLAGS)? {
        Ok(_) => Ok(Vec::new()),
        Err(said) => messages::findings(&said, &source, (bodies.file(), text)),
    }
}

/// Compiles the bodies in Rust of a plan that are not registered in `natives` already, and adds them; or returns what is
/// wrong with them. `is_granted` says that they may run though this user has not run them before.
pub(crate) fn add_bodies(
    plan: &Plan,
    program: &Path,
    text: &str,
    natives: &mut Natives,
    is_granted: bool,
) -> Result<Vec<Diagnostic>, RustFault> {
    let bodies = Bodies::of(plan, program);
    if bodies.iter().all(|body| natives.has_body(body.label)) {
        return Ok(Vec::new());
    }
    trust::require(&bodies, program, is_granted)?;
    let source = Arc::new(source(&bodies));
    let cache = Cache::open()?;
    // One that cannot be loaded, as another version made it, is made anew.
    let kept = cache.find(&source, flags()).and_then(|file| Library::open(&file).ok());
    let library = match kept {
        Some(library) => library,
        None => {
            let place = cache.workplace()?;
            // A debugger reads the source where it was compiled.
            let kept_source = is_for_debugger().then(|| cache.source_of(&source, flags()));
            match compile(&place, &source, kept_source.as_deref(), &[])? {
                Ok(made) => Library::open(&cache.keep(&made, &source, flags())?)?,
                Err(said) => return messages::findings(&said, &source, (bodies.file(), text)),
            }
        }
    };
    let text: Arc<str> = text.into();
    for (nth, body) in bodies.iter().enumerate() {
        let lets = body.lets().map(|slot| (slot.name.clone(), slot.ty.clone()));
        let declared = NativeBody::new(body.label).lets(lets).results(body.text.results.iter().cloned());
        let (source, text) = (Arc::clone(&source), Arc::clone(&text));
        let file = bodies.file().to_owned();
        let start = body.text.lines.first().copied().unwrap_or_default();
        natives.text_body(declared, move |context| {
            let place_of = |line, column| place::in_program(&source, &file, &text, (line, column));
            call(&library, nth, context, |line, column| place_of(line, column).unwrap_or(start))
        });
    }
    Ok(Vec::new())
}

fn call(
    library: &Library,
    nth: usize,
    context: &mut BodyContext<'_>,
    place_of: impl Fn(u32, u32) -> Location,
) -> BodyResult {
    match library.call(nth, context) {
        Ok(()) => Ok(()),
        Err(CallError::Host(error)) => Err(error),
        Err(CallError::Body(message)) => Err(message.into()),
        Err(CallError::Panic { message, line, column }) => {
            let message = format!("the body panicked: {message}");
            Err(TextFailure { message, at: place_of(line, column) }.into())
        }
    }
}

/// The one file that a library is made of.
fn source(bodies: &Bodies<'_>) -> String {
    let mut source = String::from("#[allow(dead_code, unused_imports, unused_macros)]\nmod hasse {\n");
    source.push_str(&guest_source());
    source.push_str("}\n\nmod bodies {\nuse crate::hasse;\n\n");
    source.push_str(&imports("crate::hasse"));
    source.push_str(&bodies.functions());
    source.push_str("}\n\n");
    let mut names = Vec::new();
    for body in bodies.iter() {
        names.push(match body.looking_up() {
            Some(function) => {
                source.push_str(&function);
                body.function.name.clone()
            }
            None => format!("bodies::{}", body.function.name),
        });
    }
    source.push_str(&format!("\nhasse::export!({});\n", names.join(", ")));
    source
}

/// The function of a body in the library, as a debugger of machine code names it; `None` where no body of this name is in the program
/// file.
pub(crate) fn symbol(plan: &Plan, program: &Path, name: &str) -> Option<String> {
    let bodies = Bodies::of(plan, program);
    let body = bodies.iter().find(|body| body.label == name)?;
    Some(format!("hasse_bodies::bodies::{}", body.function.name))
}

fn is_for_debugger() -> bool {
    std::env::var_os(DEBUG_VARIABLE).is_some_and(|value| !value.is_empty())
}

fn flags() -> &'static [&'static str] {
    if is_for_debugger() { &DEBUG_FLAGS } else { &FLAGS }
}

/// Compiles a library in a folder, and returns its path. The source is written to `text`, or else to that folder. The inner error is what
/// the compiler says.
fn compile(
    place: &Workplace,
    source: &str,
    text: Option<&Path>,
    more_flags: &[&str],
) -> Result<Result<PathBuf, String>, RustFault> {
    let cannot_write = |path: &Path| {
        let path = path.to_owned();
        |source| RustFault::Write { path, source }
    };
    let (input, output) = (place.path().join("bodies.rs"), place.path().join("bodies"));
    let (input, named) = match text {
        Some(text) => (text.to_owned(), text),
        None => (input, Path::new("bodies.rs")),
    };
    std::fs::write(&input, source).map_err(cannot_write(&input))?;
    let compiler = PathBuf::from(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let ended = Command::new(&compiler)
        .args(flags())
        .args(more_flags)
        .arg("-o")
        .arg(&output)
        .arg(named)
        .current_dir(place.path())
        .output()
        .map_err(|source| RustFault::NoCompiler { compiler, source })?;
    if !ended.status.success() {
        return Ok(Err(String::from_utf8_lossy(&ended.stderr).into_owned()));
    }
    Ok(Ok(output))
}
