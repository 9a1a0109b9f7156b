use hasse_model::value::{FieldType, Matrix, StructDef, StructShape, Type};
use proptest::prelude::*;

use super::*;

static TYPES: LazyLock<Arc<StructTable>> = LazyLock::new(types);

/// A block, and the queues of a port family.
static OBJECTS: LazyLock<[Value; 2]> = LazyLock::new(|| {
    let engine = script::engine(&SharedContext::default(), &StopSignal::default(), &TYPES);
    let queues = [(&[0, 1][..], vec![Dynamic::from_int(5)]), (&[2, 1][..], vec![Dynamic::from_int(6)])];
    let block = engine.eval("Block(4, [7, 8, 9])").expect("a struct");
    [block, family(queues)].map(|held| value_from_dynamic(&held).expect("a value"))
});

fn types() -> Arc<StructTable> {
    let fields = vec!["row".into(), "parts".into()];
    let ints = FieldType::Array(Box::new(FieldType::Plain(Type::Int)));
    let shape = Arc::new(StructShape { name: "Block".into(), fields });
    Arc::new(StructTable::new(vec![StructDef { shape, types: vec![FieldType::Plain(Type::Int), ints] }]))
}

/// What an action of the tests knows.
fn value_of(name: &str) -> Option<Value> {
    let ints = |numbers: &[i64]| Value::Array(Arc::new(numbers.iter().copied().map(Value::Int).collect()));
    Some(match name {
        "i" | "NodeIndex" => Value::Int(3),
        "count" | "ExecCnt" => Value::Int(2),
        "ready" => Value::Bool(true),
        "name" => Value::String(Arc::from("a = b AND c")),
        "a" => ints(&[10, 11, 12, 13, 14]),
        "div" => Value::Int(7),
        "long" => Value::Array(Arc::new(vec![Value::Int(1); 1 << 20])),
        "v" => Value::Vector(Arc::new(vec![0.5, 1.5, 2.5])),
        "m" => {
            let entries = (0..12).map(f64::from).collect();
            Value::Matrix(Arc::new(Matrix::from_columns(3, 4, entries).expect("twelve entries")))
        }
        "rows" => Value::Array(Arc::new(vec![ints(&[1, 2, 3]), ints(&[4, 5, 6])])),
        "s" => OBJECTS[0].clone(),
        "Pred" => {
            let paths = ["/Mult[3]:2", "/dobts[1]/Solve:4"];
            Value::Array(Arc::new(paths.iter().map(|path| Value::String(Arc::from(*path))).collect()))
        }
        "port go" => ints(&[1, 2]),
        "port done" => OBJECTS[1].clone(),
        _ => return None,
    })
}

fn eval(text: &str) -> Result<String, String> {
    let expression = Expression::parse(text).map_err(|error| format!("{}: {error}", error.column))?;
    expression.value(&TYPES, value_of).map(|value| value.to_string())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(eval(text).as_deref(), Ok(expected), "{text}");
}

#[test]
fn the_interpreters_expressions_are_expressions() {
    check("i + 1", "4");
    check("count == 2 && ready", "true");
    check("a.filter(|x| x > 12).len()", "2");
    check("if ready { i } else { count }", "3");
    check("`${i} of ${a.len}`", "\"3 of 5\"");
    check("12 in a", "true");
    check("12 in [1, 2]", "false");
    check("s.parts[1] + s.row", "12");
    check("a.map(|x| x * i)[0]", "30");
}

#[test]
fn the_dissertations_spelling_is_understood() {
    check("NodeIndex = 3", "true");
    check("ExecCnt=2", "true");
    check("i = 3 AND count = 3 or ready", "true");
    check("NOT i = 4", "true");
    check("not (i = 3) or ready", "true");
    check("not ready and ready", "false");
    check("not not ready", "true");
    check("17 DIV 5 * 10 + 17 mod 5", "32");
    check("i <= 3 and i >= 3 and i != 4", "true");
    check("rows[1, 2]", "6");
    check("m[2, 3]", "11.0");
}

