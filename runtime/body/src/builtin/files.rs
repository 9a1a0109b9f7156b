//! Files: reading, writing, folders.
//!
//! All paths go through the sandbox. A file is written beside its place and then moved there, so
//! that nobody ever finds half of it. What is read is recorded; a replay reads and writes nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Array, Blob, Dynamic, Engine};

use super::effect::{answered, bytes_from, register_of};
use super::limits::{Outcome, failure};
use crate::effects::{EventContext, SharedContext};
use crate::memory;
use crate::streams::UNFINISHED;

/// Most bytes of a file read at once: 2 GiB.
const MOST_FILE_BYTES: u64 = 1 << 31;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    register_of(engine, context, "read_text", EffectKind::ReadFile, read_text);
    register_of(engine, context, "read_bytes", EffectKind::ReadFile, read_bytes);
    register_of(engine, context, "file_exists", EffectKind::FileExists, file_exists);
    register_of(engine, context, "file_size", EffectKind::FileSize, file_size);
    register_of(engine, context, "list_dir", EffectKind::ListFolder, list_dir);
    let lines = context.clone();
    engine.register_fn("read_lines", move |path: &str| read_lines(&lines, path));
    let (texts, bytes) = (context.clone(), context.clone());
    engine
        .register_fn("write_text", move |path: &str, text: &str| write_file(&texts, path, || Ok(text.into())))
        .register_fn("write_bytes", move |path: &str, blob: Blob| write_file(&bytes, path, || Ok(blob)));
    let appending = context.clone();
    engine.register_fn("append_text", move |path: &str, text: &str| append_text(&appending, path, text));
}

/// `read_text(path)`: a file's text, string. Errors: it cannot be read, or is not UTF-8.
fn read_text(context: &EventContext, path: &str) -> Result<Value, String> {
    text_of(path, bytes_of(context, path)?).map(|text| Value::String(Arc::from(text)))
}

/// The text that a file holds, or what is wrong with it.
pub(super) fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes)
        .map_err(|error| format!("`{path}` is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// `read_lines(path)`: the lines of a file without their ends, array of strings. Recorded as bytes.
fn read_lines(context: &SharedContext, path: &str) -> Outcome<Array> {
    let bytes = bytes_from(context, |context| bytes_of(context, path))?;
    let text = text_of(path, Arc::unwrap_or_clone(bytes)).map_err(failure)?;
    super::text::lines(&text)
}

/// `read_bytes(path)`: a file's bytes. Errors: it cannot be read.
fn read_bytes(context: &EventContext, path: &str) -> Result<Value, String> {
    bytes_of(context, path).map(|bytes| Value::Bytes(Arc::new(bytes)))
}

/// `file_exists(path)`: bool; a folder counts too.
fn file_exists(context: &EventContext, path: &str) -> Result<Value, String> {
    Ok(Value::Bool(context.readable(path)?.exists()))
}

/// `file_size(path)`: bytes, int. Errors: there is no such file.
fn file_size(context: &EventContext, path: &str) -> Result<Value, String> {
    let metadata =
        fs::metadata(context.readable(path)?).map_err(|error| unreadable(context, path, &error))?;
    Ok(Value::Int(i64::try_from(metadata.len()).unwrap_or(i64::MAX)))
}

/// `list_dir(path)`: the names in a folder, sorted; files that are just being written are left out. Errors: it cannot be read; a name is not UTF-8.
fn list_dir(context: &EventContext, path: &str) -> Result<Value, String> {
    let entries = fs::read_dir(context.readable(path)?).map_err(|error| unreadable(context, path, &error))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| unreadable(context, path, &error))?.file_name();
        let shown = name.to_string_lossy().into_owned();
        if shown.starts_with(UNFINISHED) {
            continue;
        }
        names.push(name.into_string().map_err(|_| format!("`{path}`: the name `{shown}` is not UTF-8"))?);
    }
    names.sort();
    Ok(Value::Array(Arc::new(names.into_iter().map(|name| Value::String(Arc::from(name))).collect())))
}

/// All bytes of the file that a body means by `path`. To be called from within an effect.
pub(super) fn bytes_of(context: &EventContext, path: &str) -> Result<Vec<u8>, String> {
    let file = open(context, path)?;
    let n_bytes = file.metadata().map_err(|error| unreadable(context, path, &error))?.len();
    if n_bytes > MOST_FILE_BYTES {
        return Err(format!("cannot read `{path}`: it has more than {MOST_FILE_BYTES} bytes"));
    }
    memory::reserve_for_answer(n_bytes)?;
    let mut bytes = Vec::new();
    file.take(MOST_FILE_BYTES).read_to_end(&mut bytes).map_err(|error| unreadable(context, path, &error))?;
    Ok(bytes)
}

