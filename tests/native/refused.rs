use hasse::{Error, NativeBody, Natives, Program, Type};

use super::{one_node, pipeline};

/// What the compiler says of a program.
#[track_caller]
fn complaint(text: &str, natives: &Natives) -> String {
    Program::from_text(text, natives).unwrap_err().to_string()
}

fn registered() -> Natives {
    let mut natives = Natives::new();
    natives.function("half", |n: i64| n / 2);
    natives.effect("now", || 0.5);
    let body = NativeBody::new("solve_block").needs([("x", Type::Int)]).lets([("y", Type::Real)]);
    natives.body(body, |_| Ok(()));
    natives.body(NativeBody::new("gather"), |_| Ok(()));
    natives
}

#[test]
fn a_body_that_is_not_registered() {
    let text = pipeline("do    = { native = \"solve_blok\" }\nroute = [\"o <- whatever + i\"]");
    insta::assert_snapshot!(complaint(&text, &registered()), @r#"
    error[E0509]: there is no native body `solve_blok`
      at (text):21:21
      | do    = { native = "solve_blok" }
      help: did you mean `solve_block`? registered are `gather`, `solve_block`
    "#);
    insta::assert_snapshot!(complaint(&text, &Natives::new()), @r#"
    error[E0509]: there is no native body `solve_blok`
      at (text):21:21
      | do    = { native = "solve_blok" }
      help: none is registered: native bodies belong to the Rust program that runs this one with the library `hasse`
    "#);
}

#[test]
fn a_body_that_does_not_fit_its_node() {
    let text = one_node("vars = { y = 'int' }\ndo = { native = \"solve_block\" }");
    insta::assert_snapshot!(complaint(&text, &registered()), @r#"
    error[E0510]: the native body `solve_block` needs a name `x` of type `int`
      at (text):10:18
      | do = { native = "solve_block" }
      help: bind, declare or share `x` in `Only`
    error[E0510]: the native body `solve_block` sets a name `y` for routing rules, which is a var of `Only`
      at (text):10:18
      | do = { native = "solve_block" }
      help: give the one of the node another name
    "#);
    let text = one_node("vars = { x = 'string' }\ndo = { native = \"solve_block\" }");
    insta::assert_snapshot!(complaint(&text, &registered()), @r#"
    error[E0510]: the native body `solve_block` needs `x` to be of type `int`, and here it is of type `string`
      at (text):10:18
      | do = { native = "solve_block" }
      help: bind, declare or share `x` in `Only`
    "#);
}

#[test]
fn types_of_what_a_body_sets_are_checked() {
    let text = pipeline("do    = { native = \"solve_block\" }\nroute = [\"o <- y\"]");
    let complaint = complaint(&text, &registered());
    assert!(complaint.starts_with("error[E0202]"), "{complaint}");
}

#[test]
fn what_a_body_sets_is_hidden_from_firing_rules() {
    let text = pipeline("do = { native = \"solve_block\" }\nroute = [\"o <- i\"]");
    let complaint = complaint(&text.replace("\"a -> x\"", "\"a -> x if y > 0.5\""), &registered());
    assert!(complaint.starts_with("error[E0408]") && complaint.contains("runs later"), "{complaint}");
}

#[test]
fn spellings_of_a_native_body() {
    for right in [
        "do = { native = \"gather\" }",
        "do.native = \"gather\"",
        "[graph.main.uc.Only.do]\nnative = 'gather'",
    ] {
        Program::from_text(&one_node(right), &registered()).unwrap();
    }
    for (wrong, code) in [
        ("do = { natve = \"gather\" }", "E0003"),
        ("do = { native = \"gather\", k = 1 }", "E0003"),
        ("do = {}", "E0005"),
        ("do = { native = 1 }", "E0004"),
        ("do = [\"gather\"]", "E0004"),
    ] {
        let complaint = complaint(&one_node(wrong), &registered());
        assert!(complaint.contains(&format!("error[{code}]")), "{wrong}: {complaint}");
    }
}

#[test]
fn functions_are_known_to_the_compiler() {
    let undefined = complaint(&one_node("do = 'hal(1);'"), &registered());
    assert!(undefined.contains("E0503") && undefined.contains("did you mean `half`?"), "{undefined}");
    let arity = complaint(&one_node("do = 'half(1, 2);'"), &registered());
    assert!(arity.contains("error[E0504]: `half` is called with 2 arguments, but takes 1"), "{arity}");
    let effect = complaint(&one_node("vars = { k = 'real = now()' }"), &registered());
    assert!(effect.contains("error[E0505]: `now` may be called in `do` only"), "{effect}");
}

#[test]
fn names_that_cannot_be_registered() {
    let check = |register: &dyn Fn(&mut Natives), expected: &str| {
        let mut natives = Natives::new();
        register(&mut natives);
        let error = Program::from_text(&one_node(""), &natives).unwrap_err();
        assert!(matches!(error, Error::Natives(_)), "{error}");
        assert_eq!(error.to_string(), expected);
    };
    let identity = |n: i64| n;
    let body = |name: &str| NativeBody::new(name);
    let word = "names are made of letters, digits and `_`, and begin with a letter";
    check(
        &|natives| {
            natives.function("no name", identity);
        },
        &format!("a function cannot be named `no name`: {word}"),
    );
    check(
        &|natives| {
            natives.effect("while", identity);
        },
        "an effect cannot be named `while`: it is a word of Rhai",
    );
    check(
        &|natives| {
            natives.function("print", identity);
        },
        "a function cannot be named `print`: the language keeps that name for itself",
    );
    check(
        &|natives| {
            natives.function("norm", identity);
        },
        "the library has a function `norm` with 1 arguments already",
    );
    check(
        &|natives| {
            natives.function("f", identity).function("f", identity);
        },
        "the function `f` with 1 arguments is registered twice",
    );
    check(
        &|natives| {
            natives.function("f", identity).effect("f", || 1_i64);
        },
        "`f` is registered as a function and as an effect",
    );
    check(
        &|natives| {
            natives.body(body("b"), |_| Ok(())).body(body("b"), |_| Ok(()));
        },
        "the native body `b` is registered twice",
    );
    check(
        &|natives| {
            natives.body(body("b-c"), |_| Ok(()));
        },
        &format!("a native body cannot be named `b-c`: {word}"),
    );
    check(
        &|natives| {
            natives.body(body("b").lets([("count", Type::Int)]), |_| Ok(()));
        },
        "a name that a native body sets cannot be named `count`: the language keeps that name for itself",
    );
    let twice = || body("b").needs([("x", Type::Int)]).lets([("x", Type::Int)]);
    check(
        &|natives| {
            natives.body(twice(), |_| Ok(()));
        },
        "the native body `b` declares `x` twice",
    );
}
