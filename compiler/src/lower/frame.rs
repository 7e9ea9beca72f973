//! What is being inlined: its arguments, the names that its captures get, and the chain that led to it.

use super::expr::Lowering;
use crate::core::SegmentPattern;
use std::rc::Rc;
use twp_lang::{Span, hir};

/// The arguments of what is being inlined and where they themselves stand.
pub(super) struct Env<'a> {
    pub(super) args: &'a [hir::Expr],
    pub(super) outer: Frame<'a>,
    /// What distinguishes captures of a mount from those around it.
    label: String,
    /// Captures around a mount, which what is mounted does not see.
    taken: Vec<String>,
}

/// What parameters stand for; nothing outside of what is inlined.
pub(super) type Frame<'a> = Option<Rc<Env<'a>>>;

impl<'a> Env<'a> {
    /// The arguments of a rule, function, policy or mount.
    pub(super) fn new(args: &'a [hir::Expr], outer: Frame<'a>) -> Self {
        Env { args, outer, label: String::new(), taken: Vec::new() }
    }

    /// What is mounted does not see the captures around it, so its own may have the same names.
    pub(super) fn with_captures(self, label: &str, taken: &[String]) -> Self {
        Env { label: label.to_owned(), taken: taken.to_vec(), ..self }
    }
}

/// The name that a capture has in the path of a route.
pub(super) fn capture(frame: &Frame<'_>, name: &str) -> String {
    match frame {
        Some(env) if env.taken.iter().any(|taken| taken == name) => format!("{}{name}", env.label),
        Some(_) | None => name.to_owned(),
    }
}

impl Lowering<'_> {
    /// The name that a capture of the current block has in the path of a route.
    pub(super) fn capture(&self, name: &str) -> String {
        capture(&self.frame, name)
    }

    /// A segment of a pattern with the name that its capture has.
    pub(super) fn segment(&self, segment: &SegmentPattern) -> SegmentPattern {
        match segment {
            SegmentPattern::Literal(_) => segment.clone(),
            SegmentPattern::Capture { name, ty, prefix, suffix } => SegmentPattern::Capture {
                name: self.capture(name),
                ty: ty.clone(),
                prefix: prefix.clone(),
                suffix: suffix.clone(),
            },
        }
    }
}

/// Rules, policies and mounts that are being inlined in each other, outermost first, each with its use when that is a
/// statement or mount.
#[derive(Default)]
pub(super) struct Chain<'a> {
    links: Vec<(&'a str, Option<Span>)>,
}

/// Names of a chain that are shown.
const SHOWN_MAX: usize = 6;

impl<'a> Chain<'a> {
    /// Goes into something.
    pub(super) fn enter(&mut self, name: &'a str, span: Option<Span>) {
        self.links.push((name, span));
    }

    /// Leaves what was entered last.
    pub(super) fn leave(&mut self) {
        self.links.pop();
    }

    /// How many things are being inlined in each other.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// The use of a policy or mount that is written in a site and led here.
    pub(super) fn outermost(&self) -> Option<Span> {
        self.links.first()?.1
    }

    /// What is inlined in what, for a person: the ends of the chain when it is long.
    pub(super) fn path(&self) -> Option<String> {
        let names: Vec<String> = self.links.iter().map(|(name, _)| format!("`{name}`")).collect();
        match names.as_slice() {
            [] | [_] => None,
            [first @ .., last] if names.len() > SHOWN_MAX => Some(format!(
                "it grows along {} → … → {last}, {} levels",
                first[..SHOWN_MAX - 1].join(" → "),
                names.len()
            )),
            all => Some(format!("it grows along {}", all.join(" → "))),
        }
    }
}
