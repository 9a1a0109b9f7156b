//! Arcs (`Src[i].p -> Dst[i + 1].q`) and share lines (`balance[i] -- Teller[i].account`).

use super::{Cursor, Fault};
use crate::text::Excerpt;

/// One end of an arc, or the right side of a share line: `Node[..].port[..]`.
pub(crate) struct End<'t> {
    pub(crate) node: Excerpt<'t>,
    pub(crate) index: Vec<Excerpt<'t>>,
    pub(crate) port: Excerpt<'t>,
    pub(crate) elements: Vec<Excerpt<'t>>,
}

/// An arc.
pub(crate) struct ArcLine<'t> {
    pub(crate) source: End<'t>,
    pub(crate) target: End<'t>,
}

/// A share line.
pub(crate) struct ShareLine<'t> {
    /// Whether it is an object of the caller: `inout.x`.
    pub(crate) is_formal: bool,
    pub(crate) object: Excerpt<'t>,
    pub(crate) elements: Vec<Excerpt<'t>>,
    pub(crate) user: End<'t>,
}

/// Reads an arc.
pub(crate) fn parse_arc<'t>(whole: &Excerpt<'t>) -> Result<ArcLine<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    let source = end(&mut cursor, "a port")?;
    cursor.expect("->")?;
    let target = end(&mut cursor, "a port")?;
    cursor.finish()?;
    Ok(ArcLine { source, target })
}

/// Reads a share line.
pub(crate) fn parse_share<'t>(whole: &Excerpt<'t>) -> Result<ShareLine<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    let mut object = cursor.word("the name of a shared object")?;
    let is_formal = object.as_str() == "inout";
    if is_formal {
        cursor.expect(".")?;
        object = cursor.word("the name of a formal shared object")?;
    }
    let elements = cursor.indices()?;
    cursor.expect("--")?;
    let user = end(&mut cursor, "a shared name")?;
    cursor.finish()?;
    Ok(ShareLine { is_formal, object, elements, user })
}

fn end<'t>(cursor: &mut Cursor<'t>, what: &str) -> Result<End<'t>, Fault> {
    let node = cursor.word("the name of a node")?;
    let index = cursor.indices()?;
    cursor.expect(".")?;
    let port = cursor.word(&format!("the name of {what}"))?;
    let elements = cursor.indices()?;
    Ok(End { node, index, port, elements })
}

/// A number or name on the matching side of an arc or share line.
pub(crate) enum PatternText<'t> {
    /// A variable or a creation parameter.
    Word(&'t str),
    /// A number.
    Int(i64),
}

/// Reads a pattern.
pub(crate) fn parse_pattern<'t>(whole: &Excerpt<'t>) -> Result<PatternText<'t>, Fault> {
    let text = whole.as_str();
    if let Ok(number) = text.replace([' ', '_'], "").parse() {
        return Ok(PatternText::Int(number));
    }
    let mut cursor = Cursor::new(whole);
    let word = cursor.word("a variable or an integer")?;
    let is_all = cursor.is_at_end();
    if is_all {
        Ok(PatternText::Word(word.as_str()))
    } else {
        Err(cursor.fault("expected a single variable or integer: sums stand on the other side".to_owned()))
    }
}
