//! Documentation comments: kept with the place of what they are about.

use crate::Span;
use crate::ast::{ItemKind, SiteItem, Tree};
use crate::hir::Doc;

/// The documentation of everything in the modules, in the order of their numbers and of the text.
pub(super) fn collect<'t>(modules: impl Iterator<Item = &'t Tree>) -> Vec<Doc> {
    let mut docs = Vec::new();
    for item in modules.flat_map(|tree| &tree.items) {
        let of = item.kind.declared().map_or(item.span, |name| name.span);
        add(&mut docs, of, &item.docs);
        match &item.kind {
            ItemKind::Site(decl) => inside(&decl.items, &mut docs),
            ItemKind::Routes(decl) => inside(&decl.items, &mut docs),
            ItemKind::Stream(decl) => inside(&decl.items, &mut docs),
            ItemKind::Forward(decl) => inside(&decl.items, &mut docs),
            ItemKind::Server(_)
            | ItemKind::Const(_)
            | ItemKind::Env(_)
            | ItemKind::Secret(_)
            | ItemKind::Enum(_)
            | ItemKind::Table(_)
            | ItemKind::Fn(_)
            | ItemKind::Rule(_)
            | ItemKind::Policy(_)
            | ItemKind::Listener(_)
            | ItemKind::Upstream(_)
            | ItemKind::Test(_)
            | ItemKind::Invariant(_)
            | ItemKind::Error(_) => {}
        }
    }
    docs.sort_by_key(|doc| (doc.of.source, doc.of.start));
    docs
}

fn inside(items: &[SiteItem], docs: &mut Vec<Doc>) {
    let mut open: Vec<&SiteItem> = items.iter().collect();
    while let Some(item) = open.pop() {
        match item {
            SiteItem::Route(route) => add(docs, route.head, &route.docs),
            SiteItem::Group(group) => {
                add(docs, group.head, &group.docs);
                open.extend(&group.items);
            }
            SiteItem::Mount(mount) => add(docs, mount.span, &mount.docs),
            SiteItem::Fallback(_) | SiteItem::Stmt(_) | SiteItem::Setting(_) | SiteItem::Error(_) => {}
        }
    }
}

fn add(docs: &mut Vec<Doc>, of: Span, lines: &[String]) {
    if !lines.is_empty() {
        docs.push(Doc { of, lines: lines.to_vec() });
    }
}
