//! Words as values: `least_conn`, `hash(client.ip)`. They are looked up where they stand and are no names in scope.

use super::super::{Check, render::render};
use super::value::{self, Got};
use crate::ast::{self, ExprKind};
use crate::catalogue::{Argument, Choice, Word};
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// A word with its arguments.
#[derive(Debug)]
pub(in super::super) struct Chosen {
    pub(in super::super) word: &'static str,
    arguments: Vec<(&'static str, Got)>,
}

impl Chosen {
    /// The value of an argument; a second question gets nothing.
    pub(in super::super) fn take(&mut self, name: &str) -> Option<Got> {
        let at = self.arguments.iter().position(|(argument, _)| *argument == name)?;
        Some(self.arguments.swap_remove(at).1)
    }

    /// The text of an argument.
    pub(in super::super) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Got::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// One word; notes it when it is not served while its setting is.
pub(in super::super) fn one(
    ctx: &mut Check<'_>,
    setting: &str,
    written: &ast::Expr,
    choice: &'static Choice,
    is_served: bool,
) -> Option<Chosen> {
    let (name, arguments) = match &written.kind {
        ExprKind::Name(name) => (name.clone(), None),
        ExprKind::Call { callee, arguments } => (render(callee), Some(arguments)),
        ExprKind::Error => {
            ctx.incomplete = true;
            return None;
        }
        _ => (render(written), None),
    };
    let Some(word) = choice.words.iter().find(|word| word.name == name) else {
        let shown: Vec<String> = choice.words.iter().map(Word::shown).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        let span = if let ExprKind::Call { callee, .. } = &written.kind { callee.span } else { written.span };
        not_one(ctx, &name, span, choice.what, &shown);
        return None;
    };
    let found = match arguments {
        Some(arguments) => self::arguments(ctx, word, arguments, written.span),
        None if word.arguments.iter().any(|argument| argument.required) => {
            missing(ctx, word, &[], written.span);
            None
        }
        None => Some(Vec::new()),
    };
    if is_served && !word.served {
        ctx.unserved(format!("`{setting}: {}`", word.shown()), written.span);
    }
    Some(Chosen { word: word.name, arguments: found? })
}

/// A list of words, each once.
pub(super) fn several(
    ctx: &mut Check<'_>,
    setting: &str,
    written: &ast::Expr,
    choice: &'static Choice,
    is_served: bool,
) -> Option<Vec<Chosen>> {
    let ExprKind::List(elements) = &written.kind else {
        let shown: Vec<String> = choice.words.iter().map(Word::shown).collect();
        ctx.report(
            Diagnostic::error("E0217", format!("`{setting}` is a list"), written.span)
                .help(format!("write `[{}]`", shown.join(", "))),
        );
        return None;
    };
    let mut found: Vec<(Chosen, Span)> = Vec::new();
    for element in elements {
        let Some(chosen) = one(ctx, setting, element, choice, is_served) else { continue };
        if let Some((_, first)) = found.iter().find(|(other, _)| other.word == chosen.word) {
            let message = format!("`{}` is named twice", chosen.word);
            ctx.report(Diagnostic::error("E0213", message, element.span).with(*first, "named here first"));
            continue;
        }
        found.push((chosen, element.span));
    }
    if elements.is_empty() {
        let message = format!("`{setting}` names nothing");
        ctx.report(Diagnostic::error("E0214", message, written.span));
    }
    Some(found.into_iter().map(|(chosen, _)| chosen).collect())
}

/// E0318: a word that is none of those that are possible. `what` completes "… is not".
pub(super) fn not_one(ctx: &mut Check<'_>, found: &str, span: Span, what: &str, words: &[&str]) {
    let possible = format!("possible: {}", words.join(", "));
    let bare = words.iter().map(|word| word.trim_end_matches("(…)"));
    let diagnostic = Diagnostic::error("E0318", format!("`{found}` is not {what}"), span);
    ctx.report(match closest(found, bare) {
        Some(similar) => diagnostic.fix(format!("did you mean `{similar}`? {possible}"), span, similar),
        None => diagnostic.help(possible),
    });
}

/// The arguments of a word: the first may stand without its name, all others have theirs.
fn arguments(
    ctx: &mut Check<'_>,
    word: &'static Word,
    written: &[ast::Argument],
    span: Span,
) -> Option<Vec<(&'static str, Got)>> {
    let n_errors = ctx.diagnostics.len();
    let mut found: Vec<(&'static str, Got)> = Vec::new();
    let mut named: Vec<&'static str> = Vec::new();
    for (at, argument) in written.iter().enumerate() {
        let Some(wanted) = argument_of(ctx, word, at, argument) else { continue };
        if named.contains(&wanted.name) {
            let message = format!("`{}` is given twice", wanted.name);
            ctx.report(Diagnostic::error("E0307", message, argument.value.span));
            continue;
        }
        named.push(wanted.name);
        let got = value::of_kind(ctx, wanted.name, &argument.value, wanted.kind, false);
        found.extend(got.map(|got| (wanted.name, got)));
    }
    if ctx.diagnostics.len() == n_errors && !ctx.incomplete {
        missing(ctx, word, &named, span);
    }
    (ctx.diagnostics.len() == n_errors).then_some(found)
}

/// E0307: arguments that have to be there.
fn missing(ctx: &mut Check<'_>, word: &'static Word, named: &[&str], span: Span) {
    let missing: Vec<String> = (word.arguments.iter())
        .filter(|argument| argument.required && !named.contains(&argument.name))
        .map(|argument| format!("`{}`", argument.name))
        .collect();
    if missing.is_empty() {
        return;
    }
    let all: Vec<String> = word.arguments.iter().map(|argument| format!("{}: …", argument.name)).collect();
    ctx.report(
        Diagnostic::error("E0307", format!("`{}` needs {}", word.name, missing.join(" and ")), span)
            .help(format!("write `{}({})`", word.name, all.join(", "))),
    );
}

fn argument_of(
    ctx: &mut Check<'_>,
    word: &'static Word,
    at: usize,
    argument: &ast::Argument,
) -> Option<&'static Argument> {
    let span = argument.value.span;
    let Some(name) = &argument.name else {
        if let (0, Some(first)) = (at, word.arguments.first()) {
            return Some(first);
        }
        let mut diagnostic = if word.arguments.is_empty() {
            Diagnostic::error("E0307", format!("`{}` takes no arguments", word.name), span)
        } else {
            Diagnostic::error("E0307", "arguments after the first are named", span)
        };
        if let Some(wanted) = word.arguments.get(at) {
            let text = format!("{}: ", wanted.name);
            diagnostic = diagnostic.fix(format!("write `{text}…`"), Span { end: span.start, ..span }, text);
        }
        ctx.report(diagnostic);
        return None;
    };
    let found = word.arguments.iter().find(|wanted| wanted.name == name.value);
    if found.is_none() {
        let message = format!("`{}` has no parameter `{}`", word.name, name.value);
        let mut diagnostic = Diagnostic::error("E0307", message, name.span);
        if let Some(similar) = closest(&name.value, word.arguments.iter().map(|wanted| wanted.name)) {
            diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), name.span, similar);
        }
        ctx.report(diagnostic);
    }
    found
}
