fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut functions = hasse_model::function::FunctionTable::default();
        for line in std::fs::read_to_string("/work/functions.txt").unwrap().lines() {
            let mut parts = line.split(' ');
            let name = parts.next().unwrap();
            for n in parts {
                functions.add(name, n.parse().unwrap(), false);
            }
        }
        let compiled = hasse_compiler::compile(&text, &functions);
        println!("== {path}");
        let Some(plan) = compiled.plan else {
            println!("{:?}", compiled.diagnostics);
            continue;
        };
        for (script, lowering) in plan.scripts.iter().zip(&plan.lowerings) {
            match lowering {
                None => {}
                Some(hasse_model::plan::routine::Lowering::Routine(routine)) => {
                    println!(
                        "{}: ok {:?} {:?}",
                        script.at.line,
                        script.text.lines().next(),
                        routine.functions.iter().map(|f| f.ops.len()).collect::<Vec<_>>()
                    );
                    if std::env::var("OPS").is_ok() {
                        for f in &routine.functions {
                            for (i, op) in f.ops.iter().enumerate() {
                                println!("    {i} {op:?}");
                            }
                        }
                    }
                }
                Some(hasse_model::plan::routine::Lowering::Interpreted(o)) => {
                    println!("{}:{}: {} ({:?})", o.at.line, o.at.column, o.message, o.help)
                }
            }
        }
    }
}
