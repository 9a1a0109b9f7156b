//! Names that messages offer and list.

use hasse_compiler::compile;

use crate::program::functions;

#[test]
fn names_bound_later_are_not_offered() {
    let program = |body: &str| {
        format!(
            "hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\nstart = true\nvars = {{ known = \"int\" }}\ndo = '''\n{body}\n'''\n"
        )
    };
    let help = |body: &str| {
        let found = compile(&program(body), &functions()).diagnostics;
        found.iter().find(|found| found.code == "E0502").unwrap().help.clone().unwrap()
    };
    let own = help("let first = known; let second = first * zz; let third = 1;");
    assert!(own.contains("`first`") && own.contains("`known`"), "{own}");
    assert!(!own.contains("`second`") && !own.contains("`third`"), "{own}");
}

#[test]
fn node_that_never_executes_does_not_wait_for_itself() {
    let text = "hasse = 1\nmain = \"g\"\n[graph.g]\narcs = [\"c.y -> B.x\"]\n[graph.g.uc.A]\nstart = true\n[graph.g.call.c]\ngraph = \"h\"\n\
        [graph.g.uc.B]\nin = { x = \"int\" }\nfire = [\"x -> _x\"]\n[graph.h]\nin = { p = \"int\" }\nout = { y = \"int\" }\n\
        arcs = [\"in.p -> K.p\", \"K.y -> out.y\"]\n[graph.h.uc.K]\nin = { p = \"int\" }\nout = { y = \"int\" }\nfire = [\"p -> v\"]\nroute = [\"y <- v\"]\n";
    let found = compile(text, &functions()).diagnostics;
    let of_k = found.iter().find(|found| found.code == "W0001" && found.message.starts_with("`K` never"));
    let of_k = of_k.unwrap_or_else(|| panic!("{found:?}"));
    let help = of_k.help.clone().unwrap_or_default();
    assert!(!help.contains("`K`"), "{of_k} {help}");
}
