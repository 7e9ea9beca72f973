//! How long a decision takes: native code, tables and the interpreter, and in the same run matchit, a set of regular
//! expressions and a hash lookup of host and path, whose time is the unit.
//!
//! `twp-bench-decide` prints the grid. `twp-bench-decide count ENGINE ROUTES DECISIONS` only decides, for counting
//! instructions: the difference of two counts leaves out all that comes before. `twp-bench-decide slots NAMES REQUESTS`
//! does the same for finding the fields that a program reads, sixteen fields a request.

mod contenders;
mod slots;
mod traffic;

use contenders::{Compiled, Hash, Matchit, RegexSet};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use traffic::{Asked, Spread};
use twp_compiler::EngineChoice;

/// Requests of one pass: enough that caches see what a server's would.
const REQUESTS: usize = 50_000;
/// Passes of which the best counts.
const PASSES: usize = 7;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => grid(&[1, 100, 1_000, 10_000, 100_000]),
        ["count", engine, routes, decisions] => {
            let (Ok(routes), Ok(decisions)) = (routes.parse(), decisions.parse()) else {
                return ExitCode::from(2);
            };
            count(engine, routes, decisions);
        }
        ["slots", names, requests] => {
            let (Ok(names), Ok(requests)) = (names.parse(), requests.parse()) else {
                return ExitCode::from(2);
            };
            println!("{} fields found", slots::find(names, requests));
        }
        sizes => {
            let Ok(sizes) = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>() else {
                return ExitCode::from(2);
            };
            grid(&sizes);
        }
    }
    ExitCode::SUCCESS
}

fn grid(sizes: &[usize]) {
    for (shape, per_site) in [("one site", usize::MAX), ("100 routes a site", 100)] {
        for n in sizes.iter().copied().filter(|n| per_site == usize::MAX || *n > per_site) {
            println!("\n{n} routes, {shape}");
            let routes = traffic::routes(n, per_site);
            let text = traffic::configuration(&routes);
            let mut compiled = Compiled::new(&text);
            println!("  {}", compiled.costs());
            let (hash, matchit) = (Hash::new(&routes), Matchit::new(&routes));
            let regexes = RegexSet::new(&routes);
            for spread in [Spread::Uniform, Spread::Zipf] {
                let requests = traffic::requests(&routes, REQUESTS, spread);
                let mut results: BTreeMap<u8, (&str, f64)> = BTreeMap::new();
                results
                    .insert(0, ("hash lookup of host and path", best(&requests, |asked| hash.decide(asked))));
                check(&compiled, &requests);
                for (place, name, choice) in
                    [(1, "native", EngineChoice::Native), (2, "tables", EngineChoice::Table)]
                {
                    compiled.use_engine(choice);
                    results.insert(place, (name, best(&requests, |asked| compiled.decide(asked))));
                }
                results.insert(
                    3,
                    ("matchit, a router for each host", best(&requests, |asked| matchit.decide(asked))),
                );
                if n <= 1_000 {
                    let few = &requests[..2_000];
                    results.insert(4, ("interpreter", best(few, |asked| compiled.interpret(asked))));
                    results.insert(
                        5,
                        ("regular expressions as a set", best(few, |asked| regexes.decide(asked))),
                    );
                }
                let unit = results.get(&0).map_or(1.0, |(_, time)| *time);
                for (name, time) in results.values() {
                    println!("  {spread:?}: {name:32} {time:8.1} ns  {:6.2} x", time / unit);
                }
            }
        }
    }
}

/// The bench is worth nothing when requests do not reach routes: nine in ten ask for one, and one in ten of those is
/// guarded by what all of them have.
fn check(compiled: &Compiled, requests: &[Asked]) {
    let is_taken = |asked: &&Asked| compiled.decide(asked).is_some_and(|route| compiled.is_written(route));
    let taken = requests.iter().filter(is_taken).count();
    assert!(taken * 10 > requests.len() * 8, "only {taken} of {} requests reach a route", requests.len());
}

/// Nanoseconds for each request in the best pass.
fn best<T>(requests: &[Asked], mut decide: impl FnMut(&Asked) -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        for asked in requests {
            black_box(decide(asked));
        }
        let n = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(n));
    }
    best
}

fn count(engine: &str, n: usize, decisions: usize) {
    let routes = traffic::routes(n, usize::MAX);
    let mut compiled = Compiled::new(&traffic::configuration(&routes));
    let hash = Hash::new(&routes);
    let requests = traffic::requests(&routes, 1_000, Spread::Uniform);
    compiled.use_engine(if engine == "native" { EngineChoice::Native } else { EngineChoice::Table });
    let mut taken = 0;
    for asked in requests.iter().cycle().take(decisions) {
        taken += match engine {
            "hash" => usize::from(black_box(hash.decide(asked)).is_some()),
            _ => usize::from(black_box(compiled.decide(asked)).is_some()),
        };
    }
    println!("{taken} of {decisions}");
}
