// Bodies as they stand in a generated file: compiled here against the library, and by the test against the text of
// `guest_source`.

use std::sync::Arc;

use hasse::{BodyContext, BodyResult, Matrix, Value};

hasse::structs! {
    /// A row of a matrix.
    pub struct Block {
        pub row: i64,
        pub r#type: String,
        pub rhs: Vec<f64>,
    }

    pub struct Tree { pub block: Block, pub children: Vec<Tree> }

    pub struct Nothing {}
}

pub fn grow(context: &mut BodyContext<'_>) -> BodyResult {
    let mut tree: Tree = context.take("tree")?;
    let unit: Arc<Matrix> = context.get("unit")?;
    for row in 0..context.get::<i64>("n")? {
        context.check_stop()?;
        let rhs = vec![unit.get(0, 0).unwrap_or_default(), row as f64];
        let block = Block { row, r#type: format!("row {row}"), rhs };
        tree.children.push(Tree { block, children: Vec::new() });
    }
    context.print(format!("grown\nby {} at {:?}", context.count(), context.index()));
    let random: f64 = context.random()?;
    context.result("random", random)?;
    context.result("nothing", Nothing {})?;
    context.set("sum", tree.children.iter().map(|child| child.block.rhs[1]).sum::<f64>())?;
    context.set("tree", tree)
}

pub fn look(context: &mut BodyContext<'_>) -> BodyResult {
    let value: Value = context.get("t")?;
    let tree: Tree = context.take("t")?;
    let Value::Struct(_) = &value else { return Err("no struct".into()) };
    context.print(&value);
    context.print(tree.children.last().map_or("", |child| child.block.r#type.as_str()));
    context.result("rule", context.rule())?;
    context.result("bound", context.is_set("t"))
}

pub fn unknown_name(context: &mut BodyContext<'_>) -> BodyResult {
    context.set("nowhere", 3_i64)
}

pub fn wrong_type(context: &mut BodyContext<'_>) -> BodyResult {
    let _: Vec<Block> = context.get("k")?;
    Ok(())
}

pub fn own_error(_: &mut BodyContext<'_>) -> BodyResult {
    let _: i64 = "seven".parse()?;
    Ok(())
}

pub fn panics(context: &mut BodyContext<'_>) -> BodyResult {
    let numbers: Vec<i64> = Vec::new();
    context.set("k", numbers[context.get::<usize>("k")?])
}
