//! Programs beyond a limit are refused with a place and an advice.

use super::corpus::checked;
use super::hirs::{program, route, site};
use crate::compile;
use std::fmt::Write as _;
use twp_lang::ast::HostPattern;

fn refused(source: &str) -> (&'static str, String) {
    let errors = compile(&checked(source)).expect_err("a program beyond a limit");
    let error = &errors[0];
    assert!(!error.helps.is_empty() && !error.primary.span.range().is_empty(), "{error:?}");
    (error.code, source[error.primary.span.range()].to_owned())
}

#[test]
fn rules_that_double_are_cut_off() {
    let mut source = "edition 1\nrule r0 = request.port == 1\n".to_owned();
    for n in 1..=24 {
        let _ = writeln!(source, "rule r{n} = r{} or r{}", n - 1, n - 1);
    }
    source.push_str("site a.test { route /x when r24 { respond 200 } }");
    assert_eq!(refused(&source), ("E0253", "r24".to_owned()));
}

#[test]
fn rules_that_nest_are_cut_off_before_the_stack_ends() {
    let chain = |n: usize| {
        let mut source = "edition 1\nrule r0 = request.port == 1\n".to_owned();
        for n in 1..=n {
            let _ = writeln!(source, "rule r{n} = not (r{} and request.port in [1, 2])", n - 1);
        }
        let _ = write!(source, "site a.test {{ route /x when r{n} {{ respond 200 }} }}");
        source
    };
    assert_eq!(refused(&chain(300)), ("E0253", "r300".to_owned()));
    assert_eq!(refused(&chain(3000)), ("E0253", "r3000".to_owned()));
    let artifact = compile(&checked(&chain(160))).expect("within the limits");
    let request =
        crate::Request { host: "a.test".to_owned(), path: "/x".to_owned(), ..crate::Request::default() };
    let route = request.with_view(&artifact.plan.slots, |view| artifact.program.decide(view));
    assert_eq!(route, Some(0));
}

#[test]
fn a_program_reads_at_most_256_names() {
    let mut source = "edition 1\nsite a.test {\n".to_owned();
    for n in 0..257 {
        let _ = writeln!(source, "route /r{n} when request.header[\"x-{n}\"].is_some {{ respond 200 }}");
    }
    source.push('}');
    assert_eq!(refused(&source), ("E0254", "request.header[\"x-256\"]".to_owned()));
}

#[test]
fn a_path_has_at_most_64_segments() {
    // The checker refuses this before; the compiler does not rely on it.
    let deep = site(vec![HostPattern::Any], vec![route(&"/a".repeat(65))]);
    let errors = compile(&program(vec![deep])).expect_err("a path that is too deep");
    assert_eq!(errors[0].code, "E0257");
    let fits = site(vec![HostPattern::Any], vec![route(&"/a".repeat(64))]);
    assert!(compile(&program(vec![fits])).is_ok());
}

/// `kind name0 …`, then each of `n` more uses the one before it twice.
fn doubling(first: &str, n: usize, one: impl Fn(usize, String) -> String) -> String {
    let mut source = format!("edition 1\n{first}\n");
    for n in 1..=n {
        let _ = writeln!(source, "{}", one(n, format!("x{}", n - 1)));
    }
    source
}

#[test]
fn policies_that_double_are_cut_off() {
    for first in ["policy x0 { set request.header[\"x\"] = \"y\" }", "policy x0 { }"] {
        let chain = doubling(first, 40, |n, x| format!("policy x{n} {{ apply {x}  apply {x} }}"));
        let source = format!("{chain}site a.test {{ apply x40  respond 200 }}");
        assert_eq!(refused(&source), ("E0253", "apply x40".to_owned()));
        let errors = compile(&checked(&source)).expect_err("a program beyond a limit");
        assert_eq!(errors.len(), 1, "{errors:?}");
        let note = "it grows along `x40` → `x39` → `x38` → `x37` → `x36` → … → `x";
        assert!(errors[0].notes.iter().any(|found| found.starts_with(note)), "{errors:?}");
    }
}

#[test]
fn mounts_that_double_are_cut_off() {
    let chain = doubling("routes x0 { route /x { respond 200 } }", 30, |n, x| {
        format!("routes x{n} {{ mount {x} at /a as a  mount {x} at /b as b }}")
    });
    let source = format!("{chain}site a.test {{ mount x30 at /m }}");
    assert_eq!(refused(&source), ("E0253", "mount x30 at /m".to_owned()));
}

#[test]
fn policies_that_nest_are_cut_off_before_the_stack_ends() {
    let chain = |n: usize| {
        let chain = doubling("policy x0 { set request.header[\"x\"] = \"y\" }", n, |n, x| {
            format!("policy x{n} {{ when request.port == {n} {{ apply {x} }} }}")
        });
        format!("{chain}site a.test {{ apply x{n}  respond 200 }}")
    };
    assert_eq!(refused(&chain(64)), ("E0253", "apply x64".to_owned()));
    assert_eq!(refused(&chain(3000)), ("E0253", "apply x3000".to_owned()));
    assert!(compile(&checked(&chain(60))).is_ok());
}

#[test]
fn arguments_that_double_are_cut_off() {
    let chain = doubling("policy x0(t: String) { set request.header[\"x\"] = t }", 30, |n, x| {
        format!("policy x{n}(t: String) {{ apply {x}(\"${{t}}${{t}}\") }}")
    });
    let source = format!("{chain}site a.test {{ apply x30(request.path)  respond 200 }}");
    let (code, _) = refused(&source.replace("x30(request.path)", "x30(\"${request.path}\")"));
    assert_eq!(code, "E0253");
}

#[test]
fn statements_around_many_routes_are_bounded() {
    let headers = "set request.header[\"x\"] = \"y\"\n".repeat(2000);
    let mut source = format!("edition 1\nsite a.test {{\n{headers}");
    for n in 0..1500 {
        let _ = writeln!(source, "route /r{n} {{ respond 200 }}");
    }
    source.push('}');
    let (code, _) = refused(&source);
    assert_eq!(code, "E0253");
}
