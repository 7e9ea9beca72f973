//! Programs made at random: every kind of host, path, condition and step, over a small vocabulary so that things
//! meet.

use super::hirs::{self, NOWHERE, boxed, compare, expr, field, int, set, text};
use super::rng::Rng;
use std::collections::HashSet;
use twp_lang::ast::HostPattern;
use twp_lang::hir::{
    CaptureTy, Const, Expr, ExprKind, Fallback, Field, Fn, Group, LetId, Location, Message, PathPattern,
    PathTemplate, Program, Route, RouteSettings, Rule, SegmentPattern, Site, SiteItem, Stmt, TemplatePart,
    Terminal, Ty, Value,
};
use twp_lang::literal::{Cidr, Method, Regex};
use twp_lang::span::Spanned;

mod conditions;
mod reuse;

/// Segments of paths.
pub(super) const SEGMENTS: &[&str] = &["a", "b", "api", "v1", "users", "0", "7", "x.css", "ab", "va.css"];
/// Header values, cookies and texts to compare with.
pub(super) const TEXTS: &[&str] =
    &["a", "b", "api", "v1", "ab", "", "é", "x.css", "GET", "7", "a.test", "/a", "/api/v1", "https"];
/// Header names.
pub(super) const HEADERS: [&str; 3] = ["x-a", "x-b", "user-agent"];
/// Methods.
pub(super) const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "DELETE", "PURGE", "LINK"];
/// Ports.
pub(super) const PORTS: &[u16] = &[80, 443, 8080, 7];
/// Addresses at and near the borders of networks.
pub(super) const ADDRESSES: &[&str] = &[
    "10.0.0.0",
    "10.255.255.255",
    "9.255.255.255",
    "11.0.0.0",
    "192.0.2.0",
    "192.0.2.127",
    "192.0.2.128",
    "127.0.0.1",
    "::1",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "::ffff:10.1.2.3",
];
const NETS: &[(&str, u8)] = &[
    ("10.0.0.0", 8),
    ("192.0.2.0", 25),
    ("127.0.0.1", 32),
    ("2001:db8::", 32),
    ("0.0.0.0", 0),
    ("::1", 128),
];
const REGEXES: &[(&str, bool)] = &[("v[0-9]+", false), ("a|ab", true), ("(x|y)*", false), (".", false)];
const GLOBS: &[&str] = &["*", "a*", "*.css", "?", "*a*b*", "v?", "a.*"];
const SUFFIXES: &[&str] = &["a.test", "test", "b.test", "x.a.test"];

/// A program.
pub(crate) fn program(rng: &mut Rng) -> Program {
    let mut program = hirs::program(Vec::new());
    program.consts = consts(rng);
    program.fns = fns();
    program.rules = rules(rng, &program.consts);
    reuse::declare(rng, &mut program);
    let mut hosts = HashSet::new();
    for _ in 0..=rng.below(4) {
        let site = Gen { rng: &mut *rng, program: &program, names: 0 }.site(&mut hosts);
        program.sites.extend(site);
    }
    if program.sites.is_empty() {
        program.sites.push(hirs::site(vec![HostPattern::Any], Vec::new()));
    }
    program
}

/// Constants 0 a set of networks, 1 a set of texts, 2 a text, 3 a number, 4 a set within which constant 1 stands, 5 a
/// map to texts, 6 a map from numbers to numbers, 7 a list of texts.
fn consts(rng: &mut Rng) -> Vec<Const> {
    let nets = (0..=rng.below(3)).map(|_| net(rng)).collect();
    let texts = (0..rng.below(4)).map(|_| text(rng.word(TEXTS))).collect();
    let number = i64::from(*rng.pick(PORTS));
    let list = (0..rng.below(4)).map(|_| text(rng.word(TEXTS))).collect();
    let of_texts = Ty::Set(Box::new(Ty::String));
    let nested = vec![text(rng.word(TEXTS)), expr(ExprKind::Const(1), of_texts)];
    let values = [
        set(nets, Ty::Cidr),
        set(texts, Ty::String),
        text(rng.word(TEXTS)),
        int(number),
        set(nested, Ty::String),
        map(rng, |rng| text(rng.word(TEXTS)), Ty::String, |rng| text(rng.word(TEXTS)), Ty::String),
        map(
            rng,
            |rng| int(i64::from(*rng.pick(PORTS))),
            Ty::Int,
            |rng| int(i64::from(*rng.pick(PORTS))),
            Ty::Int,
        ),
        Expr { ty: Ty::List(Box::new(Ty::String)), ..set(list, Ty::String) },
    ];
    values.into_iter().enumerate().map(|(n, value)| Const { name: format!("c{n}"), value }).collect()
}

