//! Broken and ill-typed programs: nothing panics, and one changed literal is found where it was changed.

use super::outcome;
use crate::{Level, check, parse};

/// Programs of many kinds, as starting points.
fn corpus() -> Vec<&'static str> {
    [include_str!("mistakes.txt"), include_str!("programs.txt")]
        .into_iter()
        .flat_map(|file| file.split("=== ").skip(1))
        .filter_map(|case| Some(case.split_once('\n')?.1.split_once("---\n")?.0))
        // The chain that is too deep is long and says nothing new when it is cut.
        .filter(|source| source.len() < 2500)
        .collect()
}

#[test]
fn truncated_programs_are_checked() {
    for source in corpus() {
        for end in (0..source.len()).step_by(13).filter(|&end| source.is_char_boundary(end)) {
            let (tree, _) = parse(&source[..end]);
            check(&tree);
        }
    }
}

/// A small generator with a fixed seed: the same programs on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

#[test]
fn programs_with_changed_words_are_checked() {
    let corpus = corpus();
    let words: Vec<&str> = corpus.iter().flat_map(|source| source.split_whitespace()).collect();
    let seed = 11;
    let mut random = Random(seed);
    for _ in 0..500 {
        let source = corpus[random.below(corpus.len())];
        let mut parts: Vec<&str> = source.split(' ').collect();
        for _ in 0..=random.below(3) {
            let at = random.below(parts.len());
            parts[at] = words[random.below(words.len())];
        }
        let text = parts.join(" ");
        let (tree, diagnostics) = parse(&text);
        let (program, found) = check(&tree);
        let is_sound = found.iter().all(|d| d.level != Level::Error);
        assert!(program.is_none() || is_sound, "seed {seed}: a program with errors\n{text}");
        let is_parsed = diagnostics.iter().all(|d| d.level != Level::Error);
        assert!(
            program.is_some() || !is_sound || !is_parsed,
            "seed {seed}: no program and no reason\n{text}"
        );
    }
}

/// A program with holes: between `«` and `»` a literal and the kinds of literals that may not replace it.
const TYPED: &str = r#"
server { workers: «3» drain: «30s» limits { head: «16KiB» headers: «50» } access_log { off: «true» } }
const nets: Set<Cidr> = [«10.0.0.0/8», 192.0.2.0/24]
const wait: Duration = «5s»
const name: String = «"x"»
upstream app { servers: [«10.0.0.1:80»] keepalive: «64» timeout { connect: «1s» } }
rule big(limit: Int, label: String) = limit > «4» and label == «"a"» and client.ip in nets and label == name
site a.test {
  max_body: «1MiB»
  route GET /a/{id:int} when big(«3», label: «"b"») and id == «7» { to app { timeout { idle: «1m» response: wait } } }
  route /b when request.header["x"] == «"y"» and client.ip == «10.0.0.1» { respond «200» body «"text"» }
  route /c when request.path == «/c» and request.method in [«GET», HEAD] and request.host == «"a.test"» { respond 404 }
  route /d when client.ip in [«10.1.0.0/16»] and request.port in «80..90» { set request.header["x"] = «"v"» to app }
  route /e when request.query["q"] matches «re"a+"» or (request.cookie["c"] ?? «"d"») == "e" { respond 404 }
  respond 404
}
"#;

/// Literals of different types; the text tells the type.
const LITERALS: [&str; 12] = [
    "5",
    "7s",
    "3KiB",
    "\"te xt\"",
    "true",
    "10.9.9.9",
    "10.9.0.0/16",
    "10.9.9.9:80",
    "/p",
    "GET",
    "re\"b\"",
    "10/sec",
];

/// Whether a literal may stand where the original stood, by the types of the language.
fn fits(original: &str, other: &str) -> bool {
    let kind = |text: &str| match text {
        t if t.starts_with("re\"") => "regex",
        t if t.starts_with('"') => "text",
        t if t.starts_with('/') => "path",
        t if t.contains("..") => "range",
        t if t.contains("/sec") => "rate",
        t if t.contains('/') => "network",
        t if t.contains(':') => "endpoint",
        t if t.contains('.') => "address",
        t if t.ends_with("iB") => "size",
        t if t.ends_with(['s', 'm']) => "duration",
        "true" => "bool",
        "GET" => "method",
        _ => "number",
    };
    kind(original) == kind(other) || (kind(original) == "network" && kind(other) == "address")
}

#[test]
fn one_literal_of_another_type_is_found_where_it_stands() {
    let pieces: Vec<&str> = TYPED.split(['«', '»']).collect();
    assert_eq!(outcome(&pieces.concat()).1, "", "the program itself is sound");
    let mut n_rejected = 0;
    for hole in (1..pieces.len()).step_by(2) {
        for other in LITERALS {
            if fits(pieces[hole], other) {
                continue;
            }
            let mut changed = pieces.clone();
            changed[hole] = other;
            let text = changed.concat();
            let start = changed[..hole].concat().len();
            let (tree, parsed) = parse(&text);
            let found: Vec<_> = parsed.into_iter().chain(check(&tree).1).collect();
            let place = start..start + other.len();
            let names_it = found.iter().any(|d| {
                let primary = d.primary.span.range();
                d.level == Level::Error && primary.start < place.end && place.start < primary.end
            });
            assert!(names_it, "`{other}` for `{}` is not reported at its place: {found:#?}", pieces[hole]);
            n_rejected += 1;
        }
    }
    assert!(n_rejected > 200, "{n_rejected} programs were rejected");
}
