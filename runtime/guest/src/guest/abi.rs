//! What crosses the C boundary: plain structs, and the table of what a host does for a body.
//!
//! Pointers are borrowed for the call that they are given to. The receiver copies what it wants to keep, and frees
//! nothing.

use std::ffi::c_void;

use super::wire::WireError;

/// Version of all that stands here and in `wire`: a host calls no library of another one.
pub const ABI_VERSION: u32 = 2;

/// The body has done its work.
pub const DONE: u32 = 0;
/// The body has failed, and the host has been told how.
pub const FAILED: u32 = 1;
/// The library has no such body.
pub const NO_BODY: u32 = 2;

/// UTF-8 text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawText {
    /// Its first byte; anything where there is none.
    pub data: *const u8,
    /// Number of bytes.
    pub len: usize,
}

/// A value, whose kind is a constant of `wire::tag`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawValue {
    /// What it is.
    pub tag: u32,
    /// The bits of a scalar, or the number of rows of a matrix.
    pub first: u64,
    /// The number of columns of a matrix.
    pub second: u64,
    /// Bytes, or entries of type `f64`; anything where there are none.
    pub data: *const c_void,
    /// Number of bytes or of entries.
    pub len: usize,
}

/// Which execution it is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawFacts {
    /// Position of the firing rule taken.
    pub rule: i32,
    /// Which execution.
    pub count: u64,
    /// Index numbers; to be copied before anything else is asked of the host.
    pub index: *const i64,
    /// How many there are.
    pub n_index: usize,
}

/// Takes a value over, to the place that the caller of the host has given.
pub type Receive = unsafe extern "C" fn(place: *mut c_void, value: *const RawValue);

/// Asks the host for the value of a name.
pub type Ask = unsafe extern "C" fn(*mut c_void, RawText, Receive, *mut c_void) -> u64;

/// Gives the host the value of a name.
pub type Give = unsafe extern "C" fn(*mut c_void, RawText, *const RawValue, Receive, *mut c_void) -> u64;

/// What a host does for a body. Its functions have the context of the call as first argument; those that can fail return
/// 0, or the number under which the host keeps the error, whose text it has then handed to `receive`. None of them
/// unwinds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostTable {
    /// The value of a name.
    pub get: Ask,
    /// Takes the value of a name out.
    pub take: Ask,
    /// Sets a name.
    pub set: Give,
    /// Sets a result.
    pub result: Give,
    /// Whether a name holds a value.
    pub is_set: unsafe extern "C" fn(*mut c_void, RawText) -> bool,
    /// Which execution it is.
    pub facts: unsafe extern "C" fn(*mut c_void, *mut RawFacts),
    /// Prints a text.
    pub print: unsafe extern "C" fn(*mut c_void, RawText),
    /// A random number.
    pub random: unsafe extern "C" fn(*mut c_void, Receive, *mut c_void) -> u64,
    /// Fails where the run was asked to end.
    pub check_stop: unsafe extern "C" fn(*mut c_void, Receive, *mut c_void) -> u64,
    /// Makes the error of a name that holds another value than was asked for: name, what was expected, what was found.
    pub mismatch: unsafe extern "C" fn(*mut c_void, RawText, RawText, RawText, Receive, *mut c_void) -> u64,
    /// The body has failed: by the error kept under a number, or, where that is 0, by one of its own.
    pub fail: unsafe extern "C" fn(*mut c_void, u64, RawText),
    /// The body has panicked: message, line and column; both are 0 where it was in another file.
    pub panicked: unsafe extern "C" fn(*mut c_void, RawText, u32, u32),
}

impl RawText {
    /// A text, borrowed.
    pub fn of(text: &str) -> Self {
        Self { data: text.as_ptr(), len: text.len() }
    }

    /// The text, checked.
    ///
    /// # Safety
    /// It is valid for `'a`.
    pub unsafe fn text<'a>(self) -> Result<&'a str, WireError> {
        // SAFETY: the caller's promise.
        let bytes = unsafe { slice(self.data, self.len) };
        std::str::from_utf8(bytes).map_err(|_| WireError::NotText)
    }
}

/// Items at a pointer.
///
/// # Safety
/// Where `len` is not 0, `data` is aligned and points to as many items, which nobody writes during `'a`.
pub unsafe fn slice<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise; `data` is not null as there are items.
    unsafe { std::slice::from_raw_parts(data, len) }
}
