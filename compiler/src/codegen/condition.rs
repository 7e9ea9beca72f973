//! Conditions as branches. What takes more than a few loads and compares (regular expressions, joined texts, large
//! sets, order of texts) is asked through a helper that evaluates that part as the tables do.

use super::emit::{Emit, Str};
use super::fault::{Fault, active};
use super::text::Source;
use crate::abi::layout;
use crate::core::{Order, TextTest};
use crate::jit::Helper;
use crate::limits::{NATIVE_NETS_MAX, NATIVE_RANGES_MAX, NATIVE_TEXTS_MAX};
use crate::plan::{IntExpr, Read};
use crate::predicate::glob::Glob;
use crate::predicate::many::AnyText;
use crate::predicate::text::Operand;
use crate::predicate::{Cond, IpOperand};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value};

/// How much code a condition needs, about: tests and constants.
pub(super) fn cost(cond: &Cond) -> usize {
    match cond {
        Cond::Always(_)
        | Cond::IsSome(_)
        | Cond::Found(_)
        | Cond::TextOrder { .. }
        | Cond::TextTest { .. }
        | Cond::Regex { .. }
        | Cond::Glob { .. }
        | Cond::IntOrder { .. }
        | Cond::IpOrder { .. } => 1,
        Cond::Not(inner) => cost(inner),
        Cond::All(parts) | Cond::Any(parts) => parts.iter().map(cost).sum(),
        Cond::If(parts) => parts.iter().map(cost).sum(),
        Cond::TextAny { any, .. } if any.op() == TextTest::Contains => 1,
        Cond::TextAny { any, .. } => 1 + any.texts().len().min(NATIVE_TEXTS_MAX + 1),
        Cond::TextIn { set, .. } => 1 + set.texts().count().min(NATIVE_TEXTS_MAX + 1),
        Cond::IntIn { set, .. } => 1 + set.ranges().len().min(NATIVE_RANGES_MAX + 1),
        Cond::IpIn { set, .. } => 1 + set.intervals().len().min(NATIVE_NETS_MAX + 1),
    }
}

/// Whether a condition as a whole is nothing but a call of the helper.
pub(super) fn is_foreign(cond: &Cond) -> bool {
    match cond {
        Cond::Always(_) => false,
        Cond::Not(inner) => is_foreign(inner),
        Cond::All(parts) | Cond::Any(parts) => parts.iter().all(is_foreign),
        Cond::If(parts) => parts.iter().all(is_foreign),
        Cond::IsSome(read) => is_foreign_read(*read),
        Cond::TextOrder { op, left, right } => match (op, left, right) {
            (Order::Equal, Operand::Read(read), Operand::Literal(_))
            | (Order::Equal, Operand::Literal(_), Operand::Read(read)) => is_foreign_read(*read),
            _ => true,
        },
        Cond::TextTest { left: Operand::Read(read), right: Operand::Literal(_), .. } => {
            is_foreign_read(*read)
        }
        Cond::TextAny { value: Operand::Read(read), any } => {
            let is_long = any.op() != TextTest::Contains && any.texts().len() > NATIVE_TEXTS_MAX;
            is_foreign_read(*read) || *read == Read::Scheme || is_long
        }
        Cond::TextIn { value: Operand::Read(read), set } => {
            is_foreign_read(*read) || set.texts().count() > NATIVE_TEXTS_MAX
        }
        Cond::Glob { value: Operand::Read(read), glob } => {
            is_foreign_read(*read) || *read == Read::Scheme || Shape::of(glob).is_none()
        }
        Cond::IntOrder { left, right, .. } => is_computed(left) || is_computed(right),
        Cond::IntIn { value, set } => is_computed(value) || set.ranges().len() > NATIVE_RANGES_MAX,
        Cond::IpOrder { left, right, .. } => match (left, right) {
            (IpOperand::Client, IpOperand::Literal(_)) | (IpOperand::Literal(_), IpOperand::Client) => false,
            (IpOperand::Client, IpOperand::Client) | (IpOperand::Literal(_), IpOperand::Literal(_)) => true,
        },
        Cond::IpIn { value: IpOperand::Client, set } => set.intervals().len() > NATIVE_NETS_MAX,
        Cond::Found(_)
        | Cond::TextTest { .. }
        | Cond::TextAny { .. }
        | Cond::Regex { .. }
        | Cond::TextIn { .. }
        | Cond::Glob { .. }
        | Cond::IpIn { value: IpOperand::Literal(_), .. } => true,
    }
}

