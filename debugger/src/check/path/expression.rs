//! Path expressions as data.

use crate::check::spec::Spec;

/// A path expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// One event of a spec.
    Event(Spec),
    /// One after the other; two or more.
    Sequence(Vec<Path>),
    /// One of several; two or more.
    Choice(Vec<Path>),
    /// All of them, concurrently; two or more.
    Parallel(Vec<Path>),
    /// Any number, one after the other.
    Repeat(Box<Path>),
    /// Any number, concurrently.
    Burst(Box<Path>),
    /// Once or not at all.
    Optional(Box<Path>),
}

impl Path {
    /// The specs in it, without repetition, in the order of the text.
    pub fn specs(&self) -> Vec<&Spec> {
        let mut specs = Vec::new();
        self.collect(&mut specs);
        specs
    }

    fn collect<'p>(&'p self, specs: &mut Vec<&'p Spec>) {
        match self {
            Path::Event(spec) if specs.contains(&spec) => {}
            Path::Event(spec) => specs.push(spec),
            Path::Sequence(parts) | Path::Choice(parts) | Path::Parallel(parts) => {
                parts.iter().for_each(|part| part.collect(specs));
            }
            Path::Repeat(inner) | Path::Burst(inner) | Path::Optional(inner) => inner.collect(specs),
        }
    }

    /// Whether it speaks of concurrency.
    pub(super) fn is_concurrent(&self) -> bool {
        match self {
            Path::Event(_) => false,
            Path::Parallel(_) | Path::Burst(_) => true,
            Path::Sequence(parts) | Path::Choice(parts) => parts.iter().any(Path::is_concurrent),
            Path::Repeat(inner) | Path::Optional(inner) => inner.is_concurrent(),
        }
    }
}
