//! How long a decision takes: native code, tables and the interpreter, and in the same run matchit, a set of regular
//! expressions and a hash lookup of host and path, whose time is the unit.
//!
//! `twp-bench-decide [ROUTES…]` prints the grid: nanoseconds, the ratio to the hash lookup, allocations.
//! `twp-bench-decide count ROUTES` decides with every way in turn, for counting instructions under
//! `valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*counted_decisions*'
//! --dump-after='twp_bench_decide::counted_decisions*'`; `view` and `site` are parts of a decision.
//! `twp-bench-decide slots NAMES REQUESTS` finds the fields that a program reads, sixteen fields a request; the difference
//! of two counts leaves out all that comes before.

mod allocations;
mod contenders;
mod slots;
mod traffic;

use contenders::{Compiled, Hash, Matchit, RegexSet};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use traffic::{Asked, Spread};
use twp_compiler::EngineChoice;

/// Requests of one pass: enough that caches see what a server's would.
const REQUESTS: usize = 50_000;
/// Passes, in each of which every way has its turn.
const PASSES: usize = 7;
/// What the slow ways may do in one pass: routes looked at.
const LINEAR_STEPS: usize = 2_000_000;
/// Decisions that are counted, and what slow ways may do then: routes looked at.
const COUNTED: usize = 4_000;
const COUNTED_LINEAR_STEPS: usize = 200_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["count", routes] => {
            let Ok(routes) = routes.parse() else { return ExitCode::from(2) };
            count(routes);
        }
        ["slots", names, requests] => {
            let (Ok(names), Ok(requests)) = (names.parse(), requests.parse()) else {
                return ExitCode::from(2);
            };
            println!("{} fields found", slots::find(names, requests));
        }
        [] => grids(&[1, 100, 1_000, 10_000, 100_000]),
        sizes => {
            let Ok(sizes) = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>() else {
                return ExitCode::from(2);
            };
            grids(&sizes);
        }
    }
    ExitCode::SUCCESS
}

fn grids(sizes: &[usize]) {
    for (shape, per_site) in [("one site", usize::MAX), ("100 routes a site", 100)] {
        for n in sizes.iter().copied().filter(|n| per_site == usize::MAX || *n > per_site) {
            grid(shape, n, per_site);
        }
    }
}

/// Decides on each of these requests.
type Decide<'a> = Box<dyn Fn(&[Asked]) + 'a>;

/// One way to decide and what was measured of it.
struct Way<'a> {
    name: &'static str,
    /// Requests of one pass, from the first on.
    requests: usize,
    decide: Decide<'a>,
    /// Nanoseconds for each request, by pass.
    passes: Vec<f64>,
    allocations: u64,
}

fn way<'a, T>(name: &'static str, requests: usize, decide: impl Fn(&Asked) -> T + 'a) -> Way<'a> {
    let decide = Box::new(move |requests: &[Asked]| {
        for asked in requests {
            black_box(decide(asked));
        }
    });
    Way { name, requests, decide, passes: Vec::new(), allocations: 0 }
}

impl Way<'_> {
    fn pass(&mut self, requests: &[Asked]) {
        let requests = &requests[..self.requests.min(requests.len())];
        let before = allocations::count();
        let start = Instant::now();
        (self.decide)(requests);
        let time = start.elapsed().as_secs_f64() * 1e9;
        self.allocations = allocations::count() - before;
        self.passes.push(time / f64::from(u32::try_from(requests.len()).unwrap_or(u32::MAX)));
    }

    fn best(&self) -> f64 {
        self.passes.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

fn grid(shape: &str, n: usize, per_site: usize) {
    let routes = traffic::routes(n, per_site);
    let text = traffic::configuration(&routes);
    let native = Compiled::new(&text, EngineChoice::Native);
    let tables = Compiled::new(&text, EngineChoice::Table);
    println!("\n{n} routes, {shape}: {}", native.costs());
    let (hash, matchit) = (Hash::new(&routes), Matchit::new(&routes));
    let regexes = RegexSet::new(&routes);
    let few = (LINEAR_STEPS / n).clamp(20, 2_000);
    for spread in [Spread::Uniform, Spread::Zipf] {
        let requests = traffic::requests(&routes, REQUESTS, spread);
        check(&native, &requests);
        let mut ways = vec![
            way("hash", REQUESTS, |asked| hash.decide(asked)),
            way("native", REQUESTS, |asked| native.decide(asked)),
            way("tables", REQUESTS, |asked| tables.decide(asked)),
            way("matchit", REQUESTS, |asked| matchit.decide(asked)),
            way("interpreter", few, |asked| native.interpret(asked)),
        ];
        if regexes.is_there() {
            ways.push(way("regex-set", few, |asked| regexes.decide(asked)));
        }
        for _ in 0..PASSES {
            for way in &mut ways {
                way.pass(&requests);
            }
        }
        let unit = ways[0].passes.clone();
        for way in &ways {
            let mut ratios: Vec<f64> = way.passes.iter().zip(&unit).map(|(time, unit)| time / unit).collect();
            ratios.sort_by(f64::total_cmp);
            let (ratio, per_request) = (ratios[ratios.len() / 2], way.allocations / way.requests as u64);
            let (word, name, time) = (spread.word(), way.name, way.best());
            println!("  {word:8} {name:12} {time:10.1} ns {ratio:8.2} x {per_request:4} allocations");
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

/// Every way with both spreads, one call of [`counted_decisions`] after the other, each told on a line.
fn count(n: usize) {
    let routes = traffic::routes(n, usize::MAX);
    let text = traffic::configuration(&routes);
    let native = Compiled::new(&text, EngineChoice::Native);
    let tables = Compiled::new(&text, EngineChoice::Table);
    let (hash, matchit) = (Hash::new(&routes), Matchit::new(&routes));
    let regexes = RegexSet::new(&routes);
    let few = (COUNTED_LINEAR_STEPS / n).clamp(4, COUNTED);
    for spread in [Spread::Uniform, Spread::Zipf] {
        let requests = traffic::requests(&routes, COUNTED, spread);
        let run = |way: &str, decisions: usize, decide: &dyn Fn(&Asked) -> bool| {
            let taken = counted_decisions(&requests[..decisions], decide);
            println!("{n} {} {way} {decisions} {taken}", spread.word());
        };
        run("hash", COUNTED, &|asked| hash.decide(asked).is_some());
        run("native", COUNTED, &|asked| native.decide(asked).is_some());
        run("tables", COUNTED, &|asked| tables.decide(asked).is_some());
        run("view", COUNTED, &|asked| native.with_view(asked, |_| true));
        run("site", COUNTED, &|asked| native.site(asked).is_some());
        run("matchit", COUNTED, &|asked| matchit.decide(asked).is_some());
        run("interpreter", few, &|asked| native.interpret(asked).is_some());
        if regexes.is_there() {
            run("regex-set", few, &|asked| regexes.decide(asked).is_some());
        }
    }
}

/// What is counted is what happens in here. One function whatever the way, so that its name is enough to find it.
#[inline(never)]
fn counted_decisions(requests: &[Asked], decide: &dyn Fn(&Asked) -> bool) -> usize {
    requests.iter().map(|asked| usize::from(black_box(decide(asked)))).sum()
}
