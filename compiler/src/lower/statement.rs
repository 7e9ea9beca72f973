//! Statements: each becomes a step, and a policy the steps of its statements.

use super::expr::Lowering;
use super::frame::Env;
use crate::core::{Action, Expr, Terminal};
use crate::plan::TimeoutPlan;
use twp_lang::hir;

/// The steps of a block, those of the policies that it applies among them.
pub(super) fn lower_statements<'a>(ctx: &mut Lowering<'a>, statements: &'a [hir::Stmt]) -> Vec<Action> {
    let mut actions = Vec::with_capacity(statements.len());
    add_statements(ctx, statements, &mut actions);
    actions
}

fn add_statements<'a>(ctx: &mut Lowering<'a>, statements: &'a [hir::Stmt], out: &mut Vec<Action>) {
    for statement in statements {
        if !ctx.count_node() {
            return;
        }
        match statement {
            hir::Stmt::Apply(apply) => inline_policy(ctx, apply, out),
            statement => out.extend(lower_statement(ctx, statement)),
        }
    }
}

fn inline_policy<'a>(ctx: &mut Lowering<'a>, apply: &'a hir::Apply, out: &mut Vec<Action>) {
    let policy = ctx.policy(apply.policy);
    let env = Env::new(&apply.arguments, ctx.frame());
    ctx.inline_block((&policy.name, apply.span), env, |ctx| add_statements(ctx, &policy.statements, out));
}

/// The step of a statement; a `let` that cannot fail is none.
fn lower_statement<'a>(ctx: &mut Lowering<'a>, statement: &'a hir::Stmt) -> Option<Action> {
    Some(match statement {
        hir::Stmt::SetHeader { message, name, value } => {
            Action::Set { message: *message, name: name.clone(), value: ctx.text(value) }
        }
        hir::Stmt::AddHeader { message, name, value } => {
            Action::Add { message: *message, name: name.clone(), value: ctx.text(value) }
        }
        hir::Stmt::RemoveHeader { message, name } => Action::Remove { message: *message, name: name.clone() },
        hir::Stmt::RewritePath(template) => Action::RewritePath(lower_template(ctx, template)),
        hir::Stmt::RewriteHost(value) => Action::RewriteHost(ctx.text(value)),
        hir::Stmt::RewriteStrip(segments) => Action::Strip(u8::try_from(segments.len()).unwrap_or(u8::MAX)),
        hir::Stmt::Let { id, value, otherwise, name: _ } => {
            ctx.bind(*id, value);
            let otherwise = vec![Action::End(lower_terminal(ctx, otherwise.as_ref()?))];
            Action::When { condition: ctx.is_some(value), then: Vec::new(), otherwise }
        }
        hir::Stmt::When { condition, then, otherwise } => Action::When {
            condition: ctx.condition(condition),
            then: ctx.inner(|ctx| lower_statements(ctx, then)),
            otherwise: ctx.inner(|ctx| lower_statements(ctx, otherwise)),
        },
        hir::Stmt::Require { condition, otherwise } => Action::When {
            condition: ctx.condition(condition),
            then: Vec::new(),
            otherwise: vec![Action::End(lower_terminal(ctx, otherwise))],
        },
        // Its steps are put in its place by the caller.
        hir::Stmt::Apply(_) => return None,
        hir::Stmt::Terminal(terminal) => Action::End(lower_terminal(ctx, terminal)),
    })
}

fn lower_terminal<'a>(ctx: &mut Lowering<'a>, terminal: &'a hir::Terminal) -> Terminal {
    match terminal {
        hir::Terminal::To { upstream, timeouts, retry: _ } => Terminal::To {
            upstream: u32::try_from(ctx.upstream(upstream)).unwrap_or(u32::MAX),
            timeouts: lower_timeouts(*timeouts),
        },
        hir::Terminal::Respond { status, body } => {
            Terminal::Respond { status: *status, body: body.as_ref().map(|body| ctx.text(body)) }
        }
        hir::Terminal::Redirect { status, location } => {
            let (location, keep_query) = match location {
                hir::Location::Path(template) => (lower_template(ctx, template), true),
                hir::Location::Text(text) => (ctx.text(text), false),
            };
            Terminal::Redirect { status: *status, location, keep_query }
        }
    }
}

/// Time limits in the form of the plan.
pub(crate) fn lower_timeouts(timeouts: hir::Timeouts) -> TimeoutPlan {
    TimeoutPlan { connect_ms: timeouts.connect, response_ms: timeouts.response, idle_ms: timeouts.idle }
}

/// Captures print as their text whatever their type, so all count as text here.
fn lower_template(ctx: &Lowering<'_>, template: &hir::PathTemplate) -> Expr {
    let part = |part: &hir::TemplatePart| match part {
        hir::TemplatePart::Literal(text) => Expr::Text(text.clone()),
        hir::TemplatePart::Capture(name) => Expr::Capture { name: ctx.capture(name), int: false },
    };
    Expr::Join(template.parts.iter().map(part).collect())
}
