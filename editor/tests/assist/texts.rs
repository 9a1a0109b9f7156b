//! Completion and colors.

use super::fields::text;
use super::*;

/// Completes where `|` stands in a field of the program.
fn completed(target: &Target, field: &str) -> Completion {
    let cursor = field.find('|').unwrap();
    complete(PROGRAM, &functions(), target, &field.replacen('|', "", 1), cursor)
}

#[test]
fn completion_knows_the_place_in_a_field() {
    let work = |key: &str| Target::of_node("top", "Work").with(Attribute::of(key));
    let entry = |target: Target, key: &str| {
        target.with(Attribute { entry: Some("x".to_owned()), ..Attribute::of(key) })
    };
    let sub = Target::of_node("top", "Sub");
    let arc = Target::of_link("top", LinkList::Arcs, 9);
    let share = Target::of_link("top", LinkList::Shares, 0);
    let mut all = String::new();
    for (target, field) in [
        (entry(work(""), "in"), "Bl|"),
        (entry(work(""), "vars"), "|"),
        (entry(work(""), "vars"), "int = |"),
        (entry(work(""), "shared"), "|"),
        (Target::of_node("top", "total").with(Attribute::of("type")), "re|"),
        (sub.with(Attribute::of("graph")), "|"),
        (sub.with(Attribute::of("args")), "|"),
        (entry(sub.clone(), "args"), "n|"),
        (work("fire"), "|"),
        (work("fire"), "part -> |"),
        (work("fire"), "part -> v |"),
        (work("fire"), "part -> v if |"),
        (work("fire"), "part[|] -> v for j in 0..n"),
        (work("fire"), "part -> v for j in 0..|"),
        (work("fire"), "part -> v if (|"),
        (work("fire"), "part -> v for |"),
        (work("route"), "|"),
        (work("route"), "sum <- |"),
        (work("route"), "sum <- s |"),
        (work("route"), "sum <- s if c|"),
        (work("do"), "let y = 1; |"),
        (work("do"), "for q in part { q| }"),
        (work("do"), "as_|"),
        (work("do"), "bl|"),
        (work("do"), "part.|"),
        (work("do"), "let |"),
        (work("do"), "print(\"a|\")"),
        (work("do"), "print(\"a\")|"),
        (work("do"), "print(`a ${|}`)"),
        (work("do"), "print(`a| ${k}`)"),
        (work("do"), "// a|"),
        (work("init"), "|"),
        (entry(work(""), "doc"), "|"),
        (arc.clone(), "|"),
        (arc.clone(), "Work[|"),
        (arc.clone(), "Work[i].|"),
        (arc.clone(), "Work[i].sum -> |"),
        (arc.clone(), "Work[i].sum -> Sub.|"),
        (arc, "Begin.part[i] -> Work[|]"),
        (share.clone(), "|"),
        (share.clone(), "total -- |"),
        (share.clone(), "total[|] -- Work[i].acc"),
        (Target::of_node("top", "total").with(Attribute::of("init")), "v|"),
        (share, "total -- Work[i].|"),
        (Target::of_link("sub", LinkList::Arcs, 0), "in.|"),
    ] {
        let completion = completed(&target, field);
        writeln!(all, "[{target}] {field}").unwrap();
        for item in &completion.items {
            writeln!(all, "    {} {:?} {}", item.text, item.kind, item.detail).unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_whole_word_around_the_cursor_is_replaced() {
    let target = Target::of_node("top", "Work").with(Attribute::of("do"));
    let completion = completed(&target, "k += pa|xx + 1");
    assert_eq!(completion.range, 5..9);
    let items: Vec<_> = completion.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(items, ["part"]);
    assert_eq!(completed(&target, "1|").items, []);
    // A cursor behind the end, or within a letter, is moved to a place where one can be.
    let moved = complete(PROGRAM, &functions(), &target, "é", 1);
    assert_eq!(moved.range, 0..2);
    assert_eq!(complete(PROGRAM, &functions(), &target, "x", 9).range, 0..1);
    // Without a program that can be read there are still functions and keywords.
    let broken = complete("[", &functions(), &target, "pr", 2);
    assert_eq!(broken.items.len(), 1);
    assert_eq!(broken.items[0].text, "print");
}

/// Tokens of a text as `kind:text`, a line each; white space and signs left out.
pub(crate) fn colors(text: &str, lines: &[Vec<Token>]) -> String {
    let mut shown = String::new();
    for (line, tokens) in text.split('\n').zip(lines) {
        let plain = |token: &&Token| token.kind != TokenKind::Plain;
        let tokens: Vec<String> = tokens
            .iter()
            .filter(plain)
            .map(|token| match token.kind {
                TokenKind::Name(kind) => format!("{kind:?}:{}", &line[token.range.clone()]),
                kind => format!("{kind:?}:{}", &line[token.range.clone()]),
            })
            .collect();
        writeln!(shown, "{}", tokens.join("  ")).unwrap();
    }
    shown
}

#[test]
fn texts_are_colored_by_what_the_names_are() {
    let names = Names::of(PROGRAM, "top", Some("Work"), &functions());
    assert_eq!(names.get("acc").unwrap().kind, NameKind::Shared);
    assert_eq!(names.get("v").unwrap().detail, "vector from part");
    let body = "let z = Block(1, as_Block(n));\nlet a = #{k: 1, last: [n]}; // n\n/* one\ntwo */ acc += `k ${k + `${i}`} n`;\nfor (x, j) in part { print(x.len + j, 'c', v, rule, s); }\nfn f(b) { b }\nf(|c| c + missing(0x1F)) + \"open\n-1.5e3";
    let mut all = colors(body, &highlight::body(body, &names, &functions()));
    let of_graph = Names::of(PROGRAM, "top", None, &functions());
    for (line, notation, names) in [
        ("part -> part, none[j] -> new for j in 0..n if k == count && vv", Notation::Firing, &names),
        ("sum <- sum(part) + s for j in 0..n if part, part <- 1", Notation::Routing, &names),
        ("Begin.part[i] -> Work[i + n - q].part", Notation::Arc, &of_graph),
        ("Work[i].part -> Nope.part", Notation::Arc, &of_graph),
        ("Sub.x -> Sub.a", Notation::Arc, &of_graph),
        ("total -- Work[i].acc", Notation::Share, &of_graph),
        ("total -- Work[i].part", Notation::Share, &of_graph),
        ("in.a -> ", Notation::Arc, &Names::of(PROGRAM, "sub", None, &functions())),
        ("in.b -> out.x", Notation::Arc, &Names::of(PROGRAM, "sub", None, &functions())),
    ] {
        all += &colors(line, &highlight::line(line, notation, names, &functions()));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn names_that_a_body_in_rust_sets_are_known() {
    let kind = |native: &str| {
        let text = format!("[graph.g.uc.A]\ndo = {{ native = \"{native}\" }}\nroute = [\"x <- total\"]\n");
        let names = Names::of(&text, "g", Some("A"), &functions());
        let tokens = highlight::line("x <- total + other", Notation::Routing, &names, &functions());
        let kind = |text: &str| {
            tokens[0].iter().find(|token| &"x <- total + other"[token.range.clone()] == text).unwrap().kind
        };
        (kind("total"), kind("other"))
    };
    let local = TokenKind::Name(NameKind::Local);
    assert_eq!(kind("fast_sum"), (local, TokenKind::Unknown));
    assert_eq!(kind("nobody_knows"), (local, local));
}

/// Texts of pieces that matter to a lexer.
fn snippets() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "`", "${", "}", "{", "\"", "'", "\\", "\n", "//", "/*", "*/", "#", "part", "k", " ", "->", "<-",
        "--", ".", "[", "]", ",", "if", "for", "in", "1.5", "0x", "1e", "é", "𝄞", "let", "fn", "|", "(", ")",
        "Work", "ß", "\r\n", "\u{a0}",
    ]);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_make_up_any_text(text in prop_oneof![snippets(), any::<String>()]) {
        let names = Names::of(PROGRAM, "top", Some("Work"), &functions());
        let mut all = vec![highlight::body(&text, &names, &functions())];
        for notation in [Notation::Firing, Notation::Routing, Notation::Arc, Notation::Share] {
            all.push(highlight::line(&text, notation, &names, &functions()));
        }
        for lines in all {
            let texts: Vec<&str> = text.split('\n').collect();
            prop_assert_eq!(lines.len(), texts.len());
            for (line, tokens) in texts.into_iter().zip(lines) {
                let mut end = 0;
                for token in tokens {
                    prop_assert_eq!(token.range.start, end);
                    prop_assert!(token.range.end > end);
                    prop_assert!(line.get(token.range.clone()).is_some());
                    end = token.range.end;
                }
                prop_assert_eq!(end, line.len());
            }
        }
    }

    #[test]
    fn completion_takes_any_text(text in snippets(), cursor in 0..40_usize) {
        let node = Target::of_node("top", "Work");
        for target in [
            node.with(Attribute::of("do")),
            node.with(Attribute::of("fire")),
            node.with(Attribute::of("route")),
            Target::of_link("top", LinkList::Arcs, 0),
            Target::of_link("top", LinkList::Shares, 0),
        ] {
            let Completion { range, items } = complete(PROGRAM, &functions(), &target, &text, cursor);
            prop_assert!(text.get(range.clone()).is_some());
            let mut seen: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
            let n_items = seen.len();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), n_items);
        }
    }

    #[test]
    fn any_body_can_be_set_and_read_again(body in prop_oneof![snippets(), any::<String>()]) {
        for node in ["Work", "End"] {
            let mut document = Document::new(PROGRAM);
            let value = text(&body);
            document.edit("form", |tables| forms::set(tables, "top", Some(node), "do", &value)).unwrap();
            let held = form(document.text(), "top", Some(node)).unwrap();
            let held = held.into_iter().find(|field| field.kind == FieldKind::Body && field.key == "do").unwrap().value;
            let expected = body.replace("\r\n", "\n");
            match held {
                Some(FieldValue::Text(held)) => prop_assert_eq!(held.trim_end_matches('\n'), expected.trim_end_matches('\n')),
                None => prop_assert!(body.trim().is_empty()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
