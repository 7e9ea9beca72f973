//! Programs that come and go, as in an editor: their native code is freed with them. `TWP_PROGRAMS` sets how many.

use std::fs;
use twp_compiler::{Engine, EngineChoice, Request};

const SOURCE: &str = r#"edition 1
upstream app { builtin: echo }
site a.test, *.a.test {
  route GET /users/{id:int} as user when id > 7 and client.ip in [10.0.0.0/8, 192.0.2.0/24] { to app }
  route /files/{name}.css as css when request.header["x-a"] == "abcdefghijk" { to app }
  route /x/{s:re"[a-z]+"} as word when request.header["user-agent"] starts_with "curl/" { to app }
}
"#;

/// Each run is one process with one thread that only does this, so its memory is that of the programs.
#[test]
fn memory_is_flat_over_thousands_of_programs() {
    let programs: usize = std::env::var("TWP_PROGRAMS").map_or(2_000, |text| text.parse().expect("a number"));
    let mut seen = Vec::new();
    for number in 1..=programs {
        compile_decide_and_free();
        if number % (programs / 10) == 0 {
            let usage = usage();
            println!("{number} programs: {} KiB resident, {} mappings", usage.resident_kib, usage.mappings);
            seen.push(usage);
        }
    }
    // The first tenth is for warming up.
    let (before, after) = (seen.first().expect("more than 10 programs"), seen.last().expect("the same"));
    assert!(after.resident_kib < before.resident_kib + 2048, "{before:?} -> {after:?}");
    assert!(after.mappings <= before.mappings + 4, "{before:?} -> {after:?}");
}

fn compile_decide_and_free() {
    let (tree, _) = twp_lang::parse(SOURCE);
    let (program, diagnostics) = twp_lang::check(&tree);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:#?}"));
    let mut artifact = twp_compiler::compile(&program).expect("within the limits");
    artifact.program.use_engine(EngineChoice::Native).expect("native code");
    assert!(matches!(artifact.program.engine(), Engine::Native { .. }));
    let request = Request { host: "a.test".to_owned(), path: "/x/word".to_owned(), ..Request::default() };
    let route = request.with_view(&artifact.plan.slots, |view| artifact.program.decide(view));
    assert!(route.is_some());
}

#[derive(Debug)]
struct Usage {
    resident_kib: usize,
    mappings: usize,
}

fn usage() -> Usage {
    let status = fs::read_to_string("/proc/self/status").expect("a process that looks at itself");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a resident size");
    let resident_kib = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    let mappings = fs::read_to_string("/proc/self/maps").expect("its mappings").lines().count();
    Usage { resident_kib, mappings }
}
