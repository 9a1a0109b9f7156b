//! Rules that send what a script has bound: with the lane, which reads it, as without, where the interpreter evaluates it.

use hasse::{Natives, Options, Program, RunOutcome};

/// A counter sends 1 to 50 through `Map`, whose body is given; the sum of what comes is the result.
fn mapping(body: &str) -> Program {
    let text = format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\n\
         arcs = [\"Start.go -> Count.a\", \"Count.again -> Count.a\", \"Count.o -> Map.x\", \"Map.o -> Sum.x\", \"Sum.s -> Stop.s\"]\n\
         [graph.main.uc.Start]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 1\"]\n\
         [graph.main.uc.Count]\nin = {{ a = \"int\" }}\nout = {{ again = \"int\", o = \"int\" }}\nfire = [\"a -> a\"]\n\
         route = [\"again <- a + 1 if a < 50\", \"o <- a\"]\n\
         [graph.main.uc.Map]\nin = {{ x = \"int\" }}\nout = {{ o = \"int\" }}\nvars = {{ total = \"int\" }}\nfire = [\"x -> x\"]\n\
         do = '''{body}'''\nroute = [\"o <- y if x != 20\", \"o <- total if x == 20\"]\n\
         [graph.main.uc.Sum]\nin = {{ x = \"int\" }}\nout = {{ s = \"int\" }}\nvars = {{ sum = \"int\" }}\nfire = [\"x -> x\"]\n\
         do = '''sum += x;'''\nroute = [\"s <- sum if count == 50\"]\n\
         [graph.main.uc.Stop]\nin = {{ s = \"int\" }}\nstop = true\nfire = [\"s -> s\"]\ndo = 'result(\"sum\", s);'\n"
    );
    Program::from_text(&text, &Natives::new()).unwrap()
}

#[test]
fn what_a_script_binds_is_sent_in_the_lane_as_without_it() {
    let cases = [
        ("total += x; let y = 2 * x;", Ok(2 * (1275 - 20) + 210)),
        // The var is hidden, and stays.
        ("total += 1; { let total = 5; } let total = 7; let y = total;", Ok(49 * 7 + 7)),
        ("let y = x; let y = y + 1;", Ok(1275 - 20 + 49)),
        ("if x == 30 { return; } let y = x;", Err("R0001")),
        ("let y = if x == 30 { \"thirty\" } else { x };", Err("R0003")),
        ("let y = x; total = total; if x == 30 { total = \"thirty\"; }", Err("R0003")),
        ("let y = x; if x == 30 { throw \"thirty\"; }", Err("R0001")),
    ];
    for (body, expected) in cases {
        let program = mapping(body);
        let in_general = program.run(&Options::new().workers(1).seed(1)).unwrap();
        for n_workers in [1, 4] {
            let (run, trace) = program.record(&Options::new().workers(n_workers)).unwrap();
            let (replayed, again) = program.replay_recorded(&trace, &Options::new().workers(2)).unwrap();
            assert_eq!(replayed.report().errors, run.report().errors, "{body}");
            assert_eq!(again.digest().unwrap(), trace.digest().unwrap(), "{body}");
            assert_eq!(run.report().errors, in_general.report().errors, "{body}");
            match expected {
                Ok(sum) => {
                    assert_eq!(run.finished().unwrap().result::<i64>("sum").unwrap(), sum, "{body}");
                }
                Err(code) => {
                    assert_eq!(run.report().outcome, RunOutcome::Failed, "{body}");
                    let codes: Vec<_> = run.report().errors.iter().map(|error| error.code).collect();
                    assert_eq!(codes, [code], "{body}");
                }
            }
        }
    }
}
