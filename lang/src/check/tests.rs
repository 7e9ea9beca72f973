//! Tests of the checker at its boundary: text in, what a user would see out.
//!
//! `tests/mistakes.txt` and `tests/programs.txt` hold the cases: a line `=== name`, the text, a line `---`, and what
//! comes out. A failing test prints the whole file as it would have to be, for the reader of the difference.

mod mutation;
mod tokens;

use super::{check, check_program};
use crate::module::{TextFiles, load};
use crate::{Diagnostic, Level, Sources, Span, parse};
use std::fmt::Write;

/// The files of cases, each with what a user would see.
const CASES: [&str; 3] =
    [include_str!("tests/mistakes.txt"), include_str!("tests/reuse.txt"), include_str!("tests/values.txt")];

#[test]
fn mistakes_are_reported_where_they_are() {
    CASES.into_iter().for_each(mistakes);
}

fn mistakes(file: &str) {
    golden(file, |source| {
        let (program, text) = outcome(source);
        let has_error = text.lines().any(|line| line.starts_with('E'));
        assert_eq!(
            program.is_none(),
            has_error,
            "a program exists exactly without errors:\n{source}\n{text}"
        );
        text
    });
}

#[test]
fn sound_programs_have_types() {
    golden(include_str!("tests/programs.txt"), |source| {
        let (program, text) = outcome(source);
        program.map_or(text, |program| without_places(&format!("{program:#?}")))
    });
}

#[test]
fn every_code_has_a_case() {
    let all: String = CHECKER_SOURCES.concat();
    let cases = CASES.concat();
    // The parser refuses what nests too deeply first; a tree built by hand has its own test below.
    for code in codes_in(&all).into_iter().filter(|code| code != "E0252") {
        assert!(cases.contains(&format!("\n{code} ")), "no case in mistakes.txt gives {code}");
    }
}

#[test]
fn every_code_has_a_page() {
    let all: String = CHECKER_SOURCES.concat();
    for code in codes_in(&all) {
        assert!(crate::explain::explain(&code).is_some(), "{code} has no page");
    }
}

/// All files that report.
const CHECKER_SOURCES: [&str; 53] = [
    include_str!("../module.rs"),
    include_str!("../module/cycle.rs"),
    include_str!("../module/find.rs"),
    include_str!("../check.rs"),
    include_str!("allow.rs"),
    include_str!("arguments.rs"),
    include_str!("call.rs"),
    include_str!("collect.rs"),
    include_str!("compare.rs"),
    include_str!("data.rs"),
    include_str!("declare.rs"),
    include_str!("endpoint.rs"),
    include_str!("enums.rs"),
    include_str!("env.rs"),
    include_str!("expr.rs"),
    include_str!("field.rs"),
    include_str!("file.rs"),
    include_str!("flow.rs"),
    include_str!("function.rs"),
    include_str!("graph.rs"),
    include_str!("graph/bodies.rs"),
    include_str!("header.rs"),
    include_str!("host.rs"),
    include_str!("impossible.rs"),
    include_str!("imports.rs"),
    include_str!("later.rs"),
    include_str!("let_in.rs"),
    include_str!("lints.rs"),
    include_str!("map.rs"),
    include_str!("listen.rs"),
    include_str!("literal.rs"),
    include_str!("locals.rs"),
    include_str!("mismatch.rs"),
    include_str!("mount.rs"),
    include_str!("names.rs"),
    include_str!("path.rs"),
    include_str!("pattern.rs"),
    include_str!("policy.rs"),
    include_str!("redirect.rs"),
    include_str!("regex.rs"),
    include_str!("route.rs"),
    include_str!("scope.rs"),
    include_str!("server.rs"),
    include_str!("settings.rs"),
    include_str!("settings/value.rs"),
    include_str!("settings/word.rs"),
    include_str!("site.rs"),
    include_str!("statement.rs"),
    include_str!("template.rs"),
    include_str!("terminal.rs"),
    include_str!("tls.rs"),
    include_str!("types.rs"),
    include_str!("upstream.rs"),
];

