//! How many lines of memory a decision reads one after the other, counted: at 100,000 routes the memory decides how
//! long it takes, and its lines do not depend on how busy the machine is.

use super::corpus::checked;
use crate::abi::{Text, View};
use crate::table::Watch;
use crate::testing::rng::Rng;
use crate::{Artifact, EngineChoice, compile};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Bytes of a line of memory.
const LINE: usize = 64;
/// Most lines of a decision whose address comes out of another line. The first one of the tables, the listener's, is
/// where the request says, so it is not one of them.
const DEPENDENT_MAX: usize = 6;

/// Notes the lines that a walk over the tables reads.
#[derive(Default)]
struct Lines {
    seen: BTreeSet<usize>,
    dependent: usize,
}

impl Watch for Lines {
    fn read<T>(&mut self, place: &T) {
        let start = std::ptr::from_ref(place).addr();
        for line in start / LINE..=(start + size_of::<T>() - 1) / LINE {
            // What is in a line that was read already costs nothing, and every other one counts as if it had to wait for
            // all before it: the next line of a run might be read ahead.
            if self.seen.insert(line) && self.seen.len() > 1 {
                self.dependent += 1;
            }
        }
    }
}

struct Asked {
    host: String,
    path: String,
}

const WORDS: [&str; 16] = [
    "users", "orders", "items", "billing", "search", "media", "auth", "report", "events", "stock", "price",
    "cart", "review", "tenant", "export", "login",
];

/// `n` routes as the decision bench has them, and a request for each, one in ten of which no route takes.
fn bench(n: usize, per_site: usize) -> (String, Vec<Asked>) {
    let mut rng = Rng::new(n as u64);
    let mut text =
        "edition 1\nupstream app { builtin: echo }\nrule g = client.ip in [10.0.0.0/8, 127.0.0.0/8] \
                    and request.header[\"user-agent\"] starts_with \"curl/\"\n"
            .to_owned();
    let mut asked = Vec::new();
    for site in 0..n.div_ceil(per_site) {
        let host = format!("h{site}.example.test");
        let mut groups = [String::new(), String::new(), String::new()];
        for number in site * per_site..((site + 1) * per_site).min(n) {
            let word = |rng: &mut Rng| WORDS[rng.below(WORDS.len())];
            let group = rng.below(3);
            let base = format!("/{}-{number}", word(&mut rng));
            let (a, b) = (word(&mut rng), word(&mut rng));
            let (pattern, path) = match rng.below(10) {
                0..=3 => (format!("{base}/{a}/{b}"), format!("{base}/{a}/{b}")),
                4..=5 => (format!("{base}/{a}"), format!("{base}/{a}")),
                6..=7 => (format!("{base}/{{id:int}}"), format!("{base}/{number}")),
                8 => (format!("{base}/{{id}}/{a}"), format!("{base}/k{number}/{a}")),
                _ => (format!("{base}/{{rest...}}"), format!("{base}/{a}/{b}.css")),
            };
            let guard = if number % 10 == 3 { " when g" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(groups[group], "route {pattern}{guard} {{to app}}");
            let miss = if rng.below(10) == 0 { "-x/y" } else { "" };
            asked.push(Asked { host: host.clone(), path: format!("/api/v{}{path}{miss}", group + 1) });
        }
        let _ = writeln!(text, "site {host} {{");
        for (group, routes) in groups.iter().enumerate().filter(|(_, routes)| !routes.is_empty()) {
            let _ = writeln!(text, "group /api/v{} {{\n{routes}}}", group + 1);
        }
        text.push_str("}\n");
    }
    (text, asked)
}

/// The most lines, their sum, and how many requests a route that was written takes.
fn count(artifact: &Artifact, asked: &[Asked]) -> (usize, usize, usize) {
    let (mut most, mut sum, mut taken) = (0, 0, 0);
    let slots = [Text::new(b"curl/8.0")];
    for asked in asked {
        let mut view = View::new(&slots);
        view.method = 0;
        view.method_text = Text::new(b"GET");
        view.client_ip = std::net::Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
        view.host = Text::new(asked.host.as_bytes());
        assert!(view.set_path(asked.path.as_bytes()));
        let mut lines = Lines::default();
        let route = artifact.program.decide_watched(&view, &mut lines).expect("a site for every host");
        taken += usize::from(!artifact.plan.routes[route as usize].builtin_fallback);
        most = most.max(lines.dependent);
        sum += lines.dependent;
    }
    (most, sum, taken)
}

fn at(n: usize, per_site: usize) {
    let (text, asked) = bench(n, per_site);
    let mut artifact = compile(&checked(&text)).expect("within the limits");
    let kib = artifact.program.tables.n_bytes() / 1024;
    for choice in [EngineChoice::Table, EngineChoice::Native] {
        artifact.program.use_engine(choice).expect("native code");
        let (most, sum, taken) = count(&artifact, &asked);
        let mean = format!("{}.{:02}", sum / asked.len(), sum * 100 / asked.len() % 100);
        println!(
            "{n} routes, {per_site} a site, {}: at most {most} dependent lines, {mean} on average, of {kib} KiB",
            choice.word()
        );
        assert!(taken * 10 > asked.len() * 8, "only {taken} requests reach a route");
        assert!(most <= DEPENDENT_MAX, "{most} dependent lines");
    }
}

#[test]
fn a_decision_reads_few_lines_one_after_the_other() {
    at(1_000, 1_000);
    at(10_000, 10_000);
    at(10_000, 100);
}

/// Minutes in a debug build; `cargo test --release -p twp-compiler lines -- --include-ignored --nocapture`.
#[test]
#[ignore = "compiles 100,000 routes, which the acceptance of decisions does with a release build"]
fn a_decision_among_100_000_routes_reads_few_lines_one_after_the_other() {
    at(100_000, 100_000);
    at(100_000, 100);
}