fn is_foreign_read(read: Read) -> bool {
    match read {
        Read::HostLabel => true,
        Read::Method
        | Read::Scheme
        | Read::Host
        | Read::Port
        | Read::Path
        | Read::QueryString
        | Read::Target
        | Read::ClientIp
        | Read::Slot(_)
        | Read::Segment { .. }
        | Read::Rest(_) => false,
    }
}

fn is_computed(number: &IntExpr) -> bool {
    match number {
        IntExpr::Value(_) | IntExpr::Port => false,
        IntExpr::Capture(read) => is_foreign_read(*read) || *read == Read::Scheme,
        IntExpr::Arithmetic { .. } | IntExpr::Lookup(_) | IntExpr::Absent => true,
    }
}

/// Globs that are made of at most two constant texts.
enum Shape<'g> {
    Equals(&'g [u8]),
    Around(&'g [u8], &'g [u8]),
    Contains(&'g [u8]),
}

impl Shape<'_> {
    fn of(glob: &Glob) -> Option<Shape<'_>> {
        let text = glob.text().as_bytes();
        if text.contains(&b'?') {
            return None;
        }
        let parts: Vec<&[u8]> = text.split(|byte| *byte == b'*').collect();
        match parts.as_slice() {
            [only] => Some(Shape::Equals(only)),
            [first, between @ .., last] if between.iter().all(|part| part.is_empty()) => {
                Some(Shape::Around(first, last))
            }
            [b"", middle, b""] => Some(Shape::Contains(middle)),
            _ => None,
        }
    }
}

/// Where the answers of a condition lead.
#[derive(Clone, Copy)]
struct Ways {
    yes: Block,
    no: Block,
}

