//! How well a few letters fit a name.
//!
//! All letters have to stand in the name, in order. The score of one way to find them: 16 for each letter, 8 more at the
//! beginning of a word (the name's beginning, behind a sign or space, a capital behind a small letter, a digit behind a
//! letter), 4 more at the name's beginning, 4 more behind the letter typed before, 1 more in the same case; less 1 for
//! each letter passed over between two of them, but at most 3 in one gap. The best of all ways counts (Smith and Waterman
//! 1981, in the variant of fzf, with bounded gaps); of names with equal scores the shorter one is better, up to 63
//! letters.

/// A way to find what was typed in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Larger is better; 0 where nothing was typed.
    pub score: i64,
    /// Which characters of the name, ascending, from 0.
    pub letters: Vec<usize>,
}

const LETTER: i64 = 16;
const WORD: i64 = 8;
const BEGIN: i64 = 4;
const NEXT: i64 = 4;
const CASE: i64 = 1;
const GAP_MOST: i64 = 3;

/// The best way to find the letters of `query` in `name`, white space aside; `None` where there is none. Cost: letters
/// typed times the square of the name's.
pub fn fuzzy(name: &str, query: &str) -> Option<Match> {
    let name: Vec<char> = name.chars().collect();
    let query: Vec<char> = query.chars().filter(|letter| !letter.is_whitespace()).collect();
    if query.is_empty() {
        return Some(Match { score: 0, letters: Vec::new() });
    }
    // best[i][j]: the best score with letter i of the query at letter j of the name, and where letter i - 1 is then.
    let mut best: Vec<Vec<Option<(i64, usize)>>> = Vec::with_capacity(query.len());
    for (i, typed) in query.iter().enumerate() {
        let mut row = vec![None; name.len()];
        for (j, letter) in name.iter().enumerate().filter(|(_, letter)| is_same(**letter, *typed)) {
            let own = LETTER + begin(&name, j) + if letter == typed { CASE } else { 0 };
            let Some(last) = i.checked_sub(1) else {
                row[j] = Some((own, j));
                continue;
            };
            let from = |k: usize| {
                let (score, _): (i64, usize) = best[last][k]?;
                let n_passed = j - k - 1;
                let gap = if n_passed == 0 {
                    NEXT
                } else {
                    -GAP_MOST.min(i64::try_from(n_passed).unwrap_or(GAP_MOST))
                };
                Some((own + score + gap, k))
            };
            // Of equal ones the last, so that letters stand together.
            row[j] = (0..j).filter_map(from).max();
        }
        best.push(row);
    }
    let ends = best
        .last()?
        .iter()
        .enumerate()
        .filter_map(|(j, held)| Some((held.as_ref()?.0, std::cmp::Reverse(j))));
    let (score, std::cmp::Reverse(mut at)) = ends.max()?;
    let mut letters = vec![at; query.len()];
    for i in (1..query.len()).rev() {
        at = best[i][at]?.1;
        letters[i - 1] = at;
    }
    let n_letters = i64::try_from(name.len()).unwrap_or(i64::MAX).min(63);
    Some(Match { score: score * 64 - n_letters, letters })
}

fn is_same(letter: char, typed: char) -> bool {
    letter == typed || letter.to_lowercase().eq(typed.to_lowercase())
}

/// What a letter is worth for standing at the beginning of a word.
fn begin(name: &[char], j: usize) -> i64 {
    let Some(before) = j.checked_sub(1).map(|k| name[k]) else { return WORD + BEGIN };
    let letter = name[j];
    let is_word = !before.is_alphanumeric() && letter.is_alphanumeric()
        || before.is_lowercase() && letter.is_uppercase()
        || before.is_alphabetic() && letter.is_numeric();
    if is_word { WORD } else { 0 }
}
