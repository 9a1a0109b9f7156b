use hasse::build::{Call, Graph, Program, Shared, Unit};
use hasse::{Natives, Options};

fn everything() -> Program {
    let half = Graph::new("Half")
        .doc("Halves what comes in.")
        .param("base", "int = 2")
        .input("n", "int")
        .output("half", "int")
        .inout("log", "int")
        .output("bad", "error")
        .on_error("bad")
        .arc("in.n -> Divide.n")
        .arc("Divide.half -> out.half")
        .share("inout.log -- Divide.log")
        .unit(
            Unit::new("Divide")
                .input("n", "int")
                .output("half", "int")
                .shared("log", "write")
                .fire("n -> n_in")
                .body("log += 1;")
                .route("half <- n_in / base"),
        );
    let main = Graph::new("main")
        .param("n", "int = 3")
        .arc("Src.o[i] -> Halves[i].n")
        .arc("Halves[i].half -> Sum.half")
        .arc("Halves[i].bad -> Sum.bad")
        .share("log -- Halves[i].log")
        .share("log -- Sum.log")
        .shared(Shared::new("log", "int").init("100").doc("How often."))
        .call(Call::new("Halves", "Half").index("i").arg("base", "i + 1"))
        .unit(
            Unit::new("Src")
                .doc("Says \"go\" \\ 'now'.")
                .start()
                .output("o[i]", "int")
                .route("o[i] <- 12 for i in 0..n"),
        )
        .unit(
            Unit::new("Sum")
                .input("half", "int")
                .leftover_input("bad", "error")
                .bound("half", "n + 1")
                .full("half", "wait")
                .at_once("n + 2")
                .retry("n + 3")
                .on_error("continue")
                .var("total", "int = 0")
                .shared("log", "read")
                .init("total = 1000;")
                .fire("half -> h")
                .fire("bad -> _bad")
                .body("total += h;\nif count == n {\n  result(\"total\", [total, log]);\n}\n"),
        );
    Program::new("main").graph(half).graph(main)
}

#[test]
fn a_builder_writes_a_program_in_canonical_form() {
    let text = everything().text();
    assert_eq!(hasse_compiler::format(&text).unwrap(), text);
    insta::assert_snapshot!(text);
}

#[test]
fn a_program_of_all_parts_runs() {
    let program = everything().compile(&Natives::new()).unwrap();
    assert!(program.warnings().is_empty(), "{:?}", program.warnings());
    let run = program.run(&Options::new().workers(2).set("n", 4_i64)).unwrap().finished().unwrap();
    assert_eq!(run.result::<Vec<i64>>("total").unwrap(), [1000 + 12 + 6 + 4 + 3, 104]);
}

#[test]
fn errors_refer_to_the_text_that_was_built() {
    let unit = Unit::new("Only").start().body("let x = 1;\nlet y = z;\n");
    let program = Program::new("main").graph(Graph::new("main").unit(unit));
    let hasse::Error::Compile(error) = program.compile(&Natives::new()).unwrap_err() else {
        panic!("an error of the compiler")
    };
    assert_eq!(error.text(), program.text());
    insta::assert_snapshot!(error, @"
    error[E0502]: undefined name `z`
      at (built):10:9
      | let y = z;
      help: names: `rule`, `count`, `x`
    ");
}

#[test]
fn odd_texts_and_names_are_quoted() {
    for odd in ["it's", "'''", "a\n'''\nb", "tab\t\n", "bell\u{7}\n", "\\n", "\"", "ends with '\n'", ""] {
        let graph = Graph::new("main").doc(odd).unit(Unit::new("Only").start().body("print(1);"));
        let text = Program::new("main").graph(graph).text();
        let read: toml_edit::DocumentMut = text.parse().unwrap();
        let doc = read["graph"]["main"]["doc"].as_str().unwrap();
        assert_eq!(doc.trim_end_matches('\n'), odd.trim_end_matches('\n'), "{text}");
    }
    let graph = Graph::new("no name").unit(Unit::new("Only").start());
    let error = Program::new("no name").graph(graph).compile(&Natives::new()).unwrap_err();
    assert!(error.to_string().contains("E0102"), "{error}");
}

#[test]
fn two_graphs_of_one_name_are_an_error_of_the_compiler() {
    let program = Program::new("main").graph(Graph::new("main")).graph(Graph::new("main"));
    let error = program.compile(&Natives::new()).unwrap_err().to_string();
    assert!(error.contains("E0001"), "{error}");
}
