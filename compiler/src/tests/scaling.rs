//! Sizes and steps at many routes, by counts: both must not depend on the speed of the machine.

use super::hirs::{program, route, site};
use crate::table::Watch;
use crate::{Artifact, Request, compile};
use twp_lang::ast::HostPattern;
use twp_lang::hir::Route;
use twp_lang::literal::Method;

/// Counts questions.
struct Steps(usize);

impl Watch for Steps {
    fn step(&mut self) {
        self.0 += 1;
    }
}

/// A gateway as people write them: services with a few resources, each with an item below it, and a catch-all.
fn gateway(n: usize) -> Artifact {
    let mut routes: Vec<Route> = Vec::new();
    for number in 0..n / 4 {
        routes.push(route(&format!("GET /api/service{number}/items")));
        routes.push(route(&format!("POST /api/service{number}/items")));
        routes.push(route(&format!("GET /api/service{number}/items/{{id:int}}")));
        routes.push(route(&format!("/api/service{number}/{{rest...}}")));
    }
    routes.push(route("/{rest...}"));
    compile(&program(vec![site(vec![HostPattern::Any], routes)])).expect("within the limits")
}

fn nodes(artifact: &Artifact) -> usize {
    artifact.program.tables.ir().nodes.len()
}

/// The most steps that any of the requests takes.
fn most_steps(artifact: &Artifact, n: usize) -> usize {
    let mut most = 0;
    for number in (0..n / 4).step_by(7) {
        for (method, tail) in
            [("GET", "items"), ("POST", "items"), ("GET", "items/42"), ("PUT", "x/y/z"), ("GET", "")]
        {
            let request = Request {
                method: Method::from_text(method),
                path: format!("/api/service{number}/{tail}"),
                ..Request::default()
            };
            let (route, steps) = request.with_view(&artifact.plan.slots, |view| {
                let (program, mut steps) = (&artifact.program, Steps(0));
                (program.tables.decide(&program.conditions, view, &mut steps), steps.0)
            });
            assert!(route.is_some());
            most = most.max(steps);
        }
    }
    most
}

#[test]
fn nodes_grow_linearly_and_steps_not_at_all() {
    let (small, large) = (gateway(1000), gateway(10_000));
    let (small_nodes, large_nodes) = (nodes(&small), nodes(&large));
    println!("nodes: {small_nodes} at 1,000 routes, {large_nodes} at 10,000");
    assert!(large_nodes <= small_nodes * 10 + 100, "{small_nodes} -> {large_nodes}");
    assert!(small_nodes <= 8 * 1000, "{small_nodes}");
    let (small_steps, large_steps) = (most_steps(&small, 1000), most_steps(&large, 10_000));
    println!("steps: {small_steps} at 1,000 routes, {large_steps} at 10,000");
    assert_eq!(small_steps, large_steps);
    assert!(large_steps <= 12, "{large_steps}");
}

#[test]
fn captures_beside_literals_stay_a_machine_as_long_as_it_is_small() {
    let mut routes: Vec<Route> = (0..200).map(|k| route(&format!("/{{tenant}}/page{k}"))).collect();
    routes.extend((0..20).map(|k| route(&format!("/static{k}/{{file}}"))));
    let artifact = compile(&program(vec![site(vec![HostPattern::Any], routes)])).expect("within the limits");
    println!("nodes: {} at 220 routes that cross", nodes(&artifact));
    let request = Request { path: "/static7/page199".to_owned(), ..Request::default() };
    let (route, steps) = request.with_view(&artifact.plan.slots, |view| {
        let (program, mut steps) = (&artifact.program, Steps(0));
        (program.tables.decide(&program.conditions, view, &mut steps), steps.0)
    });
    assert_eq!(route, Some(199));
    assert!(steps < 10, "{steps}");
}

#[test]
fn a_machine_that_would_explode_becomes_linear() {
    // Every literal of the first segments keeps every capture route alive: the product of both.
    let mut routes: Vec<Route> = (0..1100).map(|k| route(&format!("/{{a}}/x{k}"))).collect();
    routes.extend((0..1100).map(|k| route(&format!("/l{k}/y/{{b}}"))));
    let artifact = compile(&program(vec![site(vec![HostPattern::Any], routes)])).expect("within the limits");
    assert!(nodes(&artifact) < 100, "{}", nodes(&artifact));
    let decided = |path: &str| {
        let request = Request { path: path.to_owned(), ..Request::default() };
        request.with_view(&artifact.plan.slots, |view| artifact.program.decide(view))
    };
    assert_eq!(decided("/l7/x1099"), Some(1099));
    assert_eq!(decided("/l1099/y/z"), Some(2199));
    assert_eq!(decided("/l1099/z/z"), Some(2200));
}
