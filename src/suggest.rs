//! "Did you mean" for names on the command line.

/// `did you mean `x`?`, or else what to do without a near name.
pub(crate) fn help<'c>(name: &str, known: impl IntoIterator<Item = &'c str>, otherwise: &str) -> String {
    match hasse_compiler::nearest(name, known) {
        Some(near) => format!("did you mean `{near}`? {otherwise}"),
        None => otherwise.to_owned(),
    }
}
