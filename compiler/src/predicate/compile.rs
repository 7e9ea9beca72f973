//! Core's conditions and texts to those of the engine.
//!
//! `if` and `??` inside a text that is compared are lifted out of it, so a comparison only ever sees pieces:
//! `(a ?? "b") == "c"` becomes `if a.is_some then a == "c" else "b" == "c"`.

use super::glob::Glob;
use super::regex::RegexTables;
use super::sets::{IntSet, NetSet, TextSet};
use super::text::{Operand, Piece};
use super::{Cond, IpOperand};
use crate::core::{self, Expr, Field, Kind, Order, Pattern, Set};
use crate::limits::NODES_MAX;
use crate::lookup::{Lookup, Table};
use crate::plan::{IntExpr, PredicateId, Read, Slot, SlotId, Value};
use std::collections::HashMap;
use twp_lang::literal::Cidr;

/// Makes the conditions of a program.
pub(crate) struct Compiler<'a> {
    /// Tables for `matches`.
    pub(crate) regexes: &'a RegexTables,
    slots: HashMap<&'a Slot, SlotId>,
    /// Conditions so far.
    pub(crate) list: Vec<Cond>,
    ids: HashMap<Cond, PredicateId>,
    /// Maps in use by their number.
    tables: HashMap<u32, Table>,
    /// Comparisons made; lifting multiplies them.
    n_nodes: usize,
}

/// The captures of a route: where each is found.
pub(crate) type Captures = HashMap<String, Read>;

