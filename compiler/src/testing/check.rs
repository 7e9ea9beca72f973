//! Compares the interpreter, the tables and native code on one request.

use super::guarded::{Edge, Guarded};
use crate::core::Core;
use crate::interp::{self, Ended, Performed};
use crate::plan::{Effect, Message, Plan, PredicateId, RoutePlan, Terminal, Value};
use crate::{Artifact, Program, Request, abi::View, dump_ir, effects};
use std::cell::RefCell;
use twp_lang::hir;

/// What a comparison found out.
pub(crate) struct Agreed {
    /// Whether a site serves the host.
    pub(crate) served: bool,
    /// Whether a route other than a fallback was taken.
    pub(crate) routed: bool,
    /// Guards compared.
    pub(crate) guards: usize,
}

/// A program in all its forms.
pub(crate) struct Forms {
    /// Core as written, not simplified.
    pub(crate) core: Core,
    /// Compiled as usual.
    pub(crate) machine: Artifact,
    /// Compiled without any machine: every site is walked route by route.
    pub(crate) linear: Artifact,
}

impl Forms {
    pub(crate) fn new(core: Core, machine: Artifact, linear: Artifact) -> Forms {
        Forms { core, machine, linear }
    }
}

thread_local! {
    static GUARDED: RefCell<Guarded> = RefCell::new(Guarded::new());
}

/// Panics with all that is needed to repeat it when the forms disagree on a request.
pub(crate) fn agree(forms: &Forms, request: &Request, context: &str) -> Agreed {
    let found = differences(forms, request);
    match found {
        Ok(agreed) => agreed,
        Err(difference) => panic!(
            "{context}\n{difference}\n{request:#?}\n{}\n{}",
            crate::core::print::print(&forms.core),
            dump_ir(&forms.machine)
        ),
    }
}

fn differences(forms: &Forms, request: &Request) -> Result<Agreed, String> {
    let expected = interp::run(&forms.core, request);
    let expected_allowed = interp::allowed(&forms.core, request);
    let mut guards = 0;
    for (name, artifact) in [("machine", &forms.machine), ("linear", &forms.linear)] {
        let Artifact { plan, program } = artifact;
        request.with_view(&plan.slots, |view| {
            let route = program.decide(view).map(|route| route as usize);
            let expected_route = expected.as_ref().map(|outcome| outcome.route);
            same(name, "route", &expected_route, &route)?;
            same(
                name,
                "route by tables",
                &route,
                &program.decide_by_tables(view).map(|route| route as usize),
            )?;
            for edge in [Edge::Start, Edge::End] {
                GUARDED.with_borrow_mut(|guarded| {
                    guarded.with_view(view, edge, |view| same_engines(name, program, view))
                })?;
            }
            same(name, "allowed", &expected_allowed, &program.allowed(plan, view))?;
            guards += same_guards(forms, artifact, request, view)?;
            if let (Some(route), Some(outcome)) = (route, &expected) {
                let test = |id: PredicateId| program.test(id, view);
                let (performed, ended) = perform(&plan.routes[route], view, &test);
                same(name, "effects", &outcome.performed, &performed)?;
                same(name, "end", &outcome.ended, &ended)?;
            }
            Ok::<(), String>(())
        })?;
    }
    let routed = expected.as_ref().is_some_and(|outcome| routed(&forms.machine.plan, outcome.route));
    Ok(Agreed { served: expected.is_some(), routed, guards })
}

/// Tables and native code on a view whose texts lie at guard pages: the route and every condition of the program.
fn same_engines(name: &str, program: &Program, view: &View<'_>) -> Result<(), String> {
    same(name, "native route", &program.decide_by_tables(view), &program.decide(view))?;
    for predicate in 0..program.conditions.list.len() {
        let predicate = PredicateId::try_from(predicate).expect("few conditions");
        let what = || format!("native p{predicate}");
        let (expected, found) = (program.test_by_tables(predicate, view), program.test(predicate, view));
        if expected != found {
            return same(name, &what(), &expected, &found);
        }
    }
    Ok(())
}

fn routed(plan: &Plan, route: usize) -> bool {
    plan.routes[route].name != "fallback"
}

fn same<T: PartialEq + std::fmt::Debug>(
    engine: &str,
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{engine}: {what}: the interpreter says {expected:?}, the tables say {found:?}"))
}

/// Guards of every route of the site whose path fits, not only of the one that is taken.
fn same_guards(
    forms: &Forms,
    artifact: &Artifact,
    request: &Request,
    view: &View<'_>,
) -> Result<usize, String> {
    let Some(site_id) = artifact.program.site(view) else { return Ok(0) };
    let site = &forms.core.sites[site_id as usize];
    let plans = artifact.plan.routes.iter().filter(|route| route.site == site_id);
    let mut compared = 0;
    for (route, plan) in site.routes.iter().zip(plans) {
        let Some(guard) = &route.guard else { continue };
        let Some(expected) = interp::holds(site, route, guard, request) else { continue };
        let found = plan.guard.iter().all(|id| artifact.program.test(*id, view));
        same("guard", &route.name, &expected, &found)?;
        compared += 1;
    }
    Ok(compared)
}

/// What the runtime would do, in the words of the interpreter.
fn perform(
    route: &RoutePlan,
    view: &View<'_>,
    test: &dyn Fn(PredicateId) -> bool,
) -> (Vec<Performed>, Ended) {
    let text = |value: &Value| {
        let mut out = Vec::new();
        value.write(view, test, &mut out);
        out
    };
    let mut performed = Vec::new();
    let end = effects::walk(&route.effects, test, |effect| {
        performed.push(match effect {
            Effect::Set { message, name, value } => Performed::Set(side(*message), name.clone(), text(value)),
            Effect::Add { message, name, value } => Performed::Add(side(*message), name.clone(), text(value)),
            Effect::Remove { message, name } => Performed::Remove(side(*message), name.clone()),
            Effect::RewritePath(value) => Performed::RewritePath(text(value)),
            Effect::RewriteHost(value) => Performed::RewriteHost(text(value)),
            Effect::StripSegments(count) => Performed::Strip(*count),
            Effect::SkipUnless { .. } | Effect::Skip { .. } | Effect::End(_) => {
                panic!("skips and ends are not shown")
            }
        });
    });
    let ended = match end {
        Some(Terminal::To { upstream, .. }) => Ended::To(*upstream),
        Some(Terminal::Respond { status, body }) => Ended::Respond(*status, body.as_ref().map(text)),
        Some(Terminal::Redirect { status, location, keep_query }) => {
            Ended::Redirect(*status, text(location), *keep_query)
        }
        Some(Terminal::NotFound) => Ended::NotFound,
        None => Ended::Nothing,
    };
    (performed, ended)
}

fn side(message: Message) -> hir::Message {
    match message {
        Message::Request => hir::Message::Request,
        Message::Response => hir::Message::Response,
    }
}
