//! Numbers with the noun of what they count, as people read them.

use std::fmt::Display;

/// A number with its noun in the singular or plural: `1 event`, `2 events`, `3 batches`, `0 entries`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number == N::from(1), stem) {
        (true, _) => format!("{number} {noun}"),
        (false, Some(stem)) => format!("{number} {stem}ies"),
        (false, None) if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => {
            format!("{number} {noun}es")
        }
        (false, None) => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn nouns_agree_with_their_number() {
        let nouns = ["event", "access", "batch", "alias", "first race", "index", "way", "entry"];
        let singular = nouns.map(|noun| counted(1_u64, noun));
        let plural = nouns.map(|noun| counted(0_usize, noun));
        assert_eq!(
            singular,
            ["1 event", "1 access", "1 batch", "1 alias", "1 first race", "1 index", "1 way", "1 entry"]
        );
        assert_eq!(
            plural,
            [
                "0 events",
                "0 accesses",
                "0 batches",
                "0 aliases",
                "0 first races",
                "0 indexes",
                "0 ways",
                "0 entries"
            ]
        );
    }
}
