//! Expressions: constants, rules and parameters inlined, absence and sets in one form.

use super::frame::{self, Chain, Env, Frame};
use super::literals;
use crate::abi::SLOTS_MAX;
use crate::core::{Expr, Kind, Order, Pattern, Set, Table, TextTest};
use crate::limits::{COPIED_MAX, DEPTH_MAX, INLINED_MAX, NODES_MAX};
use crate::plan::Slot;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use twp_lang::hir::{self, Comparison, ExprKind, Field, Ty, Value};
use twp_lang::literal::{Cidr, Regex};
use twp_lang::{Diagnostic, Span};

/// The state of lowering a program.
pub(super) struct Lowering<'a> {
    program: &'a hir::Program,
    /// Exceeded limits.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Names read, in order of first use.
    pub(super) names: Vec<(Slot, Span)>,
    /// Regular expressions used, in order of first use.
    pub(super) regexes: Vec<(Regex, Span)>,
    seen_names: HashSet<Slot>,
    seen_regexes: HashSet<Regex>,
    n_nodes: usize,
    /// Levels of the expression above the current one.
    depth: usize,
    too_deep: bool,
    /// Where the expression being lowered stands in the text, outside of rules.
    root: Span,
    /// Arguments of the policy or mount being inlined.
    pub(super) frame: Frame<'a>,
    /// What is being inlined.
    inside: Chain<'a>,
    /// Nodes of outer blocks copied into routes.
    pub(super) n_copied: usize,
    /// What `let`s in force stand for.
    lets: HashMap<hir::LetId, Placed<'a>>,
    /// Maps by the place of their literal.
    pub(super) tables: HashMap<*const hir::Expr, Table>,
    /// How many maps there are.
    pub(super) n_tables: u32,
}

/// An expression with the arguments its parameters stand for.
pub(super) type Placed<'a> = (&'a hir::Expr, Frame<'a>);

impl<'a> Lowering<'a> {
    pub(super) fn new(program: &'a hir::Program) -> Self {
        Lowering {
            program,
            diagnostics: Vec::new(),
            names: Vec::new(),
            regexes: Vec::new(),
            seen_names: HashSet::new(),
            seen_regexes: HashSet::new(),
            n_nodes: 0,
            depth: 0,
            too_deep: false,
            root: Span::new(0, 0),
            frame: None,
            inside: Chain::default(),
            n_copied: 0,
            lets: HashMap::new(),
            tables: HashMap::new(),
            n_tables: 0,
        }
    }

    /// A Bool.
    pub(super) fn condition(&mut self, expr: &'a hir::Expr) -> Expr {
        self.root = expr.span;
        self.operand((expr, self.frame.clone()))
    }

    /// A text, whatever the type: other values in their written form.
    pub(super) fn text(&mut self, expr: &'a hir::Expr) -> Expr {
        self.root = expr.span;
        self.written((expr, self.frame.clone()))
    }

    /// The number of an upstream.
    pub(super) fn upstream(&self, expr: &'a hir::Expr) -> hir::UpstreamId {
        match self.resolve((expr, self.frame.clone())).0.kind {
            ExprKind::Upstream(id) => id,
            // The checker lets nothing else be of this type.
            _ => hir::UpstreamId::MAX,
        }
    }

