//! `twp status`: shows what runs.

use super::{ANSWER_LIMIT, Failure, Target, living, notices::count, unexpected_answer};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;
use twp_runtime::control::{Answer, ReloadResult, Request, Status};

/// Shows one configuration, or all that run in the usual place
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    target: Target,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatusArgs) -> Result<ExitCode, Failure> {
    for status in statuses(&args.target)? {
        if args.json {
            let json = serde_json::to_string(&status).map_err(|error| Failure::new(error.to_string()))?;
            println!("{json}");
        } else {
            print!("{}", text(&status));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn statuses(target: &Target) -> Result<Vec<Status>, Failure> {
    if target.file.is_none() && target.control.is_none() {
        let all: Vec<Status> = living().into_iter().map(|(_, status)| status).collect();
        if all.is_empty() {
            // Says that nothing runs, and how to start it.
            target.socket()?;
        }
        return Ok(all);
    }
    match target.ask(&Request::Status, ANSWER_LIMIT)? {
        Answer::Status(status) => Ok(vec![*status]),
        Answer::Reloaded(_) | Answer::Stopping => Err(unexpected_answer()),
    }
}

/// Generations speak every second; a silence of so many is worth a word.
const SILENCE_TOLD: u64 = 3;

fn text(status: &Status) -> String {
    let mut out = String::new();
    let Status { version, pid, file, .. } = status;
    // Writing to a String cannot fail.
    let _ =
        writeln!(out, "twp {version}  {}  (pid {pid}, up {})", file.display(), span(status.uptime_seconds));
    let fingerprint =
        status.fingerprint.as_deref().map_or("nothing serves", |text| &text[..text.len().min(16)]);
    let _ = writeln!(out, "  configuration {fingerprint}");
    for listener in &status.listeners {
        let _ = writeln!(out, "  {}  listener {}", listener.url, listener.name);
    }
    for generation in &status.generations {
        let total = generation.total();
        let _ = write!(
            out,
            "  generation {} {}  pid {}, age {}, {}, {}, {}, {}",
            generation.number,
            generation.phase,
            generation.pid,
            span(generation.age_seconds),
            count(generation.workers.len() as u64, "worker"),
            count(total.connections, "connection"),
            count(total.streams, "stream"),
            count(total.requests, "request"),
        );
        if generation.silent_seconds >= SILENCE_TOLD {
            let _ = write!(out, ", silent for {}", span(generation.silent_seconds));
        }
        if !generation.engine.is_empty() {
            let _ = write!(out, ", engine {}", generation.engine);
        }
        let _ = writeln!(out);
    }
    if let Some(reload) = &status.last_reload {
        let result = match reload.result {
            ReloadResult::Serves => "serves",
            ReloadResult::Refused => "was refused",
            ReloadResult::Failed => "failed",
            ReloadResult::RolledBack => "failed and was rolled back",
            ReloadResult::Superseded => "was superseded",
        };
        let ago =
            status.last_reload_age_seconds.map(|age| format!(", {} ago", span(age))).unwrap_or_default();
        let _ = writeln!(out, "  last reload: generation {} {result}{ago}", reload.generation);
        for line in reload.text.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

/// Seconds as a person says them, in the two largest units.
fn span(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let place = units.iter().position(|(size, _)| seconds >= *size).unwrap_or(3);
    let part = |idx: usize, rest: u64| units.get(idx).map(|(size, unit)| (rest / size, rest % size, *unit));
    let Some((first, rest, unit)) = part(place, seconds) else { return String::new() };
    match part(place + 1, rest) {
        Some((second, _, second_unit)) if second > 0 => format!("{first}{unit} {second}{second_unit}"),
        Some(_) | None => format!("{first}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use twp_runtime::control::{GenerationStatus, ListenerStatus, Reload};
    use twp_runtime::handover::message::Load;

    #[test]
    fn spans_have_two_units_at_most() {
        let spans = [0, 59, 60, 61, 7_380, 90_061].map(span);
        assert_eq!(spans, ["0s", "59s", "1m", "1m 1s", "2h 3m", "1d 1h"]);
    }

    #[test]
    fn a_status_reads_like_this() {
        let generation = GenerationStatus {
            number: 2,
            pid: 43,
            phase: "serving".to_owned(),
            age_seconds: 61,
            silent_seconds: 12,
            engine: "table".to_owned(),
            workers: vec![Load::default()],
        };
        let status = Status {
            version: "0.1.0".to_owned(),
            pid: 42,
            uptime_seconds: 3_700,
            file: "site.twp".into(),
            fingerprint: Some("0123456789abcdef0123456789abcdef".to_owned()),
            listeners: vec![ListenerStatus { name: "web".to_owned(), url: "http://127.0.0.1:80".to_owned() }],
            generations: vec![generation],
            last_reload: Some(Reload {
                generation: 3,
                result: ReloadResult::Refused,
                text: "error: x\n".to_owned(),
            }),
            last_reload_age_seconds: Some(65),
        };
        let expected = "\
twp 0.1.0  site.twp  (pid 42, up 1h 1m)
  configuration 0123456789abcdef
  http://127.0.0.1:80  listener web
  generation 2 serving  pid 43, age 1m 1s, 1 worker, 0 connections, 0 streams, 0 requests, silent for 12s, \
engine table
  last reload: generation 3 was refused, 1m 5s ago
    error: x
";
        assert_eq!(text(&status), expected);
    }
}
