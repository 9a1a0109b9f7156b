//! "Did you mean" for names on the command line.

use hasse_model::record_options::SelectorError;
/// `did you mean `x`?`, or else what to do without a near name.
pub(crate) fn help<'c>(name: &str, known: impl IntoIterator<Item = &'c str>, otherwise: &str) -> String {
    match hasse_compiler::nearest(name, known) {
        Some(near) => format!("did you mean `{near}`? {otherwise}"),
        None => otherwise.to_owned(),
    }
}

/// The help on a selector that cannot be used.
pub(crate) fn selector_help(error: &SelectorError) -> Option<String> {
    match error.unknown() {
        Some((name, known)) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let there_are = match known[..] {
                [] => "there are none".to_owned(),
                _ => format!("there are: {}", known.join(", ")),
            };
            Some(crate::suggest::help(name, known, &there_are))
        }
        None => error.hint(),
    }
}