/// Opens the file that a body means by `path`. To be called from within an effect. Pipes and devices
/// are refused: a body would wait for them for ever.
pub(super) fn open(context: &EventContext, path: &str) -> Result<File, String> {
    let real = context.readable(path)?;
    let metadata = fs::metadata(&real).map_err(|error| unreadable(context, path, &error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder" } else { "a pipe or device" };
        return Err(format!("cannot read `{path}`: it is {what}, not a file"));
    }
    File::open(real).map_err(|error| unreadable(context, path, &error))
}

/// The message for a file that cannot be read.
pub(super) fn unreadable(context: &EventContext, path: &str, error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => context.outside().missing_hint(path),
        _ => String::new(),
    };
    format!("cannot read `{path}`: {error}{hint}")
}

/// Writes a whole file; the answer is the number of bytes. `content` is made before the world is
/// asked, also by a replay, so that an error in it is the same there.
pub(super) fn write_file(
    context: &SharedContext,
    path: &str,
    content: impl FnOnce() -> Outcome<Vec<u8>>,
) -> Outcome<Dynamic> {
    let content = content()?;
    answered(context.lock().effect(EffectKind::WriteFile, |context| {
        let real = context.writable(path)?;
        context.outside().write_ahead()?;
        replace(&real, &content).map_err(|error| format!("cannot write `{path}`: {error}"))?;
        Ok(Value::Int(content.len() as i64))
    }))
}

/// Writes beside the place and moves: a reader finds the old file or the new one. Permissions stay
/// those of the file that was there. Pipes and devices are refused: a file would take their place.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Ok(metadata) = fs::metadata(path)
        && !metadata.is_file()
    {
        let what = if metadata.is_dir() { "a folder" } else { "a pipe or device, not a file" };
        return Err(io::Error::other(format!("it is {what}")));
    }
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// `append_text(path, text)`: adds to the end of a file, which is made if it is not there. The
/// answer is the number of bytes added.
fn append_text(context: &SharedContext, path: &str, text: &str) -> Outcome<Dynamic> {
    answered(context.lock().effect(EffectKind::WriteFile, |context| {
        let real = context.writable(path)?;
        context.outside().write_ahead()?;
        let appended = OpenOptions::new().append(true).create(true).open(real);
        appended
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| format!("cannot write `{path}`: {error}"))?;
        Ok(Value::Int(text.len() as i64))
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check_error, engine_in};
    use crate::effects::EffectSource;
    use std::fs;
    use std::path::Path;

    #[test]
    fn files_are_written_whole_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (engine, context) = engine_in(folder.path());
        let script = r#"
            write_text("b.txt", "one\r\ntwo\n"); append_text("b.txt", "three"); append_text("a.txt", "");
            write_bytes("c.bin", blob(2, 7));
            [read_text("b.txt"), read_lines("b.txt"), list_dir("."), file_size("b.txt"), file_exists("d"),
             read_bytes("c.bin")].to_string()"#;
        let expected = "[\"one\\r\\ntwo\\nthree\", [\"one\", \"two\", \"three\"], [\"a.txt\", \"b.txt\", \
                        \"c.bin\"], 14, false, [0707]]";
        assert_eq!(engine.eval::<String>(script).unwrap(), expected);
        let answers = context.lock().take_log().into_iter();
        for name in ["a.txt", "b.txt", "c.bin"] {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        context.lock().begin(EffectSource::Record { answers, mismatch: None }, 0);
        assert_eq!(engine.eval::<String>(script).unwrap(), expected);
        assert_eq!(context.lock().mismatch(), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a replay writes nothing");
    }

    #[test]
    fn what_cannot_be_read_or_written_is_named() {
        check_error("read_text(\"nowhere.txt\")", "cannot read `nowhere.txt`:");
        check_error("read_lines(\"nowhere.txt\")", "cannot read `nowhere.txt`:");
        check_error("file_size(\"nowhere.txt\")", "cannot read `nowhere.txt`:");
        check_error("list_dir(\"nowhere\")", "cannot read `nowhere`:");
        check_error("read_text(\".\")", "it is a folder, not a file");
        check_error("read_text(\"/nowhere/x\")", "access denied: `/nowhere/x` may not be read");
        check_error("write_text(\"/nowhere/x\", \"\")", "access denied: `/nowhere/x` may not be written");
        check_error("write_text(\"none/x\", \"\")", "cannot write `none/x`");
        check_error("write_text(\".\", \"\")", "cannot write `.`: it is a folder");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), [b'a', 0xff]).unwrap();
        let (engine, _) = engine_in(folder.path());
        let message = engine.eval::<String>("read_text(\"x\")").unwrap_err().to_string();
        assert!(message.contains("`x` is not UTF-8 at byte 1"), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn full_device_is_an_error() {
        let (engine, _) = engine_in(Path::new("/dev"));
        let message = engine.run(r#"append_text("full", "x")"#).unwrap_err().to_string();
        assert!(message.contains("cannot write `full`: No space left on device"), "{message}");
        let message = engine.run(r#"write_text("full", "x")"#).unwrap_err().to_string();
        assert!(message.contains("cannot write `full`: it is a pipe or device, not a file"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_refused_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt;

        check_error("read_text(\"/dev/null\")", "access denied");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let (engine, _) = engine_in(folder.path());
        engine.run("write_text(\"x\", \"new\")").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
