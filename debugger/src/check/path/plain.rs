//! The same expression with fewer ways of reading a history.
//!
//! What is repeated need not say again that it may be left out or repeated: `(a*)*`, `(a+)*` and `(a?)*` are `a*`, and if both `a` and `b` can
//! be empty, `(a ; b)*` is `(a | b)*`, as either occurs alone. The same holds for `{}` and `||`. Both compositions are associative with
//! the empty history as unit, which is all that these rules need.

use super::expression::Path;

/// An expression of the same histories, without repetitions within repetitions. Its specs are some of those of `path`.
pub(super) fn plain(path: &Path) -> Path {
    match path {
        Path::Event(_) => path.clone(),
        Path::Sequence(parts) => {
            let mut flat = flattened(parts, |part| match part {
                Path::Sequence(inner) => Ok(inner),
                other => Err(other),
            });
            flat.dedup_by(|part, known| part == known && matches!(part, Path::Repeat(_)));
            single_or(flat, Path::Sequence)
        }
        Path::Parallel(parts) => {
            let mut flat = flattened(parts, |part| match part {
                Path::Parallel(inner) => Ok(inner),
                other => Err(other),
            });
            retain_new(&mut flat, |part| matches!(part, Path::Burst(_)));
            single_or(flat, Path::Parallel)
        }
        Path::Choice(parts) => {
            let mut flat = flattened(parts, |part| match part {
                Path::Choice(inner) => Ok(inner),
                other => Err(other),
            });
            retain_new(&mut flat, |_| true);
            single_or(flat, Path::Choice)
        }
        Path::Optional(inner) => match plain(inner) {
            inner if is_nullable(&inner) => inner,
            inner => Path::Optional(Box::new(inner)),
        },
        Path::Repeat(inner) => Path::Repeat(Box::new(repeated(plain(inner), true))),
        Path::Burst(inner) => Path::Burst(Box::new(repeated(plain(inner), false))),
    }
}

/// What is left to say of an expression of which any number occurs, one after the other (`in_series`) or concurrently.
fn repeated(path: Path, in_series: bool) -> Path {
    match path {
        Path::Optional(inner) => repeated(*inner, in_series),
        Path::Repeat(inner) if in_series => *inner,
        Path::Burst(inner) if !in_series => *inner,
        Path::Sequence(parts) if in_series => repeated_parts(parts, in_series, Path::Sequence),
        Path::Parallel(parts) if !in_series => repeated_parts(parts, in_series, Path::Parallel),
        Path::Choice(parts) => {
            let parts = parts.into_iter().map(|part| repeated(part, in_series)).collect();
            plain(&Path::Choice(parts))
        }
        path => path,
    }
}

/// Of `parts` composed in the way in which they are repeated.
fn repeated_parts(parts: Vec<Path>, in_series: bool, compose: fn(Vec<Path>) -> Path) -> Path {
    if parts.iter().all(is_nullable) {
        return repeated(Path::Choice(parts), in_series);
    }
    // `a ; a*` and `a || {a}`: at least one, of which any number is any number.
    match parts.as_slice() {
        [first, Path::Repeat(more)] if in_series && **more == *first => first.clone(),
        [first, Path::Burst(more)] if !in_series && **more == *first => first.clone(),
        _ => compose(parts),
    }
}

fn flattened(parts: &[Path], open: impl Fn(Path) -> Result<Vec<Path>, Path>) -> Vec<Path> {
    let parts = parts.iter().flat_map(|part| open(plain(part)).unwrap_or_else(|other| vec![other]));
    parts.collect()
}

/// Keeps the first of equal parts, where one can stand for all.
fn retain_new(parts: &mut Vec<Path>, is_one_enough: impl Fn(&Path) -> bool) {
    let mut kept: Vec<Path> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        if !is_one_enough(&part) || !kept.contains(&part) {
            kept.push(part);
        }
    }
    *parts = kept;
}

fn single_or(mut parts: Vec<Path>, compose: fn(Vec<Path>) -> Path) -> Path {
    match parts.len() {
        1 => parts.remove(0),
        _ => compose(parts),
    }
}

fn is_nullable(path: &Path) -> bool {
    match path {
        Path::Event(_) => false,
        Path::Sequence(parts) | Path::Parallel(parts) => parts.iter().all(is_nullable),
        Path::Choice(parts) => parts.iter().any(is_nullable),
        Path::Repeat(_) | Path::Burst(_) | Path::Optional(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Command;
    use super::super::super::command::parse;
    use super::*;

    #[test]
    fn repetitions_are_said_once() {
        let cases = [
            ("((A*)+)*", "A*"),
            ("(A?)?", "A?"),
            ("((A?)* ; (B)*)*", "(A | B)*"),
            ("{({A} || {B})}", "{A | B}"),
            ("A* ; A*", "A*"),
            ("(A | A | B)", "A | B"),
            // Not the same: these stay.
            ("(A ; B*)*", "(A ; B*)*"),
            ("{A*}", "{A*}"),
            ("(A || A)", "A || A"),
            ("({A})*", "{A}*"),
        ];
        for (text, expected) in cases {
            let path = match parse(&format!("check path {text}")) {
                Ok(Command::Path { path, .. }) => path,
                other => panic!("{text}: {other:?}"),
            };
            let expected = match parse(&format!("check path {expected}")) {
                Ok(Command::Path { path, .. }) => path,
                other => panic!("{expected}: {other:?}"),
            };
            assert_eq!(plain(&path).to_string(), expected.to_string(), "{text}");
        }
    }
}
