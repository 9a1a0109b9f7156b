use std::ffi::c_void;
use std::ptr;

use hasse_model::value::Value;
use proptest::prelude::*;

use super::laws::{cases, values};
use super::support::Scripted;
use crate::hasse::HostTable;
use crate::hasse::abi::{DONE, FAILED, NO_BODY, RawText, RawValue};
use crate::hasse::cross::{decode, encode, from_raw};
use crate::hasse::wire::{WireError, tag};
use crate::host::{CallError, call};

fn decoded(parts: &[&[u8]]) -> WireError {
    decode::<Value>(&parts.concat()).expect_err("no value")
}

#[test]
fn bytes_of_no_value_are_refused() {
    let word = |word: u64| word.to_ne_bytes();
    assert_eq!(decoded(&[]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::UNIT, tag::UNIT]]), WireError::Rest);
    assert_eq!(decoded(&[&[tag::ENCODED]]), WireError::Tag(12));
    assert_eq!(decoded(&[&[tag::BOOL, 2]]), WireError::Tag(2));
    assert_eq!(decoded(&[&[tag::INT, 0, 0]]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::CHAR], &word(0xD800)]), WireError::NotChar(0xD800));
    assert_eq!(decoded(&[&[tag::CHAR], &word(1 << 32)]), WireError::NotChar(1 << 32));
    assert_eq!(decoded(&[&[tag::STRING], &word(1), &[0xFF]]), WireError::NotText);
    assert_eq!(decoded(&[&[tag::STRING], &word(u64::MAX), &[0xFF]]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::VECTOR], &word(1), &[0; 7]]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::MATRIX], &word(1 << 40), &word(1 << 40)]), WireError::Shape);
    assert_eq!(decoded(&[&[tag::MATRIX], &word(1 << 61), &word(1)]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::ARRAY], &word(1 << 50)]), WireError::Ended);
    assert_eq!(decoded(&[&[tag::KNOWN_STRUCT], &word(0)]), WireError::Shape);
    assert_eq!(decoded(&[&[tag::NEW_STRUCT], &word(0), &word(9)]), WireError::Ended);
    let array_of_one = [&[tag::ARRAY][..], &word(1)].concat();
    assert_eq!(decoded(&[&array_of_one.repeat(1000)]), WireError::TooDeep);
}

#[test]
fn raw_values_that_are_none_are_refused() {
    let none = RawValue { tag: 0, first: 0, second: 0, data: ptr::null(), len: 0 };
    let refused = |tag, first, second| {
        // SAFETY: it has no items.
        unsafe { from_raw::<Value>(&RawValue { tag, first, second, ..none }) }.expect_err("no value")
    };
    assert_eq!(refused(13, 0, 0), WireError::Tag(13));
    assert_eq!(refused(256, 0, 0), WireError::Tag(256), "not cut off");
    assert_eq!(refused(tag::ARRAY.into(), 0, 0), WireError::Tag(9));
    assert_eq!(refused(tag::BOOL.into(), 2, 0), WireError::Tag(2));
    assert_eq!(refused(tag::CHAR.into(), u64::MAX, 0), WireError::NotChar(u64::MAX));
    assert_eq!(refused(tag::MATRIX.into(), 2, 3), WireError::Shape);
    assert_eq!(refused(tag::MATRIX.into(), 1 << 63, 2), WireError::Shape);
    assert_eq!(refused(tag::ENCODED.into(), 0, 0), WireError::Ended);
}

/// A library that gives what is no value, and names that are no text.
unsafe extern "C" fn confused(_: usize, table: *const HostTable, host: *mut c_void) -> u32 {
    unsafe extern "C" fn ignore(_: *mut c_void, _: *const RawValue) {}
    // SAFETY: the caller's promise.
    let table = unsafe { &*table };
    let nowhere = ptr::null_mut();
    let no_text = RawText { data: [0xFF_u8].as_ptr(), len: 1 };
    let no_value = RawValue { tag: 77, first: 0, second: 0, data: ptr::null(), len: 0 };
    // SAFETY: all pointers are valid, and `ignore` may be called with any.
    unsafe {
        assert_eq!((table.set)(host, RawText::of("x"), &raw const no_value, ignore, nowhere), 1);
        assert_eq!((table.get)(host, no_text, ignore, nowhere), 2);
        assert_eq!((table.result)(host, no_text, &raw const no_value, ignore, nowhere), 3);
        assert_eq!((table.mismatch)(host, no_text, no_text, no_text, ignore, nowhere), 4);
        (table.fail)(host, 9, no_text);
    }
    FAILED
}

#[test]
fn a_confused_library_gets_errors() {
    let mut context = Scripted::default();
    // SAFETY: it is called as one of this version is.
    let ended = unsafe { call(confused, 0, &mut context) };
    assert!(matches!(ended, Err(CallError::Body(text)) if text == "text that is not UTF-8"));
    assert!(context.names.is_empty() && context.results.is_empty());
}

#[test]
fn an_end_that_is_none_is_an_error() {
    unsafe extern "C" fn ends(nth: usize, _: *const HostTable, _: *mut c_void) -> u32 {
        nth as u32
    }
    let ended = |end: u32| {
        // SAFETY: it asks for nothing.
        unsafe { call(ends, end as usize, &mut Scripted::default()) }.err().map(|error| error.to_string())
    };
    assert_eq!(ended(DONE), None);
    assert_eq!(ended(FAILED).as_deref(), Some("the body ended in an unknown way: 1"));
    assert_eq!(ended(NO_BODY).as_deref(), Some("the library has no body at position 2"));
    assert_eq!(ended(77).as_deref(), Some("the body ended in an unknown way: 77"));
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes in prop::collection::vec(0_u8..16, 0..64)) {
        if let Ok(value) = decode::<Value>(&bytes) {
            prop_assert_eq!(decode::<Value>(&encode(&value).unwrap()).map(|_| ()), Ok(()));
        }
    }

    #[test]
    fn no_beginning_of_a_value_is_one(value in values(), at in any::<prop::sample::Index>()) {
        let bytes = encode(&value).unwrap();
        prop_assert!(decode::<Value>(&bytes[..at.index(bytes.len())]).is_err());
    }

    #[test]
    fn a_value_with_another_byte_is_one_or_an_error(
        value in values(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = encode(&value).unwrap();
        let byte_idx = at.index(bytes.len());
        bytes[byte_idx] = byte;
        let _ = decode::<Value>(&bytes);
    }
}