#[test]
fn words_are_operators_between_operands_only() {
    check("div DIV 2", "3");
    check("div div div", "1");
    check("name", "\"a = b AND c\"");
    check("name = \"a = b AND c\"", "true");
    check("'=' = '='", "true");
}

#[test]
fn parts_are_taken() {
    check("a[1..3]", "[11, 12]");
    check("a[3..]", "[13, 14]");
    check("a[..=1]", "[10, 11]");
    check("a[..][0]", "10");
    check("a[count..count + 2]", "[12, 13]");
    check("v[1..]", "vector [1.5, 2.5]");
    check("m[.., 1]", "vector [3.0, 4.0, 5.0]");
    check("m[0..2, 2]", "vector [6.0, 7.0]");
    check("m[1..3, ..]", "matrix 2 x 4");
    check("s.parts[1..]", "[8, 9]");
    check("rows[.., 1]", "[2, 5]");
    check("name[0..3]", "\"a =\"");
    check("a[1..3].len() = 2 and a[i - 1] = 12", "true");
}

#[test]
fn predecessors_and_ports_are_looked_up() {
    check("Pred", "[\"/Mult[3]:2\", \"/dobts[1]/Solve:4\"]");
    check("Pred (Mult)", "true");
    check("Pred(Mult[3], Solve)", "true");
    check("Pred(Mult[4]) || Pred(/dobts[*]/Solve)", "true");
    check("Pred(Mult, Gath)", "false");
    check("NOT Pred(Gath) AND Pred.len() = 2", "true");
    check("port(\"go\").len()", "2");
    check("go", "[1, 2]");
    check("go[0]", "1");
    check("port(\"done\", [2, 1])", "[6]");
    check("port(\"done\", [2, i])", "[]");
    check("port(\"done\")[0].values", "[5]");
    check("done[1].element", "[2, 1]");
}

#[test]
fn an_index_is_a_number_or_an_array() {
    let held = |index: &[i64]| special("NodeIndex", index, 1).map(|held| held.to_string());
    assert_eq!(held(&[3]).as_deref(), Some("3"));
    assert_eq!(held(&[3, -1]).as_deref(), Some("[3, -1]"));
    assert_eq!(held(&[]).as_deref(), Some("[]"));
    assert_eq!(special("ExecCnt", &[], 7).and_then(|held| held.as_int().ok()), Some(7));
    assert!(special("count", &[], 7).is_none());
    check("rows[0] = [1, 2, 3]", "true");
}

#[test]
fn names_have_their_columns() {
    let expression = Expression::parse("  ä = ö").expect("an expression");
    let uses: Vec<_> = expression.uses().collect();
    assert_eq!(uses, [("ä", 3), ("ö", 7)]);
    let expression = Expression::parse(" i = 3 AND m[.., count] = v or Pred(Mult) and port(\"go\").len > i");
    let expression = expression.expect("an expression");
    let uses: Vec<_> = expression.uses().collect();
    assert_eq!(
        uses,
        [("i", 2), ("m", 12), ("count", 18), ("v", 27), ("Pred", 32), ("port go", 53), ("i", 64)]
    );
    assert_eq!(expression.names(), ["Pred", "count", "i", "m", "port go", "v"]);
    let closure = Expression::parse("a.filter(|x| x > i)").expect("an expression");
    assert_eq!(closure.names(), ["a", "i"]);
}

