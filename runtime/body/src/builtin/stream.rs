//! Streams: connections, subprocesses, files that grow, folders, parameters.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{io, thread};

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use parking_lot::Mutex;
use rhai::{Array, Dynamic, Engine};

use super::effect::{answered, ask_waiting};
use super::limits::{Outcome, failure};
use crate::addresses::host_of;
use crate::effects::{EventContext, SharedContext};
use crate::streams::{Streams, answer_on_thread, apart, map};
use crate::waiting::{Answer, Pending};

/// Time between two looks at a command that has closed its output.
const LOOK: Duration = Duration::from_millis(2);

/// Longest output of a command, in bytes: 256 MiB.
const MOST_OUTPUT: u64 = 256 << 20;

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    let of = |ask: fn(&EventContext, i64) -> Result<Value, String>| {
        let context = context.clone();
        move |stream: i64| answered(context.lock().effect(EffectKind::Stream, |context| ask(context, stream)))
    };
    let waiting = |ask: fn(&EventContext, i64) -> Result<Pending, String>| {
        let context = context.clone();
        move |stream: i64| ask_waiting(&context, EffectKind::Stream, |context| ask(context, stream))
    };
    let at = |ask: fn(&EventContext, &str) -> Result<Value, String>| {
        let context = context.clone();
        move |place: &str| answered(context.lock().effect(EffectKind::Stream, |context| ask(context, place)))
    };
    engine
        .register_fn("accept", waiting(|context, server| context.outside().streams.connection(server)))
        .register_fn("address", of(|context, stream| context.outside().streams.address(stream).map(text)))
        .register_fn("close", of(|context, stream| Ok(Value::Bool(context.outside().streams.close(stream)))))
        .register_fn(
            "end_writing",
            of(|context, stream| context.outside().streams.end_writing(stream).map(|()| Value::Unit)),
        )
        .register_fn("process_status", waiting(|context, process| context.outside().streams.status(process)))
        .register_fn("read_line", waiting(|context, stream| context.outside().streams.line(stream)))
        .register_fn("listen", at(listen))
        .register_fn("follow", at(|context, path| follow(context, path, false)))
        .register_fn("watch_dir", at(watch_dir));
    let watching = context.clone();
    engine.register_fn("watch_params", move || {
        answered(watching.lock().effect(EffectKind::Stream, |context| {
            let outside = context.outside();
            outside.streams.watch_params(&outside.params).map(Value::Int)
        }))
    });
    let following = context.clone();
    engine.register_fn("follow", move |path: &str, skips: bool| {
        answered(following.lock().effect(EffectKind::Stream, |context| follow(context, path, skips)))
    });
    let connecting = context.clone();
    engine.register_fn("connect", move |address: &str| {
        ask_waiting(&connecting, EffectKind::Stream, |context| {
            context.outside().check_net(&host_of(address))?;
            context.outside().streams.connect(address)
        })
    });
    let writing = context.clone();
    engine.register_fn("write_line", move |stream: i64, line: &str| {
        ask_waiting(&writing, EffectKind::Stream, |context| {
            context.outside().write_ahead()?;
            context.outside().streams.write_line(stream, line)
        })
    });
    let starting = context.clone();
    engine.register_fn("start_process", move |program: &str, args: Array| {
        let args = texts("start_process", args)?;
        let start = |context: &mut EventContext| {
            context.outside().check_run(program)?;
            context.outside().write_ahead()?;
            context.outside().streams.start(program, &args).map(Value::Int)
        };
        answered(starting.lock().effect(EffectKind::Stream, start))
    });
    let (running, running_with) = (context.clone(), context.clone());
    engine
        .register_fn("run_command", move |program: &str, args: Array| {
            run_command(&running, program, args, "")
        })
        .register_fn("run_command", move |program: &str, args: Array, input: &str| {
            run_command(&running_with, program, args, input)
        });
}

fn text(text: String) -> Value {
    Value::String(Arc::from(text))
}

/// The items of an array, which are texts.
pub(super) fn texts(function: &str, items: Array) -> Outcome<Vec<String>> {
    let text = |item: Dynamic| {
        let found = item.type_name();
        item.into_string().map_err(|_| failure(format!("{function}: an argument is a string, not a {found}")))
    };
    items.into_iter().map(text).collect()
}

/// `listen(address)`: a server, int. Errors: the address is not granted; it is in use.
fn listen(context: &EventContext, address: &str) -> Result<Value, String> {
    context.outside().check_net(&host_of(address))?;
    context.outside().streams.listen(address).map(Value::Int)
}

/// `follow(path, skips)`: a file that grows, int. Errors: it may not be read; it cannot be read.
fn follow(context: &EventContext, path: &str, skips: bool) -> Result<Value, String> {
    let place = context.readable(path)?;
    context.outside().streams.follow(&place, path, skips).map(Value::Int)
}

/// `watch_dir(path)`: a folder, int. Errors: it may not be read; it cannot be read.
fn watch_dir(context: &EventContext, path: &str) -> Result<Value, String> {
    let place = context.readable(path)?;
    context.outside().streams.watch(&place, path).map(Value::Int)
}

/// `run_command(program, args, input)`: status, output and errors of a command, map.
fn run_command(context: &SharedContext, program: &str, args: Array, input: &str) -> Outcome<Dynamic> {
    let args = texts("run_command", args)?;
    ask_waiting(context, EffectKind::Command, |context| {
        context.outside().check_run(program)?;
        context.outside().write_ahead()?;
        let (program, input) = (program.to_owned(), input.to_owned());
        let streams = Arc::downgrade(&context.outside().streams);
        answer_on_thread(move || output_of(&streams, &program, &args, input))
    })
}

fn output_of(streams: &Weak<Streams>, program: &str, args: &[String], input: String) -> Answer {
    let fault = |error: io::Error| format!("cannot run `{program}`: {error}");
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    apart(&mut command);
    let mut child = command.spawn().map_err(fault)?;
    let (stdin, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let child = Arc::new(Mutex::new(child));
    match streams.upgrade() {
        Some(streams) => streams.kill_at_end(&child),
        None => child.lock().kill().map_err(fault)?,
    }
    let writer = stdin.map(|mut stdin| {
        // A command may end without reading its input.
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())))
    });
    let errors = thread::spawn(move || all_of(errors));
    let output = all_of(output);
    if output.is_err() {
        // It may wait for somebody to read on.
        child.lock().kill().map_err(fault)?;
    }
    let output = output.map_err(fault)?;
    let errors = errors.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())).map_err(fault)?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    let status = loop {
        let status = child.lock().try_wait().map_err(fault)?;
        match status {
            Some(status) => break status.code().map_or(-1, i64::from),
            None => thread::sleep(LOOK),
        }
    };
    let utf8 = |what: &str, bytes: Vec<u8>| {
        String::from_utf8(bytes).map(text).map_err(|_| format!("the {what} of `{program}` is not UTF-8"))
    };
    Ok(map([
        ("status", Value::Int(status)),
        ("output", utf8("output", output)?),
        ("errors", utf8("error output", errors)?),
    ]))
}

fn all_of(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.by_ref().take(MOST_OUTPUT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_OUTPUT {
            return Err(io::Error::other("its output is longer than 256 MiB"));
        }
    }
    Ok(bytes)
}
