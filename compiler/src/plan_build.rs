//! Core and the checked program to an artifact: numbers given out, conditions collected, effects flattened.

use crate::build::{self, Shared};
use crate::capture::CaptureTest;
use crate::core::{Action, Core, PathMatch, Route, SegmentPattern, Site, Tail, Terminal, print::host_text};
use crate::engine::Program;
use crate::ir::{
    Arena, CaptureId, Hosts, Ir, LinearRoute, MethodSet, OtherMethods, SegTest, TailTest, verify,
};
use crate::limits::{MachineLimits, NODES_MAX};
use crate::plan::{self, Effect, Plan, PredicateId, Read, RouteId, RoutePlan, SiteId, SitePlan, Slot};
use crate::predicate::compile::{Captures, Compiler};
use crate::predicate::regex::RegexTables;
use crate::predicate::sets::TextSet;
use crate::predicate::text::Operand;
use crate::predicate::{Cond, Conditions};
use crate::slots::SlotIndex;
use crate::table::Tables;
use std::collections::HashMap;
use twp_lang::ast::HostPattern;
use twp_lang::hir::Message;
use twp_lang::literal::Method;
use twp_lang::{Diagnostic, hir};

mod topology;

/// A compiled program: what to serve and how to decide.
#[derive(Debug)]
pub struct Artifact {
    /// Everything that is not a decision.
    pub plan: Plan,
    /// The decisions.
    pub program: Program,
}

/// All workers share one artifact.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Artifact>();
};

/// Builds the artifact of a simplified Core, and gives the match IR that it was made of.
pub(crate) fn build(
    source: &hir::Program,
    core: &Core,
    limits: MachineLimits,
) -> Result<(Artifact, Ir), Vec<Diagnostic>> {
    let regexes = RegexTables::build(&core.regexes)?;
    let slots: Vec<Slot> = core.names.iter().map(|(slot, _)| slot.clone()).collect();
    let mut builder = Builder {
        compiler: Compiler::new(&slots, &regexes),
        captures: Vec::new(),
        capture_ids: HashMap::new(),
        routes: Vec::new(),
    };
    let mut linear: Vec<Vec<LinearRoute>> = Vec::with_capacity(core.sites.len());
    for (site_id, site) in (0..).zip(&core.sites) {
        linear.push(builder.site(site_id, site)?);
    }
    let Builder { compiler, captures, routes, .. } = builder;
    let list = compiler.list;
    let mut arena = Arena::default();
    let mut shared = Shared { arena: &mut arena, captures: &captures, regexes: &regexes, limits };
    let roots = linear.into_iter().map(|routes| build::site(&mut shared, routes)).collect();
    let hosts = (0..source.listeners.len()).map(|listener| hosts(core, listener)).collect();
    let ir = Ir { hosts, roots, nodes: arena.nodes, captures };
    let sizes = verify::Sizes { predicates: list.len(), routes: routes.len() };
    let verified = verify::verify(&ir, sizes);
    assert!(verified.is_ok(), "the match IR is broken: {verified:?}");
    let tables = Tables::new(&ir);
    let program = Program::new(tables, Conditions { list, regexes }, SlotIndex::new(&slots));
    let plan = Plan {
        server: topology::server(source),
        listeners: topology::listeners(source),
        upstreams: topology::upstreams(source),
        sites: core.sites.iter().map(site_plan).collect(),
        routes,
        slots,
    };
    Ok((Artifact { plan, program }, ir))
}

fn site_plan(site: &Site) -> SitePlan {
    let name = site.hosts.first().map(host_text).unwrap_or_default();
    SitePlan { name, methods: site.methods.clone() }
}

fn hosts(core: &Core, listener: usize) -> Hosts {
    let mut hosts = Hosts::default();
    for (id, site) in (0..).zip(&core.sites) {
        if !site.listeners.iter().any(|served| usize::from(*served) == listener) {
            continue;
        }
        for host in &site.hosts {
            match host {
                HostPattern::Exact(name) => hosts.exact.push((name.clone(), id)),
                HostPattern::OneLabel { suffix, .. } => hosts.one_label.push((suffix.clone(), id)),
                HostPattern::AnyDepth(suffix) => hosts.any_depth.push((suffix.clone(), id)),
                HostPattern::Any => hosts.any = hosts.any.or(Some(id)),
            }
        }
    }
    hosts
}

