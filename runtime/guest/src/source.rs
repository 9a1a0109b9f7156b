//! The text of the module `hasse` of a library.

/// The parts of the module, as `lib.rs` declares them.
const PARTS: [(&str, &str); 9] = [
    ("pub mod abi", include_str!("guest/abi.rs")),
    ("mod context", include_str!("guest/context.rs")),
    ("mod convert", include_str!("guest/convert.rs")),
    ("pub mod cross", include_str!("guest/cross.rs")),
    ("mod entry", include_str!("guest/entry.rs")),
    ("mod facade", include_str!("guest/facade.rs")),
    ("pub mod structs", include_str!("guest/structs.rs")),
    ("mod value", include_str!("guest/value.rs")),
    ("pub mod wire", include_str!("guest/wire.rs")),
];

/// The text of the module `hasse`, to stand in the root of a crate of edition 2024 that panics by unwinding:
///
/// ```text
/// #[allow(warnings)]
/// mod hasse {
///     // this text
/// }
/// mod program {
///     use super::hasse;
///     // bodies, which may say `use hasse::{BodyContext, BodyResult};`
/// }
/// hasse::export!(program::first, program::second);
/// ```
///
/// The module may as well be the last one, so that the lines of bodies are told from the start of the file.
/// [`Library::call`](crate::Library::call) calls the bodies by their position in `export!`.
pub fn guest_source() -> String {
    let mut text = String::new();
    for (head, body) in PARTS {
        text += head;
        text += " {\n";
        text += body;
        text += "}\n";
    }
    text + "pub use facade::*;\n"
}
