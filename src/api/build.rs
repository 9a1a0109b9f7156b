//! Programs made in Rust: graphs, nodes, arcs and rules in the notation of the language reference.
//!
//! A builder checks nothing: it writes the text of a program, and the compiler says what is wrong with
//! it. See the [crate's first example](crate).

use std::fmt::Write as _;
use std::path::PathBuf;

use hasse_model::record_options::RecordOption;
use hasse_runtime::natives::Natives;
use toml_edit::{Key, Value as Toml};

use super::error::Error;
use super::program;

macro_rules! pairs {
    ($($(#[$doc:meta])* $method:ident: $field:ident ($name:ident, $text:ident);)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $name: &str, $text: &str) -> Self {
            self.$field.push(($name.to_owned(), $text.to_owned()));
            self
        }
    )*};
}

macro_rules! lists {
    ($($(#[$doc:meta])* $method:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, text: &str) -> Self {
            self.$field.push(text.to_owned());
            self
        }
    )*};
}

macro_rules! texts {
    ($($(#[$doc:meta])* $method:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, text: &str) -> Self {
            self.$field = Some(text.to_owned());
            self
        }
    )*};
}

macro_rules! parts {
    ($($(#[$doc:meta])* $method:ident: $field:ident $part:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, part: $part) -> Self {
            self.$field.push(part);
            self
        }
    )*};
}

/// Graphs, shared objects and calls.
mod graph;
/// Struct types.
mod structure;
/// Units of computation.
mod unit;

pub use graph::{Call, Graph, Shared};
pub use structure::Struct;
pub use unit::Unit;

/// Keys with their values, which are TOML.
#[derive(Clone, Debug, Default)]
struct Keys(Vec<(&'static str, String)>);

/// `name = "text"` pairs and lists of strings, to be written as one value.
type Pairs = Vec<(String, String)>;

impl Keys {
    fn add(&mut self, key: &'static str, toml: String) {
        self.0.push((key, toml));
    }

    fn add_text(&mut self, key: &'static str, text: Option<&String>) {
        if let Some(text) = text {
            self.add(key, string(text));
        }
    }

    fn add_list(&mut self, key: &'static str, texts: &[String]) {
        if !texts.is_empty() {
            let items: Vec<String> = texts.iter().map(|text| string(text)).collect();
            self.add(key, format!("[{}]", items.join(", ")));
        }
    }

    fn add_pairs(&mut self, key: &'static str, pairs: &[(String, String)]) {
        if !pairs.is_empty() {
            let items = pairs.iter().map(|(name, text)| format!("{} = {}", key_text(name), string(text)));
            self.add(key, format!("{{ {} }}", items.collect::<Vec<_>>().join(", ")));
        }
    }

    fn add_inputs(&mut self, inputs: &[(String, String)], leftover_ports: &[String]) {
        if !inputs.is_empty() {
            let input = |(name, ty): &(String, String)| match leftover_ports.contains(name) {
                true => format!("{} = {{ type = {}, left = \"ok\" }}", key_text(name), string(ty)),
                false => format!("{} = {}", key_text(name), string(ty)),
            };
            let items: Vec<String> = inputs.iter().map(input).collect();
            self.add("in", format!("{{ {} }}", items.join(", ")));
        }
    }

    /// Writes a table.
    fn write(&self, path: &[&str], text: &mut String) {
        let path: Vec<String> = path.iter().map(|part| key_text(part)).collect();
        let _ = writeln!(text, "\n[{}]", path.join("."));
        for (key, toml) in &self.0 {
            let _ = writeln!(text, "{key} = {toml}");
        }
    }
}

/// A key of TOML, in quotes where it needs them.
fn key_text(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

/// A string of TOML. A text of several lines stands as it is, so that lines of messages are its own.
fn string(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    if text.contains('\n') && !text.contains("''") && !text.ends_with('\'') && text.chars().all(is_plain) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        return format!("'''\n{text}{end}'''");
    }
    Toml::from(text).to_string().trim().to_owned()
}

/// A program: its graphs, one of which is the main one.
#[derive(Clone, Debug)]
pub struct Program {
    main: String,
    structs: Vec<Struct>,
    graphs: Vec<Graph>,
    is_restricted: bool,
    record_options: Pairs,
}

impl Program {
    /// A program without graphs; `main` names the main one.
    pub fn new(main: &str) -> Self {
        Self {
            main: main.to_owned(),
            structs: Vec::new(),
            graphs: Vec::new(),
            is_restricted: false,
            record_options: Pairs::new(),
        }
    }

    /// Adds a struct type.
    #[must_use]
    pub fn structure(mut self, structure: Struct) -> Self {
        self.structs.push(structure);
        self
    }

    /// Adds a graph.
    #[must_use]
    pub fn graph(mut self, graph: Graph) -> Self {
        self.graphs.push(graph);
        self
    }

    /// Records of the program are restricted where nothing else is asked for.
    #[must_use]
    pub fn records_selected(mut self) -> Self {
        self.is_restricted = true;
        self
    }

    /// Sets an option of restricted recording; the last one that names an instance counts.
    #[must_use]
    pub fn record_option(mut self, selector: &str, option: RecordOption) -> Self {
        self.record_options.push((selector.to_owned(), option.name().to_owned()));
        self
    }

    /// The text of the program, in canonical form: the content of a `.hasse` file.
    pub fn text(&self) -> String {
        let mut text = format!("hasse = 1\nmain = {}\n", string(&self.main));
        self.structs.iter().for_each(|structure| structure.write(&mut text));
        self.graphs.iter().for_each(|graph| graph.write(&mut text));
        let mut record = Keys::default();
        if self.is_restricted {
            record.add("mode", string("restrict"));
        }
        record.add_pairs("options", &self.record_options);
        if !record.0.is_empty() {
            record.write(&["record"], &mut text);
        }
        // A text that cannot be put in form, as with a graph that is there twice, is for the compiler.
        hasse_compiler::format(&text).unwrap_or(text)
    }

    /// Compiles the program; places in messages are those of [`text`](Self::text).
    ///
    /// # Errors
    /// The program or what is registered has errors.
    pub fn compile(&self, natives: &Natives) -> Result<program::Program, Error> {
        program::Program::compile("(built)", &self.text(), PathBuf::new(), natives)
    }
}