/// Codes between quotes, each once.
fn codes_in(text: &str) -> Vec<String> {
    let is_code = |word: &str| {
        word.len() == 5 && word.starts_with(['E', 'L']) && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let mut codes: Vec<String> = text.split('"').filter(|word| is_code(word)).map(str::to_owned).collect();
    codes.sort();
    codes.dedup();
    assert!(codes.len() > 30, "the codes were found: {codes:?}");
    codes
}

/// Loads and checks; the program, and every finding as text. Lines `>>> path` start further files.
fn outcome(source: &str) -> (Option<crate::hir::Program>, String) {
    let (entry, mut files) = TextFiles::of_one_text(source);
    let (mut loaded, mut diagnostics) = load("entry", entry, &mut files);
    // That the cases name no edition is not what they are about.
    diagnostics.retain(|d| d.code != "L0101");
    let is_parsed = diagnostics.iter().all(|d| d.level != Level::Error);
    let (program, found) = check_program(&mut loaded, &mut files);
    diagnostics.extend(found);
    let text = diagnostics.iter().map(|d| show(&loaded.sources, d)).collect();
    (program.filter(|_| is_parsed), text)
}

fn show(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let primary = place(sources, diagnostic.primary.span);
    let mut out = format!("{} {primary} {}", diagnostic.code, diagnostic.message);
    if !diagnostic.primary.text.is_empty() {
        let _ = write!(out, " | {}", diagnostic.primary.text);
    }
    for label in &diagnostic.secondary {
        let _ = write!(out, "\n  {} {}", place(sources, label.span), label.text);
    }
    for note in &diagnostic.notes {
        let _ = write!(out, "\n  note: {note}");
    }
    for help in &diagnostic.helps {
        let _ = write!(out, "\n  help: {}", help.text);
        for patch in &help.patches {
            let _ = write!(out, " [{} -> {}]", sources.slice(patch.span), patch.replacement);
        }
    }
    out.push('\n');
    out
}

/// `line:column` and the text itself, with the file's name unless it is the entry file.
fn place(sources: &Sources, span: Span) -> String {
    let source = sources.get(span.source).expect("a place is in a file");
    let before = &source.text[..span.range().start];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    let file = if span.source == 0 { String::new() } else { format!("{}:", source.name) };
    format!("{file}{line}:{column}({})", sources.slice(span).replace('\n', "⏎"))
}

/// The debug form without places, which only make it long, and with what is short on one line.
fn without_places(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut hidden: Option<usize> = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        match hidden {
            Some(start) if depth == start => hidden = None,
            Some(_) => {}
            None if line.ends_with(": Span {") || line.ends_with(": Some(Span {") => hidden = Some(depth),
            None => push_folded(&mut lines, line, depth),
        }
    }
    lines.join("\n")
}

/// Adds a line; one that closes a bracket takes what is inside to the line of the opening one when that is short.
fn push_folded(lines: &mut Vec<String>, line: &str, depth: usize) {
    lines.push(line.to_owned());
    if !line.trim_start().starts_with(['}', ')', ']']) {
        return;
    }
    let indent = |line: &String| line.len() - line.trim_start().len();
    let Some(open) = lines[..lines.len() - 1].iter().rposition(|line| indent(line) == depth) else { return };
    let folded: Vec<&str> = lines[open..].iter().map(|line| line.trim()).collect();
    let folded = format!("{}{}", " ".repeat(depth), folded.join(" "));
    if folded.len() <= 150 {
        lines.truncate(open);
        lines.push(folded);
    }
}

/// Compares each case of a golden file with what comes out now.
fn golden(file: &str, now: impl Fn(&str) -> String) {
    let mut expected = String::new();
    let mut actual = String::new();
    let mut n_cases = 0;
    for case in file.split("=== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a case has a name");
        let (source, wanted) = rest.split_once("---\n").expect("a case has a text and an outcome");
        let _ = write!(expected, "=== {name}\n{source}---\n{}\n", wanted.trim_end());
        let _ = write!(actual, "=== {name}\n{source}---\n{}\n", now(source).trim_end());
        n_cases += 1;
    }
    assert!(n_cases > 5, "the file holds cases");
    assert!(expected == actual, "the outcome differs; the file would have to be:\n<<<<\n{actual}>>>>");
}

#[test]
fn trees_of_any_depth_are_refused_not_followed() {
    use crate::ast::{Expr, ExprKind, Item, ItemKind, Literal, RuleDecl, Tree, UnaryOp};
    let span = Span::new(0, 1);
    let mut condition = Expr { kind: ExprKind::Literal(Literal::Bool(true)), span };
    for _ in 0..2000 {
        condition = Expr { kind: ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(condition) }, span };
    }
    let name = crate::span::Spanned::new("deep".to_owned(), span);
    let kind = ItemKind::Rule(RuleDecl { name, params: Vec::new(), condition });
    let item = Item { docs: Vec::new(), attributes: Vec::new(), public: None, kind, span };
    let (program, diagnostics) = check(&Tree { items: vec![item], ..Tree::default() });
    assert!(program.is_none());
    assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["E0252"]);
}

#[test]
fn findings_are_counted_beyond_the_first() {
    let unknown = "route { to nowhere }\n".repeat(300);
    let (tree, _) =
        parse(&format!("edition 1\nupstream app {{ builtin: echo }}\nsite a.test {{\n{unknown}}}"));
    let (program, found) = check(&tree);
    let n_errors = found.iter().filter(|found| found.level == Level::Error).count();
    assert!(program.is_none());
    assert_eq!(n_errors, crate::limits::DIAGNOSTICS_MAX);
    let last = found.last().expect("findings");
    assert!(last.notes.iter().any(|note| note.contains("more findings")), "{last:?}");
}
