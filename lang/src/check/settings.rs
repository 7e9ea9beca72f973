//! Settings, read by the table of all settings: each known, in its place, once, and with a value of its type.
//!
//! What this version does not serve is checked like everything else and noted.

mod value;
mod word;

pub(super) use value::Got;
pub(super) use word::Chosen;

use super::Check;
use crate::ast::{Expr, ExprKind, Setting, SettingValue};
use crate::catalogue::{self, Block, Choice, Kind};
use crate::suggest::closest;
use crate::{Diagnostic, Span};

/// The settings of one block that are known, each once.
#[derive(Debug, Default)]
pub(super) struct Given {
    found: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    name: &'static str,
    span: Span,
    /// Nothing when the value was reported.
    got: Option<Got>,
}

impl Given {
    /// Where a setting stands, also when its value was reported.
    pub(super) fn place(&self, name: &str) -> Option<Span> {
        self.found.iter().find(|found| found.name == name).map(|found| found.span)
    }

    /// The value of a setting; a second question gets nothing.
    pub(super) fn take(&mut self, name: &str) -> Option<Got> {
        self.found.iter_mut().find(|found| found.name == name)?.got.take()
    }

    /// A Bool.
    pub(super) fn bool(&mut self, name: &str) -> Option<bool> {
        if let Got::Bool(value) = self.take(name)? { Some(value) } else { None }
    }

    /// A whole number.
    pub(super) fn int(&mut self, name: &str) -> Option<i64> {
        if let Got::Int(number) = self.take(name)? { Some(number) } else { None }
    }

    /// A size in bytes.
    pub(super) fn size(&mut self, name: &str) -> Option<u64> {
        if let Got::Size(bytes) = self.take(name)? { Some(bytes) } else { None }
    }

    /// A duration in milliseconds.
    pub(super) fn duration(&mut self, name: &str) -> Option<u64> {
        if let Got::Duration(ms) = self.take(name)? { Some(ms) } else { None }
    }

    /// Text, a path or a host.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        if let Got::Text(text) = self.take(name)? { Some(text) } else { None }
    }

    /// Networks; none when the setting is not there.
    pub(super) fn networks(&mut self, name: &str) -> Vec<crate::literal::Cidr> {
        if let Some(Got::Networks(networks)) = self.take(name) { networks } else { Vec::new() }
    }

    /// A word that takes no arguments.
    pub(super) fn word(&mut self, name: &str) -> Option<&'static str> {
        self.chosen(name).map(|chosen| chosen.word)
    }

    /// A word with its arguments.
    pub(super) fn chosen(&mut self, name: &str) -> Option<Chosen> {
        if let Got::Word(chosen) = self.take(name)? { Some(chosen) } else { None }
    }

    /// The settings inside a setting; none when it is not there.
    pub(super) fn block(&mut self, name: &str) -> Option<Given> {
        if let Got::Block(inner) = self.take(name)? { Some(inner) } else { None }
    }
}

/// A word that is a value by itself; what is not served is noted by who asks.
pub(super) fn word(
    ctx: &mut Check<'_>,
    setting: &str,
    written: &Expr,
    choice: &'static Choice,
) -> Option<Chosen> {
    word::one(ctx, setting, written, choice, false)
}

/// Reads the settings of a block; the others are reported. One whose value could not be parsed is a mistake already, so
/// nothing is said of its name.
pub(super) fn read<'s>(
    ctx: &mut Check<'_>,
    written: impl IntoIterator<Item = &'s Setting>,
    block: &'static Block,
) -> Given {
    inner(ctx, written, block, true)
}

/// `is_served` is false inside of what is noted as a whole.
fn inner<'s>(
    ctx: &mut Check<'_>,
    written: impl IntoIterator<Item = &'s Setting>,
    block: &'static Block,
    is_served: bool,
) -> Given {
    let mut given = Given::default();
    for setting in written {
        ctx.incomplete |= is_broken(setting);
        let (name, span) = (setting.name.value.as_str(), setting.name.span);
        let Some(entry) = block.setting(name) else {
            if !is_broken(setting) {
                unknown(ctx, name, span, block);
            }
            continue;
        };
        if let Some(first) = given.place(name) {
            ctx.report(
                Diagnostic::error("E0213", format!("`{name}` is set twice"), span)
                    .with(first, "set here first"),
            );
            continue;
        }
        // `tls: none` says what holds anyway, so the value decides.
        let is_noted = is_served && !entry.served && !matches!(entry.kind, Kind::Tls);
        if is_noted {
            ctx.unserved(format!("`{name}`"), span);
        }
        let got = value::read(ctx, setting, entry, is_served && entry.served);
        if is_served && matches!(&got, Some(Got::Tls(tls)) if *tls != crate::hir::Tls::None) {
            ctx.unserved(format!("`{name}`"), span);
        }
        given.found.push(Found { name: entry.name, span, got });
    }
    given
}

/// Whether something of a setting could not be parsed, which was reported.
pub(super) fn is_broken(setting: &Setting) -> bool {
    match &setting.value {
        SettingValue::Expr(value) => matches!(value.kind, ExprKind::Error),
        SettingValue::Block(settings) => settings.iter().any(is_broken),
    }
}

/// A setting that the block does not take: one of another block (E0219), a slip, or nothing at all (E0210).
fn unknown(ctx: &mut Check<'_>, name: &str, span: Span, block: &'static Block) {
    let places = catalogue::places_of(name);
    // What a group or route does not take is most often the site's.
    let is_inside = ["group", "routes", "route", "fallback"].contains(&block.name);
    let near = |place: &&&str| {
        place.starts_with(&format!("`{}` of", block.name)) || (is_inside && **place == catalogue::SITE.place)
    };
    let (place, others) = match places.as_slice() {
        [] => (None, false),
        places => (places.iter().find(near).or(places.first()), places.len() > 1),
    };
    if let Some(place) = place
        && !crate::parse::is_statement(name)
    {
        let diagnostic = Diagnostic::error("E0219", format!("`{name}` belongs to {place}"), span)
            .label(format!("this is {}", block.place));
        ctx.report(if others {
            diagnostic.note(format!("`{name}` stands in {}", places.join(", ")))
        } else {
            diagnostic
        });
        return;
    }
    let owner = format!("`{}`", block.name);
    let mut diagnostic = Diagnostic::error("E0210", format!("{owner} has no setting `{name}`"), span);
    if crate::parse::is_statement(name) {
        diagnostic = diagnostic.help(format!("`{name}` is a statement and stands without `:`"));
    } else if let Some(similar) = closest(name, block.names()) {
        diagnostic = diagnostic.fix(format!("did you mean `{similar}`?"), span, similar);
    } else {
        let names: Vec<&str> = block.names().collect();
        diagnostic = diagnostic.help(format!("possible: {}", names.join(", ")));
    }
    ctx.report(diagnostic);
}
