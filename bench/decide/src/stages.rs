//! `twp-bench-stages FILE`: how long each stage takes from a text to native code, the resident memory after it, and
//! how large the result is.

use std::process::ExitCode;
use std::time::Instant;
use twp_compiler::{Engine, EngineChoice};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: twp-bench-stages FILE");
        return ExitCode::from(2);
    };
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("cannot read `{path}`");
        return ExitCode::from(2);
    };
    println!("{:8} {:>9}  {:>9}  {:>8}", "stage", "ms", "CPU ms", "RSS MiB");
    let (tree, _) = stage("parse", || twp_lang::parse(&text));
    let (program, _) = stage("check", || twp_lang::check(&tree));
    let Some(program) = program else {
        eprintln!("`{path}` has errors: `twpc check` tells them");
        return ExitCode::FAILURE;
    };
    stage("free", || drop(tree));
    let Ok(mut artifact) = stage("compile", || twp_compiler::compile(&program)) else {
        eprintln!("`{path}` exceeds limits: `twpc check` tells them");
        return ExitCode::FAILURE;
    };
    stage("free", || drop(program));
    // Where there can be no native code the tables serve, and the engine says so.
    let _ = stage("native", || artifact.program.use_engine(EngineChoice::Auto));
    let code = match artifact.program.engine() {
        Engine::Native { nodes, bytes } => format!("{nodes} nodes, {bytes} bytes of code"),
        Engine::Table { .. } => "no native code".to_owned(),
    };
    println!("{} routes, {code}", artifact.plan.routes.len());
    ExitCode::SUCCESS
}

fn stage<T>(name: &str, work: impl FnOnce() -> T) -> T {
    let (begin, busy) = (Instant::now(), cpu_ms());
    let done = work();
    let (wall, busy) = (begin.elapsed().as_secs_f64() * 1e3, cpu_ms() - busy);
    println!("{name:8} {wall:9.1}  {busy:9.1}  {:8.1}", resident_mib());
    done
}

/// Milliseconds that this thread has run; 0 where the system does not tell.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

/// Resident memory of this process; 0 where the system does not tell.
fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
