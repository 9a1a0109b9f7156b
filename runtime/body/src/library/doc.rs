//! Rows of the tables: functions and families, as they are described.

/// A function, with all forms in which it can be called.
#[derive(Clone, Copy, Debug)]
pub struct FunctionDoc {
    /// Calls with types, separated by `; `. Begins with the name.
    pub calls: &'static str,
    /// What it gives or does, with units; Markdown.
    pub doc: &'static str,
    /// When it fails; empty where it does not.
    pub errors: &'static str,
    /// An expression that is true.
    pub example: &'static str,
}

impl FunctionDoc {
    /// The name.
    pub fn name(&self) -> &'static str {
        self.calls.split('(').next().unwrap_or_default()
    }

    /// Whether it may be called in `do` only.
    pub fn is_in_body_only(&self) -> bool {
        IN_BODY_ONLY.contains(&self.name())
    }
}

/// Functions for one kind of thing.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its title.
    pub title: &'static str,
    /// What all of them have in common; Markdown.
    pub about: &'static str,
    /// Its functions, by name.
    pub functions: &'static [FunctionDoc],
}

/// A row of a table.
pub(super) const fn function(
    calls: &'static str,
    doc: &'static str,
    errors: &'static str,
    example: &'static str,
) -> FunctionDoc {
    FunctionDoc { calls, doc, errors, example }
}

/// Functions that may be called in `do` only, not in guards, `init` or initial values: effects,
/// `print` and `result`.
pub const IN_BODY_ONLY: &[&str] = &[
    "accept",
    "address",
    "append_text",
    "close",
    "connect",
    "elapsed",
    "end_writing",
    "env",
    "file_exists",
    "file_size",
    "follow",
    "http_address",
    "http_get",
    "http_listen",
    "http_next",
    "http_post",
    "http_reply",
    "http_request",
    "list_dir",
    "listen",
    "mm_part",
    "mm_size",
    "print",
    "process_status",
    "random",
    "random_choice",
    "random_int",
    "random_normal",
    "random_vector",
    "read_bytes",
    "read_csv",
    "read_csv_matrix",
    "read_csv_rows",
    "read_image",
    "read_image_rgb",
    "read_json",
    "read_line",
    "read_lines",
    "read_matrix",
    "read_text",
    "read_vector",
    "result",
    "run_command",
    "shuffle",
    "sleep",
    "sql",
    "start_process",
    "time",
    "watch_dir",
    "watch_params",
    "write_bytes",
    "write_csv",
    "write_json",
    "write_line",
    "write_matrix",
    "write_pgm",
    "write_png",
    "write_sparse",
    "write_text",
    "write_vector",
];
