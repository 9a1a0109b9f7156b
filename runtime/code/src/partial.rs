//! Evaluation of expressions of which some names are not known.

use hasse_model::plan::{BinaryOp, Code, Expr, SlotKind, Template};
use hasse_model::value::Type;
use rhai::Dynamic;
use smallvec::SmallVec;

/// An integer or a truth value that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl Scalar {
    /// The integer, if it is one.
    pub fn int(self) -> Option<i64> {
        match self {
            Scalar::Int(number) => Some(number),
            Scalar::Bool(_) => None,
        }
    }
}

/// Values of the creation parameters of a graph instance, as far as they are known.
#[derive(Clone, Copy)]
pub enum Params<'a> {
    /// Those of an instance that exists.
    Values(&'a [Dynamic]),
    /// Those that a call would give.
    Scalars(&'a [Option<Scalar>]),
}

impl Params<'_> {
    /// The parameter at a position.
    pub fn get(self, param: usize) -> Option<Scalar> {
        match self {
            Params::Values(values) => scalar_of(values.get(param)?),
            Params::Scalars(scalars) => scalars.get(param).copied().flatten(),
        }
    }
}

/// The names of a template that are known.
#[derive(Clone)]
pub struct Known<'a> {
    /// The template.
    pub template: &'a Template,
    /// Creation parameters of the graph instance.
    pub params: Params<'a>,
    /// The index of the instance.
    pub index: Numbers,
    /// Position of the first slot of an index number.
    pub index_start: usize,
    /// The firing rule taken.
    pub rule: Option<i64>,
    /// Whether the action may have executed: vars and `count` are unknown then, else they are as in the beginning.
    pub has_begun: bool,
}

impl Known<'_> {
    fn slot(&self, slot_idx: usize) -> Option<Scalar> {
        let slot = self.template.slots.get(slot_idx)?;
        match slot.kind {
            SlotKind::Param => {
                let start = self.template.slots_of(SlotKind::Param).start;
                self.params.get(slot_idx - start)
            }
            SlotKind::Index => self.index.get(slot_idx - self.index_start).copied()?.map(Scalar::Int),
            SlotKind::Rule => self.rule.map(Scalar::Int),
            SlotKind::Count if !self.has_begun => Some(Scalar::Int(1)),
            SlotKind::Var if !self.has_begun && self.template.init.is_none() => {
                let start = self.template.slots_of(SlotKind::Var).start;
                match self.template.var_defaults.get(slot_idx - start)? {
                    Some(Code::Expr(expr)) => self.eval(expr, &[]),
                    Some(Code::Script(_)) => None,
                    None => match slot.ty {
                        Type::Int => Some(Scalar::Int(0)),
                        Type::Bool => Some(Scalar::Bool(false)),
                        _ => None,
                    },
                }
            }
            _ => None,
        }
    }

    /// The value of an expression of the template, if it is known; `locals` are loop variables.
    pub fn eval(&self, expr: &Expr, locals: &[Option<i64>]) -> Option<Scalar> {
        eval(expr, locals, &|expr| match expr {
            Expr::Slot(slot) => self.slot(slot.idx()),
            _ => None,
        })
    }
}

/// Returns the integer or truth value that is held.
pub fn scalar_of(held: &Dynamic) -> Option<Scalar> {
    held.as_int().map(Scalar::Int).or_else(|_| held.as_bool().map(Scalar::Bool)).ok()
}

/// The value of an index expression of an arc, if it is known; `locals` are the variables of the arc.
pub fn eval_arc(expr: &Expr, locals: &[Option<i64>], params: Params<'_>) -> Option<i64> {
    eval_over_params(expr, locals, params)?.int()
}

/// The value of an expression over parameters of a graph and numbers of an index, if it is known.
pub fn eval_over_params(expr: &Expr, locals: &[Option<i64>], params: Params<'_>) -> Option<Scalar> {
    eval(expr, locals, &|expr| match expr {
        Expr::Param(param) => params.get(*param as usize),
        _ => None,
    })
}

/// Returns the value of an expression as far as it is known; `name` knows slots, their lengths and parameters.
pub fn eval(expr: &Expr, locals: &[Option<i64>], name: &dyn Fn(&Expr) -> Option<Scalar>) -> Option<Scalar> {
    match expr {
        Expr::Int(number) => Some(Scalar::Int(*number)),
        Expr::Bool(flag) => Some(Scalar::Bool(*flag)),
        Expr::Local(local) => locals.get(*local as usize).copied().flatten().map(Scalar::Int),
        Expr::Slot(_) | Expr::Param(_) | Expr::Length(_) => name(expr),
        Expr::Negate(operand) => eval(operand, locals, name)?.int()?.checked_neg().map(Scalar::Int),
        Expr::Not(operand) => match eval(operand, locals, name)? {
            Scalar::Bool(flag) => Some(Scalar::Bool(!flag)),
            Scalar::Int(_) => None,
        },
        Expr::Binary(op, left, right) => {
            let (left, right) = (eval(left, locals, name), eval(right, locals, name));
            // One side decides, whatever the other one is.
            let decides = |flag| left == Some(Scalar::Bool(flag)) || right == Some(Scalar::Bool(flag));
            match op {
                BinaryOp::And if decides(false) => return Some(Scalar::Bool(false)),
                BinaryOp::Or if decides(true) => return Some(Scalar::Bool(true)),
                _ => {}
            }
            binary(*op, left?, right?)
        }
    }
}

fn binary(op: BinaryOp, left: Scalar, right: Scalar) -> Option<Scalar> {
    use BinaryOp::{
        Add, And, Divide, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Multiply, NotEqual, Or,
        Remainder, Subtract,
    };
    Some(match (left, right) {
        (Scalar::Int(left), Scalar::Int(right)) => match op {
            Add => Scalar::Int(left.checked_add(right)?),
            Subtract => Scalar::Int(left.checked_sub(right)?),
            Multiply => Scalar::Int(left.checked_mul(right)?),
            Divide => Scalar::Int(left.checked_div(right)?),
            Remainder => Scalar::Int(left.checked_rem(right)?),
            Equal => Scalar::Bool(left == right),
            NotEqual => Scalar::Bool(left != right),
            Less => Scalar::Bool(left < right),
            LessOrEqual => Scalar::Bool(left <= right),
            Greater => Scalar::Bool(left > right),
            GreaterOrEqual => Scalar::Bool(left >= right),
            And | Or => return None,
        },
        (Scalar::Bool(left), Scalar::Bool(right)) => match op {
            Equal => Scalar::Bool(left == right),
            NotEqual => Scalar::Bool(left != right),
            And => Scalar::Bool(left && right),
            Or => Scalar::Bool(left || right),
            _ => return None,
        },
        _ => return None,
    })
}

/// Index numbers, as far as they are known.
pub type Numbers = SmallVec<[Option<i64>; 2]>;
