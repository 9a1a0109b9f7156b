//! Reasons why events are served in a slower way than the fastest one.

use hasse_model::diagnostic::Location;
use hasse_model::id::ScriptId;
use hasse_model::plan::routine::{Kind, Lowering};
use hasse_model::plan::{Body, Plan, Template};
use hasse_model::value::Type;

/// Reason why the events of a template, or a part of them, are not served in the fastest way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Property of the node.
    pub cause: Cause,
    /// Part of the node that is the cause.
    pub site: Site,
}

/// Part of a node, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The node as a whole.
    Node,
    /// A firing rule.
    Fire(usize),
    /// The body.
    Body,
    /// A routing rule.
    Route(usize),
    /// An input port.
    Input(usize),
    /// An output port.
    Output(usize),
    /// A shared object, by position among those of the node.
    Shared(usize),
}

/// Property of a node that keeps its events from a faster way. Names are positions of slots, ports those of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "[`Reason::message`] says what each is")]
pub enum Cause {
    /// The debugger or the user asked for the values of its events.
    Captured,
    /// Failed events are rolled back.
    HandlesErrors,
    DelaysValues,
    /// Its body calls functions whose answers may have to be waited for.
    MayWait,
    /// A var has a default value of many values.
    LargeDefault(usize),
    /// The interpreter runs a script.
    Interpreted(ScriptId),
    /// The interpreter runs the body.
    BodyInterpreted,
    FamilyTaken(usize),
    /// The slow path evaluates the guard before values have come.
    FamilyGuard(usize),
    TakenTwice(usize),
    NestedLoops,
    ManyObjects(usize),
    /// A shared object that is written holds something else than one scalar.
    ObjectType(usize),
    NothingTaken,
    /// The rule is enabled some time after its values have come.
    Timed,
    Stop,
    Start,
    ManyRoutes,
    TakenType(usize),
    SentType(usize),
    SendLoop,
    FamilySent(usize),
    ManySent,
    /// Values go to bounded ports, and the lane does not know how many.
    RoomUnknown,
    /// An event fails where a port to which it sends is full.
    FailsFull,
    /// An input port drops values when it is full.
    Drops(usize),
    MixedKinds(usize),
    /// Several actions may set one result, so that each event has to know what comes before it.
    OrderedResults,
    /// The guard of a firing rule looks at a name that an event may change.
    GuardLooksAt(usize),
    /// Firing rules that take turns, in a node that sends to itself.
    RulesAndOwn,
    /// The body is code in Rust that is not registered as a function of scalars.
    RustBody,
    BodyObject(usize),
    BodyMakesObjects,
    /// The body asks the world outside, and code in Rust answers, or it prints or sets results as well.
    BodyAsks,
    BodyOptional(usize),
    BodyCount,
    BodyAssigns(usize),
    SentTwice,
    OwnSends,
    AnyKind(usize),
    ExpressionObject(usize),
    ExpressionMakesObjects,
    ExpressionOptional(usize),
    ExpressionGives(Kind, Kind),
    ExpressionOther,
    Unbound(usize),
    GuardCompares,
    OwnGuard,
}

impl Site {
    /// The reason that this part has this property.
    #[inline]
    pub fn because(self, cause: Cause) -> Reason {
        Reason { cause, site: self }
    }
}

/// A plan and one of its templates, whose names reasons use.
#[derive(Clone, Copy)]
pub struct Node<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The template.
    pub template: &'p Template,
}

impl Node<'_> {
    fn slot(&self, slot_idx: usize) -> &str {
        self.template.slots.get(slot_idx).map_or("an expression", |slot| &slot.name)
    }

    fn slot_type(&self, slot_idx: usize) -> &Type {
        self.template.slots.get(slot_idx).map_or(&Type::Any, |slot| &slot.ty)
    }

    fn body_at(&self) -> Location {
        match &self.template.body {
            Some(Body::Script(script)) => self.plan.scripts[script.idx()].at,
            Some(Body::Native { at, .. }) => *at,
            None => self.template.at,
        }
    }
}

