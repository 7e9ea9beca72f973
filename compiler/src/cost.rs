//! What a request can cost at most: the longest way through the decision graph of each site and on through the steps
//! of the route it leads to, counted on what was compiled.
//!
//! Native code takes the same ways as the tables, so the counts hold for both. Every count is a worst case of its own:
//! no single request need reach all of them. Counts that would overflow stay at the largest number.

use crate::ir::{Ir, LinearRoute, Node, OtherMethods, SegTest, targets};
use crate::limits::{HOST_BYTES_MAX, HOST_LABELS_MAX, SMALL_NODE_MAX};
use crate::plan::{Effect, Plan, PredicateId, Read, RouteId, SiteId, Slot, Terminal, Value};
use crate::plan_build::Artifact;
use crate::predicate::Conditions;
use std::ops::Add;

mod condition;
mod memory;
#[cfg(test)]
mod tests;

/// How long texts of a request may be, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    /// A request target: bounds path, segments and query.
    pub target_bytes_max: u64,
    /// A message head: bounds methods, header fields and cookies.
    pub head_bytes_max: u64,
}

/// Counts of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Questions of the decision graph: method, segments, typed captures, conditions; and routes tried where a site is
    /// decided route by route.
    pub steps: u64,
    /// Comparisons in conditions, and texts tried as typed captures.
    pub tests: u64,
    /// Lookups in tables: hosts, segments with many alternatives, sets.
    pub probes: u64,
    /// Bytes that regular expressions read.
    pub regex_bytes: u64,
    /// Bytes that `contains` and globs read.
    pub search_bytes: u64,
}

/// What requests of a site can cost at most.
#[derive(Clone, Debug)]
pub struct SiteCost {
    /// Its first host pattern as written.
    pub name: String,
    /// Routes, the fallback included.
    pub routes: usize,
    /// Whether its routes are tried one after the other, since its graph would be too large.
    pub linear: bool,
    /// The worst case: the decision and the conditions of the route it leads to.
    pub worst: Cost,
    /// Methods its routes name: for 404 and 405 of the fallback that nobody wrote, the decision is taken once more for
    /// each of them. [`SiteCost::worst`] leaves that out.
    pub methods: usize,
    /// Bytes of memory of the tables for regular expressions and searches that its requests may reach.
    pub table_bytes: u64,
}

/// What requests of a program can cost at most.
#[derive(Clone, Debug)]
pub struct ProgramCost {
    /// By site, in their order.
    pub sites: Vec<SiteCost>,
    /// The largest count of any site, each on its own.
    pub worst: Cost,
    /// Bytes of memory of the tables of all sites together; a table that sites share counts once.
    pub table_bytes: u64,
}

/// The worst case of each site of a program.
pub fn cost(artifact: &Artifact, lengths: Lengths) -> ProgramCost {
    let Artifact { plan, program } = artifact;
    let ir = program.tables.ir();
    let meter = Meter { plan, conditions: &program.conditions, ir: &ir, lengths };
    let routes: Vec<Cost> = plan.routes.iter().map(|route| meter.effects(&route.effects)).collect();
    let mut nodes: Vec<Cost> = Vec::with_capacity(ir.nodes.len());
    for node in &ir.nodes {
        // INVARIANT of the graph: a node leads only to nodes before it.
        let after =
            targets(node).iter().map(|target| nodes[*target as usize]).fold(Cost::default(), Cost::max);
        nodes.push(meter.node(node, &routes) + after);
    }
    let mut all = memory::Reached::default();
    let mut sites = Vec::with_capacity(plan.sites.len());
    for (id, (site, root)) in (0..).zip(plan.sites.iter().zip(&ir.roots)) {
        let reached = memory::Reached::of(&meter, id, *root);
        let of_site = plan.routes.iter().filter(|route| route.site == id);
        sites.push(SiteCost {
            name: site.name.clone(),
            routes: of_site.count(),
            linear: matches!(ir.nodes.get(*root as usize), Some(Node::Linear(_))),
            worst: Cost { probes: meter.host_probes(id), ..Cost::default() } + nodes[*root as usize],
            methods: site.methods.len(),
            table_bytes: reached.bytes(meter.conditions),
        });
        all.add(&reached);
    }
    ProgramCost {
        worst: sites.iter().map(|site| site.worst).fold(Cost::default(), Cost::max),
        table_bytes: all.bytes(meter.conditions),
        sites,
    }
}

/// What counting needs to look at.
struct Meter<'a> {
    plan: &'a Plan,
    conditions: &'a Conditions,
    ir: &'a Ir,
    lengths: Lengths,
}