impl Emit<'_> {
    /// Goes to `yes` where the condition holds, else to `no`.
    pub(super) fn condition(&mut self, cond: &Cond, yes: Block, no: Block) {
        match cond {
            Cond::Always(value) => self.jump(if *value { yes } else { no }),
            Cond::Not(inner) if active(Fault::NotForgotten) => self.condition(inner, yes, no),
            Cond::Not(inner) => self.condition(inner, no, yes),
            Cond::All(parts) if active(Fault::AllIsAny) => self.any(parts, yes, no),
            Cond::All(parts) => self.all(parts, yes, no),
            Cond::Any(parts) => self.any(parts, yes, no),
            Cond::If(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                let (holds, fails) = (self.block(), self.block());
                if active(Fault::IfSwapped) {
                    self.condition(condition, fails, holds);
                } else {
                    self.condition(condition, holds, fails);
                }
                self.start(holds);
                self.condition(then, yes, no);
                self.start(fails);
                self.condition(otherwise, yes, no);
            }
            leaf if is_foreign(leaf) => self.ask(leaf, yes, no),
            leaf => self.leaf(leaf, yes, no),
        }
    }

    fn all(&mut self, parts: &[Cond], yes: Block, no: Block) {
        for part in parts {
            let next = self.block();
            self.condition(part, next, no);
            self.start(next);
        }
        self.jump(yes);
    }

    fn any(&mut self, parts: &[Cond], yes: Block, no: Block) {
        for part in parts {
            let next = self.block();
            self.condition(part, yes, next);
            self.start(next);
        }
        self.jump(no);
    }

    /// Lets the helper evaluate a condition.
    fn ask(&mut self, cond: &Cond, yes: Block, no: Block) {
        let number = self.extras.condition(cond);
        let number = self.number(number);
        let view = self.view();
        let holds = self.call(Helper::Condition, &[view, number]);
        self.branch(holds, yes, no);
    }

    fn leaf(&mut self, leaf: &Cond, yes: Block, no: Block) {
        match leaf {
            Cond::IsSome(read) => {
                let (yes, no) = if active(Fault::PresenceSwapped) { (no, yes) } else { (yes, no) };
                match self.read(*read, no) {
                    Source::Text(_) | Source::Foreign => self.jump(yes),
                    Source::Absent => self.jump(no),
                }
            }
            Cond::TextOrder { left: Operand::Read(read), right: Operand::Literal(text), .. }
            | Cond::TextOrder { left: Operand::Literal(text), right: Operand::Read(read), .. } => {
                self.text_in(*read, &[text.as_ref()], yes, no);
            }
            Cond::TextIn { value: Operand::Read(read), set } => {
                let texts: Vec<&[u8]> = set.texts().collect();
                self.text_in(*read, &texts, yes, no);
            }
            Cond::TextTest { op, left: Operand::Read(read), right: Operand::Literal(part) } => {
                self.text_test(*op, *read, part, Ways { yes, no });
            }
            Cond::TextAny { value: Operand::Read(read), any } => self.text_any(*read, any, Ways { yes, no }),
            Cond::Glob { value: Operand::Read(read), glob } => self.glob(*read, glob, yes, no),
            Cond::IntOrder { op, left, right } => {
                let (left, right) = (self.int(left), self.int(right));
                let holds = self.compare(order(*op), left, right);
                self.branch(holds, yes, no);
            }
            Cond::IntIn { value, set } => {
                let value = self.int(value);
                for (low, high) in set.ranges() {
                    let next = self.block();
                    let inside = self.in_range(value, *low, *high);
                    self.branch(inside, yes, next);
                    self.start(next);
                }
                self.jump(no);
            }
            Cond::IpOrder { op, left, right } => self.ip_order(*op, *left, *right, Ways { yes, no }),
            Cond::IpIn { set, .. } => {
                let client = self.client();
                self.in_nets(client, set.intervals(), yes, no);
            }
            // All others were recognised as foreign or are no leaves.
            _ => self.ask(leaf, yes, no),
        }
    }

    /// Goes to `yes` where a part of the request is one of these texts.
    fn text_in(&mut self, read: Read, texts: &[&[u8]], yes: Block, no: Block) {
        if read == Read::Scheme {
            return self.scheme(|scheme| texts.contains(&scheme), yes, no);
        }
        match self.read(read, no) {
            Source::Text(text) => {
                let cases: Vec<(&[u8], Block)> = texts.iter().map(|text| (*text, yes)).collect();
                self.dispatch(text, &cases, no);
            }
            Source::Absent | Source::Foreign => self.jump(no),
        }
    }

    /// The scheme is one of two, so a condition on it is known for each.
    fn scheme(&mut self, holds: impl Fn(&[u8]) -> bool, yes: Block, no: Block) {
        let scheme = self.field(1, layout::SCHEME);
        let secure = self.compare_to(IntCC::Equal, scheme, u64::from(crate::abi::SCHEME_HTTPS));
        let to = |holds: bool| if holds { yes } else { no };
        let (https, http) = (to(holds(b"https")), to(holds(b"http")));
        let (https, http) = if active(Fault::SchemeSwapped) { (http, https) } else { (https, http) };
        self.branch(secure, https, http);
    }

    fn text_test(&mut self, op: TextTest, read: Read, part: &[u8], ways: Ways) {
        let Ways { yes, no } = ways;
        if read == Read::Scheme {
            let holds = |scheme: &[u8]| match op {
                TextTest::StartsWith => scheme.starts_with(part),
                TextTest::EndsWith => scheme.ends_with(part),
                TextTest::Contains => memchr::memmem::find(scheme, part).is_some(),
            };
            return self.scheme(holds, yes, no);
        }
        match (self.read(read, no), op) {
            (Source::Text(text), TextTest::StartsWith) => self.starts(text, part, yes, no),
            (Source::Text(text), TextTest::EndsWith) => self.ends(text, part, yes, no),
            (Source::Text(text), TextTest::Contains) => self.contains(text, part, yes, no),
            (Source::Absent | Source::Foreign, _) => self.jump(no),
        }
    }

    fn text_any(&mut self, read: Read, any: &AnyText, ways: Ways) {
        let Ways { yes, no } = ways;
        let Source::Text(text) = self.read(read, no) else { return self.jump(no) };
        let texts: Vec<&[u8]> = any.texts().collect();
        match any.op() {
            TextTest::StartsWith => self.starts_any(text, &texts, yes, no),
            TextTest::EndsWith => self.ends_any(text, &texts, yes, no),
            TextTest::Contains => {
                let number = self.extras.search(any) + u64::from(active(Fault::SearchNext));
                let number = self.number(number);
                let found = self.call(Helper::ContainsAny, &[text.ptr, text.len, number]);
                self.branch(found, yes, no);
            }
        }
    }

    fn contains(&mut self, text: Str, part: &[u8], yes: Block, no: Block) {
        let number = self.extras.needle(part);
        let number = self.number(number);
        let found = self.call(Helper::Contains, &[text.ptr, text.len, number]);
        self.branch(found, yes, no);
    }

    fn glob(&mut self, read: Read, glob: &Glob, yes: Block, no: Block) {
        match (self.read(read, no), Shape::of(glob)) {
            (Source::Text(text), Some(Shape::Equals(wanted))) => self.dispatch(text, &[(wanted, yes)], no),
            (Source::Text(text), Some(Shape::Around(prefix, suffix))) => {
                self.between(text, prefix, suffix, no);
                self.jump(yes);
            }
            (Source::Text(text), Some(Shape::Contains(part))) => self.contains(text, part, yes, no),
            (Source::Text(_) | Source::Absent | Source::Foreign, _) => self.jump(no),
        }
    }

    fn int(&mut self, number: &IntExpr) -> Value {
        match number {
            IntExpr::Value(number) => self.number(number.cast_unsigned()),
            IntExpr::Port if active(Fault::PortByte) => self.field(1, layout::PORT),
            IntExpr::Port => self.field(2, layout::PORT),
            IntExpr::Capture(read) => self.captured(*read),
            // Recognised as foreign before.
            IntExpr::Arithmetic { .. } | IntExpr::Lookup(_) | IntExpr::Absent => self.number(0),
        }
    }

    /// The number in a capture; 0 where it is absent.
    fn captured(&mut self, read: Read) -> Value {
        let (absent, done) = (self.block(), self.block());
        let result = self.builder.append_block_param(done, I64);
        match self.read(read, absent) {
            Source::Text(text) => {
                let number = self.call(Helper::Number, &[text.ptr, text.len]);
                self.builder.ins().jump(done, &[number.into()]);
            }
            Source::Absent | Source::Foreign => self.jump(absent),
        }
        self.start(absent);
        let zero = self.number(0);
        self.builder.ins().jump(done, &[zero.into()]);
        self.start(done);
        result
    }

    /// Both ends included; one comparison, as the distance from the lower end wraps.
    fn in_range(&mut self, value: Value, low: i64, high: i64) -> Value {
        let size = high.wrapping_sub(low).cast_unsigned();
        let size = size - u64::from(active(Fault::RangeEndsEarly) && size > 0);
        let low = self.number(low.cast_unsigned());
        let distance = self.builder.ins().isub(value, low);
        self.compare_to(IntCC::UnsignedLessThanOrEqual, distance, size)
    }

    /// The client's address: its upper and lower half as numbers.
    fn client(&mut self) -> [Value; 2] {
        [0, 8].map(|at| {
            let half = self.field(8, layout::CLIENT_IP + at);
            if cfg!(target_endian = "big") || active(Fault::AddressUnswapped) {
                half
            } else {
                self.builder.ins().bswap(half)
            }
        })
    }

    fn ip_order(&mut self, op: Order, left: IpOperand, right: IpOperand, ways: Ways) {
        let Ways { yes, no } = ways;
        let (op, bound) = match (left, right) {
            (IpOperand::Client, IpOperand::Literal(bound)) => (op, bound),
            (IpOperand::Literal(bound), IpOperand::Client) => (mirrored(op), bound),
            // Recognised as foreign before.
            (IpOperand::Client, IpOperand::Client) | (IpOperand::Literal(_), IpOperand::Literal(_)) => {
                return self.jump(no);
            }
        };
        let client = self.client();
        match op {
            Order::Equal => self.in_net(client, (bound, bound), yes, no),
            Order::LessEqual => self.in_net(client, (0, bound), yes, no),
            Order::Greater => self.in_net(client, (0, bound), no, yes),
            Order::GreaterEqual => self.in_net(client, (bound, u128::MAX), yes, no),
            Order::Less => self.in_net(client, (bound, u128::MAX), no, yes),
        }
    }

    /// Finds the only network that an address may be in by halving.
    fn in_nets(&mut self, client: [Value; 2], nets: &[(u128, u128)], yes: Block, no: Block) {
        if nets.len() > 3 {
            let (left, right) = nets.split_at(nets.len() / 2);
            let (below, above) = (self.block(), self.block());
            let (first, _) = right[0];
            self.in_net(client, (first, u128::MAX), above, below);
            self.start(below);
            self.in_nets(client, left, yes, no);
            self.start(above);
            return self.in_nets(client, right, yes, no);
        }
        for net in nets {
            let next = self.block();
            self.in_net(client, *net, yes, next);
            self.start(next);
        }
        self.jump(no);
    }

    fn in_net(&mut self, client: [Value; 2], net: (u128, u128), yes: Block, no: Block) {
        let (low, high) = net;
        let high = high - u128::from(active(Fault::NetworkEndsEarly) && high > low);
        let ([low_upper, low_lower], [high_upper, high_lower]) = (halves(low), halves(high));
        let [upper, lower] = client;
        if low_upper == high_upper {
            if !active(Fault::NetworkHighIgnored) {
                let same = self.compare_to(IntCC::Equal, upper, low_upper);
                self.require(same, no);
            }
            let low_lower_value = self.number(low_lower);
            let distance = self.builder.ins().isub(lower, low_lower_value);
            let inside = self.compare_to(IntCC::UnsignedLessThanOrEqual, distance, high_lower - low_lower);
            return self.branch(inside, yes, no);
        }
        if low != 0 {
            let enough = self.at_least(client, low_upper, low_lower);
            self.require(enough, no);
        }
        if high == u128::MAX {
            return self.jump(yes);
        }
        let [next_upper, next_lower] = halves(high + 1);
        let too_much = self.at_least(client, next_upper, next_lower);
        self.branch(too_much, no, yes);
    }

    fn at_least(&mut self, [upper, lower]: [Value; 2], bound_upper: u64, bound_lower: u64) -> Value {
        let above = self.compare_to(IntCC::UnsignedGreaterThan, upper, bound_upper);
        let same = self.compare_to(IntCC::Equal, upper, bound_upper);
        let enough = self.compare_to(IntCC::UnsignedGreaterThanOrEqual, lower, bound_lower);
        let close = self.builder.ins().band(same, enough);
        self.builder.ins().bor(above, close)
    }
}

fn order(op: Order) -> IntCC {
    let signed = match op {
        Order::Equal => IntCC::Equal,
        Order::Less if active(Fault::LessIsLessEqual) => IntCC::SignedLessThanOrEqual,
        Order::Less => IntCC::SignedLessThan,
        Order::LessEqual => IntCC::SignedLessThanOrEqual,
        Order::Greater => IntCC::SignedGreaterThan,
        Order::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
    };
    if active(Fault::NumbersUnsigned) { signed.unsigned() } else { signed }
}

/// The comparison with its sides exchanged.
fn mirrored(op: Order) -> Order {
    match op {
        Order::Equal => Order::Equal,
        Order::Less => Order::Greater,
        Order::LessEqual => Order::GreaterEqual,
        Order::Greater => Order::Less,
        Order::GreaterEqual => Order::LessEqual,
    }
}

fn halves(number: u128) -> [u64; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "each half is taken")]
    let halves = [(number >> 64) as u64, number as u64];
    halves
}
