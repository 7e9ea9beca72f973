//! Types: how they are written, shown and compared.

use super::{Check, enums};
use crate::Diagnostic;
use crate::ast::TypeName;
use crate::hir::Ty;
use std::fmt;

/// Types without arguments that can be written.
const SIMPLE: [(&str, Ty); 19] = [
    ("Bool", Ty::Bool),
    ("Int", Ty::Int),
    ("String", Ty::String),
    ("RawString", Ty::RawString),
    ("Duration", Ty::Duration),
    ("Size", Ty::Size),
    ("Rate", Ty::Rate),
    ("Percent", Ty::Percent),
    ("Status", Ty::Status),
    ("Port", Ty::Port),
    ("Method", Ty::Method),
    ("Scheme", Ty::Scheme),
    ("Ip", Ty::Ip),
    ("Cidr", Ty::Cidr),
    ("Endpoint", Ty::Endpoint),
    ("Host", Ty::Host),
    ("Path", Ty::Path),
    ("Regex", Ty::Regex),
    ("Upstream", Ty::Upstream),
];
/// Types with arguments, and how many.
const CONTAINERS: [(&str, usize); 5] = [("Option", 1), ("List", 1), ("Set", 1), ("Range", 1), ("Map", 2)];
/// Types of the language that this version does not serve.
const LATER: [&str; 10] =
    ["Bytes", "HttpVersion", "Url", "Listener", "Keys", "Tls", "Policy", "Secret", "Claims", "Certificate"];

/// The type as written, or [`Ty::Error`] with a report.
pub(super) fn read(ctx: &mut Check<'_>, written: &TypeName) -> Ty {
    let name = written.name.value.as_str();
    if written.module.is_some() {
        return declared(ctx, written);
    }
    if LATER.contains(&name) {
        ctx.later(&format!("the type `{name}`"), written.span);
        return Ty::Error;
    }
    let simple = SIMPLE.into_iter().find(|(n, _)| *n == name).map(|(_, ty)| ty);
    let simple = simple.or((name == "Glob").then_some(Ty::Glob));
    let wants = CONTAINERS.iter().find(|(container, _)| *container == name).map_or(0, |(_, wants)| *wants);
    let simple = match simple {
        None if wants == 0 => match enums::named(ctx, written) {
            Some(found) => Some(found),
            None => return Ty::Error,
        },
        simple => simple,
    };
    if written.arguments.len() != wants {
        let message = match wants {
            0 => format!("`{name}` takes no type in angle brackets"),
            1 => format!("`{name}` needs one type in angle brackets"),
            _ => format!("`{name}` needs two types in angle brackets: of keys and of values"),
        };
        ctx.report(Diagnostic::error("E0212", message, written.span));
        return Ty::Error;
    }
    if let Some(simple) = simple {
        return simple;
    }
    let inner: Vec<Ty> = written.arguments.iter().map(|argument| read(ctx, argument)).collect();
    match inner.as_slice() {
        inner if inner.contains(&Ty::Error) => Ty::Error,
        [key, value] => map(ctx, key, value, written),
        [inner] => container(ctx, name, inner, written),
        _ => Ty::Error,
    }
}

/// A type of another module.
fn declared(ctx: &mut Check<'_>, written: &TypeName) -> Ty {
    let Some(found) = enums::named(ctx, written) else { return Ty::Error };
    if !written.arguments.is_empty() {
        let message = format!("`{}` takes no type in angle brackets", written.name.value);
        ctx.report(Diagnostic::error("E0212", message, written.span));
        return Ty::Error;
    }
    found
}

fn container(ctx: &mut Check<'_>, name: &str, inner: &Ty, written: &TypeName) -> Ty {
    let is_container =
        matches!(inner, Ty::Option(_) | Ty::List(_) | Ty::Set(_) | Ty::Range(_) | Ty::Map(..) | Ty::Upstream);
    if is_container || (name == "Range" && !is_ordered(inner)) {
        let message = format!("`{name}<{inner}>` is not a type");
        let what = if is_container {
            "options, lists, sets and ranges hold plain values"
        } else {
            "ranges hold numbers"
        };
        ctx.report(Diagnostic::error("E0212", message, written.span).note(what));
        return Ty::Error;
    }
    let inner = Box::new(inner.clone());
    match name {
        "Option" => Ty::Option(inner),
        "List" => Ty::List(inner),
        "Set" => Ty::Set(inner),
        _ => Ty::Range(inner),
    }
}

fn map(ctx: &mut Check<'_>, key: &Ty, value: &Ty, written: &TypeName) -> Ty {
    match no_map(key, value) {
        None => Ty::Map(Box::new(key.clone()), Box::new(value.clone())),
        Some((which, note)) => {
            let message = format!("`Map<{key}, {value}>` is not a type");
            ctx.report(Diagnostic::error("E0212", message, written.arguments[which].span).note(note));
            Ty::Error
        }
    }
}

