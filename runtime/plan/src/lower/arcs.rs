//! Arcs to instances that index numbers of the sender tell.

use hasse_code::eval::Scalar;
use hasse_model::id::TemplateId;
use hasse_model::plan::{Arc, BinaryOp, Expr, Pattern, Send, Target};

use crate::arcs::{IndexedWay, Number};
use crate::program::Program;

impl IndexedWay {
    /// The arcs of a sending; `None` where one of them is to be followed in the general way.
    pub(crate) fn all(program: &Program<'_>, template_id: TemplateId, send: &Send) -> Option<Vec<Self>> {
        let arcs = program.arcs_from[template_id.idx()][send.port].iter();
        let ways: Option<Vec<_>> = arcs.map(|arc| Self::of(program, template_id, arc)).collect();
        ways.filter(|ways| !ways.is_empty())
    }

    fn of(program: &Program<'_>, template_id: TemplateId, arc: &Arc) -> Option<Self> {
        let plan = program.plan;
        let Target::Unit(target) = arc.target else { return None };
        if arc.source_index.len() != plan.template(template_id).n_indices {
            return None;
        }
        let param = |param: u32| match program.known_params[arc.graph.idx()].get(param as usize)? {
            Some(Scalar::Int(number)) => Some(*number),
            _ => None,
        };
        let mut positions: Vec<Option<usize>> = vec![None; arc.n_locals];
        let mut checks = Vec::new();
        for (position, pattern) in arc.source_index.iter().chain(&arc.source_elements).enumerate() {
            match *pattern {
                Pattern::Int(number) => checks.push((position, Number::Constant(number))),
                Pattern::Param(name) => checks.push((position, Number::Constant(param(name)?))),
                Pattern::Local(local) => match &mut positions[local as usize] {
                    Some(first) => checks.push((position, Number::Source { position: *first, offset: 0 })),
                    place => *place = Some(position),
                },
            }
        }
        let leaf = |expr: &Expr| match *expr {
            Expr::Int(number) => Some(Number::Constant(number)),
            Expr::Param(name) => param(name).map(Number::Constant),
            Expr::Local(local) => {
                positions[local as usize].map(|position| Number::Source { position, offset: 0 })
            }
            _ => None,
        };
        let number = |expr: &Expr| match expr {
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                match (op, leaf(left)?, leaf(right)?) {
                    (BinaryOp::Add, Number::Source { position, .. }, Number::Constant(offset))
                    | (BinaryOp::Add, Number::Constant(offset), Number::Source { position, .. }) => {
                        Some(Number::Source { position, offset })
                    }
                    (BinaryOp::Subtract, Number::Source { position, .. }, Number::Constant(offset)) => {
                        offset.checked_neg().map(|offset| Number::Source { position, offset })
                    }
                    _ => None,
                }
            }
            other => leaf(other),
        };
        let index = arc.target_index.iter().map(number).collect::<Option<_>>()?;
        let elements = arc.target_elements.iter().map(number).collect::<Option<_>>()?;
        Some(Self { arc: plan.arc_id(arc), target, port: arc.target_port, checks, index, elements })
    }
}