struct Builder<'a> {
    compiler: Compiler<'a>,
    captures: Vec<CaptureTest>,
    capture_ids: HashMap<CaptureTest, CaptureId>,
    routes: Vec<RoutePlan>,
}

impl Builder<'_> {
    /// The routes of a site for its machine; those whose guard never holds stay out of it.
    fn site(&mut self, id: SiteId, site: &Site) -> Result<Vec<LinearRoute>, Vec<Diagnostic>> {
        let mut linear = Vec::with_capacity(site.routes.len());
        for route in &site.routes {
            linear.extend(self.route(id, site, route));
            if self.compiler.overflowed() {
                let message =
                    format!("`if` and `??` in comparisons here multiply to more than {NODES_MAX} tests");
                return Err(vec![
                    Diagnostic::error("E0253", message, route.span)
                        .help("compare simpler texts, or split the route in several"),
                ]);
            }
        }
        Ok(linear)
    }

    fn route(&mut self, site_id: SiteId, site: &Site, route: &Route) -> Option<LinearRoute> {
        let captures = captures(site, &route.path);
        let guard =
            route.guard.as_ref().map_or(Cond::Always(true), |guard| self.compiler.cond(guard, &captures));
        let never = guard == Cond::Always(false);
        let parts = match guard {
            Cond::Always(true) => Vec::new(),
            Cond::All(parts) => parts,
            single => vec![single],
        };
        let guard: Vec<PredicateId> = parts.into_iter().map(|part| self.compiler.intern(part)).collect();
        let mut effects = Vec::new();
        self.effects(&route.actions, &captures, &mut effects);
        let id = RouteId::try_from(self.routes.len()).unwrap_or(RouteId::MAX);
        self.routes.push(RoutePlan {
            name: route.name.clone(),
            site: site_id,
            builtin_fallback: route.builtin_fallback,
            max_body: route.max_body,
            access_log: route.access_log,
            guard: guard.clone(),
            effects,
        });
        let segments: Option<Vec<SegTest>> =
            route.path.segments.iter().map(|segment| self.segment(segment)).collect();
        let methods = self.methods(&route.methods);
        let tail = match route.path.tail {
            Tail::End => TailTest::End,
            Tail::EndOrSlash => TailTest::EndOrSlash,
            Tail::Rest(_) => TailTest::Rest,
            Tail::Below(_) => TailTest::Below,
        };
        let segments = segments.filter(|_| !never)?;
        Some(LinearRoute { route: id, methods, segments, tail, guard })
    }

    fn segment(&mut self, segment: &SegmentPattern) -> Option<SegTest> {
        match segment {
            SegmentPattern::Literal(text) => Some(SegTest::Literal(text.as_str().into())),
            SegmentPattern::Capture { ty, prefix, suffix, .. } => {
                let test = CaptureTest::new(ty, prefix, suffix, self.compiler.regexes)?;
                let new = CaptureId::try_from(self.captures.len()).unwrap_or(CaptureId::MAX);
                let id = *self.capture_ids.entry(test.clone()).or_insert(new);
                if id == new {
                    self.captures.push(test);
                }
                Some(SegTest::Capture(id))
            }
        }
    }

    fn methods(&mut self, methods: &[Method]) -> MethodSet {
        if methods.is_empty() {
            return MethodSet::ANY;
        }
        // A route's `GET` takes `HEAD` too (RFC 9110, section 9.3.2).
        let head = methods.contains(&Method::Get).then_some(&Method::Head);
        let known =
            methods.iter().chain(head).filter_map(Method::number).fold(0, |set, number| set | 1 << number);
        let others: Vec<&str> =
            methods.iter().filter(|method| method.number().is_none()).map(Method::as_str).collect();
        let other = if others.is_empty() {
            OtherMethods::None
        } else {
            let named = Cond::TextIn { value: Operand::Read(Read::Method), set: TextSet::new(others) };
            OtherMethods::If(self.compiler.intern(named))
        };
        MethodSet { known, other }
    }

    /// Adds the steps; whether every way through them ends the exchange.
    fn effects(&mut self, actions: &[Action], captures: &Captures, out: &mut Vec<Effect>) -> bool {
        for action in actions {
            match action {
                Action::Set { message, name, value } => {
                    let value = self.compiler.value(value, captures);
                    out.push(Effect::Set { message: plan_message(*message), name: name.clone(), value });
                }
                Action::Add { message, name, value } => {
                    let value = self.compiler.value(value, captures);
                    out.push(Effect::Add { message: plan_message(*message), name: name.clone(), value });
                }
                Action::Remove { message, name } => {
                    out.push(Effect::Remove { message: plan_message(*message), name: name.clone() });
                }
                Action::RewritePath(value) => {
                    out.push(Effect::RewritePath(self.compiler.value(value, captures)));
                }
                Action::RewriteHost(value) => {
                    out.push(Effect::RewriteHost(self.compiler.value(value, captures)));
                }
                Action::Strip(count) => out.push(Effect::StripSegments(*count)),
                Action::When { condition, then, otherwise } => {
                    let condition = self.compiler.cond(condition, captures);
                    if self.when(condition, [then, otherwise], captures, out) {
                        return true;
                    }
                }
                Action::End(terminal) => {
                    out.push(Effect::End(self.terminal(terminal, captures)));
                    return true;
                }
            }
        }
        false
    }

    fn when(
        &mut self,
        condition: Cond,
        branches: [&[Action]; 2],
        captures: &Captures,
        out: &mut Vec<Effect>,
    ) -> bool {
        let [then, otherwise] = branches;
        let mut yes = Vec::new();
        let mut no = Vec::new();
        let mut yes_ends = self.effects(then, captures, &mut yes);
        let mut no_ends = self.effects(otherwise, captures, &mut no);
        let condition = match condition {
            Cond::Always(true) => {
                out.extend(yes);
                return yes_ends;
            }
            Cond::Always(false) => {
                out.extend(no);
                return no_ends;
            }
            // With nothing to do when it holds, as after `require`, the opposite saves a step.
            condition if yes.is_empty() => {
                std::mem::swap(&mut yes, &mut no);
                std::mem::swap(&mut yes_ends, &mut no_ends);
                condition.not()
            }
            condition => condition,
        };
        // That the last step is an end does not say that every way comes to it.
        if !no.is_empty() && !yes_ends {
            yes.push(Effect::Skip { count: count(&no) });
        }
        let test = self.compiler.intern(condition);
        out.push(Effect::SkipUnless { test, count: count(&yes) });
        out.extend(yes);
        out.extend(no);
        yes_ends && no_ends
    }

    fn terminal(&mut self, terminal: &Terminal, captures: &Captures) -> plan::Terminal {
        match terminal {
            Terminal::To { upstream, timeouts } => {
                plan::Terminal::To { upstream: *upstream, timeouts: *timeouts }
            }
            Terminal::Respond { status, body } => plan::Terminal::Respond {
                status: *status,
                body: body.as_ref().map(|body| self.compiler.value(body, captures)),
            },
            Terminal::Redirect { status, location, keep_query } => plan::Terminal::Redirect {
                status: *status,
                location: self.compiler.value(location, captures),
                keep_query: *keep_query,
            },
            Terminal::NotFound => plan::Terminal::NotFound,
        }
    }
}

