//! The run panel on a host that does nothing but what the test says.

mod run {
    mod console;
    mod fake;
    mod marks;
    mod panel;
    mod table;
}
