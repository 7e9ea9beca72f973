//! Replays `tests/vectors/h1/*.txt`: bytes in, what the client must see, what the origin may see.
//!
//! A file is one id of the attack checklist. Lines of a file: `# comment`, `clause: …`, then cases, each begun by
//! `case: NAME`. In a case, `send:` lines are joined (with `\r \n \t \0 \xHH \\` as escapes); `repeat: N TEXT` sends
//! TEXT N times; `client:` lists the statuses in order (`400|501` for either), then `close` or `open`; `origin:`
//! lists the whole requests that arrive as `METHOD TARGET BODY-BYTES` joined by `;`, or `nothing`; `origin-lacks:`
//! is text that must not be among the raw bytes there.

use std::path::{Path, PathBuf};
use std::thread;

use twp_testkit::{Ended, Origin, Program, Reply, exchange};

use crate::proxy_to;

#[test]
fn every_vector_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/h1");
    let files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let runs: Vec<_> = files.into_iter().map(|file| thread::spawn(move || replay(&file))).collect();
    let mut count = 0;
    let mut failures = Vec::new();
    for run in runs {
        let (cases, differences) = run.join().expect("a vector file is well formed");
        count += cases;
        failures.extend(differences);
    }
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} of {count} vectors do not hold:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(count > 150, "only {count} vectors were found");
}

/// Runs the cases of a file one after the other on one program: how many there were, and what differed.
fn replay(file: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(file).expect("a vector is text");
    let id = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let origin = Origin::start(|_| Reply::ok("ok"));
    let twp = proxy_to(&origin);
    let cases = parse(&id, &text);
    let differences = cases.iter().filter_map(|case| {
        origin.forget();
        let difference = case.run(&twp, &origin).err()?;
        Some(format!("{id}: {}\n  sent {:?}\n  {difference}", case.name, case.shown()))
    });
    (cases.len(), differences.collect())
}

#[derive(Default)]
struct Case {
    name: String,
    send: Vec<u8>,
    client: String,
    origin: String,
    origin_lacks: Vec<String>,
}

impl Case {
    fn run(&self, twp: &Program, origin: &Origin) -> Result<(), String> {
        let seen = exchange(twp.addr(), &self.send);
        let mut expected: Vec<&str> = self.client.split(' ').collect();
        let end = expected.pop().unwrap_or_default();
        let statuses = seen.statuses();
        let same = statuses.len() == expected.len()
            && expected
                .iter()
                .zip(&statuses)
                .all(|(want, got)| want.split('|').any(|w| w == got.to_string()));
        let ended = matches!((end, seen.ended), ("close", Ended::Closed) | ("open", Ended::Open));
        if !same || !ended {
            return Err(format!("client: expected `{}`, saw {statuses:?} and {:?}", self.client, seen.ended));
        }
        self.check_origin(origin)
    }

    fn check_origin(&self, origin: &Origin) -> Result<(), String> {
        let arrived: Vec<String> = origin
            .requests()
            .iter()
            .map(|r| {
                let method = r.start_line().split(' ').next().unwrap_or_default();
                format!("{method} {} {}", r.second_word(), r.body.len())
            })
            .collect();
        let arrived = if arrived.is_empty() { "nothing".to_owned() } else { arrived.join("; ") };
        if arrived != self.origin {
            return Err(format!("origin: expected `{}`, saw `{arrived}`", self.origin));
        }
        let raw = String::from_utf8_lossy(&origin.raw().concat()).to_ascii_lowercase();
        match self.origin_lacks.iter().find(|text| raw.contains(&text.to_ascii_lowercase())) {
            Some(text) => Err(format!("origin: `{text}` must not arrive, but {raw:?}")),
            None => Ok(()),
        }
    }

    /// What was sent, as far as a person wants to read it.
    fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.send);
        text.chars().take(400).collect()
    }
}

fn parse(id: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{id}: no key in `{line}`"));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if key == "clause" {
            continue;
        }
        if key == "case" {
            cases.push(Case { name: value.to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{id}: `{line}` stands before the first case"));
        match key {
            "send" => case.send.extend(unescape(value)),
            "repeat" => {
                let (times, piece) = value.split_once(' ').expect("`repeat: N TEXT`");
                let times = times.parse().expect("a number of repetitions");
                case.send.extend(unescape(piece).repeat(times));
            }
            "client" => value.clone_into(&mut case.client),
            "origin" => value.clone_into(&mut case.origin),
            "origin-lacks" => case.origin_lacks.push(value.to_owned()),
            other => panic!("{id}: unknown key `{other}`"),
        }
    }
    cases
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'r') => out.push(b'\r'),
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'0') => out.push(0),
            Some(b'\\') => out.push(b'\\'),
            Some(b'x') => {
                let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                out.push(u8::from_str_radix(&digits, 16).expect("two hexadecimal digits after \\x"));
            }
            other => panic!("unknown escape {other:?} in `{text}`"),
        }
    }
    out
}
