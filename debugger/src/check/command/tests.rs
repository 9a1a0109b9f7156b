use proptest::prelude::*;

use super::*;

#[test]
fn commands_have_one_spelling() {
    for (text, expected) in [
        ("check pred u {v,w}", "check pred u {v, w}"),
        ("  pred /u[1][ -2 ]:3 ( /v:1 , w[4,5] ) ", "check pred /u[1][-2]:3 {/v:1, w[4][5]}"),
        ("check parallel (a, b,)", "check parall {a, b}"),
        ("check pred /d[2]/e/G.u {v}", "check pred /d[2]/e/G.u {v}"),
        ("parall{Mult Solve", ""),
        (
            "check  forall m:Mult:3 , s : /d[2]/S[ 1,2 ]: m->s and not m.count==3 => (m<s or s || m)",
            "forall m: Mult:3, s: /d[2]/S[1][2] : m -> s && !(m.count==3) => m < s or s || m",
        ),
        ("never a: A where ((a.count + 1) * 2 > 3)", "never a: A where (a.count + 1) * 2 > 3"),
        ("exists a: A, b: A, c: A where a<b<c : true", "exists a: A, b: A, c: A where a < b && b < c : true"),
        (
            "never a: A where (exists b: B where b > a) && a.rule == 0",
            "never a: A where (exists b: B where a < b) && a.rule == 0",
        ),
    ] {
        assert_eq!(parse(text).map(|command| command.text().to_owned()).unwrap_or_default(), expected);
    }
}

#[test]
fn errors_carry_column_and_hint() {
    let report: String = [
        "",
        "check",
        "check prod u {v}",
        "check pred {v}",
        "check pred u",
        "check pred u {}",
        "check pred u {v w}",
        "check pred u {v, ",
        "check pred u[x] {v}",
        "check pred u[1 {v}",
        "check pred u[99999999999999999999] {v}",
        "check pred u:0 {v}",
        "check pred u {v} {w}",
        "check parall {u}",
        "forall0a: Log : true",
        "forall_: Log",
        "check exists1: Log",
        "predu {v}",
    ]
    .iter()
    .map(|text| format!("{text:?}\n    {}\n", parse(text).expect_err("no command")))
    .collect();
    insta::assert_snapshot!(report);
}

/// Words, signs and joints of checks, and some that only look like them.
const PIECES: [&str; 48] = [
    "check",
    "pred",
    "parall",
    "parallel",
    "forall",
    "exists",
    "never",
    "linked",
    "path",
    "chain",
    "possibly",
    "definitely",
    "where",
    "and",
    "or",
    "not",
    "true",
    "Log",
    "Mult[3]",
    "/d[2]/e",
    "m",
    "0",
    "1",
    "9e99",
    "0a",
    "_",
    "\u{e4}",
    "\u{2028}",
    "\"",
    "'",
    "`",
    "\\",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    ";",
    ".",
    "->",
    "<",
    "||",
    "*",
    "+",
    "=>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// Pieces in any order, with spaces between them or without: an error, or a command whose spelling is stable.
    #[test]
    fn any_text_is_a_command_or_an_error(
        pieces in prop::collection::vec((prop::sample::select(&PIECES[..]), any::<bool>()), 0..14),
    ) {
        let text: String =
            pieces.iter().map(|(piece, has_space)| format!("{piece}{}", if *has_space { " " } else { "" })).collect();
        match parse(&text) {
            Ok(command) => {
                let again = parse(command.text()).map(|again| again.text().to_owned());
                prop_assert_eq!(again.as_deref(), Ok(command.text()));
            }
            Err(error) => prop_assert!(error.column <= text.chars().count() + 1, "{}", error),
        }
    }

    /// A word of the language and a character right after it.
    #[test]
    fn a_keyword_with_a_character_after_it_is_a_command_or_an_error(
        keyword in prop::sample::select(&PIECES[..18]),
        next in any::<char>(),
        rest in prop::sample::select(&["", ": Log", ": Log : true", " u {v}", " {u, v}", "a: Log : true"][..]),
    ) {
        let _ = parse(&format!("{keyword}{next}{rest}"));
    }
}