type Then<'f, T> = &'f mut dyn FnMut(&mut Compiler<'_>, T) -> Cond;

impl<'a> Compiler<'a> {
    pub(crate) fn new(names: &'a [Slot], regexes: &'a RegexTables) -> Self {
        let slots = (0..).zip(names).map(|(number, slot)| (slot, number)).collect();
        Compiler { regexes, slots, list: Vec::new(), ids: HashMap::new(), tables: HashMap::new(), n_nodes: 0 }
    }

    /// Whether lifting made more comparisons than a program may have.
    pub(crate) fn overflowed(&self) -> bool {
        self.n_nodes > NODES_MAX
    }

    /// The number of a condition; equal ones share it.
    pub(crate) fn intern(&mut self, cond: Cond) -> PredicateId {
        if let Some(id) = self.ids.get(&cond) {
            return *id;
        }
        let id = PredicateId::try_from(self.list.len()).unwrap_or(PredicateId::MAX);
        self.ids.insert(cond.clone(), id);
        let mut cond = cond;
        cond.prepare();
        self.list.push(cond);
        id
    }

    /// A condition.
    pub(crate) fn cond(&mut self, expr: &Expr, captures: &Captures) -> Cond {
        self.n_nodes += 1;
        if self.overflowed() {
            return Cond::Always(false);
        }
        match expr {
            Expr::Bool(value) => Cond::Always(*value),
            Expr::Not(inner) => self.cond(inner, captures).not(),
            Expr::And(parts) => Cond::all(parts.iter().map(|part| self.cond(part, captures)).collect()),
            Expr::Or(parts) => Cond::any(parts.iter().map(|part| self.cond(part, captures)).collect()),
            Expr::If { condition, then, otherwise } => {
                let condition = self.cond(condition, captures);
                Cond::choose(condition, self.cond(then, captures), self.cond(otherwise, captures))
            }
            Expr::Compare { op, left, right } => self.compare(*op, left, right, captures),
            Expr::TextTest { op, left, right } => self.text(left, captures, &mut |ctx, left| {
                ctx.text(right, captures, &mut |_, right| Cond::TextTest {
                    op: *op,
                    left: left.clone(),
                    right,
                })
            }),
            Expr::In { value, set } => self.member(value, set, captures),
            Expr::Matches { value, pattern } => self.matches(value, pattern, captures),
            Expr::IsSome(value) => self.present(value, captures),
            Expr::Else(value, default) => {
                let is_some = self.present(value, captures);
                Cond::choose(is_some, self.cond(value, captures), self.cond(default, captures))
            }
            // The checker lets nothing else stand where a condition is wanted.
            Expr::Absent(_)
            | Expr::Lookup { .. }
            | Expr::Int(_)
            | Expr::Text(_)
            | Expr::Ip(_)
            | Expr::Field(_)
            | Expr::Capture { .. }
            | Expr::Join(_)
            | Expr::Arithmetic { .. } => Cond::Always(false),
        }
    }

    /// Whether a value is there.
    fn present(&mut self, value: &Expr, captures: &Captures) -> Cond {
        match value.kind() {
            Kind::Text => self.text(value, captures, &mut |_, value| present(&value)),
            Kind::Int => self.int(value, captures, &mut |_, value| int_present(&value)),
            Kind::Bool | Kind::Ip => Cond::Always(!matches!(value, Expr::Absent(_))),
        }
    }

    fn table(&mut self, table: &core::Table) -> Table {
        self.tables.entry(table.id()).or_insert_with(|| Table::new(table)).clone()
    }

    fn compare(&mut self, op: Order, left: &Expr, right: &Expr, captures: &Captures) -> Cond {
        match left.kind() {
            Kind::Bool => {
                let (left, right) = (self.cond(left, captures), self.cond(right, captures));
                compare_bools(op, left, right)
            }
            Kind::Int => self.int(left, captures, &mut |ctx, left| {
                ctx.int(right, captures, &mut |_, right| Cond::IntOrder { op, left: left.clone(), right })
            }),
            Kind::Ip => self.ip(left, captures, &mut |ctx, left| {
                ctx.ip(right, captures, &mut |_, right| Cond::IpOrder { op, left, right })
            }),
            Kind::Text => self.text(left, captures, &mut |ctx, left| {
                ctx.text(right, captures, &mut |_, right| Cond::TextOrder { op, left: left.clone(), right })
            }),
        }
    }

    fn member(&mut self, value: &Expr, set: &Set, captures: &Captures) -> Cond {
        match set {
            Set::Texts(texts) => {
                let set = TextSet::new(texts.iter().map(String::as_str));
                self.text(value, captures, &mut |_, value| Cond::TextIn { value, set: set.clone() })
            }
            Set::Ints(ranges) => {
                let set = IntSet::new(ranges);
                self.int(value, captures, &mut |_, value| Cond::IntIn { value, set: set.clone() })
            }
            Set::Nets(nets) => {
                let set = NetSet::new(nets);
                self.ip(value, captures, &mut |_, value| Cond::IpIn { value, set: set.clone() })
            }
        }
    }

    fn matches(&mut self, value: &Expr, pattern: &Pattern, captures: &Captures) -> Cond {
        match pattern {
            Pattern::Glob(glob) => {
                let glob = Glob::new(glob);
                self.text(value, captures, &mut |_, value| Cond::Glob { value, glob: glob.clone() })
            }
            Pattern::Regex(regex) => match self.regexes.id(regex) {
                Some(regex) => self.text(value, captures, &mut |_, value| Cond::Regex { value, regex }),
                None => Cond::Always(false),
            },
        }
    }

    /// The condition that `then` makes of a text, for each of the forms the text may take.
    fn text(&mut self, expr: &Expr, captures: &Captures, then: Then<'_, Operand>) -> Cond {
        self.n_nodes += 1;
        if self.overflowed() {
            return Cond::Always(false);
        }
        match expr {
            Expr::Text(text) => then(self, Operand::Literal(text.as_bytes().into())),
            Expr::Absent(_) => then(self, Operand::Absent),
            Expr::Lookup { table, key } => {
                let table = self.table(table);
                self.text(key, captures, &mut |ctx, key| {
                    let lookup = Lookup { table: table.clone(), key: Box::new(key) };
                    then(ctx, Operand::Lookup(lookup))
                })
            }
            Expr::Field(Field::Target) => then(self, Operand::Joined(target().into())),
            Expr::Field(field) => {
                let read = self.read(field);
                then(self, Operand::Read(read))
            }
            Expr::Capture { name, .. } => match captures.get(name) {
                Some(read) => then(self, Operand::Read(*read)),
                None => Cond::Always(false),
            },
            Expr::If { condition, then: yes, otherwise } => {
                let condition = self.cond(condition, captures);
                let yes = self.text(yes, captures, then);
                let no = self.text(otherwise, captures, then);
                Cond::choose(condition, yes, no)
            }
            Expr::Else(value, default) => self.text_else(value, default, captures, then),
            Expr::Join(parts) => self.join(parts, Vec::new(), captures, then),
            Expr::Int(_) | Expr::Ip(_) | Expr::Arithmetic { .. } => {
                self.join(std::slice::from_ref(expr), Vec::new(), captures, then)
            }
            Expr::Bool(_)
            | Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare { .. }
            | Expr::TextTest { .. }
            | Expr::In { .. }
            | Expr::Matches { .. }
            | Expr::IsSome(_) => {
                let condition = self.cond(expr, captures);
                let yes = then(self, Operand::Literal(b"true".as_slice().into()));
                let no = then(self, Operand::Literal(b"false".as_slice().into()));
                Cond::choose(condition, yes, no)
            }
        }
    }

    fn text_else(
        &mut self,
        value: &Expr,
        default: &Expr,
        captures: &Captures,
        then: Then<'_, Operand>,
    ) -> Cond {
        self.text(value, captures, &mut |ctx, value| match present(&value) {
            Cond::Always(true) => then(ctx, value),
            is_some => {
                let yes = then(ctx, value);
                let no = ctx.text(default, captures, then);
                Cond::choose(is_some, yes, no)
            }
        })
    }

    /// Joins the parts that are left to the pieces so far.
    fn join(
        &mut self,
        parts: &[Expr],
        pieces: Vec<Piece>,
        captures: &Captures,
        then: Then<'_, Operand>,
    ) -> Cond {
        let Some((first, rest)) = parts.split_first() else {
            return then(self, Operand::Joined(pieces.into()));
        };
        if first.optional() && first.kind() != Kind::Text {
            // A number that may be absent is no piece then.
            let is_some = self.present(first, captures);
            let with = match is_some {
                Cond::Always(false) => Cond::Always(false),
                _ => self.join_number(parts, &pieces, captures, then),
            };
            return Cond::choose(is_some, with, self.join(rest, pieces, captures, then));
        }
        match first.kind() {
            Kind::Int => self.join_number(parts, &pieces, captures, then),
            Kind::Ip => self.ip(first, captures, &mut |ctx, addr| {
                let piece = match addr {
                    IpOperand::Client => Piece::ClientIp,
                    IpOperand::Literal(number) => Piece::Literal(ip_text(number).into_bytes().into()),
                };
                ctx.join(rest, with(&pieces, [piece]), captures, then)
            }),
            Kind::Text | Kind::Bool => self.text(first, captures, &mut |ctx, text| {
                let more = match text {
                    Operand::Literal(text) => vec![Piece::Literal(text)],
                    Operand::Read(read) => vec![Piece::Read(read)],
                    Operand::Joined(pieces) => pieces.into_vec(),
                    Operand::Lookup(lookup) => vec![Piece::Lookup(lookup)],
                    Operand::Absent => Vec::new(),
                };
                ctx.join(rest, with(&pieces, more), captures, then)
            }),
        }
    }

    /// As [`Self::join`] where the first part is a number.
    fn join_number(
        &mut self,
        parts: &[Expr],
        pieces: &[Piece],
        captures: &Captures,
        then: Then<'_, Operand>,
    ) -> Cond {
        let Some((number, rest)) = parts.split_first() else { return Cond::Always(false) };
        self.int(number, captures, &mut |ctx, number| {
            ctx.join(rest, with(pieces, [Piece::Int(number)]), captures, then)
        })
    }

    /// The condition that `then` makes of a number, for each of the forms the number may take.
    fn int(&mut self, expr: &Expr, captures: &Captures, then: Then<'_, IntExpr>) -> Cond {
        self.n_nodes += 1;
        if self.overflowed() {
            return Cond::Always(false);
        }
        match expr {
            Expr::Int(number) => then(self, IntExpr::Value(*number)),
            Expr::Field(Field::Port) => then(self, IntExpr::Port),
            Expr::Capture { name, .. } => match captures.get(name) {
                Some(read) => then(self, IntExpr::Capture(*read)),
                None => Cond::Always(false),
            },
            Expr::If { condition, then: yes, otherwise } => {
                let condition = self.cond(condition, captures);
                let yes = self.int(yes, captures, then);
                let no = self.int(otherwise, captures, then);
                Cond::choose(condition, yes, no)
            }
            Expr::Arithmetic { op, left, right } => self.int(left, captures, &mut |ctx, left| {
                ctx.int(right, captures, &mut |ctx, right| {
                    let (left, right) = (Box::new(left.clone()), Box::new(right));
                    then(ctx, IntExpr::Arithmetic { op: *op, left, right })
                })
            }),
            Expr::Lookup { table, key } => {
                let table = self.table(table);
                self.text(key, captures, &mut |ctx, key| {
                    let lookup = Lookup { table: table.clone(), key: Box::new(key) };
                    then(ctx, IntExpr::Lookup(lookup))
                })
            }
            Expr::Absent(_) => then(self, IntExpr::Absent),
            Expr::Else(value, default) => {
                self.int(value, captures, &mut |ctx, value| match int_present(&value) {
                    Cond::Always(true) => then(ctx, value),
                    is_some => {
                        let yes = then(ctx, value);
                        let no = ctx.int(default, captures, then);
                        Cond::choose(is_some, yes, no)
                    }
                })
            }
            _ => Cond::Always(false),
        }
    }

    fn ip(&mut self, expr: &Expr, captures: &Captures, then: Then<'_, IpOperand>) -> Cond {
        self.n_nodes += 1;
        if self.overflowed() {
            return Cond::Always(false);
        }
        match expr {
            Expr::Ip(addr) => then(self, IpOperand::Literal(Cidr::single(*addr).interval().0)),
            Expr::Field(Field::ClientIp) => then(self, IpOperand::Client),
            Expr::If { condition, then: yes, otherwise } => {
                let condition = self.cond(condition, captures);
                let yes = self.ip(yes, captures, then);
                let no = self.ip(otherwise, captures, then);
                Cond::choose(condition, yes, no)
            }
            // No address is optional in this edition.
            Expr::Else(value, _) => self.ip(value, captures, then),
            _ => Cond::Always(false),
        }
    }

    fn read(&self, field: &Field) -> Read {
        let slot = |slot: Slot| Read::Slot(self.slots.get(&slot).copied().unwrap_or(SlotId::MAX));
        match field {
            Field::Method => Read::Method,
            Field::Scheme => Read::Scheme,
            Field::Host => Read::Host,
            Field::Port => Read::Port,
            Field::Path => Read::Path,
            Field::QueryString => Read::QueryString,
            Field::Target => Read::Target,
            Field::ClientIp => Read::ClientIp,
            Field::Header(name) => slot(Slot::Header(name.clone())),
            Field::Query(name) => slot(Slot::Query(name.clone())),
            Field::Cookie(name) => slot(Slot::Cookie(name.clone())),
        }
    }

    /// A text that effects write.
    pub(crate) fn value(&mut self, expr: &Expr, captures: &Captures) -> Value {
        match expr {
            Expr::Text(text) => Value::Literal(text.clone()),
            Expr::Int(number) => Value::Literal(number.to_string()),
            Expr::Ip(addr) => Value::Literal(addr.to_canonical().to_string()),
            Expr::Absent(_) => Value::Absent,
            Expr::Lookup { table, key } => {
                let table = self.table(table);
                Value::Lookup(table, Box::new(self.value(key, captures)))
            }
            Expr::Field(field) => Value::Read(self.read(field)),
            Expr::Capture { name, .. } => match captures.get(name) {
                Some(read) => Value::Read(*read),
                None => Value::Literal(String::new()),
            },
            Expr::Join(parts) => Value::Join(parts.iter().map(|part| self.value(part, captures)).collect()),
            Expr::If { condition, then, otherwise } => {
                let condition = self.cond(condition, captures);
                let then = self.value(then, captures);
                let otherwise = self.value(otherwise, captures);
                self.value_if(condition, then, otherwise)
            }
            Expr::Else(value, default) => {
                let default = self.value(default, captures);
                let value = self.value(value, captures);
                if value.can_be_absent() { Value::Else(Box::new(value), Box::new(default)) } else { value }
            }
            Expr::Arithmetic { .. } => self.int_value(expr, captures),
            Expr::Bool(_)
            | Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Compare { .. }
            | Expr::TextTest { .. }
            | Expr::In { .. }
            | Expr::Matches { .. }
            | Expr::IsSome(_) => {
                let condition = self.cond(expr, captures);
                self.value_if(
                    condition,
                    Value::Literal("true".to_owned()),
                    Value::Literal("false".to_owned()),
                )
            }
        }
    }

    fn value_if(&mut self, condition: Cond, then: Value, otherwise: Value) -> Value {
        match condition {
            Cond::Always(true) => then,
            Cond::Always(false) => otherwise,
            condition => Value::If(self.intern(condition), Box::new(then), Box::new(otherwise)),
        }
    }

    /// The forms a text may take, each with its condition; together they cover every request.
    fn text_cases(&mut self, expr: &Expr, captures: &Captures) -> Vec<(Cond, Operand)> {
        let mut forms = Vec::new();
        self.text(expr, captures, &mut |_, form| {
            forms.push(form);
            Cond::Always(false)
        });
        // The forms come in the same order each time, so each is found by its number.
        let mut cases = Vec::with_capacity(forms.len());
        for (wanted, form) in forms.into_iter().enumerate() {
            let mut number = 0;
            let condition = self.text(expr, captures, &mut |_, _| {
                number += 1;
                Cond::Always(number == wanted + 1)
            });
            cases.push((condition, form));
        }
        cases
    }

    /// A computed number; `if` inside it is lifted like in conditions, but into the text.
    fn int_value(&mut self, expr: &Expr, captures: &Captures) -> Value {
        let mut found: Vec<(Cond, IntExpr)> = Vec::new();
        self.int_cases(expr, captures, &Cond::Always(true), &mut found);
        let Some((_, last)) = found.pop() else { return Value::Literal(String::new()) };
        found.into_iter().rev().fold(Value::Int(last), |otherwise, (condition, number)| {
            self.value_if(condition, Value::Int(number), otherwise)
        })
    }

    /// The forms a number may take, each with its condition; together they cover every request.
    fn int_cases(&mut self, expr: &Expr, captures: &Captures, when: &Cond, found: &mut Vec<(Cond, IntExpr)>) {
        match expr {
            Expr::If { condition, then, otherwise } => {
                let condition = self.cond(condition, captures);
                let yes = Cond::all(vec![when.clone(), condition.clone()]);
                let no = Cond::all(vec![when.clone(), condition.not()]);
                self.int_cases(then, captures, &yes, found);
                self.int_cases(otherwise, captures, &no, found);
            }
            Expr::Lookup { table, key } => {
                let table = self.table(table);
                for (condition, key) in self.text_cases(key, captures) {
                    let lookup = Lookup { table: table.clone(), key: Box::new(key) };
                    found.push((Cond::all(vec![when.clone(), condition]), IntExpr::Lookup(lookup)));
                }
            }
            Expr::Else(value, default) => {
                let is_some = self.present(value, captures);
                let yes = Cond::all(vec![when.clone(), is_some.clone()]);
                let no = Cond::all(vec![when.clone(), is_some.not()]);
                self.int_cases(value, captures, &yes, found);
                self.int_cases(default, captures, &no, found);
            }
            Expr::Arithmetic { op, left, right } => {
                let mut lefts = Vec::new();
                self.int_cases(left, captures, when, &mut lefts);
                for (when, left) in lefts {
                    let mut rights = Vec::new();
                    self.int_cases(right, captures, &when, &mut rights);
                    found.extend(rights.into_iter().map(|(when, right)| {
                        let (left, right) = (Box::new(left.clone()), Box::new(right));
                        (when, IntExpr::Arithmetic { op: *op, left, right })
                    }));
                }
            }
            _ => {
                let mut leaf = IntExpr::Value(0);
                self.int(expr, captures, &mut |_, number| {
                    leaf = number;
                    Cond::Always(true)
                });
                self.n_nodes += 1;
                if !self.overflowed() {
                    found.push((when.clone(), leaf));
                }
            }
        }
    }
}

/// Whether a text is present, as far as known now.
fn present(text: &Operand) -> Cond {
    match text {
        Operand::Read(read @ (Read::Slot(_) | Read::QueryString)) => Cond::IsSome(*read),
        Operand::Lookup(lookup) => Cond::Found(lookup.clone()),
        Operand::Absent => Cond::Always(false),
        Operand::Read(_) | Operand::Literal(_) | Operand::Joined(_) => Cond::Always(true),
    }
}

/// Whether a number is present, as far as known now.
fn int_present(number: &IntExpr) -> Cond {
    match number {
        IntExpr::Lookup(lookup) => Cond::Found(lookup.clone()),
        IntExpr::Absent => Cond::Always(false),
        IntExpr::Value(_) | IntExpr::Port | IntExpr::Capture(_) => Cond::Always(true),
        IntExpr::Arithmetic { left, right, .. } => Cond::all(vec![int_present(left), int_present(right)]),
    }
}

fn compare_bools(op: Order, left: Cond, right: Cond) -> Cond {
    match op {
        Order::Equal => Cond::choose(left, right.clone(), right.not()),
        Order::Less => Cond::all(vec![left.not(), right]),
        Order::LessEqual => Cond::any(vec![left.not(), right]),
        Order::Greater => Cond::all(vec![left, right.not()]),
        Order::GreaterEqual => Cond::any(vec![left, right.not()]),
    }
}

fn target() -> Vec<Piece> {
    vec![Piece::Read(Read::Path), Piece::QuestionMark, Piece::Read(Read::QueryString)]
}

fn with(pieces: &[Piece], more: impl IntoIterator<Item = Piece>) -> Vec<Piece> {
    let mut all = pieces.to_vec();
    all.extend(more);
    all
}

fn ip_text(number: u128) -> String {
    std::net::IpAddr::V6(std::net::Ipv6Addr::from_bits(number)).to_canonical().to_string()
}
