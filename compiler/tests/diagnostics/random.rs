use hasse_compiler::compile;
use hasse_model::value::Type;
use proptest::prelude::*;

use super::program::{GOOD, functions, good_with};

/// Pieces that a mutation puts into a program.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "\"",
        "'''",
        "'",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "->",
        "<-",
        "--",
        "..",
        "..=",
        "=",
        ",",
        ".",
        "\\",
        "\n",
        " if ",
        " for j in 0..n",
        "0",
        "-1",
        "1.5",
        "k",
        "é",
        "|a|",
        "a.(b.c)",
        "?.",
        "?[",
        "::",
        "#{",
        "`${",
        "/*",
        "//",
        "fn f(x) {",
        "let ",
        "if ",
        "else ",
        "switch ",
        "=> ",
        "this",
        "eval",
        "x.f()",
        "\u{0}",
        "\t",
    ];
    prop_oneof![proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), ".{0,6}",]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        compile(&text, &functions());
    }

    #[test]
    fn mutated_programs_never_panic(
        mutations in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, piece()), 1..4),
    ) {
        let mut text = GOOD.to_owned();
        for (place, n_removed, piece) in mutations {
            let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
            let start = place.index(starts.len());
            let end = (start + n_removed).min(starts.len() - 1);
            text.replace_range(starts[start]..starts[end], &piece);
        }
        let compiled = compile(&text, &functions());
        for diagnostic in &compiled.diagnostics {
            for label in &diagnostic.labels {
                prop_assert!(label.at.start <= label.at.end && label.at.end as usize <= text.len());
                prop_assert!(label.at.line >= 1 && label.at.column >= 1);
            }
        }
        hasse_compiler::changes(GOOD, &text);
    }

    /// Types whose fields are other types, directly or in arrays: those without end are reported, and
    /// all others have a default value.
    #[test]
    fn a_struct_type_ends_or_is_reported(
        fields in prop::collection::vec(prop::collection::vec((0usize..5, any::<bool>()), 0..4), 5),
    ) {
        let mut text = GOOD.to_owned();
        for (ty, fields) in fields.iter().enumerate() {
            text.push_str(&format!("[type.T{ty}]\nx = 'int'\n"));
            for (field, (of, is_array)) in fields.iter().enumerate() {
                text.push_str(&format!("f{field} = 'T{of}{}'\n", if *is_array { "[]" } else { "" }));
            }
        }
        // A type ends if all that it holds directly ends: found in as many rounds as there are types.
        let mut ends = [false; 5];
        for _ in 0..5 {
            for (ty, fields) in fields.iter().enumerate() {
                ends[ty] = fields.iter().all(|(of, is_array)| *is_array || ends[*of]);
            }
        }
        let compiled = compile(&text, &functions());
        prop_assert_eq!(compiled.plan.is_some(), ends == [true; 5], "{}", text);
        if let Some(plan) = compiled.plan {
            for ty in plan.structs.types().map(Type::Struct) {
                prop_assert!(ty.admit(ty.default_value()).is_some());
            }
        } else {
            let is_endless = |found: &hasse_model::diagnostic::Diagnostic| found.code == "E0206";
            prop_assert!(compiled.diagnostics.iter().all(is_endless));
        }
    }

    /// Rhai's own parser, fed with pieces of its language.
    #[test]
    fn random_bodies_never_panic(pieces in prop::collection::vec(piece(), 1..20)) {
        let body = pieces.concat().replace("'''", "''");
        compile(&good_with(&[("k += 1;", &body)]), &functions());
    }
}
