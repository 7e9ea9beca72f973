//! Policies and routes made at random, and their uses. Captures of routes have the same names as those around mounts.

use super::super::hirs::{self, NOWHERE, expr, text};
use super::super::rng::Rng;
use super::{Gen, Scope};
use twp_lang::hir::{
    Apply, Expr, ExprKind, Message, Mount, Policy, Program, RouteSettings, Routes, Stmt, Terminal, Timeouts,
    Ty,
};

/// Adds policies and routes to a program; each may use those before it.
pub(super) fn declare(rng: &mut Rng, program: &mut Program) {
    for number in 0..rng.below(4) {
        let policy = Gen { rng: &mut *rng, program, names: 0 }.policy(number);
        program.policies.push(policy);
    }
    for number in 0..rng.below(3) {
        let routes = Gen { rng: &mut *rng, program, names: 0 }.routes(number);
        program.routes.push(routes);
    }
}

/// A text, a truth value and an upstream.
fn params() -> Vec<(String, Ty)> {
    let named = |name: &str, ty| (name.to_owned(), ty);
    vec![named("t", Ty::String), named("b", Ty::Bool), named("u", Ty::Upstream)]
}

fn param(number: usize, ty: Ty) -> Expr {
    expr(ExprKind::Param(number), ty)
}

fn to_param() -> Terminal {
    Terminal::To { upstream: param(2, Ty::Upstream), timeouts: Timeouts::default(), retry: None }
}

impl Gen<'_> {
    /// Some statements, those of its parameters among them, and not always an end.
    fn policy(&mut self, number: usize) -> Policy {
        let scope = Scope { policies: number, ..Scope::default() };
        let mut statements = self.statements(&scope, 2);
        statements.extend(self.of_params());
        statements.extend(self.statements(&scope, 2));
        Policy { name: format!("p{number}"), params: params(), statements, head: NOWHERE }
    }

    fn routes(&mut self, number: usize) -> Routes {
        let scope =
            Scope { policies: self.program.policies.len(), routes: number, depth: 1, ..Scope::default() };
        let mut statements = self.of_params();
        statements.extend(self.statements(&scope, 1));
        let items = self.items(&scope, 4);
        let fallback = self.rng.chance(40).then(|| twp_lang::hir::Fallback {
            settings: RouteSettings::default(),
            statements: vec![Stmt::Terminal(to_param())],
            span: NOWHERE,
        });
        let settings = RouteSettings { max_body: Some(7), ..RouteSettings::default() };
        let name = format!("r{number}");
        Routes { name, params: params(), settings, statements, items, fallback, head: NOWHERE }
    }

    /// Statements that use each parameter.
    fn of_params(&mut self) -> Vec<Stmt> {
        let name = format!("y-{}", self.rng.below(3));
        let set = Stmt::SetHeader { message: Message::Request, name, value: param(0, Ty::String) };
        let end = if self.rng.chance(50) { to_param() } else { self.terminal(&Scope::default()) };
        let require = Stmt::Require { condition: param(1, Ty::Bool), otherwise: end };
        if self.rng.chance(30) { vec![require] } else { vec![set, require] }
    }

    pub(super) fn apply(&mut self, scope: &Scope) -> Apply {
        let policy = self.rng.below(scope.policies);
        Apply { policy, arguments: self.arguments(scope), span: NOWHERE }
    }

    pub(super) fn mount(&mut self, scope: &Scope) -> Mount {
        let routes = self.rng.below(scope.routes);
        let at = (0..self.rng.below(3)).map(|_| self.rng.text(super::SEGMENTS)).collect();
        let name = format!("m{}", self.rng.below(100));
        Mount { routes, arguments: self.arguments(scope), at, name, span: NOWHERE }
    }

    fn arguments(&mut self, scope: &Scope) -> Vec<Expr> {
        let text = if self.rng.chance(30) { text("fixed") } else { self.text(scope, 1) };
        let condition = self.condition(scope, 1);
        vec![text, condition, hirs::upstream(self.rng.below(2))]
    }
}
