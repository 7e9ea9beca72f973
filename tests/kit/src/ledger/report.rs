//! The account of a run: how many requests, how they ended, how long they took.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Failures told one by one; the counts cover the rest.
const TOLD_MAX: usize = 10;

/// Why a request was not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The connection was refused.
    Refused,
    /// The connection was reset, or writing failed.
    Reset,
    /// The connection ended before the whole answer.
    Closed,
    /// No answer in time.
    Timeout,
    /// The answer was no HTTP.
    Malformed,
    /// Another status than 200.
    Status(u16),
    /// 200 with another body.
    WrongBody,
    /// Bytes on an idle connection.
    Unasked,
    /// A POST that reached the origin more than once.
    Duplicate,
    /// Answered, but the origin never saw it.
    Unseen,
}

impl Outcome {
    fn name(self) -> String {
        match self {
            Self::Refused => "refused".to_owned(),
            Self::Reset => "reset".to_owned(),
            Self::Closed => "closed".to_owned(),
            Self::Timeout => "timeout".to_owned(),
            Self::Malformed => "malformed".to_owned(),
            Self::Status(status) => format!("status_{status}"),
            Self::WrongBody => "wrong_body".to_owned(),
            Self::Unasked => "unasked_bytes".to_owned(),
            Self::Duplicate => "duplicate_post".to_owned(),
            Self::Unseen => "unseen_at_origin".to_owned(),
        }
    }
}

/// One request's line in the ledger.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) post: bool,
    /// When it was due, from the start of the run.
    pub(super) at: Duration,
    /// From the time it was due to the end of its answer.
    pub(super) took: Duration,
    pub(super) outcome: Option<Outcome>,
}

/// The account.
#[derive(Clone, Debug)]
pub struct Report {
    entries: Vec<Entry>,
    /// Durations of the requests that were well, sorted.
    well: Vec<Duration>,
    repeated_gets: u64,
    reopened: u64,
}

impl Report {
    pub(super) fn new(mut entries: Vec<Entry>, repeated_gets: u64, reopened: u64) -> Self {
        entries.sort_by_key(|entry| entry.at);
        let mut well: Vec<_> = entries.iter().filter(|e| e.outcome.is_none()).map(|e| e.took).collect();
        well.sort_unstable();
        Self { entries, well, repeated_gets, reopened }
    }

    /// Requests made.
    pub fn sent(&self) -> usize {
        self.entries.len()
    }

    /// Requests that were not well.
    pub fn failed(&self) -> usize {
        self.entries.len() - self.well.len()
    }

    /// Failures by kind.
    pub fn failures(&self) -> BTreeMap<Outcome, usize> {
        let mut counts = BTreeMap::new();
        for outcome in self.entries.iter().filter_map(|e| e.outcome) {
            *counts.entry(outcome).or_insert(0) += 1;
        }
        counts
    }

    /// The latency that this share, in thousandths, of the well requests did not exceed.
    pub fn latency(&self, per_mille: usize) -> Duration {
        let last = self.well.len().saturating_sub(1);
        self.well.get(last * per_mille / 1000).copied().unwrap_or_default()
    }

    /// The account as one JSON object on one line.
    pub fn to_json(&self) -> String {
        let posts = self.entries.iter().filter(|e| e.post).count();
        let mut out = format!(
            r#"{{"sent":{},"posts":{posts},"ok":{},"failed":{},"repeated_gets":{},"reopened_idle":{}"#,
            self.sent(),
            self.well.len(),
            self.failed(),
            self.repeated_gets,
            self.reopened
        );
        let kinds: Vec<_> = self.failures().iter().map(|(k, n)| format!(r#""{}":{n}"#, k.name())).collect();
        // Writing to a String cannot fail.
        let _ = write!(out, r#","failures":{{{}}},"latency_us":{{"#, kinds.join(","));
        for (name, per_mille) in [("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999), ("max", 1000)] {
            let comma = if name == "p50" { "" } else { "," };
            let _ = write!(out, r#"{comma}"{name}":{}"#, self.latency(per_mille).as_micros());
        }
        let told: Vec<_> = self.entries.iter().filter_map(Entry::told).take(TOLD_MAX).collect();
        let _ = write!(out, r#"}},"first_failures":[{}]}}"#, told.join(","));
        out
    }
}

impl Entry {
    fn told(&self) -> Option<String> {
        let kind = self.outcome?.name();
        let method = if self.post { "POST" } else { "GET" };
        let (at, took) = (self.at.as_millis(), self.took.as_millis());
        Some(format!(
            r#"{{"id":{},"method":"{method}","at_ms":{at},"took_ms":{took},"kind":"{kind}"}}"#,
            self.id
        ))
    }
}
