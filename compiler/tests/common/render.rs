//! Renders a plan for a person: names instead of ids, one line for each part.

use std::fmt::Write;

use hasse_model::plan::{
    Arc, BinaryOp, Body, Code, Expr, FiringRule, Loop, Pattern, Plan, RoutingRule, ShareSource, Source,
    Target, Template,
};

/// Renders a whole plan.
pub(crate) fn plan(plan: &Plan) -> String {
    let mut out = format!("main {}, orders results: {}\n", plan.main_graph().name, plan.orders_results);
    for param in plan.params() {
        let default = param.default.as_ref().map_or_else(String::new, |default| code(default, plan, None));
        writeln!(out, "param {}: {} = {default}", param.name, param.ty).unwrap();
    }
    for object in &plan.shared {
        let init = object.init.as_ref().map_or_else(String::new, |init| code(init, plan, None));
        writeln!(out, "shared {}{:?}: {} = {init}", object.name, object.index_names, object.ty).unwrap();
    }
    for arc in &plan.arcs {
        writeln!(out, "arc {}", render_arc(arc, plan)).unwrap();
    }
    for template in &plan.templates {
        out.push_str(&render_template(template, plan));
    }
    for (script_idx, script) in plan.scripts.iter().enumerate() {
        let at = script.at;
        writeln!(
            out,
            "script {script_idx} {:?} at {}:{}: {:?}",
            script.kind, at.line, at.column, script.text
        )
        .unwrap();
    }
    out
}

fn render_arc(arc: &Arc, plan: &Plan) -> String {
    let graph = &plan.graphs[arc.graph.idx()];
    let (source, source_ports) = match arc.source {
        Source::Unit(template) => (&plan.template(template).name[..], &plan.template(template).outputs),
        Source::Call(call) => (&plan.call(call).name[..], &plan.graphs[plan.call(call).graph.idx()].outputs),
        Source::Interface => ("in", &graph.inputs),
    };
    let (target, target_ports) = match arc.target {
        Target::Unit(template) => (&plan.template(template).name[..], &plan.template(template).inputs),
        Target::Call(call) => (&plan.call(call).name[..], &plan.graphs[plan.call(call).graph.idx()].inputs),
        Target::Interface => ("out", &graph.outputs),
    };
    let patterns = |patterns: &[Pattern]| patterns.iter().map(|one| pattern(*one, plan)).collect::<String>();
    let exprs =
        |exprs: &[Expr]| exprs.iter().map(|one| format!("[{}]", expr(one, plan, None))).collect::<String>();
    format!(
        "{}{}.{}{} -> {}{}.{}{} ({} locals)",
        source,
        patterns(&arc.source_index),
        source_ports[arc.source_port].name,
        patterns(&arc.source_elements),
        target,
        exprs(&arc.target_index),
        target_ports[arc.target_port].name,
        exprs(&arc.target_elements),
        arc.n_locals
    )
}

fn pattern(pattern: Pattern, plan: &Plan) -> String {
    match pattern {
        Pattern::Local(local) => format!("[${local}]"),
        Pattern::Int(number) => format!("[{number}]"),
        Pattern::Param(param) => format!("[{}]", plan.params()[param as usize].name),
    }
}

fn render_template(template: &Template, plan: &Plan) -> String {
    let body = template.body.as_ref().map(|body| match body {
        Body::Script(script) => format!("{script:?}"),
        Body::Native { name, .. } => format!("native {name}"),
    });
    let body = body.map_or("None".to_owned(), |body| format!("Some({body})"));
    let mut out = format!(
        "node {}, {} indices, start {}, stop {}, init {:?}, body {}\n",
        template.name, template.n_indices, template.is_start, template.is_stop, template.init, body
    );
    for (direction, ports) in [("in", &template.inputs), ("out", &template.outputs)] {
        for port in ports {
            writeln!(out, "  {direction} {} ({} indices): {}", port.name, port.n_indices, port.ty).unwrap();
        }
    }
    for slot in &template.slots {
        writeln!(out, "  slot {:?} {}: {}", slot.kind, slot.name, slot.ty).unwrap();
    }
    for default in &template.var_defaults {
        let default = default.as_ref().map(|default| code(default, plan, Some(template)));
        writeln!(out, "  default {}", default.unwrap_or_default()).unwrap();
    }
    for shared in &template.shared {
        for binding in &shared.bindings {
            let patterns: String = binding.pattern.iter().map(|one| pattern(*one, plan)).collect();
            let elements: String =
                binding.elements.iter().map(|one| format!("[{}]", expr(one, plan, None))).collect();
            let object = match binding.object {
                ShareSource::Own(shared) => &plan.shared[shared.idx()].name,
                ShareSource::Formal(formal) => &plan.graphs[template.graph.idx()].formals[formal].name,
            };
            writeln!(out, "  share {:?} {patterns} is {object}{elements}", shared.access).unwrap();
        }
    }
    for rule in &template.fire {
        writeln!(out, "  fire {}", render_firing(rule, template, plan)).unwrap();
    }
    for rule in &template.route {
        writeln!(out, "  route {}", render_routing(rule, template, plan)).unwrap();
    }
    out
}