impl Meter<'_> {
    /// A node without those it leads to; a leaf with the steps of its route.
    fn node(&self, node: &Node, routes: &[Cost]) -> Cost {
        let route = |id: RouteId| routes.get(id as usize).copied().unwrap_or_default();
        match node {
            Node::Miss => Cost::default(),
            Node::Leaf(id) => route(*id),
            Node::Seg { literals, .. } if literals.len() > SMALL_NODE_MAX => Cost::STEP + Cost::PROBE,
            Node::Method { .. } | Node::Segments { .. } | Node::Seg { .. } => Cost::STEP,
            Node::Typed { capture, .. } => Cost::STEP + self.capture(*capture),
            Node::Test { predicate, .. } => Cost::STEP + self.predicate(*predicate),
            Node::Linear(list) => {
                let tried = list.iter().map(|route| self.linear(route)).fold(Cost::default(), Cost::add);
                tried + list.iter().map(|tried| route(tried.route)).fold(Cost::default(), Cost::max)
            }
        }
    }

    fn linear(&self, route: &LinearRoute) -> Cost {
        let mut cost = Cost::STEP;
        for segment in &route.segments {
            cost = cost
                + match segment {
                    SegTest::Literal(_) => Cost::default(),
                    SegTest::Capture(capture) => self.capture(*capture),
                };
        }
        if let OtherMethods::If(predicate) = route.methods.other {
            cost = cost + self.predicate(predicate);
        }
        route.guard.iter().map(|predicate| self.predicate(*predicate)).fold(cost, Cost::add)
    }

    fn predicate(&self, id: PredicateId) -> Cost {
        self.conditions.list.get(id as usize).map_or(Cost::default(), |cond| self.condition(cond))
    }

    /// The longest way through the steps of a route; they only lead onward, so the last ones are counted first.
    fn effects(&self, effects: &[Effect]) -> Cost {
        let mut from: Vec<Cost> = vec![Cost::default(); effects.len() + 1];
        for (at, effect) in effects.iter().enumerate().rev() {
            let after = |skipped: u32| from.get(at + 1 + skipped as usize).copied().unwrap_or_default();
            from[at] = match effect {
                Effect::Set { value, .. }
                | Effect::Add { value, .. }
                | Effect::RewritePath(value)
                | Effect::RewriteHost(value) => self.value(value) + after(0),
                Effect::Remove { .. } | Effect::StripSegments(_) => after(0),
                Effect::SkipUnless { test, count } => self.predicate(*test) + after(0).max(after(*count)),
                Effect::Skip { count } => after(*count),
                Effect::End(
                    Terminal::Respond { body: Some(value), .. } | Terminal::Redirect { location: value, .. },
                ) => self.value(value),
                Effect::End(
                    Terminal::Respond { body: None, .. } | Terminal::To { .. } | Terminal::NotFound,
                ) => Cost::default(),
            };
        }
        from[0]
    }

    fn value(&self, value: &Value) -> Cost {
        match value {
            Value::Literal(_) | Value::Read(_) | Value::Absent => Cost::default(),
            Value::Int(number) => condition::int_lookups(number),
            Value::Join(parts) => parts.iter().map(|part| self.value(part)).fold(Cost::default(), Cost::add),
            Value::Else(value, default) => self.value(value) + self.value(default),
            Value::Lookup(_, key) => Cost::PROBE + self.value(key),
            Value::If(test, then, otherwise) => {
                self.predicate(*test) + self.value(then).max(self.value(otherwise))
            }
        }
    }

    /// Lookups until a host has led to this site, at most: exact names, then suffixes from the longest on.
    fn host_probes(&self, site: SiteId) -> u64 {
        let mut worst = 0;
        for hosts in &self.ir.hosts {
            let named = |list: &[(String, SiteId)]| list.iter().any(|(_, id)| *id == site);
            let exact = u64::from(!hosts.exact.is_empty());
            let one_label = exact + u64::from(!hosts.one_label.is_empty());
            let labels = |suffix: &str| suffix.bytes().filter(|byte| *byte == b'.').count() as u64 + 1;
            if named(&hosts.exact) {
                worst = worst.max(exact);
            }
            if named(&hosts.one_label) {
                worst = worst.max(one_label);
            }
            for (suffix, _) in hosts.any_depth.iter().filter(|(_, id)| *id == site) {
                worst = worst.max(one_label + HOST_LABELS_MAX.saturating_sub(labels(suffix)));
            }
            if hosts.any == Some(site) {
                let deep = if hosts.any_depth.is_empty() { 0 } else { HOST_LABELS_MAX - 1 };
                worst = worst.max(one_label + deep);
            }
        }
        worst
    }

    /// The longest text that a read may give.
    fn length(&self, read: Read) -> u64 {
        let Lengths { target_bytes_max, head_bytes_max } = self.lengths;
        match read {
            Read::Scheme => 5,
            Read::Host | Read::HostLabel => HOST_BYTES_MAX,
            Read::Path | Read::QueryString | Read::Segment { .. } | Read::Rest(_) => target_bytes_max,
            Read::Method => head_bytes_max,
            Read::Slot(slot) => match self.plan.slots.get(usize::from(slot)) {
                Some(Slot::Header(_) | Slot::Cookie(_)) => head_bytes_max,
                Some(Slot::Query(_)) => target_bytes_max,
                None => 0,
            },
            // Texts of these are joined from pieces.
            Read::Port | Read::Target | Read::ClientIp => 0,
        }
    }
}

impl Cost {
    const STEP: Cost = Cost { steps: 1, ..Cost::NONE };
    const TEST: Cost = Cost { tests: 1, ..Cost::NONE };
    const PROBE: Cost = Cost { probes: 1, ..Cost::NONE };
    const NONE: Cost = Cost { steps: 0, tests: 0, probes: 0, regex_bytes: 0, search_bytes: 0 };

    /// The larger of each count.
    #[must_use]
    pub fn max(self, other: Cost) -> Cost {
        Cost {
            steps: self.steps.max(other.steps),
            tests: self.tests.max(other.tests),
            probes: self.probes.max(other.probes),
            regex_bytes: self.regex_bytes.max(other.regex_bytes),
            search_bytes: self.search_bytes.max(other.search_bytes),
        }
    }
}

/// One after the other.
impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            steps: self.steps.saturating_add(other.steps),
            tests: self.tests.saturating_add(other.tests),
            probes: self.probes.saturating_add(other.probes),
            regex_bytes: self.regex_bytes.saturating_add(other.regex_bytes),
            search_bytes: self.search_bytes.saturating_add(other.search_bytes),
        }
    }
}
