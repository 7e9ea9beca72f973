//! `use`: which names a module takes from others.

use super::Check;
use super::names::{self, Kind, Name, Wanted};
use crate::ast::{Item, ItemKind, Use};
use crate::span::Ident;
use crate::{Diagnostic, Level, Span};

/// Binds the names that the `use`s of a module bring, before it is known what they stand for.
pub(super) fn bind(ctx: &mut Check<'_>, module: usize) {
    let tree = ctx.modules[module].tree;
    for (number, used) in tree.uses.iter().enumerate() {
        let link = ctx.modules[module].uses.get(number).copied();
        if link.is_none() {
            ctx.report(
                Diagnostic::error("E0207", "there are no modules here", used.span)
                    .label("this program is one text, without files beside it"),
            );
        }
        let link = link.flatten();
        if link.is_none() {
            // It was reported that there is no such module.
            ctx.incomplete = true;
        }
        if let (Some(alias), Some(names)) = (&used.alias, &used.names)
            && names.len() > 1
        {
            ctx.report(
                Diagnostic::error("E0207", "`as` gives one name, and these are several", alias.span)
                    .help("write one `use` for each"),
            );
        }
        // `use self` alone was reported, and names nothing.
        for name in used.declared().iter().filter(|_| link.is_some() || used.path.len() > 1) {
            if names::reserve(ctx, name) {
                let kind = match (link, &used.names) {
                    (Some(module), None) => Kind::Module(module),
                    _ => Kind::Later,
                };
                let found = Name {
                    span: name.span,
                    declared: name.span,
                    kind,
                    is_public: false,
                    is_import: true,
                    used: false,
                };
                ctx.names.insert(name.span.source, &name.value, found);
            }
        }
    }
}

/// Finds what each name in braces stands for, now that all modules have been collected.
pub(super) fn resolve(ctx: &mut Check<'_>) {
    for module in 0..ctx.modules.len() {
        let tree = ctx.modules[module].tree;
        for (number, used) in tree.uses.iter().enumerate() {
            let link = ctx.modules[module].uses.get(number).copied().flatten();
            if let (Some(target), Some(names)) = (link, &used.names) {
                for name in names {
                    item(ctx, used, target, name);
                }
            }
        }
    }
}

fn item(ctx: &mut Check<'_>, used: &Use, target: u16, name: &Ident) {
    let local = used.alias.as_ref().unwrap_or(name);
    let is_marked = ctx.names.peek(target, &name.value).is_some_and(|found| found.used);
    let wanted = Wanted { what: "name", code: "E0202", is_it: |_| true };
    let Some(found) = names::member(ctx, target, name, wanted) else { return };
    let mine = ctx.names.peek(local.span.source, &local.value).filter(|mine| mine.span == local.span);
    let Some(mine) = mine else { return };
    let resolved = Name { kind: found.kind, declared: found.declared, ..mine };
    ctx.names.insert(local.span.source, &local.value, resolved);
    // Taking something is no use of it; using the name that was taken is.
    ctx.names.insert(target, &name.value, Name { used: is_marked, ..found });
}

/// L0203: names that a module takes and does not use. Only said of programs that are sound.
pub(super) fn unused(ctx: &mut Check<'_>) {
    if ctx.incomplete || ctx.diagnostics.iter().any(|d| d.level == Level::Error) {
        return;
    }
    let contributing = contributing(ctx);
    let is_contributing = |link: Option<u16>| {
        link.and_then(|module| contributing.get(usize::from(module))).is_some_and(|yes| *yes)
    };
    let mut found = Vec::new();
    for module in ctx.modules.iter().filter(|module| !module.is_std()) {
        for (number, used) in module.tree.uses.iter().enumerate() {
            // Its sites are served whether or not something names it.
            if used.names.is_none() && is_contributing(module.uses.get(number).copied().flatten()) {
                continue;
            }
            let names = used.declared();
            let is_unused = |name: &&Ident| {
                ctx.names.peek(name.span.source, &name.value).is_some_and(|known| !known.used)
            };
            let unused: Vec<&Ident> = names.iter().filter(is_unused).collect();
            if unused.len() == names.len() && !names.is_empty() {
                found.push(whole(used, &unused));
            } else {
                found.extend(unused.into_iter().map(|name| one_of(names, name)));
            }
        }
    }
    ctx.diagnostics.extend(found);
}

/// Which modules have, or use others that have, something that counts without being named.
fn contributing(ctx: &Check<'_>) -> Vec<bool> {
    let counts = |item: &Item| {
        matches!(
            item.kind,
            ItemKind::Site(_) | ItemKind::Stream(_) | ItemKind::Forward(_) | ItemKind::Invariant(_)
        )
    };
    let mut found: Vec<bool> =
        ctx.modules.iter().map(|module| module.tree.items.iter().any(counts)).collect();
    loop {
        let of_uses = |uses: &[Option<u16>]| uses.iter().flatten().any(|module| found[usize::from(*module)]);
        let next: Vec<bool> =
            ctx.modules.iter().zip(&found).map(|(module, own)| *own || of_uses(module.uses)).collect();
        if next == found {
            return found;
        }
        found = next;
    }
}

fn whole(used: &Use, unused: &[&Ident]) -> Diagnostic {
    let (message, span) = match unused {
        [name] => (format!("`{}` is taken from another module and never used", name.value), name.span),
        _ => ("nothing of this `use` is ever used".to_owned(), used.span),
    };
    Diagnostic::warning("L0203", message, span).fix("remove the `use`", used.span, "")
}

/// One name among others in braces: goes with the comma behind or before it.
fn one_of(names: &[Ident], unused: &Ident) -> Diagnostic {
    let message = format!("`{}` is taken from another module and never used", unused.value);
    let at = names.iter().position(|name| name.span == unused.span).unwrap_or(0);
    let span = match (names.get(at + 1), at.checked_sub(1).and_then(|before| names.get(before))) {
        (Some(next), _) => Span { end: next.span.start, ..unused.span },
        (None, Some(before)) => Span { start: before.span.end, ..unused.span },
        (None, None) => unused.span,
    };
    Diagnostic::warning("L0203", message, unused.span).fix("remove it", span, "")
}