#[test]
fn what_cannot_be_read_says_where() {
    let told: String = [
        "",
        "   ",
        "i +",
        "i + * 1",
        "i += 1",
        "a[1",
        "a[,]",
        "a[1..=]",
        "&i",
        "let x = 1",
        "i; count",
        "write_text(\"f\", \"x\")",
        "a.print()",
        "[1].map(Fn(\"print\"))",
        "eval(\"1\")",
        "\"open",
        "i // the index",
        "i /* the index */",
        "Pred()",
        "Pred(Mult",
        "Pred(Mult[)",
        "Pred(call/Mult)",
        "i = 1 AND Pred(Mult, Sub.Solve)",
        "port(go)",
        "port(\"g o\")",
        "port(\"go\", 1, 2)",
        "i AND",
        "AND i",
        "i == 3 AND (count = 2",
    ]
    .iter()
    .map(|text| {
        let error = Expression::parse(text).expect_err("no expression");
        format!("{text}\n{:>column$} {error}\n", "^", column = error.column)
    })
    .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn what_cannot_be_evaluated_says_where() {
    let told: String = [
        "unknown + 1",
        "ready AND i + ready = 1",
        "a[7]",
        "a[2..9]",
        "m[.., 9]",
        "i[1..2]",
        "v[0, 1]",
        "a[0.5..2]",
        "1 DIV (i - 3)",
        "port(\"nothing\")",
        "port(\"go\", 1)",
        "port(\"done\", \"x\")",
        "a.map(|x| x / 0)",
        "long.map(|x| x + 1)",
        "no_function(i)",
    ]
    .iter()
    .map(|text| format!("{text}\n    {}\n", eval(text).expect_err("an error")))
    .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn an_expression_changes_nothing() {
    let expression = Expression::parse("a.push(1)").expect("a copy may be changed");
    let engine = script::engine(&SharedContext::default(), &StopSignal::default(), &TYPES);
    let held = Dynamic::from_array(vec![Dynamic::from_int(1)]);
    let _ = expression.evaluate(&engine, |name| (name == "a").then(|| held.clone())).expect("evaluated");
    assert_eq!(held.as_array_ref().map(|items| items.len()).ok(), Some(1));
}

#[test]
fn effects_are_refused_where_their_names_are_not_known() {
    let mut natives = hasse_code::natives::registry::Natives::new();
    natives.effect("host", || "here".to_owned());
    let context = SharedContext::default();
    let mut engine = script::engine(&context, &StopSignal::default(), &TYPES);
    natives.register(&mut engine, &context);
    let asked = Expression::parse("host()").expect("an expression").evaluate(&engine, |_| None);
    let error = asked.expect_err("refused");
    assert!(error.contains("asks nothing of the world"), "{error}");
    assert_eq!(engine.eval::<String>("host()").ok().as_deref(), Some("here"));
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("not ", ""), ("a[0, ", "]"), ("(", ")"), ("-", "")] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        Expression::parse(&text).expect_err("too deep");
    }
}

proptest! {
    #[test]
    fn any_text_is_an_expression_or_an_error_within_it(text in "[a-c=<>!&|NOTandivm \\[\\](){}.,0-9\"'`+*/-]{0,40}") {
        match Expression::parse(&text) {
            Ok(expression) => prop_assert_eq!(expression.text(), text.trim()),
            Err(error) => prop_assert!(error.column >= 1 && error.column <= text.chars().count() + 1),
        }
    }

    #[test]
    fn spellings_mean_the_same(x in -5..5_i64, y in -5..5_i64, z in -5..5_i64) {
        let spelled = [
            ("x = y AND NOT z = x OR y > z", "x == y && !(z == x) || y > z"),
            ("(x * y) MOD 3 = z MOD 3 or x div 2 <= y", "(x * y) % 3 == z % 3 || x / 2 <= y"),
            ("not x < y and not (y < z or z = x)", "!(x < y) && !(y < z || z == x)"),
        ];
        let value_of = |name: &str| match name {
            "x" => Some(Value::Int(x)),
            "y" => Some(Value::Int(y)),
            "z" => Some(Value::Int(z)),
            _ => None,
        };
        let value = |text: &str| {
            let expression = Expression::parse(text).expect("an expression");
            let held = expression.evaluate(&PARSER, |name| value_of(name).map(dynamic_from_value));
            held.map(|held| held.as_bool())
        };
        for (ours, rhai) in spelled {
            prop_assert_eq!(value(ours), value(rhai));
        }
    }
}
