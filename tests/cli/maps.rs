//! Maps in ports, vars, shared objects, fields, parameters and results.

use serde_json::json;

use crate::support::Folder;

/// A join of two tables by a string key. Duplicate keys, and keys without a partner, are kept.
const JOIN: &str = "hasse = 1
main = \"keyjoin\"

[type.Row]
key = \"string\"
value = \"string\"

[graph.keyjoin]
arcs = [\"Left.row -> Join.left\", \"Right.row -> Join.right\", \"Join.pair -> View.pair\"]

[graph.keyjoin.uc.Left]
out = { row = \"Row\" }
start = true
do = 'let rows = [Row(\"k1\", \"l1\"), Row(\"k1\", \"l2\"), Row(\"k2\", \"l3\"), Row(\"k 3\", \"l4\")];'
route = [\"row <- rows[i] for i in 0..rows.len\"]

[graph.keyjoin.uc.Right]
out = { row = \"Row\" }
start = true
do = 'let rows = [Row(\"k1\", \"r1\"), Row(\"k2\", \"r2\")];'
route = [\"row <- rows[i] for i in 0..rows.len\"]

[graph.keyjoin.uc.Join]
in = { left = \"Row\", right = \"Row\" }
out = { pair = \"string[]\" }
vars = { sides = \"(map[string]string[])[]\" }
init = 'sides = [#{}, #{}];'
fire = [\"left -> row\", \"right -> row\"]
do = '''
let own = sides[rule][row.key] ?? [];
own.push(row.value);
sides[rule][row.key] = own;
let others = sides[1 - rule][row.key] ?? [];
let right = sides[1];
let alone = sides[0].filter(|key, _values| !(key in right));
result(\"alone\", alone);
result(\"keys\", sides[0].keys());
'''
route = [\"pair <- [row.value, others[k]] for k in 0..others.len\"]

[graph.keyjoin.uc.View]
in = { pair = \"string[]\" }
vars = { pairs = \"map[string]bool\" }
fire = [\"pair -> p\"]
do = '''
p.sort();
pairs[`${p[0]}-${p[1]}`] = true;
result(\"pairs\", pairs.keys());
'''
";

#[test]
fn tables_are_joined_by_text_in_all_modes() {
    let folder = Folder::with("keyjoin.hasse", JOIN);
    let expected = json!({
        "alone": { "k 3": ["l4"] },
        "keys": ["k 3", "k1", "k2"],
        "pairs": ["l1-r1", "l2-r1", "l3-r2"],
    });
    for mode in ["none", "full", "minimal", "perf"] {
        for workers in ["1", "2", "5"] {
            let run =
                ["run", "keyjoin.hasse", "--record", mode, "--trace", "t", "--workers", workers, "--json"];
            let run = if mode == "none" {
                &["run", "keyjoin.hasse", "--workers", workers, "--json"][..]
            } else {
                &run
            };
            assert_eq!(folder.hasse(run).ends(0).json()["results"], expected, "{mode}");
            if mode == "full" || mode == "minimal" {
                let replayed = folder.hasse(&["replay", "t", "--json"]).ends(0).json();
                assert_eq!(replayed["results"], expected, "{mode}");
            }
        }
    }
}

/// A shared map, a struct with maps, a map as parameter, and a map as `any`.
const KINDS: &str = "hasse = 1
main = \"kinds\"

[type.City]
name = \"string\"
streets = \"map[string]int[]\"
parts = \"map[string]City\"

[graph.kinds]
params = { rate = 'map[string]real = #{a: 1}' }
arcs = [\"Make.city -> Show.city\", \"Make.thing -> Show.thing\"]
share = [\"seen -- Make.seen\", \"seen -- Show.seen\"]

[graph.kinds.shared.seen]
type = \"map[string]int\"
init = '#{start: 1}'

[graph.kinds.uc.Make]
out = { city = \"City\", thing = \"any\" }
shared = { seen = \"write\" }
start = true
do = '''
seen[\"make\"] = (seen[\"make\"] ?? 0) + 1;
let city = City(\"Bern\", #{}, #{});
city.streets[\"Main Street\"] = [1, 2];
city.parts.old = City(\"Old Town\", #{}, #{});
'''
route = [\"city <- city\", \"thing <- #{ints: [1], text: \\\"x\\\"}\"]

[graph.kinds.uc.Show]
in = { city = \"City\", thing = \"any\" }
shared = { seen = \"write\" }
fire = [\"city -> city, thing -> thing\"]
do = '''
seen[\"show\"] = 1;
result(\"seen\", seen);
result(\"city\", city);
result(\"thing\", as_map(thing).keys());
result(\"type\", type_name(thing));
result(\"rate\", rate);
print(city.parts);
'''
";

#[test]
fn maps_are_values_everywhere() {
    let folder = Folder::with("kinds.hasse", KINDS);
    let ran = folder.hasse(&["run", "kinds.hasse", "--json", "--trace", "t"]).ends(0).json();
    let city = |name: &str, streets, parts| json!({ "name": name, "streets": streets, "parts": parts });
    let expected = json!({
        "seen": { "make": 1, "show": 1, "start": 1 },
        "city": city("Bern", json!({ "Main Street": [1, 2] }), json!({ "old": city("Old Town", json!({}), json!({})) })),
        "thing": ["ints", "text"],
        "type": "map",
        "rate": { "a": 1.0 },
    });
    assert_eq!(ran["results"], expected);
    assert_eq!(folder.hasse(&["replay", "t", "--json"]).ends(0).json()["results"], expected);
    let set = ["run", "kinds.hasse", "--json", "--set", r#"rate={"b": 2, "a c": 0.5}"#];
    let ran = folder.hasse(&set).ends(0).json();
    assert_eq!(ran["results"]["rate"], json!({ "a c": 0.5, "b": 2.0 }));
    insta::assert_snapshot!(folder.hasse(&["run", "kinds.hasse"]).ends(0).stdout);
}

#[test]
fn mismatched_value_is_reported_with_its_key() {
    let folder = Folder::with("kinds.hasse", KINDS);
    let set = |text: &str| folder.hasse(&["run", "kinds.hasse", "--set", text]).ends(2).stderr;
    assert!(
        set(r#"rate={"b": "x"}"#).contains("`rate[\"b\"]`: \"x\" is no real"),
        "{}",
        set(r#"rate={"b": "x"}"#)
    );
    assert!(set("rate=[1]").contains("`rate`: [1] is no map[string]real"), "{}", set("rate=[1]"));
    folder.write("kinds.hasse", &KINDS.replace("seen[\"show\"] = 1;", "seen[\"show\"] = 1.5;"));
    let ran = folder.hasse(&["run", "kinds.hasse"]).ends(1);
    assert!(ran.stderr.contains("R0003"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`seen[\"show\"]`: the real 1.5 is no int"), "{}", ran.stderr);
}

#[test]
fn unreadable_map_type_suggests_the_notation() {
    let message_of = |ty: &str| {
        let text = KINDS.replace("\"map[string]int\"", &format!("\"{ty}\""));
        let folder = Folder::with("kinds.hasse", &text);
        let stderr = folder.hasse(&["check", "kinds.hasse"]).ends(1).stderr;
        let first = stderr.lines().find(|line| line.contains('×')).unwrap_or_default().trim().to_owned();
        format!("{ty}\n    {first}\n")
    };
    let types = [
        "map",
        "map[]int",
        "map[int]int",
        "map[string]",
        "map[string]nothing",
        "map[string]int]",
        "(map[string]int",
        "map<string, int>",
        "{string: int}",
        "Dict[str, int]",
        "dict",
        "map[string]map[string]string",
    ];
    insta::assert_snapshot!(types.map(message_of).concat());
}

#[test]
fn arc_between_maps_of_different_values_is_an_error() {
    let with = |taken: &str| {
        let text = KINDS.replace("in = { city = \"City\", thing = \"any\" }", taken);
        Folder::with("kinds.hasse", &text)
    };
    let folder = with("in = { city = \"map[string]City\", thing = \"any\" }");
    let found = folder.hasse(&["check", "kinds.hasse"]).ends(1).stderr;
    assert!(found.contains("E0203") && found.contains("map[string]City"), "{found}");
}

#[test]
fn session_prints_the_value_of_a_key() {
    let folder = Folder::with("kinds.hasse", KINDS);
    let input = "when in Show at aftcomp { print seen[\"make\"]; print city.streets[\"Main Street\"][1]; print rate.a; \
                 print seen[\"nobody\"]; print city.name[\"x\"]; print city.parts }\nrun\nquit\n";
    let ran = folder.hasse_with_input(&["debug", "kinds.hasse"], input);
    insta::assert_snapshot!(ran.stdout);
}

/// Maps in the vars of a body in Rust, and in a struct.
const WORDS: &str = r#"hasse = 1
main  = "words"

[type.Seen]
names = "map[string]int[]"

[graph.words]
arcs = [
  "Ask.word -> Count.word",
  "Count.seen -> Tell.seen",
]

[graph.words.uc.Ask]
out   = { word = "string" }
start = true
do    = 'let words = ["a", "b", "a"];'
route = ["word <- words[k] for k in 0..3"]

[graph.words.uc.Count]
in   = { word = "string" }
out  = { seen = "Seen" }
vars = { n = "map[string]int", places = "map[string]int[]" }
fire = ["word -> word"]
do = { rust = '''
*n.entry(word.clone()).or_default() += 1;
places.entry(word).or_default().push(count);
context.result("n", n.clone())?;
let seen = Seen { names: places.clone() };
''' }
route = ["seen <- seen if count == 3"]

[graph.words.uc.Tell]
in   = { seen = "Seen" }
fire = ["seen -> seen"]
do   = 'print(seen.names);'
"#;

#[test]
fn rust_body_uses_a_btreemap() {
    let folder = Folder::with("words.hasse", WORDS);
    let ran = folder.hasse(&["run", "words.hasse", "--trace", "t"]).ends(0);
    assert_eq!(ran.stdout, "#{\"a\": [1, 3], \"b\": [2]}\nn = #{\"a\": 2, \"b\": 1}\n");
    assert_eq!(folder.hasse(&["replay", "t"]).ends(0).stdout, ran.stdout);
}
