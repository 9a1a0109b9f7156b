//! Values of struct types within the interpreter: constructors, fields, comparison and text.
//!
//! A field is given out as a copy and put back when it was changed, so that no two names ever hold one
//! field. What a field holds is checked when the struct leaves the body, not when it is assigned.

use std::any::TypeId;
use std::sync::Arc;

use hasse_model::value::{StructShape, StructTable, StructType, Value};
use rhai::{Dynamic, Engine, EvalAltResult, NativeCallContext, Token};

use crate::builtin::conversion::register_struct;
pub use crate::convert::StructObject;
use crate::convert::value_from_dynamic;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Registers the struct types of a program.
pub(crate) fn register(engine: &mut Engine, types: &Arc<StructTable>) {
    engine.register_type_with_name::<StructObject>("struct");
    engine.register_indexer_get(|object: &mut StructObject, name: &str| object.get(name));
    engine
        .register_indexer_set(|object: &mut StructObject, name: &str, held: Dynamic| object.set(name, held));
    let text = |object: &mut StructObject| object.text();
    engine.register_fn("to_string", text).register_fn("to_debug", text);
    engine.register_fn("print", |object: &mut StructObject| match object.value() {
        Ok(value) => crate::print_text::printed(&value),
        Err(_) => object.text(),
    });
    engine.register_fn("==", |one: &mut StructObject, other: StructObject| one.equals(&other));
    engine.register_fn("!=", |one: &mut StructObject, other: StructObject| !one.equals(&other));
    engine.register_fn(TYPE_OF, type_of);
    name_types(engine);
    for ty in types.types() {
        register_constructor(engine, &ty);
        register_struct(engine, &ty);
        for name in &ty.shape().fields {
            let (read, written) = (Arc::clone(name), Arc::clone(name));
            engine.register_get(&**name, move |object: &mut StructObject| object.get(&read));
            engine.register_set(&**name, move |object: &mut StructObject, held: Dynamic| {
                object.set(&written, held)
            });
        }
    }
}

/// `S(x, y, ...)`: a value of struct type `S`, one argument for each field, in the order of the file.
/// Errors: an argument does not fit its field.
fn register_constructor(engine: &mut Engine, ty: &StructType) {
    let arguments = vec![TypeId::of::<Dynamic>(); ty.shape().fields.len()];
    let ty = ty.clone();
    engine.register_raw_fn(
        ty.name().to_owned(),
        arguments,
        move |_: NativeCallContext<'_>, arguments: &mut [&mut Dynamic]| construct(&ty, arguments),
    );
}

fn construct(ty: &StructType, arguments: &mut [&mut Dynamic]) -> Outcome<StructObject> {
    let shape = ty.shape();
    let mut fields = Vec::with_capacity(arguments.len());
    for ((name, expected), argument) in shape.fields.iter().zip(ty.field_types()).zip(arguments.iter_mut()) {
        // A copy: the object of a method call is not the function's to take.
        let mut held = argument.flatten_clone();
        crate::edge::admit_held(&expected, &mut held).map_err(|found| {
            let place = format!("{}.{name}", shape.name);
            format!("{}; the fields are {}", found.told(&place), listing(shape))
        })?;
        fields.push(held);
    }
    Ok(StructObject { shape: Arc::clone(shape), fields })
}

impl StructObject {
    fn place(&self, name: &str) -> Outcome<usize> {
        let place = self.shape.field_idx(name);
        place.ok_or_else(|| {
            let listing = listing(&self.shape);
            format!("`{}` has no field `{name}`; its fields are {listing}", self.shape.name).into()
        })
    }

    fn get(&self, name: &str) -> Outcome<Dynamic> {
        Ok(self.fields[self.place(name)?].clone())
    }

    fn set(&mut self, name: &str, held: Dynamic) -> Outcome<()> {
        let place = self.place(name)?;
        self.fields[place] = held.flatten();
        Ok(())
    }

    fn value(&self) -> Result<Value, String> {
        value_from_dynamic(&Dynamic::from(self.clone()))
    }

    fn text(&self) -> String {
        match self.value() {
            Ok(value) => value.to_string(),
            Err(found) => format!("{} {{ a field holds a {found} }}", self.shape.name),
        }
    }

    /// Structs are equal where they are of one type and hold the same; an `int` is not the `real` of
    /// the same number.
    fn equals(&self, other: &Self) -> bool {
        matches!((self.value(), other.value()), (Ok(one), Ok(other)) if one == other)
    }
}

