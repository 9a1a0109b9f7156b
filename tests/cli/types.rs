use serde_json::json;

use super::support::Folder;

/// Adds the numbers of blocks given as a parameter.
const BLOCKS: &str = r#"hasse = 1
main = "blocks"

[type.Block]
row = "int"
rhs = "vector"
tags = "string[]"

[graph.blocks]
params = { b = "Block", more = "Block[] = []" }
arcs = ["Start.block -> Sum.block"]

[graph.blocks.uc.Start]
start = true
out = { block = "Block" }
route = ["block <- b", "block <- more[k] for k in 0..len(more)"]

[graph.blocks.uc.Sum]
in = { block = "Block" }
vars = { total = "Block" }
fire = ["block -> one"]
do = '''
total.row += one.row;
total.rhs = one.rhs;
total.tags += one.tags;
print(one);
result("total", total);
'''
"#;

const SET: &str = r#"b={"row":1,"rhs":[1,2.5],"tags":["a","ß"]}"#;
const MORE: &str = r#"more=[{"rhs":["NaN"],"row":2,"tags":[]}]"#;

#[test]
fn parameters_of_struct_types_are_json_and_results_are_objects_in_field_order() {
    let folder = Folder::with("blocks.hasse", BLOCKS);
    let ran = folder.hasse(&["run", "blocks.hasse", "--set", SET, "--set", MORE, "--json"]).ends(0);
    assert!(ran.stdout.contains(r#""total":{"row":3,"rhs":["NaN"],"tags":["a","ß"]}"#), "{}", ran.shown());
    let ran = folder.hasse(&["run", "blocks.hasse", "--set", SET]).ends(0);
    insta::assert_snapshot!(ran.shown());
}

#[test]
fn wrong_parameters_of_struct_types_are_told_with_their_place() {
    let folder = Folder::with("blocks.hasse", BLOCKS);
    let settings = [
        r#"b={"row":1,"rhs":[1],"tags":["a",2]}"#,
        r#"b={"row":1,"rhs":[1,"x"],"tags":[]}"#,
        r#"b={"row":1,"tags":[]}"#,
        r#"b={"row":1,"rhs":[],"tags":[],"tag":1}"#,
        r#"b={"row":1.5,"rhs":[],"tags":[]}"#,
        "b={row = 1}",
        "b=[1]",
        "b=",
    ];
    let told: String = settings
        .iter()
        .map(|setting| folder.hasse(&["run", "blocks.hasse", "--set", setting]).ends(2).stderr)
        .collect();
    insta::assert_snapshot!(told);
    let deep = format!("b={}", "[".repeat(100_000));
    folder.hasse(&["run", "blocks.hasse", "--set", &deep]).ends(2);
}

#[test]
fn parameters_of_struct_types_stand_in_the_trace_and_are_replayed() {
    let folder = Folder::with("blocks.hasse", BLOCKS);
    let ran = folder.hasse(&["run", "blocks.hasse", "--set", SET, "--set", MORE, "--trace", "t"]).ends(0);
    let replayed = folder.hasse(&["replay", "t"]).ends(0);
    assert_eq!(replayed.stdout, ran.stdout);
    let exported = folder.hasse(&["trace", "export", "t", "--format", "jsonl"]).ends(0).stdout;
    let header: serde_json::Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    let params = header["params"].to_string();
    assert!(params.contains(r#"{"row":1,"rhs":[1.0,2.5],"tags":["a","ß"]}"#), "{params}");
    assert_ne!(header["params"], json!(null));
}

#[test]
fn check_tells_of_struct_types() {
    let text = BLOCKS.replace("tags = \"string[]\"", "tags = \"string[]\"\nnext = \"Block\"");
    let text = text.replace("total.row += one.row;", "total.row += one.rwo;");
    let checked = Folder::with("blocks.hasse", &text).hasse(&["check", "blocks.hasse"]).ends(1);
    insta::assert_snapshot!(checked.shown());
}
