//! Pages about codes: the files of `docs/errors/`, carried in the binary.

/// Code and text of each page, sorted by code.
pub(crate) const PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// Whether there is a page for a code.
pub(crate) fn is_explained(code: &str) -> bool {
    PAGES.iter().any(|(known, _)| *known == code)
}
