//! The syntax tree as text for people: one node per line, indented, with the bytes it was read from.

mod expr;
mod statement;
mod test;
mod text;

use crate::Span;
use crate::ast::{
    Attribute, Expr, Item, ItemKind, Named, Param, SecretSource, Setting, SettingValue, SiteItem, Tree, Use,
};
use std::fmt::Write as _;

/// Writes a tree, one node per line.
pub fn dump_ast(tree: &Tree) -> String {
    let mut out = Dump { text: String::new(), depth: 0 };
    tree.docs.iter().for_each(|line| out.line(None, &format!("//! {line}")));
    if let Some(edition) = &tree.edition {
        out.line(Some(edition.span), &format!("edition {}", edition.value));
    }
    tree.uses.iter().for_each(|used| out.used(used));
    for item in &tree.items {
        out.item(item);
    }
    out.text
}

struct Dump {
    text: String,
    depth: usize,
}

impl Dump {
    fn line(&mut self, span: Option<Span>, text: &str) {
        let blanks = self.depth * 2;
        // Writing to a String cannot fail.
        let _ = match span {
            Some(span) => writeln!(self.text, "{:blanks$}{text}  @{}..{}", "", span.start, span.end),
            None => writeln!(self.text, "{:blanks$}{text}", ""),
        };
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn used(&mut self, used: &Use) {
        self.leading(&[], &used.attributes);
        let names = used.names.as_deref().map(|names| format!(".{{{}}}", text::joined(names, ", ")));
        let (path, names) = (text::joined(&used.path, "."), names.unwrap_or_default());
        self.line(Some(used.span), &format!("use {path}{names}{}", text::named(used.alias.as_ref())));
    }

    fn leading(&mut self, docs: &[String], attributes: &[Attribute]) {
        for line in docs {
            self.line(None, &format!("/// {line}"));
        }
        for attribute in attributes {
            self.line(
                Some(attribute.name.span),
                &format!("@{}({})", attribute.name.value, attribute.argument.value),
            );
        }
    }

    fn item(&mut self, item: &Item) {
        self.leading(&item.docs, &item.attributes);
        if let Some(public) = item.public {
            self.line(Some(public), "pub");
        }
        let at = Some(item.span);
        match &item.kind {
            ItemKind::Server(settings) => self.settings(item.span, "server", settings),
            ItemKind::Listener(named) => self.named(item.span, "listener", named),
            ItemKind::Upstream(named) => self.named(item.span, "upstream", named),
            ItemKind::Const(decl) => {
                let ty = decl.ty.as_ref().map(|ty| format!(": {}", text::type_name(ty))).unwrap_or_default();
                self.with(at, &format!("const {}{ty}", decl.name.value), &[&decl.value]);
            }
            ItemKind::Env(decl) => {
                self.line(at, &format!("env {}: {}", decl.name.value, text::type_name(&decl.ty)));
                self.inside(|out| decl.default.iter().for_each(|value| out.expr(value)));
            }
            ItemKind::Secret(decl) => {
                let (from, place) = match &decl.source {
                    SecretSource::Env(name) => ("env", name),
                    SecretSource::File(path) => ("file", path),
                };
                self.line(at, &format!("secret {} from {from} {:?}", decl.name.value, place.value));
            }
            ItemKind::Enum(decl) => {
                let variants = text::joined(&decl.variants, ", ");
                self.line(at, &format!("enum {} {{ {variants} }}", decl.name.value));
            }
            ItemKind::Table(decl) => {
                let ty = text::type_name(&decl.ty);
                self.line(at, &format!("table {}: {ty} from {:?}", decl.name.value, decl.file.value));
            }
            ItemKind::Fn(decl) => {
                let (params, result) = (text::params(&decl.params), text::type_name(&decl.result));
                self.line(at, &format!("fn {}({params}) -> {result}", decl.name.value));
                self.defaults(&decl.params);
                self.inside(|out| out.expr(&decl.body));
            }
            ItemKind::Rule(decl) => {
                self.line(at, &format!("rule {}({})", decl.name.value, text::params(&decl.params)));
                self.defaults(&decl.params);
                self.inside(|out| out.expr(&decl.condition));
            }
            ItemKind::Policy(_)
            | ItemKind::Routes(_)
            | ItemKind::Site(_)
            | ItemKind::Stream(_)
            | ItemKind::Forward(_)
            | ItemKind::Test(_)
            | ItemKind::Invariant(_) => self.block(item),
            ItemKind::Error(_) => self.line(at, "error"),
        }
    }

    /// A declaration with a block that holds more than settings.
    fn block(&mut self, item: &Item) {
        let at = Some(item.span);
        match &item.kind {
            ItemKind::Policy(decl) => {
                self.line(at, &format!("policy {}({})", decl.name.value, text::params(&decl.params)));
                self.defaults(&decl.params);
                self.stmts(&decl.body);
            }
            ItemKind::Routes(decl) => {
                self.line(at, &format!("routes {}({})", decl.name.value, text::params(&decl.params)));
                self.defaults(&decl.params);
                self.site_items(&decl.items);
            }
            ItemKind::Site(site) => {
                let hosts: Vec<_> = site.hosts.iter().map(|pattern| text::host(&pattern.value)).collect();
                let on = match site.listeners.as_slice() {
                    [] => String::new(),
                    names => format!(" on {}", text::joined(names, ", ")),
                };
                self.line(at, &format!("site {}{on}", hosts.join(", ")));
                self.site_items(&site.items);
            }
            ItemKind::Stream(decl) => {
                let on = text::joined(&decl.listeners, ", ");
                self.line(at, &format!("stream {} on {on}", decl.name.value));
                self.site_items(&decl.items);
            }
            ItemKind::Forward(decl) => {
                let on = text::joined(&decl.listeners, ", ");
                self.line(at, &format!("forward {} on {on}", decl.name.value));
                self.site_items(&decl.items);
            }
            ItemKind::Test(decl) => {
                self.line(at, &format!("test {:?}", decl.name.value));
                self.inside(|out| decl.items.iter().for_each(|item| out.test_item(item)));
            }
            ItemKind::Invariant(decl) => {
                self.line(at, &format!("invariant {:?}", decl.name.value));
                self.inside(|out| decl.claims.iter().for_each(|claim| out.claim(claim)));
            }
            ItemKind::Server(_)
            | ItemKind::Const(_)
            | ItemKind::Env(_)
            | ItemKind::Secret(_)
            | ItemKind::Enum(_)
            | ItemKind::Table(_)
            | ItemKind::Fn(_)
            | ItemKind::Rule(_)
            | ItemKind::Listener(_)
            | ItemKind::Upstream(_)
            | ItemKind::Error(_) => {}
        }
    }

    fn defaults(&mut self, params: &[Param]) {
        let defaults = params.iter().filter_map(|param| param.default.as_ref());
        self.inside(|out| defaults.for_each(|default| out.expr(default)));
    }

    fn site_items(&mut self, items: &[SiteItem]) {
        self.inside(|out| items.iter().for_each(|item| out.site_item(item)));
    }

    fn named(&mut self, span: Span, word: &str, named: &Named) {
        self.settings(span, &format!("{word} {}", named.name.value), &named.settings);
    }

    fn settings(&mut self, span: Span, head: &str, settings: &[Setting]) {
        self.line(Some(span), head);
        self.inside(|out| settings.iter().for_each(|setting| out.setting(setting)));
    }

    fn setting(&mut self, setting: &Setting) {
        match &setting.value {
            SettingValue::Expr(value) => {
                self.line(Some(setting.span), &format!("{}:", setting.name.value));
                self.inside(|out| out.expr(value));
            }
            SettingValue::Block(settings) => self.settings(setting.span, &setting.name.value, settings),
        }
    }

    fn with(&mut self, span: Option<Span>, head: &str, values: &[&Expr]) {
        self.line(span, head);
        self.inside(|out| values.iter().for_each(|value| out.expr(value)));
    }
}
