//! Random expressions, typed as the checker would demand.

use super::super::hirs::{compare, expr, field, int, set, text};
use super::{ADDRESSES, GLOBS, Gen, HEADERS, METHODS, PORTS, Scope, TEXTS, choose, net, not, regex};
use twp_lang::hir::{Arithmetic, Comparison, Expr, ExprKind, Field, Ty, Value};
use twp_lang::literal::Method;

const ORDERS: &[Comparison] = &[
    Comparison::Equal,
    Comparison::Less,
    Comparison::LessEqual,
    Comparison::Greater,
    Comparison::GreaterEqual,
];

impl Gen<'_> {
    /// A Bool.
    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> Expr {
        if depth == 0 {
            return self.atom(scope, 1);
        }
        let both = |this: &mut Self| {
            (Box::new(this.condition(scope, depth - 1)), Box::new(this.condition(scope, depth - 1)))
        };
        match self.rng.below(12) {
            0 | 1 => {
                let (left, right) = both(self);
                expr(ExprKind::And(left, right), Ty::Bool)
            }
            2..=4 => {
                let (left, right) = both(self);
                expr(ExprKind::Or(left, right), Ty::Bool)
            }
            5 => not(self.condition(scope, depth - 1)),
            6 => {
                let (then, otherwise) = both(self);
                choose(self.condition(scope, 0), *then, *otherwise, Ty::Bool)
            }
            7 if !self.program.rules.is_empty() => self.call(scope),
            8 => {
                let (left, right) = both(self);
                compare(*self.rng.pick(ORDERS), *left, *right)
            }
            _ => self.atom(scope, depth),
        }
    }

    fn call(&mut self, scope: &Scope) -> Expr {
        let kind = match self.rng.below(3) {
            0 => ExprKind::Rule(0, Vec::new()),
            1 => ExprKind::Rule(1, vec![self.text(scope, 1), self.texts()]),
            _ => ExprKind::Rule(2, vec![self.int(scope, 1)]),
        };
        expr(kind, Ty::Bool)
    }

    fn atom(&mut self, scope: &Scope, depth: usize) -> Expr {
        match self.rng.below(19) {
            0 => compare(*self.rng.pick(ORDERS), self.either(scope, depth), self.text(scope, depth)),
            1 => compare(Comparison::Equal, self.option(scope), self.option(scope)),
            2 => compare(Comparison::NotEqual, self.text(scope, depth), self.text(scope, depth)),
            3 => compare(Comparison::In, self.either(scope, depth), self.texts()),
            4 => compare(Comparison::NotIn, self.text(scope, depth), self.texts()),
            5 => compare(Comparison::Matches, self.either(scope, depth), self.pattern()),
            6 => {
                let op =
                    *self.rng.pick(&[Comparison::StartsWith, Comparison::EndsWith, Comparison::Contains]);
                compare(op, self.either(scope, depth), self.text(scope, 0))
            }
            7 => expr(ExprKind::IsSome(Box::new(self.option(scope))), Ty::Bool),
            8 => expr(ExprKind::IsNone(Box::new(self.option(scope))), Ty::Bool),
            9 => compare(*self.rng.pick(ORDERS), self.int(scope, depth), self.int(scope, depth)),
            10 => compare(Comparison::In, self.int(scope, depth), self.ints()),
            11 | 12 => compare(Comparison::In, field(Field::ClientIp), self.nets()),
            13 | 14 => self.many(scope, depth),
            15 => compare(*self.rng.pick(ORDERS), self.number(scope), self.int(scope, depth)),
            16 => expr(ExprKind::IsSome(Box::new(self.number(scope))), Ty::Bool),
            17 => {
                let map = expr(ExprKind::Const(5), Ty::Map(Box::new(Ty::String), Box::new(Ty::String)));
                compare(Comparison::In, self.either(scope, depth), map)
            }
            _ => self.methods_or_addresses(),
        }
    }

    fn methods_or_addresses(&mut self) -> Expr {
        let method = |text: &str| expr(ExprKind::Value(Value::Method(Method::from_text(text))), Ty::Method);
        match self.rng.below(3) {
            0 => {
                let methods = (0..2).map(|_| method(self.rng.word(METHODS))).collect();
                compare(Comparison::In, field(Field::Method), set(methods, Ty::Method))
            }
            1 => compare(Comparison::Equal, field(Field::Method), method(self.rng.word(METHODS))),
            _ => {
                let addr = self.rng.word(ADDRESSES).parse().expect("an address");
                let addr = expr(ExprKind::Value(Value::Ip(addr)), Ty::Ip);
                compare(*self.rng.pick(ORDERS), field(Field::ClientIp), addr)
            }
        }
    }

    /// One text against many constants: few, or more than code compares, short or made of two words, which then often
    /// begin alike.
    fn many(&mut self, scope: &Scope, depth: usize) -> Expr {
        let op = *self.rng.pick(&[
            Comparison::StartsWith,
            Comparison::EndsWith,
            Comparison::Contains,
            Comparison::Equal,
        ]);
        let left = self.either(scope, depth);
        let most = if self.rng.chance(10) { 60 } else { 7 };
        let parts = (0..=self.rng.below(most)).map(|_| {
            let mut part = self.rng.text(TEXTS);
            while part.is_empty() && !self.rng.chance(5) {
                part = self.rng.text(TEXTS);
            }
            if self.rng.chance(40) {
                part.push_str(self.rng.word(TEXTS));
            }
            compare(op, left.clone(), text(&part))
        });
        let parts: Vec<Expr> = parts.collect();
        let either = |left, right| expr(ExprKind::Or(Box::new(left), Box::new(right)), Ty::Bool);
        parts.into_iter().reduce(either).expect("at least one part")
    }

    /// A text that may be absent, or not.
    fn either(&mut self, scope: &Scope, depth: usize) -> Expr {
        if self.rng.chance(50) { self.option(scope) } else { self.text(scope, depth) }
    }

    pub(super) fn option(&mut self, scope: &Scope) -> Expr {
        let text_option = || Ty::Option(Box::new(Ty::String));
        match self.rng.below(11) {
            8 => self.entry(scope),
            9 => {
                let list = expr(ExprKind::Const(7), Ty::List(Box::new(Ty::String)));
                let index =
                    if self.rng.chance(50) { int(*self.rng.pick(&[0, 1, -1])) } else { self.int(scope, 1) };
                expr(ExprKind::Element { list: Box::new(list), index: Box::new(index) }, text_option())
            }
            10 => match scope.lets.iter().find(|(_, optional)| *optional) {
                Some((id, _)) => expr(ExprKind::Let(*id), text_option()),
                None => self.entry(scope),
            },
            0..=2 => field(Field::Header(self.rng.pick(&HEADERS).to_string())),
            3 => field(Field::Query(self.rng.text(&["q", "p"]))),
            4 => field(Field::Cookie("s".to_owned())),
            5 => field(Field::QueryString),
            6 => {
                let ty = Ty::Option(Box::new(Ty::String));
                choose(self.atom(scope, 0), self.option(scope), self.option(scope), ty)
            }
            _ => {
                let (left, right) = (Box::new(self.option(scope)), Box::new(self.option(scope)));
                expr(ExprKind::Else(left, right), Ty::Option(Box::new(Ty::String)))
            }
        }
    }

    /// An entry of a map to texts.
    fn entry(&mut self, scope: &Scope) -> Expr {
        let map = expr(ExprKind::Const(5), Ty::Map(Box::new(Ty::String), Box::new(Ty::String)));
        let key = self.text(scope, 1);
        let kind = ExprKind::Lookup { map: Box::new(map), key: Box::new(key) };
        expr(kind, Ty::Option(Box::new(Ty::String)))
    }

    /// An entry of a map to numbers.
    fn number(&mut self, scope: &Scope) -> Expr {
        let map = expr(ExprKind::Const(6), Ty::Map(Box::new(Ty::Int), Box::new(Ty::Int)));
        let key = self.int(scope, 1);
        let kind = ExprKind::Lookup { map: Box::new(map), key: Box::new(key) };
        expr(kind, Ty::Option(Box::new(Ty::Int)))
    }

    /// A text that is present.
    pub(super) fn text(&mut self, scope: &Scope, depth: usize) -> Expr {
        if depth > 0 && self.rng.chance(10) {
            return expr(ExprKind::Call(0, vec![self.text(scope, depth - 1)]), Ty::String);
        }
        if let (Some((id, _)), true) =
            (scope.lets.iter().find(|(_, optional)| !optional), self.rng.chance(15))
        {
            return expr(ExprKind::Let(*id), Ty::String);
        }
        match self.rng.below(if depth > 0 { 13 } else { 8 }) {
            0..=2 => text(self.rng.word(TEXTS)),
            3 => field(Field::Path),
            4 => field(self.rng.pick(&[Field::Host, Field::Scheme, Field::Method, Field::Target]).clone()),
            5 => expr(ExprKind::Const(2), Ty::String),
            6 | 7 => self.capture_text(scope),
            8 | 9 => {
                let (value, default) = (self.option(scope), self.text(scope, depth - 1));
                expr(ExprKind::Else(Box::new(value), Box::new(default)), Ty::String)
            }
            10 => {
                let condition = self.atom(scope, 0);
                choose(condition, self.text(scope, depth - 1), self.text(scope, depth - 1), Ty::String)
            }
            _ => self.joined(scope, depth - 1),
        }
    }

    fn capture_text(&mut self, scope: &Scope) -> Expr {
        let texts: Vec<&(String, bool)> = scope.captures.iter().filter(|(_, int)| !int).collect();
        if texts.is_empty() {
            return text(self.rng.word(TEXTS));
        }
        let name = self.rng.pick(&texts).0.clone();
        expr(ExprKind::Capture(name), Ty::String)
    }

    pub(super) fn joined(&mut self, scope: &Scope, depth: usize) -> Expr {
        let parts = (0..self.rng.below(4)).map(|_| match self.rng.below(6) {
            0 => self.int(scope, depth),
            1 => field(Field::ClientIp),
            2 => self.atom(scope, 0),
            3 => field(Field::Port),
            _ => self.text(scope, depth),
        });
        expr(ExprKind::Join(parts.collect()), Ty::String)
    }

    fn int(&mut self, scope: &Scope, depth: usize) -> Expr {
        let ints: Vec<&(String, bool)> = scope.captures.iter().filter(|(_, int)| *int).collect();
        match self.rng.below(if depth > 0 { 10 } else { 5 }) {
            8 => expr(ExprKind::Call(1, vec![self.int(scope, depth - 1)]), Ty::Int),
            9 => {
                let (value, default) = (self.number(scope), self.int(scope, depth - 1));
                expr(ExprKind::Else(Box::new(value), Box::new(default)), Ty::Int)
            }
            0 => field(Field::Port),
            1 => expr(ExprKind::Const(3), Ty::Int),
            2 | 3 if !ints.is_empty() => {
                let name = self.rng.pick(&ints).0.clone();
                expr(ExprKind::Capture(name), Ty::Int)
            }
            2..=4 => int(*self.rng.pick(&[0, 7, 42, 80, -1, i64::MAX, i64::MIN])),
            5 => {
                let condition = self.atom(scope, 0);
                choose(condition, self.int(scope, depth - 1), self.int(scope, depth - 1), Ty::Int)
            }
            _ => {
                let op = *self.rng.pick(&[Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply]);
                let (left, right) = (self.int(scope, depth - 1), self.int(scope, depth - 1));
                let (left, right) = (Box::new(left), Box::new(right));
                expr(ExprKind::Arithmetic { op, left, right }, Ty::Int)
            }
        }
    }

    fn texts(&mut self) -> Expr {
        let of = || Ty::Set(Box::new(Ty::String));
        match self.rng.below(5) {
            0 => expr(ExprKind::Const(1), of()),
            1 => expr(ExprKind::Const(4), of()),
            _ => {
                let n = self.rng.below(5);
                let mut texts: Vec<Expr> = (0..n).map(|_| text(self.rng.word(TEXTS))).collect();
                if self.rng.chance(10) {
                    texts.push(field(Field::Host));
                }
                set(texts, Ty::String)
            }
        }
    }

    fn ints(&mut self) -> Expr {
        let port = |this: &mut Self| int(i64::from(*this.rng.pick(PORTS)));
        if self.rng.chance(50) {
            let (low, high) = (port(self), port(self));
            return expr(ExprKind::Range(Box::new(low), Box::new(high)), Ty::Range(Box::new(Ty::Int)));
        }
        let n = self.rng.below(3);
        set((0..n).map(|_| port(self)).collect(), Ty::Int)
    }

    fn nets(&mut self) -> Expr {
        match self.rng.below(3) {
            0 => expr(ExprKind::Const(0), Ty::Set(Box::new(Ty::Cidr))),
            1 => net(self.rng),
            _ => {
                let n = self.rng.below(4);
                set((0..n).map(|_| net(self.rng)).collect(), Ty::Cidr)
            }
        }
    }

    fn pattern(&mut self) -> Expr {
        if self.rng.chance(50) {
            return expr(ExprKind::Value(Value::Regex(regex(self.rng))), Ty::Regex);
        }
        expr(ExprKind::Value(Value::Glob(self.rng.text(GLOBS))), Ty::Glob)
    }
}