    /// A policy of the program.
    pub(super) fn policy(&self, id: hir::PolicyId) -> &'a hir::Policy {
        &self.program.policies[id]
    }

    /// What is mounted.
    pub(super) fn routes(&self, id: hir::RoutesId) -> &'a hir::Routes {
        &self.program.routes[id]
    }

    /// What parameters stand for in the current block.
    pub(super) fn frame(&self) -> Frame<'a> {
        self.frame.clone()
    }

    /// Makes a `let` stand for its value.
    pub(super) fn bind(&mut self, id: hir::LetId, value: &'a hir::Expr) {
        self.lets.insert(id, (value, self.frame.clone()));
    }

    /// Whether a value is present.
    pub(super) fn is_some(&mut self, value: &'a hir::Expr) -> Expr {
        self.root = value.span;
        Expr::IsSome(Box::new(self.operand((value, self.frame.clone()))))
    }

    /// Remembers a regular expression for the table that matches it.
    pub(super) fn note_regex(&mut self, regex: &Regex, span: Span) {
        if self.seen_regexes.insert(regex.clone()) {
            self.regexes.push((regex.clone(), span));
        }
    }

    fn note_name(&mut self, slot: Slot, span: Span) {
        if !self.seen_names.insert(slot.clone()) {
            return;
        }
        if self.names.len() == SLOTS_MAX {
            let message = format!("this program reads more than {SLOTS_MAX} header, query and cookie names");
            self.diagnostics.push(
                Diagnostic::error("E0254", message, span)
                    .help("read fewer names, or serve the sites by several processes"),
            );
        }
        self.names.push((slot, span));
    }

    /// Counts a node; false when the program grew beyond the limit, which is reported once.
    pub(super) fn count_node(&mut self) -> bool {
        self.n_nodes += 1;
        if self.n_nodes == NODES_MAX + 1 {
            self.too_large(format!("inlining here makes more than {NODES_MAX} nodes"));
        }
        if self.depth > DEPTH_MAX {
            self.too_deep(format!("with everything inlined this nests more than {DEPTH_MAX} levels deep"));
        }
        self.n_nodes <= NODES_MAX && !self.too_deep
    }

    /// Whether a limit was reported, so that nothing more has to be made.
    pub(super) fn is_full(&self) -> bool {
        self.n_nodes > NODES_MAX || self.n_copied > COPIED_MAX || self.too_deep
    }

    /// Nodes so far.
    pub(super) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    /// Goes into a block inside of a block.
    pub(super) fn inner<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        lowered
    }

    /// Goes into a policy, or routes that are mounted. Nothing is done when that is too deep or the program too large.
    pub(super) fn inline_block(
        &mut self,
        (name, span): (&'a str, Span),
        env: Env<'a>,
        lower: impl FnOnce(&mut Self),
    ) {
        self.inside.enter(name, Some(span));
        if self.inside.len() > INLINED_MAX {
            self.too_deep(format!("policies and routes nest more than {INLINED_MAX} levels deep here"));
        }
        if self.count_node() {
            let outer = self.frame.replace(Rc::new(env));
            self.inner(lower);
            self.frame = outer;
        }
        self.inside.leave();
    }

    fn too_deep(&mut self, message: String) {
        if !self.too_deep {
            self.too_deep = true;
            self.too_large(message);
        }
    }

    /// E0253: names what is inlined in what, from the use that a person can see to the place where it was too much.
    pub(super) fn too_large(&mut self, message: String) {
        let mut finding = Diagnostic::error("E0253", message, self.inside.outermost().unwrap_or(self.root));
        if let Some(path) = self.inside.path() {
            finding = finding.note(path);
        }
        let help = "let rules and policies use each other less often, or compare with one set";
        self.diagnostics.push(finding.help(help));
    }

    /// The expression that constants, functions, `let`s and parameters stand for.
    pub(super) fn resolve(&self, (mut expr, mut env): Placed<'a>) -> Placed<'a> {
        loop {
            (expr, env) = match (&expr.kind, env) {
                (ExprKind::Const(id), _) => (&self.program.consts[*id].value, None),
                (ExprKind::Env(id), _) => (&self.program.envs[*id].value, None),
                (ExprKind::Call(id, args), env) => {
                    (&self.program.fns[*id].body, Some(Rc::new(Env::new(args, env))))
                }
                (ExprKind::Let(id), env) => match self.lets.get(id) {
                    Some(bound) => bound.clone(),
                    None => return (expr, env),
                },
                (ExprKind::Param(number), Some(scope)) => (&scope.args[*number], scope.outer.clone()),
                (_, env) => return (expr, env),
            }
        }
    }

    /// A value to compare or test.
    pub(super) fn operand(&mut self, placed: Placed<'a>) -> Expr {
        if !self.count_node() {
            return Expr::Bool(false);
        }
        self.depth += 1;
        let (expr, env) = self.resolve(placed);
        let operand = self.operand_kind(expr, &env);
        self.depth -= 1;
        operand
    }

    fn operand_kind(&mut self, expr: &'a hir::Expr, env: &Frame<'a>) -> Expr {
        let at = |expr: &'a hir::Expr| (expr, env.clone());
        match &expr.kind {
            ExprKind::Value(value) => literals::operand(value),
            ExprKind::Rule(id, args) => self.inline(*id, args, env.clone()),
            ExprKind::Field(field) => self.field(field, expr.span),
            ExprKind::Capture(name) => {
                Expr::Capture { name: frame::capture(env, name), int: expr.ty == Ty::Int }
            }
            ExprKind::Lookup { map, key } => self.look_up(at(map), at(key)),
            ExprKind::Element { list, index } => self.element(at(list), at(index)),
            ExprKind::Seconds(inner) => {
                let duration = self.operand(at(inner));
                self.seconds(duration)
            }
            ExprKind::Not(inner) => not(self.operand(at(inner))),
            ExprKind::And(left, right) => Expr::And(vec![self.operand(at(left)), self.operand(at(right))]),
            ExprKind::Or(left, right) => Expr::Or(vec![self.operand(at(left)), self.operand(at(right))]),
            ExprKind::Compare { op, left, right } => self.compare(*op, at(left), at(right)),
            ExprKind::Else(value, default) => {
                Expr::Else(Box::new(self.operand(at(value))), Box::new(self.operand(at(default))))
            }
            ExprKind::IsSome(value) => Expr::IsSome(Box::new(self.operand(at(value)))),
            ExprKind::IsNone(value) => not(Expr::IsSome(Box::new(self.operand(at(value))))),
            ExprKind::If { condition, then, otherwise } => Expr::If {
                condition: Box::new(self.operand(at(condition))),
                then: Box::new(self.operand(at(then))),
                otherwise: Box::new(self.operand(at(otherwise))),
            },
            ExprKind::Join(parts) => Expr::Join(parts.iter().map(|part| self.written(at(part))).collect()),
            ExprKind::Arithmetic { op, left, right } => Expr::Arithmetic {
                op: *op,
                left: Box::new(self.operand(at(left))),
                right: Box::new(self.operand(at(right))),
            },
            // The checker lets sets and ranges stand to the right of `in` only, upstreams behind `to`, parameters in
            // what has some, and constants were resolved.
            ExprKind::Set(_)
            | ExprKind::Map(_)
            | ExprKind::Range(..)
            | ExprKind::Param(_)
            | ExprKind::Let(_)
            | ExprKind::Env(_)
            | ExprKind::Call(..)
            | ExprKind::Upstream(_)
            | ExprKind::Const(_) => Expr::Bool(false),
        }
    }

    fn inline(&mut self, id: hir::RuleId, args: &'a [hir::Expr], env: Frame<'a>) -> Expr {
        let rule = &self.program.rules[id];
        self.inside.enter(&rule.name, None);
        let condition = self.operand((&rule.condition, Some(Rc::new(Env::new(args, env)))));
        self.inside.leave();
        condition
    }

    fn field(&mut self, field: &Field, span: Span) -> Expr {
        match field {
            Field::Header(name) => self.note_name(Slot::Header(name.clone()), span),
            Field::Query(name) => self.note_name(Slot::Query(name.clone()), span),
            Field::Cookie(name) => self.note_name(Slot::Cookie(name.clone()), span),
            Field::Method
            | Field::Scheme
            | Field::Host
            | Field::Port
            | Field::Path
            | Field::QueryString
            | Field::Target
            | Field::ClientIp => {}
        }
        Expr::Field(field.clone())
    }

    /// A value in its written form.
    pub(super) fn written(&mut self, placed: Placed<'a>) -> Expr {
        let (expr, env) = self.resolve(placed);
        match &expr.kind {
            ExprKind::Value(value) => {
                self.count_node();
                Expr::Text(literals::written(value))
            }
            ExprKind::If { condition, then, otherwise } => Expr::If {
                condition: Box::new(self.operand((condition, env.clone()))),
                then: Box::new(as_text(self.written((then, env.clone())))),
                otherwise: Box::new(as_text(self.written((otherwise, env.clone())))),
            },
            ExprKind::Else(value, default) => {
                let (value, default) = ((&**value, env.clone()), (&**default, env));
                let found = self.operand(value.clone());
                // A number that is joined would never be absent.
                if found.kind() == Kind::Int {
                    return Expr::Else(Box::new(found), Box::new(self.operand(default)));
                }
                let (value, default) = (self.written(value), self.written(default));
                Expr::Else(Box::new(as_text(value)), Box::new(as_text(default)))
            }
            _ => {
                let value = self.operand((expr, env.clone()));
                match value.kind() {
                    Kind::Bool => Expr::If {
                        condition: Box::new(value),
                        then: Box::new(Expr::Text("true".to_owned())),
                        otherwise: Box::new(Expr::Text("false".to_owned())),
                    },
                    Kind::Text | Kind::Int | Kind::Ip => value,
                }
            }
        }
    }

    fn compare(&mut self, op: Comparison, left: Placed<'a>, right: Placed<'a>) -> Expr {
        match op {
            Comparison::Equal => self.ordered(Order::Equal, left, right),
            Comparison::NotEqual => not(self.ordered(Order::Equal, left, right)),
            Comparison::Less => self.ordered(Order::Less, left, right),
            Comparison::LessEqual => self.ordered(Order::LessEqual, left, right),
            Comparison::Greater => self.ordered(Order::Greater, left, right),
            Comparison::GreaterEqual => self.ordered(Order::GreaterEqual, left, right),
            Comparison::In => self.member(left, right),
            Comparison::NotIn => not(self.member(left, right)),
            Comparison::Matches => self.matches(left, right),
            Comparison::StartsWith => self.text_test(TextTest::StartsWith, left, right),
            Comparison::EndsWith => self.text_test(TextTest::EndsWith, left, right),
            Comparison::Contains => match self.resolve(left.clone()).0.kind {
                ExprKind::Set(_) | ExprKind::Range(..) | ExprKind::Map(_) => self.member(right, left),
                _ => self.text_test(TextTest::Contains, left, right),
            },
        }
    }

    fn ordered(&mut self, op: Order, left: Placed<'a>, right: Placed<'a>) -> Expr {
        Expr::Compare { op, left: Box::new(self.operand(left)), right: Box::new(self.operand(right)) }
    }

    fn text_test(&mut self, op: TextTest, left: Placed<'a>, right: Placed<'a>) -> Expr {
        Expr::TextTest { op, left: Box::new(self.operand(left)), right: Box::new(self.operand(right)) }
    }

    fn matches(&mut self, value: Placed<'a>, pattern: Placed<'a>) -> Expr {
        let (pattern, env) = self.resolve(pattern);
        let pattern = match &pattern.kind {
            ExprKind::Value(Value::Regex(regex)) => {
                self.note_regex(regex, pattern.span);
                Pattern::Regex(regex.clone())
            }
            ExprKind::Value(Value::Glob(glob)) => Pattern::Glob(glob.clone()),
            ExprKind::If { condition, then, otherwise } => {
                return Expr::If {
                    condition: Box::new(self.operand((condition, env.clone()))),
                    then: Box::new(self.matches(value.clone(), (then, env.clone()))),
                    otherwise: Box::new(self.matches(value, (otherwise, env))),
                };
            }
            // A text stands for itself.
            _ => return self.ordered(Order::Equal, value, (pattern, env)),
        };
        Expr::Matches { value: Box::new(self.operand(value)), pattern }
    }

    /// `value in set`: constants become one set, other elements comparisons beside it.
    fn member(&mut self, value: Placed<'a>, set: Placed<'a>) -> Expr {
        let (set, env) = self.resolve(set);
        if let ExprKind::If { condition, then, otherwise } = &set.kind {
            return Expr::If {
                condition: Box::new(self.operand((condition, env.clone()))),
                then: Box::new(self.member(value.clone(), (then, env.clone()))),
                otherwise: Box::new(self.member(value, (otherwise, env))),
            };
        }
        let mut elements = Elements::default();
        self.gather((set, env), value.clone(), &mut elements);
        let element = self.operand(value);
        let constants = match element.kind() {
            Kind::Int => Set::Ints(elements.ints),
            Kind::Ip => Set::Nets(elements.nets),
            Kind::Text | Kind::Bool => Set::Texts(elements.texts),
        };
        let constants = Expr::In { value: Box::new(element), set: constants };
        if elements.others.is_empty() {
            return constants;
        }
        elements.others.push(constants);
        Expr::Or(elements.others)
    }

    fn gather(&mut self, element: Placed<'a>, value: Placed<'a>, found: &mut Elements) {
        if !self.count_node() {
            return;
        }
        let (element, env) = self.resolve(element);
        match &element.kind {
            ExprKind::Map(entries) => {
                for (key, _) in entries {
                    self.gather((key, env.clone()), value.clone(), found);
                }
            }
            ExprKind::Set(elements) => {
                for element in elements {
                    self.gather((element, env.clone()), value.clone(), found);
                }
            }
            ExprKind::Range(first, last) => {
                let (low, high) = (self.operand((first, env.clone())), self.operand((last, env.clone())));
                match (&low, &high) {
                    (Expr::Int(low), Expr::Int(high)) => found.ints.push((*low, *high)),
                    _ => found.others.push(Expr::And(vec![
                        Expr::Compare {
                            op: Order::GreaterEqual,
                            left: Box::new(self.operand(value.clone())),
                            right: Box::new(low),
                        },
                        Expr::Compare {
                            op: Order::LessEqual,
                            left: Box::new(self.operand(value.clone())),
                            right: Box::new(high),
                        },
                    ])),
                }
            }
            ExprKind::Value(Value::Cidr(cidr)) => found.nets.push(*cidr),
            ExprKind::Value(constant) => match literals::operand(constant) {
                Expr::Int(number) => found.ints.push((number, number)),
                Expr::Ip(addr) => found.nets.push(Cidr::single(addr)),
                Expr::Text(text) => found.texts.push(text),
                other => {
                    let value = self.operand(value);
                    found.others.push(equal(value, other));
                }
            },
            _ => {
                let (left, right) = (self.operand(value), self.operand((element, env.clone())));
                found.others.push(equal(left, right));
            }
        }
    }
}

/// The elements of a set by kind.
#[derive(Default)]
struct Elements {
    texts: Vec<String>,
    ints: Vec<(i64, i64)>,
    nets: Vec<Cidr>,
    others: Vec<Expr>,
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

fn equal(left: Expr, right: Expr) -> Expr {
    Expr::Compare { op: Order::Equal, left: Box::new(left), right: Box::new(right) }
}

/// A written value that is one of several: constants are texts by now, so numbers and addresses have to be, too.
pub(super) fn as_text(written: Expr) -> Expr {
    match written.kind() {
        Kind::Int | Kind::Ip => Expr::Join(vec![written]),
        Kind::Text | Kind::Bool => written,
    }
}
