//! Diagnostics as text: for people, for editors (one line each) and for programs (one JSON object each).

mod json;
mod lines;

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Renderer, Snippet};
use lines::Lines;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::Write as _;
use std::ops::Range;
use twp_lang::explain::lint_name;
use twp_lang::{Diagnostic, Level, Sources, Span};

/// Columns of an excerpt: longer lines are cut around what matters.
const WIDTH: usize = 140;

/// The texts of a program, with their lines.
#[derive(Debug)]
pub struct Texts<'t> {
    texts: Vec<Text<'t>>,
}

/// A text with its name and lines.
#[derive(Debug)]
struct Text<'t> {
    name: &'t str,
    contents: &'t str,
    /// Found when first asked for: most texts of a program are about nothing.
    lines: OnceCell<Lines>,
}

impl<'t> Texts<'t> {
    /// The texts of a program.
    pub fn new(sources: &'t Sources) -> Self {
        let text = |name, contents| Text { name, contents, lines: OnceCell::new() };
        let texts = sources.iter().map(|source| text(source.name.as_str(), &*source.text));
        // The last one is for places that are in no text.
        Self { texts: texts.chain([text("", "")]).collect() }
    }

    /// The text that a place is in.
    fn of(&self, span: Span) -> &Text<'t> {
        &self.texts[usize::from(span.source).min(self.texts.len() - 1)]
    }
}

impl Text<'_> {
    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(self.contents))
    }

    /// The span as bytes of the text; a place outside of it becomes its end.
    fn range(&self, span: Span) -> Range<usize> {
        let range = span.range();
        let end = range.end.min(self.contents.len());
        range.start.min(end)..end
    }
}

/// For people: excerpts with marks, notes and help, an empty line after each.
pub fn human(diagnostics: &[Diagnostic], texts: &Texts<'_>, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(WIDTH);
    let mut out = String::new();
    for diagnostic in diagnostics {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}\n", renderer.render(&[group(diagnostic, texts)]));
    }
    out
}

fn group<'a>(diagnostic: &'a Diagnostic, texts: &'a Texts<'_>) -> Group<'a> {
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
    let mut group = title.element(snippet(diagnostic, texts, diagnostic.primary.span.source));
    let mut shown = vec![diagnostic.primary.span.source];
    for other in &diagnostic.secondary {
        if !shown.contains(&other.span.source) {
            shown.push(other.span.source);
            group = group.element(snippet(diagnostic, texts, other.span.source));
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Shown::NOTE.message(note));
    }
    for help in &diagnostic.helps {
        group = group.element(Shown::HELP.message(&help.text));
    }
    group
}

/// The lines of one text that the diagnostic is about; only these, so that large files cost nothing.
fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    texts: &'a Texts<'_>,
    source: u16,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let primary = std::iter::once((AnnotationKind::Primary, &diagnostic.primary));
    let others = diagnostic.secondary.iter().map(|other| (AnnotationKind::Context, other));
    let labels: Vec<_> = primary.chain(others).filter(|(_, label)| label.span.source == source).collect();
    let text = texts.of(Span { source, start: 0, end: 0 });
    let from = labels.iter().map(|(_, label)| text.range(label.span).start).min().unwrap_or(0);
    let to = labels.iter().map(|(_, label)| text.range(label.span).end).max().unwrap_or(0);
    let first = text.lines().start_of(from);
    let window = &text.contents[first..text.lines().end_of(to, text.contents)];
    let annotations = labels.into_iter().map(|(kind, shown)| {
        let range = text.range(shown.span);
        kind.span(range.start - first..range.end - first).label(label(&shown.text))
    });
    Snippet::source(window).path(text.name).line_start(text.lines().line(from) + 1).annotations(annotations)
}

fn label(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// For editors and `grep`: `file:line:column: error[E0201]: message`.
pub fn short(diagnostics: &[Diagnostic], texts: &Texts<'_>) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let span = diagnostic.primary.span;
        let text = texts.of(span);
        let (line, column) = text.lines().place(text.range(span).start, text.contents);
        let (level, code) = (level_word(diagnostic.level), diagnostic.code);
        let _ = writeln!(out, "{}:{line}:{column}: {level}[{code}]: {}", text.name, diagnostic.message);
    }
    out
}

/// For programs: one JSON object per line.
pub fn json(diagnostics: &[Diagnostic], texts: &Texts<'_>) -> String {
    diagnostics.iter().map(|diagnostic| json::line(diagnostic, texts)).collect()
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
    use super::{Texts, human, json, short, summary};
    use twp_lang::module::{TextFiles, load};
    use twp_lang::{Diagnostic, Sources, Span};

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
        let sources = Sources::of_entry("a.twp", TEXT);
        let texts = Texts::new(&sources);
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
        assert_eq!(human(&[diagnostic()], &texts, false), expected);
    }

    #[test]
    fn editors_see_one_line() {
        let sources = Sources::of_entry("a.twp", TEXT);
        let texts = Texts::new(&sources);
        assert_eq!(short(&[diagnostic()], &texts), "a.twp:2:6: error[E0201]: unknown upstream `ap`\n");
    }

    #[test]
    fn programs_see_places_and_edits() {
        let sources = Sources::of_entry("a.twp", TEXT);
        let texts = Texts::new(&sources);
        let line = json(&[diagnostic()], &texts);
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["code"], "E0201");
        assert_eq!((&value["line"], &value["column"]), (&2.into(), &6.into()));
        assert_eq!(value["spans"][1]["label"], "similar name");
        assert_eq!(value["helps"][0]["edits"][0]["replacement"], "app");
        assert_eq!(value["helps"][0]["edits"][0]["start"], 23);
    }

    #[test]
    fn places_outside_of_the_text_do_no_harm() {
        let sources = Sources::of_entry("a.twp", "");
        let texts = Texts::new(&sources);
        let diagnostic = Diagnostic::error("E0111", "odd", Span::new(5, 9));
        assert!(human(std::slice::from_ref(&diagnostic), &texts, false).contains("error[E0111]: odd"));
        assert_eq!(short(&[diagnostic], &texts), "a.twp:1:1: error[E0111]: odd\n");
    }

    #[test]
    fn each_file_has_its_own_excerpt() {
        let mut files = TextFiles::new().with("b.twp", "// b\nupstream app { }\n");
        let (loaded, _) = load("a.twp", "edition 1\nuse self.b\n", &mut files);
        let there = Span { source: 1, start: 14, end: 17 };
        let diagnostic =
            Diagnostic::error("E0230", "`app` is private", Span::new(19, 20)).with(there, "declared here");
        let texts = Texts::new(&loaded.sources);
        let expected = "\
error[E0230]: `app` is private
 --> a.twp:2:10
  |
2 | use self.b
  |          ^
  |
 ::: b.twp:2:10
  |
2 | upstream app { }
  |          --- declared here

";
        assert_eq!(human(std::slice::from_ref(&diagnostic), &texts, false), expected);
        let value: serde_json::Value = serde_json::from_str(&json(&[diagnostic], &texts)).expect("JSON");
        assert_eq!((&value["file"], &value["spans"][1]["file"]), (&"a.twp".into(), &"b.twp".into()));
        assert_eq!((&value["spans"][1]["line"], &value["spans"][1]["column"]), (&2.into(), &10.into()));
    }

    #[test]
    fn the_summary_counts() {
        assert_eq!(summary(&[], "a.twp"), "a.twp: no problems found");
        let warning = Diagnostic::warning("L0101", "w", Span::new(0, 0));
        assert_eq!(summary(&[diagnostic(), diagnostic(), warning], "a.twp"), "2 errors, 1 warning");
    }
}