/// A map with each key once.
fn map(
    rng: &mut Rng,
    key: fn(&mut Rng) -> Expr,
    key_ty: Ty,
    value: fn(&mut Rng) -> Expr,
    value_ty: Ty,
) -> Expr {
    let mut entries: Vec<(Expr, Expr)> = Vec::new();
    for _ in 0..rng.below(4) {
        let (key, value) = (key(rng), value(rng));
        if !entries.iter().any(|(known, _)| format!("{known:?}") == format!("{key:?}")) {
            entries.push((key, value));
        }
    }
    expr(ExprKind::Map(entries), Ty::Map(Box::new(key_ty), Box::new(value_ty)))
}

/// Function 0 makes a text of a text, function 1 a number of a number and calls function 0.
fn fns() -> Vec<Fn> {
    let param = |ty| expr(ExprKind::Param(0), ty);
    let is_a = compare(twp_lang::hir::Comparison::Equal, param(Ty::String), text("a"));
    let joined = expr(ExprKind::Join(vec![param(Ty::String), text("b")]), Ty::String);
    let name = choose(is_a, text("v1"), joined, Ty::String);
    let port = expr(ExprKind::Join(vec![param(Ty::Int)]), Ty::String);
    let called = expr(ExprKind::Call(0, vec![port]), Ty::String);
    let is_long = compare(twp_lang::hir::Comparison::EndsWith, called, text("7b"));
    let number = choose(is_long, int(7), param(Ty::Int), Ty::Int);
    let function =
        |name: &str, ty, body| Fn { name: name.to_owned(), params: vec![("x".to_owned(), ty)], body };
    vec![function("f0", Ty::String, name), function("f1", Ty::Int, number)]
}

fn net(rng: &mut Rng) -> Expr {
    let (addr, prefix) = *rng.pick(NETS);
    let addr = addr.parse().expect("an address");
    if rng.chance(20) {
        return expr(ExprKind::Value(Value::Ip(addr)), Ty::Ip);
    }
    expr(ExprKind::Value(Value::Cidr(Cidr::network(addr, prefix))), Ty::Cidr)
}

/// Rule 0 takes nothing, rule 1 a text and a set of texts, rule 2 a number and calls rule 1.
fn rules(rng: &mut Rng, consts: &[Const]) -> Vec<Rule> {
    let program = Program { consts: consts.to_vec(), fns: fns(), ..Program::default() };
    let mut conditions = Gen { rng, program: &program, names: 0 };
    let plain = conditions.condition(&Scope::default(), 2);
    let param = |number, ty| expr(ExprKind::Param(number), ty);
    let texts = || Ty::Set(Box::new(Ty::String));
    let left = conditions.text(&Scope::default(), 1);
    let member = expr(
        ExprKind::Or(
            Box::new(compare(twp_lang::hir::Comparison::In, left.clone(), param(1, texts()))),
            Box::new(compare(twp_lang::hir::Comparison::Equal, param(0, Ty::String), left)),
        ),
        Ty::Bool,
    );
    let call =
        expr(ExprKind::Rule(1, vec![text("a"), set(vec![text("b"), text("v1")], Ty::String)]), Ty::Bool);
    let port = compare(twp_lang::hir::Comparison::GreaterEqual, field(Field::Port), param(0, Ty::Int));
    let numbers = expr(ExprKind::And(Box::new(port), Box::new(call)), Ty::Bool);
    vec![
        Rule { name: "plain".to_owned(), params: Vec::new(), condition: plain },
        Rule {
            name: "member".to_owned(),
            params: vec![("t".to_owned(), Ty::String), ("s".to_owned(), texts())],
            condition: member,
        },
        Rule { name: "number".to_owned(), params: vec![("n".to_owned(), Ty::Int)], condition: numbers },
    ]
}

