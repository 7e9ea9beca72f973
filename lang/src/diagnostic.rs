//! What the language crate has to say about a program: one value that every front end renders.
//!
//! A diagnostic is one sentence, the places it is about, and help. Style: lower case, no full stop, user text in
//! backticks, language words only. The programs render it for terminals, as JSON and for editors.

use crate::Span;
use crate::limits::DIAGNOSTICS_MAX;

/// How serious a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The program is not accepted.
    Error,
    /// The program is accepted and probably not what was meant.
    Warning,
    /// Something worth knowing.
    Info,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Seriousness.
    pub level: Level,
    /// Stable code such as `E0201`; `twpc explain CODE` describes it.
    pub code: &'static str,
    /// One sentence: lower case, no full stop.
    pub message: String,
    /// The place it is about, with an optional remark shown beside it.
    pub primary: Label,
    /// At most three further places.
    pub secondary: Vec<Label>,
    /// Facts that explain the finding.
    pub notes: Vec<String>,
    /// What to do.
    pub helps: Vec<Help>,
}

/// A place with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; empty for a bare underline.
    pub text: String,
}

/// An advice, with the edits that follow it where a machine can make them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The advice.
    pub text: String,
    /// Edits that apply it; empty when a person has to decide.
    pub patches: Vec<Patch>,
}

/// One edit of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The text to replace.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(Level::Error, code, message, span)
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::new(Level::Warning, code, message, span)
    }

    fn new(level: Level, code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self {
            level,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Adds a remark to the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place with a remark.
    pub fn with(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds an advice for a person.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(Help { text: text.into(), patches: Vec::new() });
        self
    }

    /// Adds an advice that a machine can follow by one edit.
    pub fn fix(mut self, text: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        let patches = vec![Patch { span, replacement: replacement.into() }];
        self.helps.push(Help { text: text.into(), patches });
        self
    }
}

/// Keeps the first errors and the first warnings of a sorted list, and says that there are more.
pub(crate) fn keep_first(diagnostics: &mut Vec<Diagnostic>) {
    let all = diagnostics.len();
    let (mut n_errors, mut n_others) = (0, 0);
    diagnostics.retain(|diagnostic| {
        // An error decides that there is no program, so warnings before it must not push it out.
        let n = if diagnostic.level == Level::Error { &mut n_errors } else { &mut n_others };
        *n += 1;
        *n <= DIAGNOSTICS_MAX
    });
    let left_out = all - diagnostics.len();
    if left_out > 0
        && let Some(last) = diagnostics.last_mut()
    {
        last.notes
            .push(format!("{left_out} more findings are not shown; these are the first {DIAGNOSTICS_MAX}"));
    }
}
