//! Tables of a program file under construction.

use std::fmt::Write as _;

use toml_edit::{Key, Value as Toml};

/// Keys with their values, which are TOML.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(pub(super) Vec<(&'static str, String)>);

/// `name = "text"` pairs and lists of strings, to be written as one value.
pub(super) type Pairs = Vec<(String, String)>;

impl Keys {
    pub(super) fn add(&mut self, key: &'static str, toml: String) {
        self.0.push((key, toml));
    }

    pub(super) fn add_text(&mut self, key: &'static str, text: Option<&String>) {
        if let Some(text) = text {
            self.add(key, string(text));
        }
    }

    pub(super) fn add_list(&mut self, key: &'static str, texts: &[String]) {
        if !texts.is_empty() {
            let items: Vec<String> = texts.iter().map(|text| string(text)).collect();
            self.add(key, format!("[{}]", items.join(", ")));
        }
    }

    pub(super) fn add_pairs(&mut self, key: &'static str, pairs: &[(String, String)]) {
        if !pairs.is_empty() {
            let items = pairs.iter().map(|(name, text)| format!("{} = {}", key_text(name), string(text)));
            self.add(key, format!("{{ {} }}", items.collect::<Vec<_>>().join(", ")));
        }
    }

    pub(super) fn add_inputs(
        &mut self,
        inputs: &[(String, String)],
        leftover_ports: &[String],
        [bounds, policies, initial]: [&[(String, String)]; 3],
    ) {
        if !inputs.is_empty() {
            let input = |(name, ty): &(String, String)| {
                let of_port = |options: &[(String, String)]| {
                    options.iter().rev().find(|(port, _)| port == name).map(|(_, option)| option.clone())
                };
                let mut options = Vec::new();
                options.extend(leftover_ports.contains(name).then(|| "left = \"ok\"".to_owned()));
                options.extend(of_port(bounds).map(|bound| format!("bound = {}", number_or_text(&bound))));
                options.extend(of_port(policies).map(|policy| format!("full = {}", string(&policy))));
                let values = initial.iter().filter(|(port, _)| port == name);
                let values: Vec<String> = values.map(|(_, value)| string(value)).collect();
                options.extend((!values.is_empty()).then(|| format!("initial = [{}]", values.join(", "))));
                let (key, ty) = (key_text(name), string(ty));
                match options.is_empty() {
                    true => format!("{key} = {ty}"),
                    false => format!("{key} = {{ type = {ty}, {} }}", options.join(", ")),
                }
            };
            let items: Vec<String> = inputs.iter().map(input).collect();
            self.add("in", format!("{{ {} }}", items.join(", ")));
        }
    }

    /// Writes a table.
    pub(super) fn write(&self, path: &[&str], text: &mut String) {
        let path: Vec<String> = path.iter().map(|part| key_text(part)).collect();
        let _ = writeln!(text, "\n[{}]", path.join("."));
        for (key, toml) in &self.0 {
            let _ = writeln!(text, "{key} = {toml}");
        }
    }
}

/// A number, or an expression in quotes.
pub(super) fn number_or_text(text: &str) -> String {
    text.parse::<i64>().map_or_else(|_| string(text), |number| number.to_string())
}

/// A key of TOML, in quotes where it needs them.
pub(super) fn key_text(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

/// A string of TOML. A text of several lines stands as it is, so that lines of messages are its own.
pub(super) fn string(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    if text.contains('\n') && !text.contains("''") && !text.ends_with('\'') && text.chars().all(is_plain) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        return format!("'''\n{text}{end}'''");
    }
    Toml::from(text).to_string().trim().to_owned()
}
