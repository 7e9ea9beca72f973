//! Properties of native code that no comparison of answers shows.

use super::{corpus::checked, hirs};
use crate::abi::{Text, View};
use crate::codegen::Code;
use crate::limits::NativeLimits;
use crate::table::Tables;
use crate::testing::generate;
use crate::testing::rng::Rng;
use crate::{Artifact, Engine, EngineChoice, compile};
use twp_lang::ast::HostPattern;

fn code(artifact: &Artifact) -> Code {
    let program = &artifact.program;
    let mut tables = Tables::new(&program.tables.ir());
    Code::generate(&mut tables, &program.conditions, &NativeLimits::DEFAULT).expect("a known machine")
}

#[test]
fn equal_programs_give_equal_code() {
    for seed in 1..20 {
        let bytes = || {
            let artifact = compile(&generate::program(&mut Rng::new(seed))).expect("a small program");
            code(&artifact).blob(0).bytes
        };
        assert_eq!(bytes(), bytes(), "seed {seed}");
    }
}

#[test]
fn the_budget_bounds_code_whatever_the_program() {
    // As many services as the budget holds, and far more.
    for (services, expected) in [(400, 1_000..=2_000), (5_000, 1_000..=2_000)] {
        // Sixteen of each kind: no choice that a table would take.
        let path =
            |n: usize| format!("GET /{}/{}/{}/s{}/{{id:int}}", n / 4096, n / 256 % 16, n / 16 % 16, n % 16);
        let routes = (0..services).map(|n| hirs::route(&path(n))).collect();
        let program = hirs::program(vec![hirs::site(vec![HostPattern::Any], routes)]);
        let mut artifact = compile(&program).expect("within the limits");
        let made = code(&artifact);
        let largest = made.functions.iter().map(|function| function.bytes.len()).max().unwrap_or(0);
        artifact.program.use_engine(EngineChoice::Native).expect("native code");
        let Engine::Native { nodes, bytes } = artifact.program.engine() else { panic!("no native code") };
        println!("{services} services: {nodes} nodes, {bytes} bytes, at most {largest} in one function");
        assert!(expected.contains(&nodes), "{services} services: {nodes} nodes");
        assert!(largest < 32 * 1024 && bytes < 512 * 1024, "{bytes} bytes, {largest} in one function");
    }
}

/// A view can be made without what native code takes for granted; then tables answer.
#[test]
fn unfinished_views_are_left_to_the_tables() {
    let source = r#"edition 1
        site a.test { route /{id} when request.header["x-a"].is_some { respond 200 } }"#;
    let mut artifact = compile(&checked(source)).expect("a small program");
    artifact.program.use_engine(EngineChoice::Native).expect("native code");
    let program = &artifact.program;
    let slots = [Text::new(b"b")];
    for (slots, path) in [(&slots[..], ""), (&slots[..], "no slash"), (&[][..], "/x"), (&slots[..], "/x")] {
        let mut view = View::new(slots);
        view.host = Text::new(b"a.test");
        let has_path = view.set_path(path.as_bytes());
        assert_eq!(program.decide(&view), program.decide_by_tables(&view), "{path:?}");
        assert_eq!(program.test(0, &view), program.test_by_tables(0, &view), "{path:?}");
        assert_eq!(program.decide(&view) == Some(0), has_path && !slots.is_empty(), "{path:?}");
    }
}

/// What profilers are told lies in the code's memory, apart, and is named by what dumps show.
#[test]
fn symbols_lie_inside_the_code() {
    let mut named = Vec::new();
    for seed in 1..40 {
        let mut artifact = compile(&generate::program(&mut Rng::new(seed))).expect("a small program");
        assert_eq!(artifact.program.symbols(&artifact.plan), [], "tables have no symbols");
        artifact.program.use_engine(EngineChoice::Native).expect("native code");
        let memory = artifact.program.native_memory().expect("native code");
        let mut symbols = artifact.program.symbols(&artifact.plan);
        symbols.sort_by_key(|symbol| symbol.range.start);
        for symbol in &symbols {
            assert!(!symbol.range.is_empty() && !symbol.name.contains(char::is_whitespace), "{symbol:?}");
            assert!(memory.start <= symbol.range.start && symbol.range.end <= memory.end, "{symbol:?}");
        }
        assert!(symbols.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "{symbols:?}");
        let compiled = code(&artifact).functions.iter().filter(|function| !function.bytes.is_empty()).count();
        assert_eq!(symbols.len(), compiled, "every function has a name");
        named.extend(symbols.into_iter().map(|symbol| symbol.name));
    }
    for start in ["twp::site::", "twp::node::", "twp::condition::"] {
        assert!(named.iter().any(|name| name.starts_with(start)), "{start}");
    }
}
