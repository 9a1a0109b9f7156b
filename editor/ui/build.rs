//! Compiles the window's description.

fn main() {
    // The compiler of descriptions has printed what is wrong, with places.
    if slint_build::compile("description/window.slint").is_err() {
        std::process::exit(1);
    }
}
