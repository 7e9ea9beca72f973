//! Sites as people write them, and requests for them: the same for every run of one size.

use std::fmt::Write as _;

/// A route of the bench.
#[derive(Debug)]
pub(crate) struct Route {
    /// Host of its site.
    pub(crate) host: String,
    /// Its pattern as a configuration writes it.
    pub(crate) pattern: String,
    /// A path that it takes.
    pub(crate) path: String,
    /// Whether a condition guards it.
    pub(crate) is_guarded: bool,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Host.
    pub(crate) host: String,
    /// Path.
    pub(crate) path: String,
}

/// How requests are spread over routes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    /// Every route as often.
    Uniform,
    /// The route at place `n` of a shuffled list with weight `1 / n`.
    Zipf,
}

impl Spread {
    /// The word for the spread.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Spread::Uniform => "uniform",
            Spread::Zipf => "zipf",
        }
    }
}

/// xorshift64*.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 11) % u64::try_from(n.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

const WORDS: [&str; 16] = [
    "users", "orders", "items", "billing", "search", "media", "auth", "report", "events", "stock", "price",
    "cart", "review", "tenant", "export", "login",
];

/// What all paths begin with.
const PREFIXES: [&str; 3] = ["/api/v1", "/api/v2", "/api/v3"];

/// `n` routes on sites of at most `per_site`: API-like paths, literals, parameters and rests, one in ten guarded.
pub(crate) fn routes(n: usize, per_site: usize) -> Vec<Route> {
    let mut rng = Rng::new(n as u64);
    (0..n).map(|number| route(&mut rng, number, number / per_site)).collect()
}

fn route(rng: &mut Rng, number: usize, site: usize) -> Route {
    let word = |rng: &mut Rng| WORDS[rng.below(WORDS.len())];
    let base = format!("{}/{}-{number}", PREFIXES[rng.below(PREFIXES.len())], word(rng));
    let (pattern, path) = match rng.below(10) {
        0..=3 => {
            let tail = format!("{base}/{}/{}", word(rng), word(rng));
            (tail.clone(), tail)
        }
        4..=5 => {
            let tail = format!("{base}/{}", word(rng));
            (tail.clone(), tail)
        }
        6..=7 => (format!("{base}/{{id:int}}"), format!("{base}/{}", rng.below(100_000))),
        8 => {
            let tail = word(rng);
            (format!("{base}/{{id}}/{tail}"), format!("{base}/k{}/{tail}", rng.below(1000)))
        }
        _ => (format!("{base}/{{rest...}}"), format!("{base}/{}/{}.css", word(rng), word(rng))),
    };
    Route { host: format!("h{site}.example.test"), pattern, path, is_guarded: number % 10 == 3 }
}

/// The configuration of these routes, as short as possible.
pub(crate) fn configuration(routes: &[Route]) -> String {
    let mut text =
        "edition 1\nupstream app { builtin: echo }\nrule g = client.ip in [10.0.0.0/8, 127.0.0.0/8] \
                    and request.header[\"user-agent\"] starts_with \"curl/\"\n"
            .to_owned();
    for site in routes.chunk_by(|left, right| left.host == right.host) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "site {} {{", site.first().map_or("", |route| &route.host));
        for prefix in PREFIXES {
            let mut inside =
                site.iter().filter_map(|route| Some((route, route.pattern.strip_prefix(prefix)?)));
            let Some(first) = inside.next() else { continue };
            let _ = writeln!(text, "group {prefix} {{");
            for (route, pattern) in [first].into_iter().chain(inside) {
                let _ = writeln!(
                    text,
                    "route {pattern}{} {{to app}}",
                    if route.is_guarded { " when g" } else { "" }
                );
            }
            text.push_str("}\n");
        }
        text.push_str("}\n");
    }
    text
}

/// `n` requests, one in ten for a path that no route has.
pub(crate) fn requests(routes: &[Route], n: usize, spread: Spread) -> Vec<Asked> {
    let mut rng = Rng::new(77);
    let mut order: Vec<usize> = (0..routes.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, rng.below(at + 1));
    }
    let weight = |place: usize| match spread {
        Spread::Uniform => 1_000_000,
        Spread::Zipf => 1_000_000_000 / (place + 1),
    };
    let sums: Vec<usize> = (0..order.len())
        .scan(0, |sum, place| {
            *sum += weight(place);
            Some(*sum)
        })
        .collect();
    let total = sums.last().copied().unwrap_or(1);
    (0..n)
        .map(|_| {
            let point = rng.below(total);
            let route = &routes[order[sums.partition_point(|sum| *sum <= point).min(order.len() - 1)]];
            let path = if rng.below(10) == 0 { format!("{}-x/y", route.path) } else { route.path.clone() };
            Asked { host: route.host.clone(), path }
        })
        .collect()
}