/// Where the captures of a route are found.
fn captures(site: &Site, path: &PathMatch) -> Captures {
    let mut captures = Captures::new();
    let label = site.hosts.iter().find_map(|host| match host {
        HostPattern::OneLabel { capture, .. } => capture.as_ref(),
        HostPattern::Exact(_) | HostPattern::AnyDepth(_) | HostPattern::Any => None,
    });
    if let Some(name) = label {
        captures.insert(name.value.clone(), Read::HostLabel);
    }
    for (index, segment) in (0..).zip(&path.segments) {
        if let SegmentPattern::Capture { name, prefix, suffix, .. } = segment {
            let len = |text: &str| u16::try_from(text.len()).unwrap_or(u16::MAX);
            captures.insert(name.clone(), Read::Segment { index, skip: len(prefix), trim: len(suffix) });
        }
    }
    let after = u8::try_from(path.segments.len()).unwrap_or(u8::MAX);
    match &path.tail {
        Tail::Rest(name) | Tail::Below(Some(name)) => {
            captures.insert(name.clone(), Read::Rest(after));
        }
        Tail::End | Tail::EndOrSlash | Tail::Below(None) => {}
    }
    captures
}

fn plan_message(message: Message) -> plan::Message {
    match message {
        Message::Request => plan::Message::Request,
        Message::Response => plan::Message::Response,
    }
}

fn count(effects: &[Effect]) -> u32 {
    u32::try_from(effects.len()).unwrap_or(u32::MAX)
}
