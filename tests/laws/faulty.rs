//! A generator of programs in which events fail or are interrupted in each phase: in `init`, in the default of a var, in a
//! guard, in a body, in sending, and are handled or retried. They draw random numbers, print, share objects, and have a stop node now and then.

use std::fmt::Write;

use super::generator::Dice;

/// The text of a program. Its bodies call `halt()`, which returns 1 once the run is to be interrupted, and are then
/// endless; its rules call it never.
///
/// No value that is sent leads to an action of `Far`: only an event that fails has a value for one.
pub fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut below = |bound: usize| dice.below(bound);
    let n = 2 + below(4);
    let (n_starts, n_values) = (1 + below(3), 1 + below([20, 20, 60][seed as usize % 3]));
    let mut arcs: Vec<String> = Vec::new();
    let mut tables = String::new();
    for start in 0..n_starts {
        let _ = write!(
            tables,
            "\n[graph.main.uc.Start{start}]\nstart = true\nout = {{ \"o[k]\" = \"int\", \"p[k]\" = \"int\" }}\n\
             route = [\"o[k] <- {start} + k for k in 0..{n_values}\", \"p[k] <- k for k in 0..{n_values}\"]\n"
        );
        arcs.push(format!("Start{start}.o[k] -> Node[k % {n}].a"));
        arcs.push(format!("Start{start}.p[k] -> Node[k % {n}].b[k % 2]"));
    }
    let (vars, init) = match below(6) {
        0 => ("k = \"int\"".to_owned(), format!("init = 'k = 12 / (i - {});'\n", below(n))),
        1 => (format!("k = \"int = 12 / (i - {})\"", below(n)), String::new()),
        2 => {
            ("k = \"int\"".to_owned(), format!("init = 'for t in 0..9 {{ k += t / (i - {}); }}'\n", below(n)))
        }
        _ => ("k = \"int\"".to_owned(), String::new()),
    };
    let guard = match below(4) {
        0 => format!(" if 12 / ({} - k) < 100", 1 + below(3)),
        1 => " if k % 3 != 2 || count < 4".to_owned(),
        _ => String::new(),
    };
    let other_guard = match below(4) {
        0 => format!(" if 6 / ({} - k) < 100", 1 + below(3)),
        _ => String::new(),
    };
    let fire = match below(4) {
        0 => format!("\"a -> x{guard}\""),
        1 => format!("\"a -> x{guard}\", \"b[0] -> y{other_guard}\""),
        2 => format!("\"a -> xs[j] for j in 0..2{guard}\", \"b[1] -> ys[j] for j in 0..3{other_guard}\""),
        _ => format!("\"a -> x{guard}\", \"b[j] -> ys[j] for j in 0..2{other_guard}\""),
    };
    let shared = below(3) > 0;
    let body = match below(5) {
        0 => String::new(),
        1 => "do = 'k += 1;'\n".to_owned(),
        2 => "do = '''\nlet r = random_int(0, 99);\nk += 1;\nif r < 6 { throw `no ${r}`; }\nprint(`${i} ${k} ${r}`);\n'''\n"
            .to_owned(),
        _ => "do = '''\nlet r = random_int(0, 99);\nif halt() == 1 { loop { k += 1; } }\nk += 1;\nprint(`${i} ${k} ${r}`);\n'''\n"
            .to_owned(),
    };
    let body = match shared {
        true if body.is_empty() => "do = 's += 1;'\n".to_owned(),
        true => body.replace("k += 1;\n", "k += 1;\ns += k;\n").replace("'k += 1;'", "'k += 1; s += k;'"),
        false => body,
    };
    let at = 1 + below(6);
    let lost = match below(3) {
        0 => format!(", \"lost[j] <- j for j in 0..2 if count == {at}\""),
        1 => format!(", \"lost[j] <- 6 / (1 - j) for j in 0..2 if count == {at}\""),
        _ => String::new(),
    };
    let loop_back = if below(2) == 0 {
        format!(", \"back <- count if count < {}\"", 2 + below(8))
    } else {
        String::new()
    };
    let policy = match below(10) {
        0 => "on_error = \"continue\"\n",
        1 => "on_error = [\"o <- error.line + count if k >= 0\"]\n",
        2 => "on_error = [\"back <- count if count < 6\", \"o <- error.message.len\"]\n",
        // No arc takes it, so that the instance stops.
        3 => "on_error = [\"o <- 1\", \"lost[error.line] <- 1 if count == 3\"]\n",
        4 => "retry = 2\non_error = [\"o <- 0\"]\n",
        5 => "retry = 1\n",
        _ => "",
    };
    let body = if policy.contains("retry") { body.replace("if r < 6 ", "if r < 40 ") } else { body };
    let share = if shared { "share = [\"s -- Node[i].s\", \"s -- Sink.s\"]\n" } else { "" };
    let _ = write!(
        tables,
        "\n[graph.main.uc.Node]\nindex = [\"i\"]\nin = {{ a = \"int\", \"b[j]\" = \"int\" }}\n\
         out = {{ o = \"int\", back = \"int\", \"lost[j]\" = \"int\" }}\nvars = {{ {vars} }}\n{}{init}\
         fire = [{fire}]\n{body}route = [\"o <- count\"{lost}{loop_back}]\n{policy}",
        if shared { "shared = { s = \"write\" }\n" } else { "" },
    );
    arcs.push("Node[i].o -> Sink.a".to_owned());
    arcs.push("Node[i].back -> Node[i].a".to_owned());
    arcs.push("Node[i].lost[0] -> Far[i].a".to_owned());
    if lost.contains("6 /") {
        arcs.push("Node[i].lost[1] -> Far[i + 1].a".to_owned());
    }
    tables.push_str("\n[graph.main.uc.Far]\nindex = [\"i\"]\nin = { a = \"int\" }\nfire = [\"a -> x\"]\n");
    let stop_at = below(3 * n_values);
    let stops = stop_at > 0 && below(2) == 0;
    let _ = write!(
        tables,
        "\n[graph.main.uc.Sink]\nin = {{ a = \"int\" }}\nvars = {{ total = \"int\" }}\n{}{}fire = [\"a -> v\"]\n\
         do = 'total += v;{} result(\"total\", total);'\n",
        if shared { "shared = { s = \"write\" }\n" } else { "" },
        if stops {
            format!("out = {{ stop = \"int\" }}\nroute = [\"stop <- total if count == {stop_at}\"]\n")
        } else {
            String::new()
        },
        if shared { " s += v;" } else { "" },
    );
    if stops {
        arcs.push("Sink.stop -> Stop.a".to_owned());
        tables.push_str("\n[graph.main.uc.Stop]\nstop = true\nin = { a = \"int\" }\nfire = [\"a -> v\"]\n");
    }
    let mut text = String::from("hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n");
    arcs.iter().for_each(|arc| {
        let _ = writeln!(text, "  \"{arc}\",");
    });
    let _ = write!(text, "]\n{share}");
    if shared {
        text.push_str("\n[graph.main.shared.s]\ntype = \"int\"\n");
    }
    text.push_str(&tables);
    text
}

