//! What bodies and the lines around them name.

/// Defines what the host looks for: the version of the boundary, and the bodies, by their position.
macro_rules! export {
    ($($body:path),* $(,)?) => {
        /// Version of the boundary.
        #[unsafe(no_mangle)]
        pub extern "C" fn hasse_abi_version() -> u32 {
            $crate::hasse::ABI_VERSION
        }

        /// Runs a body.
        ///
        /// # Safety
        /// The functions of the table may be called with `host` during this call, on this thread.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn hasse_body(
            nth: usize,
            table: *const $crate::hasse::HostTable,
            host: *mut ::std::ffi::c_void,
        ) -> u32 {
            const BODIES: &[$crate::hasse::Body] = &[$($body),*];
            // SAFETY: the caller's promise.
            unsafe { $crate::hasse::run_body(BODIES, file!(), nth, table, host) }
        }
    };
}

pub use super::abi::{ABI_VERSION, HostTable};
pub use super::context::{BodyContext, BodyOutcome, BodyResult};
pub use super::convert::{FromValue, IntoValue, Mismatch};
pub use super::entry::{Body, run_body};
pub(crate) use super::structs::structs;
pub use super::value::{Matrix, StructShape, StructValue, Value};
pub(crate) use export;