/// Why there is no map of these types: whether key (0) or value (1) cannot be one, and what can.
pub(super) fn no_map(key: &Ty, value: &Ty) -> Option<(usize, &'static str)> {
    if !is_key(key) {
        Some((0, "keys of maps are texts, words, addresses and whole numbers"))
    } else if *value == Ty::Bool {
        Some((1, "a map to Bool is a set: declare `Set` and ask with `in`"))
    } else if !is_stored(value) {
        Some((1, "values of maps are texts, words and numbers"))
    } else {
        None
    }
}

/// Whether values can be keys of maps.
pub(super) fn is_key(ty: &Ty) -> bool {
    is_word(ty) || matches!(ty, Ty::Int | Ty::Status | Ty::Port | Ty::Ip)
}

/// Whether maps and lists can be asked for values of this type.
pub(super) fn is_stored(ty: &Ty) -> bool {
    let is_number = matches!(ty, Ty::Int | Ty::Status | Ty::Port | Ty::Duration | Ty::Size | Ty::Percent);
    is_number || is_word(ty)
}

/// Whether values are texts, whatever may be done with them.
fn is_word(ty: &Ty) -> bool {
    is_text(ty) || matches!(ty, Ty::Method | Ty::Scheme | Ty::Enum(_))
}

/// Names of types that can be written, apart from declared ones.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SIMPLE.iter().map(|(name, _)| *name).chain(["Glob"]).chain(CONTAINERS.iter().map(|(name, _)| *name))
}

/// Whether a value of type `found` may stand where `wanted` is wanted, without any conversion of it. What was
/// reported agrees with everything.
pub(super) fn agrees(found: &Ty, wanted: &Ty) -> bool {
    match (found, wanted) {
        (Ty::Error, _) | (_, Ty::Error) | (Ty::String, Ty::RawString) => true,
        (Ty::Option(a), Ty::Option(b))
        | (Ty::List(a), Ty::List(b))
        | (Ty::Set(a), Ty::Set(b))
        | (Ty::Range(a), Ty::Range(b)) => agrees(a, b),
        (Ty::Map(key, value), Ty::Map(wanted_key, wanted_value)) => {
            agrees(key, wanted_key) && agrees(value, wanted_value)
        }
        (found, wanted) => found == wanted,
    }
}

/// The type inside an Option, else the type itself.
pub(super) fn present(ty: &Ty) -> &Ty {
    match ty {
        Ty::Option(inner) => inner,
        other => other,
    }
}

/// Whether values are compared by `<` and its like, and make ranges.
pub(super) fn is_ordered(ty: &Ty) -> bool {
    matches!(ty, Ty::Int | Ty::Duration | Ty::Size | Ty::Percent | Ty::Status | Ty::Port | Ty::Error)
}

/// Whether values are text that `matches` and its like work on.
pub(super) fn is_text(ty: &Ty) -> bool {
    matches!(ty, Ty::String | Ty::RawString | Ty::Path | Ty::Host | Ty::Error)
}

/// Whether words are looked up among the values of this type before they are names.
pub(super) fn has_words(ty: &Ty) -> bool {
    matches!(ty, Ty::Enum(_))
}

/// Whether there is just one value of this type in a place, so it can be compared with `==`.
pub(super) fn is_plain(ty: &Ty) -> bool {
    !matches!(
        ty,
        Ty::Option(_)
            | Ty::List(_)
            | Ty::Set(_)
            | Ty::Range(_)
            | Ty::Map(..)
            | Ty::Regex
            | Ty::Glob
            | Ty::Upstream
    )
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Bool => f.write_str("Bool"),
            Ty::Int => f.write_str("Int"),
            Ty::String => f.write_str("String"),
            Ty::RawString => f.write_str("RawString"),
            Ty::Duration => f.write_str("Duration"),
            Ty::Size => f.write_str("Size"),
            Ty::Rate => f.write_str("Rate"),
            Ty::Percent => f.write_str("Percent"),
            Ty::Status => f.write_str("Status"),
            Ty::Port => f.write_str("Port"),
            Ty::Method => f.write_str("Method"),
            Ty::Scheme => f.write_str("Scheme"),
            Ty::Ip => f.write_str("Ip"),
            Ty::Cidr => f.write_str("Cidr"),
            Ty::Endpoint => f.write_str("Endpoint"),
            Ty::Host => f.write_str("Host"),
            Ty::Path => f.write_str("Path"),
            Ty::Regex => f.write_str("Regex"),
            Ty::Glob => f.write_str("Glob"),
            Ty::Upstream => f.write_str("Upstream"),
            Ty::Option(inner) => write!(f, "Option<{inner}>"),
            Ty::List(inner) => write!(f, "List<{inner}>"),
            Ty::Set(inner) => write!(f, "Set<{inner}>"),
            Ty::Range(inner) => write!(f, "Range<{inner}>"),
            Ty::Map(key, value) => write!(f, "Map<{key}, {value}>"),
            Ty::Enum(declared) => f.write_str(&declared.name),
            Ty::Error => f.write_str("a value"),
        }
    }
}
