//! Expressions of rules as routines, which are run for many events at a time.

use std::sync::Arc;

use hasse_code::calc::Calc;
use hasse_code::reason::Cause;
use hasse_model::id::SlotId;
use hasse_model::plan::routine::{
    BinaryOp as ScalarOp, Comparison, Function, Input, Kind, Op, Output, Place, Reg, Routine, Target, UnaryOp,
};
use hasse_model::plan::{BinaryOp, Expr};
use hasse_routine::{Machine, Tiers};

/// A machine that gives the value of an expression as a scalar of a kind. `kind_of` gives the kinds of slots.
///
/// # Errors
/// The expression takes anything but scalars of slots, or gives something else.
pub(crate) fn machine_of(
    calc: &Calc,
    kind: Kind,
    tiers: Tiers,
    kind_of: &impl Fn(SlotId) -> Option<Kind>,
) -> Result<Arc<Machine>, Cause> {
    if let Calc::Routine(machine) = calc {
        let routine = machine.routine();
        if let Some(object) = routine.objects.first() {
            return Err(Cause::ExpressionObject(object.slot.idx()));
        }
        if routine.n_objects() > 0 {
            return Err(Cause::ExpressionMakesObjects);
        }
        if routine.has_effects() {
            return Err(Cause::ExpressionOther);
        }
        for input in &routine.inputs {
            match input.place {
                Place::Slot(slot) if input.is_optional || input.is_presence => {
                    return Err(Cause::ExpressionOptional(slot.idx()));
                }
                Place::Slot(slot) if kind_of(slot) == Some(input.kind) => {}
                Place::Slot(slot) => return Err(Cause::AnyKind(slot.idx())),
                Place::Local(_) | Place::Value => return Err(Cause::ExpressionOther),
            }
        }
        return match &routine.outputs[..] {
            [output] if output.kind == kind => Ok(Arc::clone(machine)),
            [output] => Err(Cause::ExpressionGives(output.kind, kind)),
            _ => Err(Cause::ExpressionOther),
        };
    }
    let expr = calc.expr().ok_or(Cause::ExpressionOther)?;
    let routine = routine_of(&expr, kind, kind_of).ok_or(Cause::ExpressionOther)?;
    Ok(Machine::new(Arc::new(routine), &[], &[], tiers))
}

/// The routine of an expression, which gives up where the expression has no value.
fn routine_of(expr: &Expr, kind: Kind, kind_of: &impl Fn(SlotId) -> Option<Kind>) -> Option<Routine> {
    let mut builder = Builder::default();
    builder.add_inputs(expr, kind_of)?;
    let (mut reg, found) = builder.lower(expr)?;
    match (found, kind) {
        (Kind::Int, Kind::Real) => {
            let real = builder.register(Kind::Real);
            builder.ops.push(Op::Unary(UnaryOp::RealOfInt, real, reg));
            reg = real;
        }
        (found, kind) if found == kind => {}
        _ => return None,
    }
    builder.ops.extend([Op::Give(0, reg), Op::Return(None)]);
    let Builder { inputs, kinds, ops } = builder;
    let function = Function {
        name: String::new(),
        n_params: inputs.len(),
        kinds,
        gives: None,
        ops,
        operands: Vec::new(),
    };
    let outputs = vec![Output { place: Place::Value, kind }];
    Some(Routine { functions: vec![function], inputs, outputs, ..Routine::default() })
}

/// A routine under construction.
#[derive(Default)]
struct Builder {
    /// Each slot once; the registers of the inputs are the first ones.
    inputs: Vec<Input>,
    kinds: Vec<Kind>,
    ops: Vec<Op>,
}

impl Builder {
    fn register(&mut self, kind: Kind) -> Reg {
        self.kinds.push(kind);
        self.kinds.len() as Reg - 1
    }

    fn input(&self, slot: SlotId) -> Option<usize> {
        self.inputs.iter().position(|input| input.place == Place::Slot(slot))
    }

    fn add_inputs(&mut self, expr: &Expr, kind_of: &impl Fn(SlotId) -> Option<Kind>) -> Option<()> {
        match expr {
            Expr::Int(_) | Expr::Bool(_) => {}
            Expr::Slot(slot) => {
                if self.input(*slot).is_none() {
                    let kind = kind_of(*slot)?;
                    let place = Place::Slot(*slot);
                    self.inputs.push(Input { place, kind, is_optional: false, is_presence: false });
                    self.register(kind);
                }
            }
            Expr::Negate(operand) | Expr::Not(operand) => self.add_inputs(operand, kind_of)?,
            Expr::Binary(_, left, right) => {
                self.add_inputs(left, kind_of)?;
                self.add_inputs(right, kind_of)?;
            }
            Expr::Local(_) | Expr::Param(_) | Expr::Length(_) => return None,
        }
        Some(())
    }

    /// Adds the operations of an expression; gives the register of its value, and the kind.
    fn lower(&mut self, expr: &Expr) -> Option<(Reg, Kind)> {
        match expr {
            Expr::Int(number) => {
                let to = self.register(Kind::Int);
                self.ops.push(Op::Int(to, *number));
                Some((to, Kind::Int))
            }
            Expr::Bool(flag) => {
                let to = self.register(Kind::Bool);
                self.ops.push(Op::Bool(to, *flag));
                Some((to, Kind::Bool))
            }
            Expr::Slot(slot) => {
                let input = self.input(*slot)?;
                Some((input as Reg, self.kinds[input]))
            }
            Expr::Negate(operand) => self.unary(UnaryOp::NegateInt, Kind::Int, operand),
            Expr::Not(operand) => self.unary(UnaryOp::Not, Kind::Bool, operand),
            Expr::Binary(BinaryOp::And, left, right) => self.either(left, right, false),
            Expr::Binary(BinaryOp::Or, left, right) => self.either(left, right, true),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Local(_) | Expr::Param(_) | Expr::Length(_) => None,
        }
    }