impl Reason {
    /// Position in the program file.
    pub fn at(&self, node: Node<'_>) -> Location {
        let template = node.template;
        if let Cause::Interpreted(script) = self.cause {
            let lowering = node.plan.lowerings.get(script.idx()).and_then(Option::as_ref);
            return match lowering {
                Some(Lowering::Interpreted(obstacle)) => obstacle.at,
                _ => node.plan.scripts[script.idx()].at,
            };
        }
        match self.site {
            Site::Node => template.at,
            Site::Fire(rule_idx) => template.fire[rule_idx].at,
            Site::Body => node.body_at(),
            Site::Route(rule_idx) => template.route[rule_idx].at,
            Site::Input(port) => template.inputs[port].at,
            Site::Output(port) => template.outputs[port].at,
            Site::Shared(nth) => template.shared[nth].at,
        }
    }

    /// Stable name, by which the book explains it.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::Captured => "captured",
            Cause::HandlesErrors => "handles-errors",
            Cause::DelaysValues => "delayed-values",
            Cause::MayWait => "may-wait",
            Cause::LargeDefault(_) => "large-default",
            Cause::Interpreted(_) => "interpreted",
            Cause::BodyInterpreted => "body-interpreted",
            Cause::FamilyTaken(_) => "family-taken",
            Cause::FamilyGuard(_) => "family-guard",
            Cause::TakenTwice(_) => "taken-twice",
            Cause::NestedLoops => "nested-loops",
            Cause::ManyObjects(_) => "many-objects",
            Cause::ObjectType(_) => "object-type",
            Cause::NothingTaken => "nothing-taken",
            Cause::Timed => "timed-rule",
            Cause::Stop => "stop",
            Cause::Start => "start",
            Cause::ManyRoutes => "many-routes",
            Cause::TakenType(_) => "taken-type",
            Cause::SentType(_) => "sent-type",
            Cause::SendLoop => "send-loop",
            Cause::FamilySent(_) => "family-sent",
            Cause::ManySent => "many-sent",
            Cause::RoomUnknown => "room-unknown",
            Cause::FailsFull => "fails-full",
            Cause::Drops(_) => "port-drops",
            Cause::MixedKinds(_) => "mixed-kinds",
            Cause::OrderedResults => "ordered-results",
            Cause::GuardLooksAt(_) => "guard-name",
            Cause::RulesAndOwn => "rules-and-own",
            Cause::RustBody => "rust-body",
            Cause::BodyObject(_) => "body-object",
            Cause::BodyMakesObjects => "body-makes-objects",
            Cause::BodyAsks => "body-asks",
            Cause::BodyOptional(_) => "body-optional",
            Cause::BodyCount => "body-count",
            Cause::BodyAssigns(_) => "body-assigns",
            Cause::SentTwice => "sent-twice",
            Cause::OwnSends => "own-sends",
            Cause::AnyKind(_) => "any-kind",
            Cause::ExpressionObject(_) => "expression-object",
            Cause::ExpressionMakesObjects => "expression-makes-objects",
            Cause::ExpressionOptional(_) => "expression-optional",
            Cause::ExpressionGives(..) => "expression-gives",
            Cause::ExpressionOther => "expression-other",
            Cause::Unbound(_) => "unbound",
            Cause::GuardCompares => "guard-compares",
            Cause::OwnGuard => "own-guard",
        }
    }

    /// Description in words of the user's program.
    pub fn message(&self, node: Node<'_>) -> String {
        let (inputs, outputs) = (&node.template.inputs, &node.template.outputs);
        let slot = |slot_idx: usize| node.slot(slot_idx);
        let ty = |slot_idx: usize| node.slot_type(slot_idx);
        match self.cause {
            Cause::Captured => "the values of its events are kept with the record".to_owned(),
            Cause::HandlesErrors => {
                "its state is copied before each event, so that a failed event can be rolled back".to_owned()
            }
            Cause::DelaysValues => "it sends delayed values".to_owned(),
            Cause::MayWait => "its body may have to wait for the world outside".to_owned(),
            Cause::LargeDefault(var) => format!("`{}` begins with very many values", slot(var)),
            Cause::Interpreted(script) => {
                match node.plan.lowerings.get(script.idx()).and_then(Option::as_ref) {
                    Some(Lowering::Interpreted(obstacle)) => obstacle.message.clone(),
                    _ => "the interpreter was asked for".to_owned(),
                }
            }
            Cause::BodyInterpreted => "the body is interpreted".to_owned(),
            Cause::FamilyTaken(port) => {
                format!("elements of the port family `{}` are not the same for all events", inputs[port].name)
            }
            Cause::FamilyGuard(port) => {
                format!("the rule has a guard, and takes from the port family `{}`", inputs[port].name)
            }
            Cause::TakenTwice(port) => format!("the rule takes two values from `{}`", inputs[port].name),
            Cause::NestedLoops => "the rule sends in loops within loops".to_owned(),
            Cause::ManyObjects(n_objects) => format!("each event locks {n_objects} shared objects"),
            Cause::ObjectType(name) => {
                format!("each event writes the shared object `{}`, which is of type {}", slot(name), ty(name))
            }
            Cause::NothingTaken => "the rule takes no value".to_owned(),
            Cause::Timed => "the rule is enabled some time after its values have come".to_owned(),
            Cause::Stop => "the first event of the stop node ends the program".to_owned(),
            Cause::Start => "the node executes once, when the program starts".to_owned(),
            Cause::ManyRoutes => "the node has more than 64 routing rules".to_owned(),
            Cause::TakenType(port) => {
                format!("`{}` takes values of type {}", inputs[port].name, inputs[port].ty)
            }
            Cause::SentType(port) => {
                format!("`{}` sends values of type {}", outputs[port].name, outputs[port].ty)
            }
            Cause::SendLoop => {
                "the rule sends in a loop to a port, or to many elements of a port family".to_owned()
            }
            Cause::FamilySent(port) => {
                format!(
                    "values tell to which element of the port family `{}` the rule sends",
                    outputs[port].name
                )
            }
            Cause::FailsFull => "its events fail where a port to which they send is full".to_owned(),
            Cause::RoomUnknown => {
                "values go to bounded ports, and how many an event sends where is known only when it has ended".to_owned()
            }
            Cause::Drops(port) => {
                format!(
                    "the port `{}` drops values when it is full, and is looked at before each event",
                    inputs[port].name
                )
            }
            Cause::ManySent => "the node sends more than 256 different values".to_owned(),
            Cause::MixedKinds(port) => {
                format!("the node sends values of different types to its own port `{}`", inputs[port].name)
            }
            Cause::OrderedResults => "several actions may set the same result".to_owned(),
            Cause::GuardLooksAt(name) => {
                format!("the guard looks at `{}`, which an event may change", slot(name))
            }
            Cause::RulesAndOwn => "the node has several firing rules and sends to itself".to_owned(),
            Cause::RustBody => "the body in Rust is not registered as a function of numbers".to_owned(),
            Cause::BodyObject(name) => {
                format!("the body looks at `{}`, which is of type {}", slot(name), ty(name))
            }
            Cause::BodyMakesObjects => "the body makes an array or another object".to_owned(),
            Cause::BodyAsks => {
                "the body asks code in Rust for what is recorded, or both asks and prints".to_owned()
            }
            Cause::BodyOptional(name) => {
                format!("the body looks at `{}`, which some firing rule does not bind", slot(name))
            }
            Cause::BodyCount => "the body looks at `count`".to_owned(),
            Cause::BodyAssigns(name) => {
                format!("the body assigns `{}`, which a firing rule binds", slot(name))
            }
            Cause::SentTwice => "an event can send two values to one port".to_owned(),
            Cause::OwnSends => {
                "the node sends several values to itself, or to another port than it takes from".to_owned()
            }
            Cause::AnyKind(name) => format!("`{}` may hold values of different types", slot(name)),
            Cause::ExpressionObject(name) => {
                format!("the rule looks at `{}`, which is of type {}", slot(name), ty(name))
            }
            Cause::ExpressionMakesObjects => "the rule makes an array or another object".to_owned(),
            Cause::ExpressionOptional(name) => {
                format!("the rule looks at `{}`, which some firing rule does not bind", slot(name))
            }
            Cause::ExpressionGives(found, wanted) => {
                format!("an expression gives {found} where {wanted} is wanted")
            }
            Cause::ExpressionOther => {
                "an expression is more than arithmetic and comparisons of names".to_owned()
            }
            Cause::Unbound(name) => format!("the rule sends `{}`, which may hold nothing", slot(name)),
            Cause::GuardCompares => "the guard compares other values than ints".to_owned(),
            Cause::OwnGuard => "the guard of what the node sends to itself calculates".to_owned(),
        }
    }

    /// Rewrite of the program that would help, if there is one.
    pub fn help(&self, node: Node<'_>) -> Option<String> {
        let of_type = |ty: &Type| match ty {
            Type::Struct(_) => Some("send its fields as int, real or bool by a port for each"),
            Type::Any => Some("declare the type of the port"),
            Type::String | Type::Char => Some("send an int that stands for the text"),
            _ => None,
        };
        let help = match self.cause {
            Cause::Interpreted(script) => {
                return match node.plan.lowerings.get(script.idx()).and_then(Option::as_ref) {
                    Some(Lowering::Interpreted(obstacle)) => obstacle.help.clone(),
                    _ => None,
                };
            }
            Cause::TakenType(port) => return of_type(&node.template.inputs[port].ty).map(str::to_owned),
            Cause::SentType(port) => return of_type(&node.template.outputs[port].ty).map(str::to_owned),
            Cause::HandlesErrors => {
                "let this node do only what can fail, and others what takes most of the time"
            }
            Cause::DelaysValues => "let a node of its own send them",
            Cause::Timed => "let a node of its own wait, and others compute with what it sends",
            Cause::MayWait => "let a node of its own ask, and others compute with the answers",
            Cause::LargeDefault(_) => "let the body fill it in its first event",
            Cause::FamilyGuard(_) => "guard a routing rule instead",
            Cause::FamilyTaken(_) => "let constants or parameters tell the elements",
            Cause::FamilySent(_) => "use a port of its own for each element",
            Cause::TakenTwice(_) => "take one value, and keep it in a var until the other one comes",
            Cause::NestedLoops => "go through all pairs in one loop, as `for k in 0..n * m`",
            Cause::ManyObjects(_) => "put what is written together into one object of a struct type",
            Cause::ObjectType(_) => "share an int, real or bool, or keep the object in a var of one node",
            Cause::ManyRoutes | Cause::ManySent => "divide the node into several",
            Cause::FailsFull => "send from a node of its own, which passes the values on",
            Cause::RoomUnknown => {
                "send one value by each rule, to a receiver without index in the same graph"
            }
            Cause::Drops(_) => "let a node in front drop the values, and pass on those that are left",
            Cause::MixedKinds(_) => "declare the ports with the same type",
            Cause::OrderedResults => "let one node without an index set the result",
            Cause::GuardLooksAt(_) => "let the guard look at `count`, or guard a routing rule instead",
            Cause::RustBody if node.template.body_rust().is_some() => {
                "write it in Rhai, which is compiled, if it computes with ints, reals and bools alone"
            }
            Cause::RustBody => "register it by `function_body` with ints, reals and bools",
            Cause::BodyObject(_) | Cause::ExpressionObject(_) => {
                "compute with ints, reals and bools alone, by names of their own"
            }
            Cause::BodyMakesObjects => "compute with ints, reals and bools alone",
            Cause::BodyAsks => "ask in a node of its own, which sends the answers",
            Cause::BodyOptional(_) | Cause::ExpressionOptional(_) => "bind the name in each firing rule",
            Cause::BodyCount => "count in a var",
            Cause::BodyAssigns(_) => "bind another name by `let`, and send that",
            Cause::SentTwice => "send one value by one rule, as `y <- if c { a } else { b }`",
            Cause::AnyKind(_) => "declare it as int, real or bool",
            Cause::ExpressionMakesObjects => "make it in the body",
            Cause::ExpressionGives(Kind::Real, Kind::Int) => "convert it, as by `to_int(x)`",
            Cause::ExpressionGives(..) => "convert it, as by `to_real(x)`",
            Cause::ExpressionOther => "compute the value in the body, and bind it by `let`",
            Cause::Unbound(_) => "bind the name in each firing rule, or use a node for each of them",
            Cause::GuardCompares => "write `flag` or `!flag` for a comparison of a bool",
            Cause::OwnGuard => "bind the number by `let` in the body, and compare that",
            Cause::Captured
            | Cause::BodyInterpreted
            | Cause::NothingTaken
            | Cause::Stop
            | Cause::Start
            | Cause::SendLoop
            | Cause::RulesAndOwn
            | Cause::OwnSends => return None,
        };
        Some(help.to_owned())
    }
}