fn listing(shape: &StructShape) -> String {
    if shape.fields.is_empty() {
        return "none".to_owned();
    }
    shape.fields.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Name of `type_of` within the interpreter, whose own function knows one name for all struct types. No
/// program can write it.
pub const TYPE_OF: &str = "type_of$";

/// Lets `type_of` give the name of a struct type.
#[allow(deprecated, reason = "not deprecated but marked as volatile; the version of Rhai is pinned")]
fn name_types(engine: &mut Engine) {
    engine.on_parse_token(|token, _, _| match token {
        Token::Identifier(name) | Token::Reserved(name) if *name == "type_of" => {
            Token::Identifier(Box::new(TYPE_OF.into()))
        }
        other => other,
    });
}

fn type_of(context: NativeCallContext<'_>, held: Dynamic) -> String {
    match held.read_lock::<StructObject>() {
        Some(object) => object.shape.name.to_string(),
        None => context.engine().map_type_name(held.type_name()).to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use hasse_model::value::{FieldType, StructDef, Type};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::convert::dynamic_from_value;
    use crate::effects::SharedContext;
    use crate::interrupt::StopSignal;

    fn types() -> Arc<StructTable> {
        let def = |name: &str, fields: Vec<(&str, FieldType)>| StructDef {
            shape: Arc::new(StructShape {
                name: name.into(),
                fields: fields.iter().map(|(field, _)| Arc::from(*field)).collect(),
            }),
            types: fields.into_iter().map(|(_, ty)| ty).collect(),
        };
        let plain = FieldType::Plain;
        let blocks = FieldType::Array(Box::new(FieldType::Struct(0)));
        Arc::new(StructTable::new(vec![
            def("Block", vec![("row", plain(Type::Int)), ("rhs", plain(Type::Vector))]),
            def("Part", vec![("first", FieldType::Struct(0)), ("more", blocks), ("x", plain(Type::Real))]),
            def("Nothing", vec![]),
        ]))
    }

    fn eval(script: &str) -> Result<String, String> {
        let engine = crate::script::engine(&SharedContext::default(), &StopSignal::default(), &types());
        let ended = engine.eval::<Dynamic>(script);
        ended.map(|held| value_from_dynamic(&held).unwrap().to_string()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(script: &str, expected: &str) {
        assert_eq!(eval(script).as_deref(), Ok(expected), "{script}");
    }

    #[track_caller]
    fn check_error(script: &str, message: &str) {
        let error = eval(script).unwrap_err();
        assert!(error.contains(message), "{script}: {error}");
    }

    const PART: &str = "let p = Part(Block(1, vector(2)), [Block(2, vector(1))], 3); ";

    #[test]
    fn fields_are_read_and_assigned() {
        check("Block(3, vector([1, 2]))", "Block { row: 3, rhs: vector [1.0, 2.0] }");
        check(
            "let b = Block(3, vector(2)); b.row += 1; b.rhs[1] = 5.0; [b.row, b.rhs]",
            "[4, vector [0.0, 5.0]]",
        );
        check("Nothing()", "Nothing {}");
        check(
            &format!("{PART} p.first.rhs[0] = 7.0; p.more[0].row = 9; p"),
            "Part { first: Block { row: 1, rhs: vector [7.0, 0.0] }, more: [Block { row: 9, rhs: vector [0.0] }], x: 3.0 }",
        );
        check(&format!("{PART} p.more.push(Block(5, vector(0))); p.more.len()"), "2");
        check(&format!("{PART} p[\"x\"]"), "3.0");
    }

    #[test]
    fn copies_are_copies() {
        check(
            "let b = Block(1, vector(1)); let c = b; c.row = 2; c.rhs[0] = 1.0; b",
            "Block { row: 1, rhs: vector [0.0] }",
        );
        check(&format!("{PART} let f = p.first; f.row = 8; p.first.row"), "1");
        check("let v = vector(1); let b = Block(1, v); b.rhs[0] = 4.0; v[0]", "0.0");
    }

    #[test]
    fn structs_are_compared_named_and_shown() {
        check("Block(1, vector(1)) == Block(1, vector(1))", "true");
        check("Block(1, vector(1)) != Block(2, vector(1))", "true");
        check("type_of(Block(1, vector(1))) + type_of(1) + Nothing().type_of()", "\"Blocki64Nothing\"");
        check(
            "type_name(Nothing()) + `${Nothing()}` + Nothing().to_string()",
            "\"NothingNothing {}Nothing {}\"",
        );
        check("as_Block(Block(1, vector(1))).row", "1");
    }

    #[test]
    fn wrong_fields_are_errors() {
        check_error(
            "let b = Block(1, vector(0)); b.rwo",
            "`Block` has no field `rwo`; its fields are `row`, `rhs`",
        );
        check_error("let b = Block(1, vector(0)); b.rwo = 1;", "`Block` has no field `rwo`");
        check_error("Block(\"a\", vector(0))", "`Block.row`: the string \"a\" is no int; the fields are");
        check_error(&format!("{PART} Part(p.first, [1], 2.0)"), "`Part.more[0]`: the int 1 is no Block");
        check_error("as_Block(Nothing())", "`as_Block`: Nothing {} is no Block");
        check_error(
            "let b = Block(1, vector(0)); b.row = 'x'; as_Block(b)",
            "`as_Block`: .row: the char 'x' is no int",
        );
    }

    #[test]
    fn nesting_without_end_is_an_error() {
        check_error("let a = []; for i in 0..300 { a = [a]; } result(\"a\", a)", "more than 256 levels");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Unit),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            (-1e9..1e9_f64).prop_map(Value::Real),
            any::<char>().prop_map(Value::Char),
            ".*".prop_map(|text| Value::String(Arc::from(text))),
            vec(any::<u8>(), 0..9).prop_map(|bytes| Value::Bytes(Arc::new(bytes))),
            vec(-1e9..1e9_f64, 0..9).prop_map(|entries| Value::Vector(Arc::new(entries))),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let shapes = types();
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(|items| Value::Array(Arc::new(items))),
                vec(inner, 2).prop_map(move |fields| {
                    let shape = Arc::clone(&shapes.defs()[0].shape);
                    Value::Struct(Arc::new(hasse_model::value::StructValue::new(shape, fields).unwrap()))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_survive_the_interpreter(value in value()) {
            let held = dynamic_from_value(value.clone());
            prop_assert_eq!(value_from_dynamic(&held), Ok(value));
        }
    }
}
