//! One diagnostic as one line of JSON. Bytes count from 0, lines and columns (characters) from 1.

use super::{Texts, level_word};
use serde::Serialize;
use twp_lang::explain::lint_name;
use twp_lang::{Diagnostic, Span};

#[derive(Serialize)]
struct Line<'a> {
    level: &'static str,
    code: &'static str,
    /// The name of a lint as `@allow` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lint: Option<&'static str>,
    message: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    /// All places, the primary one first.
    spans: Vec<Labelled<'a>>,
    notes: &'a [String],
    helps: Vec<Advice<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct Labelled<'a> {
    primary: bool,
    label: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
}

#[derive(Serialize)]
struct Advice<'a> {
    text: &'a str,
    /// Edits that follow the advice; empty when a person has to decide.
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    replacement: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
}

/// The diagnostic with its line end.
pub(super) fn line(diagnostic: &Diagnostic, texts: &Texts<'_>) -> String {
    let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary).enumerate();
    let spans = labels.map(|(number, label)| Labelled {
        primary: number == 0,
        label: &label.text,
        place: place(label.span, texts),
    });
    let helps = diagnostic.helps.iter().map(|help| Advice {
        text: &help.text,
        edits: help
            .patches
            .iter()
            .map(|patch| Edit { replacement: &patch.replacement, place: place(patch.span, texts) })
            .collect(),
    });
    let line = Line {
        level: level_word(diagnostic.level),
        code: diagnostic.code,
        lint: lint_name(diagnostic.code),
        message: &diagnostic.message,
        place: place(diagnostic.primary.span, texts),
        spans: spans.collect(),
        notes: &diagnostic.notes,
        helps: helps.collect(),
    };
    serde_json::to_string(&line).expect("strings and numbers only") + "\n"
}

fn place<'a>(span: Span, texts: &Texts<'a>) -> Place<'a> {
    let text = texts.of(span);
    let range = text.range(span);
    let (line, column) = text.lines().place(range.start, text.contents);
    let (end_line, end_column) = text.lines().place(range.end, text.contents);
    Place { file: text.name, line, column, end_line, end_column, start: range.start, end: range.end }
}
