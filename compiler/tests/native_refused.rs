//! Where the system refuses executable memory, tables serve and the program says so.

#[path = "native_refused/refusal.rs"]
mod refusal;

use std::io::ErrorKind;
use std::thread;
use twp_compiler::{Artifact, Engine, EngineChoice, Request};

/// One test, because the kernel's switch marks the whole process for good; the filter only its thread.
#[test]
fn tables_serve_without_executable_memory() {
    let source = "edition 1\nsite a.test { route /x/{id:int} when request.port == 80 { respond 200 } }";
    let (tree, _) = twp_lang::parse(source);
    let (program, diagnostics) = twp_lang::check(&tree);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:#?}"));
    let compile = || twp_compiler::compile(&program).expect("within the limits");

    let filtered = || {
        let mut artifact = compile();
        is_native(&mut artifact);
        refusal::by_filter().expect("a filter can be set");
        falls_back(&mut artifact);
    };
    thread::scope(|scope| scope.spawn(filtered).join()).expect("tables serve behind a filter");

    let mut artifact = compile();
    is_native(&mut artifact);
    match refusal::by_kernel() {
        Ok(()) => falls_back(&mut artifact),
        Err(error) if error.kind() == ErrorKind::InvalidInput => println!("this kernel has no PR_SET_MDWE"),
        Err(error) => panic!("{error}"),
    }
}

fn is_native(artifact: &mut Artifact) {
    artifact.program.use_engine(EngineChoice::Native).expect("native code, as nothing is refused yet");
    assert!(matches!(artifact.program.engine(), Engine::Native { .. }));
}

fn falls_back(artifact: &mut Artifact) {
    let reason = artifact.program.use_engine(EngineChoice::Native).expect_err("code that nobody may run");
    assert!(reason.starts_with("no executable memory"), "{reason}");
    artifact.program.use_engine(EngineChoice::Auto).expect("tables instead");
    let engine = artifact.program.engine();
    assert_eq!(engine, Engine::Table { reason: Some(reason) });
    println!("{engine}");
    let request = Request { host: "a.test".to_owned(), path: "/x/7".to_owned(), ..Request::default() };
    let route = request.with_view(&artifact.plan.slots, |view| artifact.program.decide(view));
    assert_eq!(route, Some(0));
}
