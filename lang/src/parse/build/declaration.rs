//! Declarations that are read whole, and the head of the file.

use super::{Build, Node, parts};
use crate::Span;
use crate::ast::{
    ConstDecl, EnumDecl, EnvDecl, FnDecl, Item, ItemKind, RuleDecl, SecretDecl, SecretSource, TableDecl, Use,
};
use crate::parse::grammar::Rule;

impl<'t> Build<'t> {
    pub(in crate::parse) fn use_decl(&mut self, node: Node<'t>) -> Use {
        let whole = self.span(&node);
        let (mut docs, mut attributes, mut start) = (Vec::new(), Vec::new(), None);
        let (mut path, mut names, mut alias, mut in_alias) = (Vec::new(), None, None, false);
        for part in node.into_inner() {
            if self.leading(&part, &mut docs, &mut attributes) {
                continue;
            }
            start.get_or_insert(self.span(&part));
            match part.as_rule() {
                Rule::mod_path => path = self.words(part),
                Rule::open_brace => names = Some(Vec::new()),
                Rule::k_as => in_alias = true,
                Rule::ident | Rule::tident if in_alias => alias = Some(self.ident(&part)),
                Rule::ident | Rule::tident => names.get_or_insert_default().push(self.ident(&part)),
                _ => {}
            }
        }
        let span = start.map_or(whole, |start| Span { start: start.start, ..whole });
        Use { attributes, path, names, alias, span }
    }

    /// A declaration without parts of its own.
    pub(in crate::parse) fn item(&mut self, node: Node<'t>) -> Item {
        let whole = self.span(&node);
        let (mut docs, mut attributes, mut public) = (Vec::new(), Vec::new(), None);
        let mut kind = ItemKind::Error(None);
        let mut start = None;
        for part in parts(node) {
            if self.leading(&part, &mut docs, &mut attributes) {
                continue;
            }
            start.get_or_insert(self.span(&part));
            if part.as_rule() == Rule::k_pub {
                public = Some(self.span(&part));
            } else {
                kind = self.declaration(part).unwrap_or(ItemKind::Error(None));
            }
        }
        let span = start.map_or(whole, |start| Span { start: start.start, ..whole });
        Item { docs, attributes, public, kind, span }
    }

    fn declaration(&mut self, node: Node<'t>) -> Option<ItemKind> {
        match node.as_rule() {
            Rule::const_decl => self.const_decl(node),
            Rule::env_decl => self.env_decl(node),
            Rule::secret_decl => self.secret_decl(node),
            Rule::enum_decl => self.enum_decl(node),
            Rule::table_decl => self.table_decl(node),
            Rule::fn_decl => self.fn_decl(node),
            Rule::rule_decl => self.rule_decl(node),
            // The others have blocks and are read part by part.
            _ => None,
        }
    }

    fn const_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut ty, mut value) = (None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::ty => ty = self.type_name(part),
                Rule::expr => value = Some(self.expr(part)),
                _ => {}
            }
        }
        Some(ItemKind::Const(ConstDecl { name: name?, ty, value: value? }))
    }

    fn env_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut ty, mut default) = (None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::uident => name = Some(self.ident(&part)),
                Rule::ty => ty = self.type_name(part),
                Rule::expr => default = Some(self.expr(part)),
                _ => {}
            }
        }
        Some(ItemKind::Env(EnvDecl { name: name?, ty: ty?, default }))
    }

    fn secret_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut of_file, mut text) = (None, false, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::k_file => of_file = true,
                Rule::string => text = Some(self.fixed_text(part)),
                _ => {}
            }
        }
        let source = if of_file { SecretSource::File(text?) } else { SecretSource::Env(text?) };
        Some(ItemKind::Secret(SecretDecl { name: name?, source }))
    }

    fn enum_decl(&self, node: Node<'t>) -> Option<ItemKind> {
        let mut words = parts(node).skip(1).map(|word| self.ident(&word));
        let name = words.next()?;
        Some(ItemKind::Enum(EnumDecl { name, variants: words.collect() }))
    }

    fn table_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut ty, mut file) = (None, None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::ty => ty = self.type_name(part),
                Rule::string => file = Some(self.fixed_text(part)),
                _ => {}
            }
        }
        Some(ItemKind::Table(TableDecl { name: name?, ty: ty?, file: file? }))
    }

    fn fn_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut params, mut result, mut body) = (None, Vec::new(), None, None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::params => params = self.params(part),
                Rule::ty => result = self.type_name(part),
                Rule::expr => body = Some(self.expr(part)),
                _ => {}
            }
        }
        Some(ItemKind::Fn(FnDecl { name: name?, params, result: result?, body: body? }))
    }

    fn rule_decl(&mut self, node: Node<'t>) -> Option<ItemKind> {
        let (mut name, mut params, mut condition) = (None, Vec::new(), None);
        for part in parts(node) {
            match part.as_rule() {
                Rule::ident => name = Some(self.ident(&part)),
                Rule::params => params = self.params(part),
                Rule::expr => condition = Some(self.expr(part)),
                _ => {}
            }
        }
        Some(ItemKind::Rule(RuleDecl { name: name?, params, condition: condition? }))
    }
}
