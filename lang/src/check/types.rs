//! Types: how they are written, shown and compared.

use super::Check;
use crate::Diagnostic;
use crate::ast::TypeName;
use crate::hir::Ty;
use crate::suggest::closest;
use std::fmt;

/// Types without arguments that can be written.
const SIMPLE: [(&str, Ty); 18] = [
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
];
/// Types with one argument.
const CONTAINERS: [&str; 4] = ["Option", "List", "Set", "Range"];
/// Types of the language that this version does not serve.
const LATER: [&str; 12] = [
    "Map",
    "Bytes",
    "HttpVersion",
    "Url",
    "Upstream",
    "Listener",
    "Keys",
    "Tls",
    "Policy",
    "Secret",
    "Claims",
    "Certificate",
];

/// The type as written, or [`Ty::Error`] with a report.
pub(super) fn read(ctx: &mut Check<'_>, written: &TypeName) -> Ty {
    let name = written.name.value.as_str();
    if LATER.contains(&name) {
        ctx.later(&format!("the type `{name}`"), written.span);
        return Ty::Error;
    }
    let simple = SIMPLE.into_iter().find(|(n, _)| *n == name).map(|(_, ty)| ty);
    let simple = simple.or((name == "Glob").then_some(Ty::Glob));
    let wants = usize::from(CONTAINERS.contains(&name));
    if simple.is_none() && wants == 0 {
        let mut found = Diagnostic::error("E0212", format!("unknown type `{name}`"), written.name.span);
        let known = SIMPLE.iter().map(|(n, _)| *n).chain(["Glob"]).chain(CONTAINERS);
        if let Some(similar) = closest(name, known) {
            found = found.fix(format!("did you mean `{similar}`?"), written.name.span, similar);
        }
        ctx.report(found);
        return Ty::Error;
    }
    if written.arguments.len() != wants {
        let message = if wants == 0 {
            format!("`{name}` takes no type in angle brackets")
        } else {
            format!("`{name}` needs one type in angle brackets")
        };
        ctx.report(Diagnostic::error("E0212", message, written.span));
        return Ty::Error;
    }
    if let Some(simple) = simple {
        return simple;
    }
    let inner = read(ctx, &written.arguments[0]);
    if inner == Ty::Error {
        return Ty::Error;
    }
    let is_container = matches!(inner, Ty::Option(_) | Ty::List(_) | Ty::Set(_) | Ty::Range(_));
    if is_container || (name == "Range" && !is_ordered(&inner)) {
        let message = format!("`{name}<{inner}>` is not a type");
        let what = if is_container {
            "options, lists, sets and ranges hold plain values"
        } else {
            "ranges hold numbers"
        };
        ctx.report(Diagnostic::error("E0212", message, written.span).note(what));
        return Ty::Error;
    }
    let inner = Box::new(inner);
    match name {
        "Option" => Ty::Option(inner),
        "List" => Ty::List(inner),
        "Set" => Ty::Set(inner),
        _ => Ty::Range(inner),
    }
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

/// Whether there is just one value of this type in a place, so it can be compared with `==`.
pub(super) fn is_plain(ty: &Ty) -> bool {
    !matches!(ty, Ty::Option(_) | Ty::List(_) | Ty::Set(_) | Ty::Range(_) | Ty::Regex | Ty::Glob)
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
            Ty::Option(inner) => write!(f, "Option<{inner}>"),
            Ty::List(inner) => write!(f, "List<{inner}>"),
            Ty::Set(inner) => write!(f, "Set<{inner}>"),
            Ty::Range(inner) => write!(f, "Range<{inner}>"),
            Ty::Error => f.write_str("a value"),
        }
    }
}