/// The text of a program whose stop node has values left, shares an object with others that wait for it, and sends to
/// them and to itself.
pub fn stopping(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut below = |bound: usize| dice.below(bound);
    let (n, n_values) = (1 + below(4), 1 + below(200));
    let at = 1 + below(n * n_values);
    let access = |reads: usize| if reads == 0 { "read" } else { "write" };
    let (work, stop) = (access(below(4)), access(below(4)));
    let second = below(3) == 0;
    let body = match (below(4), work) {
        (0, "write") => "do = 's += x; print(x);'\n",
        (1..3, "write") => "do = 's += x;'\n",
        (_, _) if below(2) == 0 => "do = 'k = (k + s + x) % 1009;'\n",
        _ => "",
    };
    let stop_body = match (below(3), stop) {
        (0, "write") => "do = 's += 1; print(\"stop\");'\n",
        (1, "write") => "do = 's += 1;'\n",
        _ => "",
    };
    let uses = |access: &str| match second {
        true => format!("shared = {{ s = \"{access}\", t = \"write\" }}\n"),
        false => format!("shared = {{ s = \"{access}\" }}\n"),
    };
    let (unindexed, index) = if n == 1 { ("", "") } else { ("index = [\"i\"]\n", "[i]") };
    let target = if n == 1 { "Work.a".to_owned() } else { format!("Work[k % {n}].a") };
    let shared_also =
        if second { format!(", \"t -- Work{index}.t\", \"t -- Stop.t\"") } else { String::new() };
    let object = if second { "\n[graph.main.shared.t]\ntype = \"int\"\n" } else { "" };
    format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n  \"Start.o[k] -> {target}\",\n  \"Work{index}.o -> Sink.a\",\n  \
         \"Sink.stop -> Stop.a\",\n  \"Stop.o[k] -> {target}\",\n  \"Stop.own -> Stop.a\",\n]\n\
         share = [\"s -- Work{index}.s\", \"s -- Stop.s\"{shared_also}]\n\n[graph.main.shared.s]\ntype = \"int\"\n{object}\n\
         [graph.main.uc.Start]\nstart = true\nout = {{ \"o[k]\" = \"int\" }}\nroute = [\"o[k] <- k for k in 0..{}\"]\n\n\
         [graph.main.uc.Work]\n{unindexed}in = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nvars = {{ k = \"int\" }}\n{}\
         fire = [\"a -> x\"]\n{body}route = [\"o <- x\"]\n\n\
         [graph.main.uc.Sink]\nin = {{ a = \"int\" }}\nout = {{ stop = \"int\" }}\nfire = [\"a -> x\"]\n\
         route = [\"stop <- x if count >= {at}\"]\n\n\
         [graph.main.uc.Stop]\nstop = true\nin = {{ a = \"int\" }}\nout = {{ \"o[k]\" = \"int\", own = \"int\" }}\n{}\
         fire = [\"a -> x\"]\n{stop_body}route = [\"o[k] <- k for k in 0..{n}\", \"own <- x\"]\n",
        n * n_values,
        uses(work),
        uses(stop),
    )
}

