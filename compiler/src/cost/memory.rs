//! Which tables the requests of a site may reach, and how much memory they take.

use super::Meter;
use crate::capture::Class;
use crate::ir::{CaptureId, Node, NodeId, OtherMethods, SegTest, targets};
use crate::plan::{Effect, PredicateId, SiteId, Terminal, Value};
use crate::predicate::many::AnyText;
use crate::predicate::regex::RegexId;
use crate::predicate::{Cond, Conditions};
use std::collections::{BTreeSet, HashSet};

/// Tables, each once.
#[derive(Debug, Default)]
pub(super) struct Reached<'a> {
    regexes: BTreeSet<RegexId>,
    searches: HashSet<&'a AnyText>,
}

impl<'a> Reached<'a> {
    /// All that a site's graph, guards and steps use.
    pub(super) fn of(meter: &Meter<'a>, site: SiteId, root: NodeId) -> Reached<'a> {
        let mut reached = Reached::default();
        let mut predicates: HashSet<PredicateId> = HashSet::new();
        let mut captures: HashSet<CaptureId> = HashSet::new();
        let mut seen = HashSet::from([root]);
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            let Some(node) = meter.ir.nodes.get(id as usize) else { continue };
            match node {
                Node::Test { predicate, .. } => drop(predicates.insert(*predicate)),
                Node::Typed { capture, .. } => drop(captures.insert(*capture)),
                Node::Linear(routes) => {
                    for route in routes {
                        predicates.extend(&route.guard);
                        if let OtherMethods::If(predicate) = route.methods.other {
                            predicates.insert(predicate);
                        }
                        captures.extend(route.segments.iter().filter_map(|segment| match segment {
                            SegTest::Capture(capture) => Some(capture),
                            SegTest::Literal(_) => None,
                        }));
                    }
                }
                Node::Miss
                | Node::Leaf(_)
                | Node::Method { .. }
                | Node::Segments { .. }
                | Node::Seg { .. } => {}
            }
            waiting.extend(targets(node).into_iter().filter(|target| seen.insert(*target)));
        }
        for route in meter.plan.routes.iter().filter(|route| route.site == site) {
            route.effects.iter().for_each(|effect| of_effect(effect, &mut predicates));
        }
        for capture in captures {
            if let Some(Class::Regex(regex)) = meter.ir.captures.get(capture as usize).map(|test| test.class)
            {
                reached.regexes.insert(regex);
            }
        }
        for predicate in predicates {
            if let Some(cond) = meter.conditions.list.get(predicate as usize) {
                reached.condition(cond);
            }
        }
        reached
    }

    /// Those of another one as well.
    pub(super) fn add(&mut self, other: &Reached<'a>) {
        self.regexes.extend(&other.regexes);
        self.searches.extend(&other.searches);
    }

    /// Memory of all tables.
    pub(super) fn bytes(&self, conditions: &Conditions) -> u64 {
        let tables = self.regexes.iter().filter_map(|id| conditions.regexes.table(*id));
        let tables: u64 = tables.map(|table| table.bytes() as u64).sum();
        tables + self.searches.iter().map(|search| search.bytes() as u64).sum::<u64>()
    }

    fn condition(&mut self, cond: &'a Cond) {
        match cond {
            Cond::Not(inner) => self.condition(inner),
            Cond::All(parts) | Cond::Any(parts) => parts.iter().for_each(|part| self.condition(part)),
            Cond::If(parts) => parts.iter().for_each(|part| self.condition(part)),
            Cond::Regex { regex, .. } => drop(self.regexes.insert(*regex)),
            Cond::TextAny { any, .. } => drop(self.searches.insert(any)),
            Cond::Always(_)
            | Cond::Found(_)
            | Cond::IsSome(_)
            | Cond::TextOrder { .. }
            | Cond::TextTest { .. }
            | Cond::TextIn { .. }
            | Cond::Glob { .. }
            | Cond::IntOrder { .. }
            | Cond::IntIn { .. }
            | Cond::IpOrder { .. }
            | Cond::IpIn { .. } => {}
        }
    }
}

fn of_effect(effect: &Effect, predicates: &mut HashSet<PredicateId>) {
    match effect {
        Effect::SkipUnless { test, .. } => drop(predicates.insert(*test)),
        Effect::Set { value, .. }
        | Effect::Add { value, .. }
        | Effect::RewritePath(value)
        | Effect::RewriteHost(value)
        | Effect::End(
            Terminal::Respond { body: Some(value), .. } | Terminal::Redirect { location: value, .. },
        ) => {
            of_value(value, predicates);
        }
        Effect::Remove { .. }
        | Effect::StripSegments(_)
        | Effect::Skip { .. }
        | Effect::End(Terminal::Respond { body: None, .. } | Terminal::To { .. } | Terminal::NotFound) => {}
    }
}

fn of_value(value: &Value, predicates: &mut HashSet<PredicateId>) {
    match value {
        Value::Literal(_) | Value::Read(_) | Value::Int(_) | Value::Absent => {}
        Value::Join(parts) => parts.iter().for_each(|part| of_value(part, predicates)),
        Value::Else(value, default) => {
            of_value(value, predicates);
            of_value(default, predicates);
        }
        Value::Lookup(_, key) => of_value(key, predicates),
        Value::If(test, then, otherwise) => {
            predicates.insert(*test);
            of_value(then, predicates);
            of_value(otherwise, predicates);
        }
    }
}