    fn unary(&mut self, op: UnaryOp, kind: Kind, operand: &Expr) -> Option<(Reg, Kind)> {
        let (from, _) = self.lower(operand).filter(|(_, found)| *found == kind)?;
        let to = self.register(kind);
        self.ops.push(Op::Unary(op, to, from));
        Some((to, kind))
    }

    /// A truth value of two, of which the second one counts only where the first one is not `decisive`.
    fn either(&mut self, left: &Expr, right: &Expr, decisive: bool) -> Option<(Reg, Kind)> {
        let is_bool = |&(_, kind): &(Reg, Kind)| kind == Kind::Bool;
        let (left, _) = self.lower(left).filter(is_bool)?;
        let to = self.register(Kind::Bool);
        self.ops.push(Op::Copy(to, left));
        let jump = self.ops.len();
        self.ops.push(Op::JumpIf(to, decisive, 0));
        let (right, _) = self.lower(right).filter(is_bool)?;
        self.ops.push(Op::Copy(to, right));
        self.ops[jump] = Op::JumpIf(to, decisive, self.ops.len() as Target);
        Some((to, Kind::Bool))
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<(Reg, Kind)> {
        let (left, kind) = self.lower(left)?;
        let (right, right_kind) = self.lower(right)?;
        if kind != right_kind || kind == Kind::Real {
            return None;
        }
        if let Some(comparison) = comparison_of(op) {
            let is_known =
                kind == Kind::Int || matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            let to = self.register(Kind::Bool);
            self.ops.push(Op::CompareInts(comparison, to, left, right));
            return is_known.then_some((to, Kind::Bool));
        }
        let op = arithmetic_of(op).filter(|_| kind == Kind::Int)?;
        let to = self.register(Kind::Int);
        self.ops.push(Op::Binary(op, to, left, right));
        Some((to, Kind::Int))
    }
}

fn comparison_of(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Equal => Comparison::Equal,
        BinaryOp::NotEqual => Comparison::NotEqual,
        BinaryOp::Less => Comparison::Less,
        BinaryOp::LessOrEqual => Comparison::LessOrEqual,
        BinaryOp::Greater => Comparison::Greater,
        BinaryOp::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn arithmetic_of(op: BinaryOp) -> Option<ScalarOp> {
    Some(match op {
        BinaryOp::Add => ScalarOp::AddInts,
        BinaryOp::Subtract => ScalarOp::SubtractInts,
        BinaryOp::Multiply => ScalarOp::MultiplyInts,
        BinaryOp::Divide => ScalarOp::DivideInts,
        BinaryOp::Remainder => ScalarOp::RemainderInts,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use hasse_routine::{Ended, Scratch};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use hasse_code::eval::Scalar;
    use hasse_code::eval::scalar_of;

    const OPS: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::Less,
        BinaryOp::LessOrEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterOrEqual,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![-3..4_i64, Just(i64::MIN), Just(i64::MAX)]
    }

    fn expr() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            number().prop_map(Expr::Int),
            any::<bool>().prop_map(Expr::Bool),
            (0..4_usize).prop_map(|slot_idx| Expr::Slot(SlotId::from_idx(slot_idx))),
        ];
        leaf.prop_recursive(4, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|operand| Expr::Negate(Box::new(operand))),
                inner.clone().prop_map(|operand| Expr::Not(Box::new(operand))),
                (prop::sample::select(&OPS[..]), inner.clone(), inner)
                    .prop_map(|(op, left, right)| Expr::Binary(op, Box::new(left), Box::new(right))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2_000 }))]

        /// A routine gives what the expression gives, and gives up where that has no value.
        #[test]
        fn routines_give_what_expressions_give(
            expr in expr(),
            numbers in prop::array::uniform2(number()),
            flags in prop::array::uniform2(any::<bool>()),
        ) {
            let scalars =
                [Scalar::Int(numbers[0]), Scalar::Int(numbers[1]), Scalar::Bool(flags[0]), Scalar::Bool(flags[1])];
            let kind_of = |slot: SlotId| Some(if slot.idx() < 2 { Kind::Int } else { Kind::Bool });
            let expected = scalar_of(&expr, &|slot| scalars.get(slot.idx()).copied(), &[]);
            for kind in [Kind::Int, Kind::Bool] {
                let Some(routine) = routine_of(&expr, kind, &kind_of) else { continue };
                let machine = Machine::new(Arc::new(routine), &[], &[], Tiers::Evaluated);
                prop_assert_eq!(machine.flaw(), None);
                let mut words: Vec<u64> = machine.routine().inputs.iter().map(|input| match input.place {
                    Place::Slot(slot) => match scalars[slot.idx()] {
                        Scalar::Int(number) => number.cast_unsigned(),
                        Scalar::Bool(flag) => u64::from(flag),
                    },
                    _ => 0,
                }).collect();
                words.push(0);
                let ended = machine.run(&mut words, &mut [], &mut Scratch::default(), &AtomicBool::new(false));
                let word = words.last().copied().filter(|_| ended == Ended::Done);
                let found = word.map(|word| match kind {
                    Kind::Bool => Scalar::Bool(word != 0),
                    _ => Scalar::Int(word.cast_signed()),
                });
                prop_assert_eq!(found, expected);
            }
        }
    }
}