/// The text of a program in which each event prints so many lines: its path, its count and the number of the line. `n_lines`
/// are those of the nodes `Start`, `Node`, `Merge` and `Sink`. Programs of one seed differ in nothing else.
pub fn printing(seed: u64, n_lines: [usize; 4]) -> String {
    let mut dice = Dice::new(seed);
    let (n, n_values) = (1 + dice.below(4), 1 + dice.below(12));
    let (shared, loops) = (dice.below(2) == 0, dice.below(3));
    let body = |name: &str, n_lines: usize, rest: &str| {
        let lines =
            (0..n_lines).map(|line| format!("print(`/{name}:${{count}} {line}`);\n")).collect::<String>();
        if lines.is_empty() && rest.is_empty() {
            String::new()
        } else {
            format!("do = '''\n{rest}{lines}'''\n")
        }
    };
    let [start, node, merge, sink] = n_lines;
    let (uses, share, object, add) = match shared {
        true => (
            "shared = { s = \"write\" }\n",
            "share = [\"s -- Node[i].s\", \"s -- Sink.s\"]\n",
            "\n[graph.main.shared.s]\ntype = \"int\"\n",
            "s += 1;\n",
        ),
        false => ("", "", "", ""),
    };
    format!(
        "hasse = 1\nmain = \"main\"\n\n[graph.main]\narcs = [\n  \"Start.o[k] -> Node[k % {n}].a\",\n  \
         \"Node[i].o -> Merge.a\",\n  \"Node[i].back -> Node[i].a\",\n  \"Merge.o -> Sink.a\",\n  \"Start.p[k] -> Sink.a\",\n]\n\
         {share}{object}\n\
         [graph.main.uc.Start]\nstart = true\nout = {{ \"o[k]\" = \"int\", \"p[k]\" = \"int\" }}\n{}\
         route = [\"o[k] <- k for k in 0..{n_values}\", \"p[k] <- k for k in 0..2\"]\n\n\
         [graph.main.uc.Node]\nindex = [\"i\"]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\", back = \"int\" }}\n{uses}\
         fire = [\"a -> x\"]\n{}route = [\"o <- x\", \"back <- x if count <= {loops}\"]\n\n\
         [graph.main.uc.Merge]\nin = {{ a = \"int\" }}\nout = {{ o = \"int\" }}\nfire = [\"a -> x\"]\n{}route = [\"o <- x\"]\n\n\
         [graph.main.uc.Sink]\nin = {{ a = \"int\" }}\n{uses}fire = [\"a -> x\"]\n{}",
        body("Start", start, ""),
        body("Node[${i}]", node, add),
        body("Merge", merge, ""),
        body("Sink", sink, add),
    )
}
