//! Compiles the window's description.

use slint_build::CompilerConfiguration;

fn main() {
    // Names of elements, by which tests find them.
    let configuration = CompilerConfiguration::new().with_debug_info(true);
    // The compiler of descriptions has printed what is wrong, with places.
    if slint_build::compile_with_config("description/window.slint", configuration).is_err() {
        std::process::exit(1);
    }
}