/// Captures in scope: name and whether it is a number.
#[derive(Clone, Default)]
struct Scope {
    captures: Vec<(String, bool)>,
    /// Numbers of `let`s of texts, and of those that may be absent.
    lets: Vec<(LetId, bool)>,
    /// Literal segments that the pattern begins with.
    literals: usize,
    depth: usize,
    /// Policies that may be applied here: each uses only those before it.
    policies: usize,
    /// Routes that may be mounted here.
    routes: usize,
}

struct Gen<'g> {
    rng: &'g mut Rng,
    program: &'g Program,
    /// Captures named so far.
    names: usize,
}

impl Gen<'_> {
    /// A site, unless all its hosts are taken.
    fn site(&mut self, taken: &mut HashSet<HostPattern>) -> Option<Site> {
        let mut scope = Scope {
            policies: self.program.policies.len(),
            routes: self.program.routes.len(),
            ..Scope::default()
        };
        let hosts = self.hosts(&mut scope, taken);
        if hosts.is_empty() {
            return None;
        }
        let statements = self.statements(&scope, 2);
        let items = self.items(&scope, 8);
        let fallback = self.rng.chance(40).then(|| self.fallback(&scope));
        Some(Site {
            listeners: if self.rng.chance(70) { vec![0] } else { vec![0, 1] },
            same_slash: self.rng.chance(40),
            settings: RouteSettings { max_body: Some(9), ..RouteSettings::default() },
            statements,
            items,
            fallback,
            ..hirs::site(hosts, Vec::new())
        })
    }

    fn hosts(&mut self, scope: &mut Scope, taken: &mut HashSet<HostPattern>) -> Vec<HostPattern> {
        let mut hosts = Vec::new();
        if self.rng.chance(25) {
            let suffix = self.rng.text(SUFFIXES);
            let name = Spanned::new("label".to_owned(), NOWHERE);
            scope.captures.push(("label".to_owned(), false));
            hosts.push(HostPattern::OneLabel { capture: Some(name), suffix });
        } else {
            for _ in 0..=self.rng.below(3) {
                hosts.push(match self.rng.below(5) {
                    0 | 1 => HostPattern::Exact(self.rng.text(SUFFIXES)),
                    2 => HostPattern::OneLabel { capture: None, suffix: self.rng.text(SUFFIXES) },
                    3 => HostPattern::AnyDepth(self.rng.text(SUFFIXES)),
                    _ => HostPattern::Any,
                });
            }
        }
        // The same pattern twice is an error of the checker; a capture's name makes no difference.
        hosts.retain(|host| {
            taken.insert(match host {
                HostPattern::OneLabel { suffix, .. } => {
                    HostPattern::OneLabel { capture: None, suffix: suffix.clone() }
                }
                HostPattern::Exact(_) | HostPattern::AnyDepth(_) | HostPattern::Any => host.clone(),
            })
        });
        hosts
    }

    fn items(&mut self, scope: &Scope, most: usize) -> Vec<SiteItem> {
        let mut items = Vec::new();
        for _ in 0..=self.rng.below(most) {
            if scope.depth < 2 && self.rng.chance(20) {
                items.push(SiteItem::Group(self.group(scope)));
            } else if scope.routes > 0 && self.rng.chance(10) {
                items.push(SiteItem::Mount(self.mount(scope)));
            } else {
                items.push(SiteItem::Route(self.route(scope)));
            }
        }
        items
    }

    fn group(&mut self, scope: &Scope) -> Group {
        let mut inner = Scope { depth: scope.depth + 1, ..scope.clone() };
        let path = self.rng.chance(80).then(|| {
            let count = 1 + self.rng.below(2);
            self.path(&mut inner, count, false)
        });
        Group {
            path,
            guard: self.rng.chance(40).then(|| self.condition(&inner, 2)),
            settings: RouteSettings::default(),
            statements: self.statements(&inner, 1),
            items: self.items(&inner, 4),
            fallback: self.rng.chance(30).then(|| self.fallback(&inner)),
            head: NOWHERE,
        }
    }

    fn route(&mut self, scope: &Scope) -> Route {
        let mut inner = scope.clone();
        let path = self.rng.chance(92).then(|| {
            let count = self.rng.below(4);
            self.path(&mut inner, count, true)
        });
        let methods = match self.rng.below(10) {
            0..=4 => Vec::new(),
            5..=7 => vec![Method::from_text(self.rng.word(METHODS))],
            _ => (0..2).map(|_| Method::from_text(self.rng.word(METHODS))).collect(),
        };
        Route {
            name: None,
            methods,
            path,
            guard: self.rng.chance(45).then(|| self.condition(&inner, 3)),
            settings: RouteSettings { access_log: Some(false), ..RouteSettings::default() },
            statements: self.body(&inner),
            head: NOWHERE,
        }
    }

    fn fallback(&mut self, scope: &Scope) -> Fallback {
        Fallback { settings: RouteSettings::default(), statements: self.body(scope), span: NOWHERE }
    }

    /// `n` segments; a route's pattern may end in a slash or a rest.
    fn path(&mut self, scope: &mut Scope, n: usize, whole: bool) -> PathPattern {
        let mut segments = Vec::new();
        for _ in 0..n {
            if self.rng.chance(60) {
                if scope.literals == segments.len() {
                    scope.literals += 1;
                }
                segments.push(SegmentPattern::Literal(self.rng.text(SEGMENTS)));
            } else {
                segments.push(self.capture(scope));
            }
        }
        let mut rest = None;
        if whole && self.rng.chance(25) {
            let name = self.name(scope, false);
            rest = Some(name);
        } else if segments.is_empty() || (whole && self.rng.chance(15)) {
            segments.push(SegmentPattern::Literal(String::new()));
        }
        PathPattern { segments, rest, span: NOWHERE }
    }

    fn capture(&mut self, scope: &mut Scope) -> SegmentPattern {
        let ty = match self.rng.below(9) {
            8 => CaptureTy::OneOf(["a", "ab", "v1"].map(str::to_owned).to_vec()),
            0..=2 => CaptureTy::Segment,
            3 | 4 => CaptureTy::Int,
            5 => CaptureTy::Slug,
            6 if self.rng.chance(50) => CaptureTy::Uuid,
            6 => CaptureTy::Hex,
            _ => CaptureTy::Regex(regex(self.rng)),
        };
        let (prefix, suffix) = match self.rng.below(6) {
            0 => ("v", ""),
            1 => ("", ".css"),
            2 => ("a", "a"),
            _ => ("", ""),
        };
        let name = self.name(scope, ty == CaptureTy::Int);
        SegmentPattern::Capture { name, ty, prefix: prefix.to_owned(), suffix: suffix.to_owned() }
    }

    fn name(&mut self, scope: &mut Scope, int: bool) -> String {
        self.names += 1;
        let name = format!("n{}", self.names);
        scope.captures.push((name.clone(), int));
        name
    }

    /// Statements that need not end the exchange.
    fn statements(&mut self, scope: &Scope, most: usize) -> Vec<Stmt> {
        let n = self.rng.below(most + 1);
        (0..n).map(|_| self.statement(scope, 1)).collect()
    }

    /// Statements and a terminal.
    fn body(&mut self, scope: &Scope) -> Vec<Stmt> {
        let mut scope = scope.clone();
        let mut statements = self.statements(&scope, 3);
        for _ in 0..self.rng.below(3) {
            statements.push(self.bind(&mut scope));
        }
        let scope = &scope;
        statements.extend(self.statements(scope, 1));
        if self.rng.chance(20) {
            statements.push(Stmt::When {
                condition: self.condition(scope, 2),
                then: vec![Stmt::Terminal(self.terminal(scope))],
                otherwise: vec![self.statement(scope, 0), Stmt::Terminal(self.terminal(scope))],
            });
        } else {
            statements.push(Stmt::Terminal(self.terminal(scope)));
        }
        statements
    }

    /// A `let`; behind `else` its value is there.
    fn bind(&mut self, scope: &mut Scope) -> Stmt {
        self.names += 1;
        let id = self.names;
        let otherwise = self.rng.chance(50).then(|| self.terminal(scope));
        let (value, optional) = match &otherwise {
            Some(_) => (self.option(scope), false),
            None if self.rng.chance(50) => (self.option(scope), true),
            None => (self.text(scope, 2), false),
        };
        scope.lets.push((id, optional));
        Stmt::Let { id, name: format!("l{id}"), value, otherwise }
    }

    fn statement(&mut self, scope: &Scope, depth: usize) -> Stmt {
        if scope.policies > 0 && self.rng.chance(15) {
            return Stmt::Apply(self.apply(scope));
        }
        let message = if self.rng.chance(50) { Message::Request } else { Message::Response };
        let name = format!("y-{}", self.rng.below(3));
        match self.rng.below(if depth > 0 { 9 } else { 6 }) {
            0 | 1 => Stmt::SetHeader { message, name, value: self.value(scope) },
            2 => Stmt::AddHeader { message, name, value: self.value(scope) },
            3 => Stmt::RemoveHeader { message, name },
            4 => Stmt::RewritePath(self.template(scope)),
            5 if self.rng.chance(50) => Stmt::RewriteHost(self.value(scope)),
            5 => Stmt::RewriteStrip(vec!["a".to_owned(); scope.literals]),
            6 => Stmt::Require { condition: self.condition(scope, 2), otherwise: self.terminal(scope) },
            _ => Stmt::When {
                condition: self.condition(scope, 2),
                then: (0..self.rng.below(3)).map(|_| self.statement(scope, depth - 1)).collect(),
                otherwise: (0..self.rng.below(3)).map(|_| self.statement(scope, depth - 1)).collect(),
            },
        }
    }

    fn terminal(&mut self, scope: &Scope) -> Terminal {
        match self.rng.below(5) {
            0 | 1 => hirs::to(self.rng.below(2)),
            2 => Terminal::Respond { status: 200, body: None },
            3 => Terminal::Respond { status: 403, body: Some(self.value(scope)) },
            _ if self.rng.chance(50) => hirs::redirect(302, self.template(scope)),
            _ => Terminal::Redirect { status: 301, location: Location::Text(self.value(scope)) },
        }
    }

    fn template(&mut self, scope: &Scope) -> PathTemplate {
        let mut parts = vec![TemplatePart::Literal("/new/".to_owned())];
        if !scope.captures.is_empty() {
            let (name, _) = self.rng.pick(&scope.captures).clone();
            parts.push(TemplatePart::Capture(name));
        }
        PathTemplate { parts }
    }

    /// A text for a header.
    fn value(&mut self, scope: &Scope) -> Expr {
        if self.rng.chance(50) { self.text(scope, 2) } else { self.joined(scope, 2) }
    }
}

fn regex(rng: &mut Rng) -> Regex {
    let (pattern, ignore_case) = *rng.pick(REGEXES);
    Regex { pattern: pattern.to_owned(), ignore_case }
}

fn not(inner: Expr) -> Expr {
    expr(ExprKind::Not(Box::new(inner)), Ty::Bool)
}

fn choose(condition: Expr, then: Expr, otherwise: Expr, ty: Ty) -> Expr {
    let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
    *boxed(ExprKind::If { condition, then, otherwise }, ty)
}
