//! Diagnostics as text: for people, for editors (one line each) and for programs (one JSON object each).

mod json;
mod lines;

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Renderer, Snippet};
use lines::Lines;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use twp_lang::explain::lint_name;
use twp_lang::{Diagnostic, Level, Span};

/// Columns of an excerpt: longer lines are cut around what matters.
const WIDTH: usize = 140;

/// A text with its name and lines.
#[derive(Debug)]
pub struct Source<'t> {
    name: &'t str,
    text: &'t str,
    lines: Lines,
}

impl<'t> Source<'t> {
    /// The text of the file with this name.
    pub fn new(name: &'t str, text: &'t str) -> Self {
        Self { name, text, lines: Lines::new(text) }
    }

    /// The span as bytes of the text; a place outside of it becomes its end.
    fn range(&self, span: Span) -> Range<usize> {
        let range = span.range();
        let end = range.end.min(self.text.len());
        range.start.min(end)..end
    }
}

/// For people: excerpts with marks, notes and help, an empty line after each.
pub fn human(diagnostics: &[Diagnostic], source: &Source<'_>, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(WIDTH);
    let mut out = String::new();
    for diagnostic in diagnostics {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}\n", renderer.render(&[group(diagnostic, source)]));
    }
    out
}

fn group<'a>(diagnostic: &'a Diagnostic, source: &'a Source<'_>) -> Group<'a> {
    let level = match diagnostic.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Info => Shown::INFO,
    };
    // A lint shows the name that `@allow` takes beside its code.
    let title = match lint_name(diagnostic.code) {
        Some(lint) => {
            let name = format!("{}[{lint}] {}", level_word(diagnostic.level), diagnostic.code);
            level.with_name(Some(Cow::Owned(name))).primary_title(&diagnostic.message)
        }
        None => level.primary_title(&diagnostic.message).id(diagnostic.code),
    };
    let mut group = title.element(snippet(diagnostic, source));
    for note in &diagnostic.notes {
        group = group.element(Shown::NOTE.message(note));
    }
    for help in &diagnostic.helps {
        group = group.element(Shown::HELP.message(&help.text));
    }
    group
}

/// The lines that the diagnostic is about; only these, so that large files cost nothing.
fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    source: &'a Source<'_>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let spans = || {
        std::iter::once(&diagnostic.primary)
            .chain(&diagnostic.secondary)
            .map(|label| source.range(label.span))
    };
    let from = spans().map(|span| span.start).min().unwrap_or(0);
    let to = spans().map(|span| span.end).max().unwrap_or(0);
    let first = source.lines.start_of(from);
    let window = &source.text[first..source.lines.end_of(to, source.text)];
    let inside = |span: Span| {
        let range = source.range(span);
        range.start - first..range.end - first
    };
    let primary =
        AnnotationKind::Primary.span(inside(diagnostic.primary.span)).label(label(&diagnostic.primary.text));
    let others = diagnostic
        .secondary
        .iter()
        .map(|other| AnnotationKind::Context.span(inside(other.span)).label(label(&other.text)));
    Snippet::source(window)
        .path(source.name)
        .line_start(source.lines.line(from) + 1)
        .annotation(primary)
        .annotations(others)
}

fn label(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// For editors and `grep`: `file:line:column: error[E0201]: message`.
pub fn short(diagnostics: &[Diagnostic], source: &Source<'_>) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let (line, column) = source.lines.place(source.range(diagnostic.primary.span).start, source.text);
        let (level, code) = (level_word(diagnostic.level), diagnostic.code);
        let _ = writeln!(out, "{}:{line}:{column}: {level}[{code}]: {}", source.name, diagnostic.message);
    }
    out
}

/// For programs: one JSON object per line.
pub fn json(diagnostics: &[Diagnostic], source: &Source<'_>) -> String {
    diagnostics.iter().map(|diagnostic| json::line(diagnostic, source)).collect()
}

/// "2 errors, 1 warning", or "site.twp: no problems found".
pub fn summary(diagnostics: &[Diagnostic], name: &str) -> String {
    let count = |level: Level| diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count();
    let parts = [(count(Level::Error), "error"), (count(Level::Warning), "warning")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let text: Vec<String> =
        parts.map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" })).collect();
    if text.is_empty() { format!("{name}: no problems found") } else { text.join(", ") }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, human, json, short, summary};
    use twp_lang::{Diagnostic, Span};

    fn diagnostic() -> Diagnostic {
        Diagnostic::error("E0201", "unknown upstream `ap`", Span::new(23, 25))
            .label("not declared")
            .with(Span::new(9, 12), "similar name")
            .note("a fact")
            .fix("did you mean `app`?", Span::new(23, 25), "app")
    }

    const TEXT: &str = "upstream app { }\né to ap\n";

    #[test]
    fn people_see_the_lines_with_marks() {
        let source = Source::new("a.twp", TEXT);
        let expected = "\
error[E0201]: unknown upstream `ap`
 --> a.twp:2:6
  |
1 | upstream app { }
  |          --- similar name
2 | é to ap
  |      ^^ not declared
  |
  = note: a fact
  = help: did you mean `app`?

";
        assert_eq!(human(&[diagnostic()], &source, false), expected);
    }

    #[test]
    fn editors_see_one_line() {
        let source = Source::new("a.twp", TEXT);
        assert_eq!(short(&[diagnostic()], &source), "a.twp:2:6: error[E0201]: unknown upstream `ap`\n");
    }

    #[test]
    fn programs_see_places_and_edits() {
        let source = Source::new("a.twp", TEXT);
        let line = json(&[diagnostic()], &source);
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["code"], "E0201");
        assert_eq!((&value["line"], &value["column"]), (&2.into(), &6.into()));
        assert_eq!(value["spans"][1]["label"], "similar name");
        assert_eq!(value["helps"][0]["edits"][0]["replacement"], "app");
        assert_eq!(value["helps"][0]["edits"][0]["start"], 23);
    }

    #[test]
    fn places_outside_of_the_text_do_no_harm() {
        let source = Source::new("a.twp", "");
        let diagnostic = Diagnostic::error("E0111", "odd", Span::new(5, 9));
        assert!(human(std::slice::from_ref(&diagnostic), &source, false).contains("error[E0111]: odd"));
        assert_eq!(short(&[diagnostic], &source), "a.twp:1:1: error[E0111]: odd\n");
    }

    #[test]
    fn the_summary_counts() {
        assert_eq!(summary(&[], "a.twp"), "a.twp: no problems found");
        let warning = Diagnostic::warning("L0101", "w", Span::new(0, 0));
        assert_eq!(summary(&[diagnostic(), diagnostic(), warning], "a.twp"), "2 errors, 1 warning");
    }
}