fn render_firing(rule: &FiringRule, template: &Template, plan: &Plan) -> String {
    let exprs = |exprs: &[Expr]| -> String {
        exprs.iter().map(|one| format!("[{}]", expr(one, plan, Some(template)))).collect()
    };
    let takes = rule.takes.iter().map(|take| {
        let port = &template.inputs[take.port].name;
        let target = &template.slots[take.target.idx()].name;
        let loops = loops(&take.loops, |one| expr(one, plan, Some(template)));
        format!("{port}{} -> {target}{}{loops}", exprs(&take.elements), exprs(&take.target_elements))
    });
    format!("{}{}", takes.collect::<Vec<_>>().join(", "), guard(rule.guard.as_ref(), template, plan))
}

fn render_routing(rule: &RoutingRule, template: &Template, plan: &Plan) -> String {
    let sends = rule.sends.iter().map(|send| {
        let port = &template.outputs[send.port].name;
        let in_template = |one: &Code| code(one, plan, Some(template));
        let elements: String = send.elements.iter().map(|one| format!("[{}]", in_template(one))).collect();
        let loops = loops(&send.loops, in_template);
        format!("{port}{elements} <- {}{loops}", in_template(&send.value))
    });
    let each = if rule.guards_elements { " (each)" } else { "" };
    format!("{}{}{each}", sends.collect::<Vec<_>>().join(", "), guard(rule.guard.as_ref(), template, plan))
}

fn guard(guard: Option<&Code>, template: &Template, plan: &Plan) -> String {
    guard.map_or_else(String::new, |guard| format!(" if {}", code(guard, plan, Some(template))))
}

fn loops<C>(loops: &[Loop<C>], render: impl Fn(&C) -> String) -> String {
    let render_one =
        |one: &Loop<C>| format!(" for {} in {}..{}", one.name, render(&one.low), render(&one.high));
    loops.iter().map(render_one).collect()
}

fn code(code: &Code, plan: &Plan, template: Option<&Template>) -> String {
    match code {
        Code::Expr(lowered) => expr(lowered, plan, template),
        Code::Script(script) => format!("{{{}}}", plan.scripts[script.idx()].text),
    }
}

/// Renders an expression; `$k` is local k.
pub(crate) fn expr(one: &Expr, plan: &Plan, template: Option<&Template>) -> String {
    let inner = |one: &Expr| expr(one, plan, template);
    match one {
        Expr::Int(number) => number.to_string(),
        Expr::Bool(flag) => flag.to_string(),
        Expr::Slot(slot) => {
            template.map_or("?".to_owned(), |template| template.slots[slot.idx()].name.clone())
        }
        Expr::Length(slot) => format!("{}.len", inner(&Expr::Slot(*slot))),
        Expr::Local(local) => format!("${local}"),
        Expr::Param(param) => format!("param {}", plan.params()[*param as usize].name),
        Expr::Negate(operand) => format!("-{}", inner(operand)),
        Expr::Not(operand) => format!("!{}", inner(operand)),
        Expr::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::Add => "+",
                BinaryOp::Subtract => "-",
                BinaryOp::Multiply => "*",
                BinaryOp::Divide => "/",
                BinaryOp::Remainder => "%",
                BinaryOp::Equal => "==",
                BinaryOp::NotEqual => "!=",
                BinaryOp::Less => "<",
                BinaryOp::LessOrEqual => "<=",
                BinaryOp::Greater => ">",
                BinaryOp::GreaterOrEqual => ">=",
                BinaryOp::And => "&&",
                BinaryOp::Or => "||",
            };
            format!("({} {sign} {})", inner(left), inner(right))
        }
    }
}
