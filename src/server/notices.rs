//! What `twp run` prints: one or two lines for each thing that happens, on standard error.

use std::io::{IsTerminal as _, Write as _, stderr};
use twp_runtime::control::ListenerStatus;
use twp_runtime::supervisor::Notice;

/// Prints notices, in colours where a person looks.
pub(super) struct Notices {
    is_colored: bool,
}

#[derive(Clone, Copy)]
enum Color {
    Green,
    Yellow,
    Red,
}

impl Notices {
    pub(super) fn new() -> Notices {
        let is_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Notices { is_colored: is_wanted && stderr().is_terminal() }
    }

    pub(super) fn is_colored(&self) -> bool {
        self.is_colored
    }

    pub(super) fn print(&mut self, notice: &Notice<'_>) {
        // A closed standard error is no reason to stop serving.
        let _ = stderr().lock().write_all(self.text(notice).as_bytes());
    }

    fn text(&self, notice: &Notice<'_>) -> String {
        match notice {
            Notice::Serves { file, generation, workers, listeners } => {
                let (version, file) = (env!("CARGO_PKG_VERSION"), file.display());
                let serving = self.paint(Color::Green, "serving");
                let workers = count(u64::from(*workers), "worker");
                let lines = addresses(listeners);
                format!("twp {version} {serving} {file} (generation {generation}, {workers})\n{lines}")
            }
            Notice::Replaces { file, generation, drains, listeners } => {
                let rest = match drains {
                    Some((old, connections)) => {
                        format!("; generation {old} drains {}", count(*connections, "connection"))
                    }
                    None => String::new(),
                };
                let lines = listeners.map(addresses).unwrap_or_default();
                let serves = self.paint(Color::Green, "serves");
                format!("generation {generation} {serves} {}{rest}\n{lines}", file.display())
            }
            Notice::Warnings(text) => whole_lines(text),
            Notice::Refused { text, serving } => {
                let rest =
                    serving.map(|id| format!("generation {id} goes on serving; nothing has changed\n"));
                format!("{}{}", whole_lines(text), rest.unwrap_or_default())
            }
            Notice::Failed { generation, text, serving } => {
                let failed = self.paint(Color::Red, &format!("generation {generation} {text}"));
                match serving {
                    Some(id) => format!("{failed}; generation {id} goes on serving\n"),
                    None => format!("{failed}\n"),
                }
            }
            Notice::Restarts { pause } => {
                let restarts = self.paint(Color::Yellow, "restarting");
                format!("{restarts} what served last in {} ms; clients wait\n", pause.as_millis())
            }
            Notice::Cut { generation, connections } => {
                let cut = self.paint(Color::Yellow, "was cut");
                format!("generation {generation} {cut} with {} open\n", count(*connections, "connection"))
            }
            Notice::Stops { connections } => {
                format!("stopping: draining {}\n", count(*connections, "connection"))
            }
        }
    }

    fn paint(&self, color: Color, text: &str) -> String {
        if !self.is_colored {
            return text.to_owned();
        }
        let code = match color {
            Color::Green => 32,
            Color::Yellow => 33,
            Color::Red => 31,
        };
        format!("\x1b[1;{code}m{text}\x1b[0m")
    }
}

fn addresses(listeners: &[ListenerStatus]) -> String {
    listeners.iter().fold(String::new(), |text, listener| {
        format!("{text}  {}  listener {}\n", listener.url, listener.name)
    })
}

fn whole_lines(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// A number with its noun.
pub(super) fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const PLAIN: Notices = Notices { is_colored: false };

    #[test]
    fn the_start_tells_what_listens_where() {
        let listeners = [ListenerStatus { name: "web".to_owned(), url: "http://127.0.0.1:8080".to_owned() }];
        let notice =
            Notice::Serves { file: Path::new("site.twp"), generation: 1, workers: 2, listeners: &listeners };
        let expected = concat!(
            "twp ",
            env!("CARGO_PKG_VERSION"),
            " serving site.twp (generation 1, 2 workers)\n  http://127.0.0.1:8080  listener web\n"
        );
        assert_eq!(PLAIN.text(&notice), expected);
    }

    #[test]
    fn a_reload_is_one_line() {
        let file = Path::new("site.twp");
        let notice = Notice::Replaces { file, generation: 2, drains: Some((1, 12)), listeners: None };
        assert_eq!(PLAIN.text(&notice), "generation 2 serves site.twp; generation 1 drains 12 connections\n");
    }

    #[test]
    fn colours_appear_only_where_wanted() {
        let notice = Notice::Cut { generation: 3, connections: 1 };
        assert_eq!(PLAIN.text(&notice), "generation 3 was cut with 1 connection open\n");
        assert!(Notices { is_colored: true }.text(&notice).contains("\x1b[1;33m"));
    }
}
