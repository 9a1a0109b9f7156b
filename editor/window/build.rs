//! Compiles the window's description.

fn main() {
    slint_build::compile("ui/window.slint").expect("the window's description is right");
}
