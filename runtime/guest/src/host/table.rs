//! The functions that a library is given, for each type of context. Each begins with the state of the call, and none
//! unwinds: what runs code of others catches its panics ([`State::answer`], [`State::attend`]).

use std::ffi::c_void;
use std::marker::PhantomData;

use hasse_model::value::Value;

use super::HostContext;
use super::state::{CallError, State, shown, text};
use crate::hasse::abi::{HostTable, RawFacts, RawText, RawValue, Receive};
use crate::hasse::cross::from_raw;

/// Has the table of a type of context.
pub(super) struct TableOf<C>(PhantomData<C>);

impl<C: HostContext> TableOf<C> {
    pub(super) const TABLE: &'static HostTable = &HostTable {
        get: get::<C>,
        take: take::<C>,
        set: set::<C>,
        result: result::<C>,
        is_set: is_set::<C>,
        facts: facts::<C>,
        print: print::<C>,
        random: random::<C>,
        check_stop: check_stop::<C>,
        mismatch: mismatch::<C>,
        fail: fail::<C>,
        panicked: panicked::<C>,
    };
}

/// The state of the call, for one question.
///
/// # Safety
/// `host` is the pointer that the library was given with the table of `C`; it asks one question at a time: no
/// `receive` asks another one.
unsafe fn state<'q, 'c, C>(host: *mut c_void) -> &'q mut State<'c, C> {
    // SAFETY: `call` made the pointer of a state of this type, which lives as long as the library may use it; as it asks
    // one question at a time, there is no other reference.
    unsafe { &mut *host.cast::<State<'c, C>>() }
}

unsafe extern "C" fn get<C: HostContext>(
    host: *mut c_void,
    name: RawText,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).answer(receive, place, |context| Ok(Some(context.get(text(name)?)?))) }
}

unsafe extern "C" fn take<C: HostContext>(
    host: *mut c_void,
    name: RawText,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).answer(receive, place, |context| Ok(Some(context.take(text(name)?)?))) }
}

unsafe extern "C" fn set<C: HostContext>(
    host: *mut c_void,
    name: RawText,
    value: *const RawValue,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe {
        state::<C>(host).answer(receive, place, |context| {
            context.set(text(name)?, from_raw(&*value)?)?;
            Ok(None)
        })
    }
}

unsafe extern "C" fn result<C: HostContext>(
    host: *mut c_void,
    name: RawText,
    value: *const RawValue,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe {
        state::<C>(host).answer(receive, place, |context| {
            context.result(text(name)?, from_raw(&*value)?)?;
            Ok(None)
        })
    }
}

unsafe extern "C" fn is_set<C: HostContext>(host: *mut c_void, name: RawText) -> bool {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).attend(false, |context| Ok(context.is_set(text(name)?))) }
}

unsafe extern "C" fn facts<C: HostContext>(host: *mut c_void, facts: *mut RawFacts) {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe {
        state::<C>(host).attend((), |context| {
            let (rule, count) = (context.rule(), context.count());
            let index = context.index();
            *facts = RawFacts { rule, count, index: index.as_ptr(), n_index: index.len() };
            Ok(())
        });
    }
}

unsafe extern "C" fn print<C: HostContext>(host: *mut c_void, line: RawText) {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe {
        state::<C>(host).attend((), |context| {
            context.print(text(line)?);
            Ok(())
        });
    }
}

unsafe extern "C" fn random<C: HostContext>(host: *mut c_void, receive: Receive, place: *mut c_void) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).answer(receive, place, |context| Ok(Some(Value::Real(context.random()?)))) }
}

unsafe extern "C" fn check_stop<C: HostContext>(
    host: *mut c_void,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).answer(receive, place, |context| context.check_stop().map(|()| None)) }
}

unsafe extern "C" fn mismatch<C: HostContext>(
    host: *mut c_void,
    name: RawText,
    expected: RawText,
    found: RawText,
    receive: Receive,
    place: *mut c_void,
) -> u64 {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe {
        state::<C>(host).answer(receive, place, |context| {
            Err(context.mismatch(&shown(name), &shown(expected), &shown(found)))
        })
    }
}

unsafe extern "C" fn fail<C: HostContext>(host: *mut c_void, number: u64, message: RawText) {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    unsafe { state::<C>(host).failed(number, shown(message)) }
}

unsafe extern "C" fn panicked<C: HostContext>(host: *mut c_void, message: RawText, line: u32, column: u32) {
    // SAFETY: what the library promises of the table: its pointers are valid during the call.
    let message = unsafe { shown(message) };
    // SAFETY: the same.
    unsafe { state::<C>(host) }.failure = Some(CallError::Panic { message, line, column });
}
