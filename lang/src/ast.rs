//! The syntax tree: what was written, with places, before any name is looked up.
//!
//! The tree of a broken file holds `Error` nodes where a piece could not be parsed, so that checking goes on for
//! everything else and never complains about what is missing inside them. The tree holds all of edition 1; what this
//! version does not serve yet is refused by the checker, not here.

mod declaration;
mod expr;
mod path;
mod site;
mod statement;
mod test;

use crate::Span;
use crate::span::{Ident, Spanned};
pub use declaration::{
    ConstDecl, EnumDecl, EnvDecl, FnDecl, ForwardDecl, Named, Param, PolicyDecl, RoutesDecl, RuleDecl,
    SecretDecl, SecretSource, Setting, SettingValue, StreamDecl, TableDecl, TypeName,
};
pub use expr::{Argument, BinaryOp, Expr, ExprKind, Literal, TextPiece, UnaryOp};
pub use path::{Capture, CaptureKind, PathPattern, PathTemplate, PatternPart, PatternSegment, TemplatePart};
pub use site::{BodyItem, Fallback, Group, HostPattern, Mount, Route, SiteDecl, SiteItem};
pub use statement::{Arm, RedirectTarget, Stmt, StmtKind, Terminal, TerminalKind, UpstreamTarget};
pub use test::{
    Claim, Expected, ExpectedLocation, Gets, InvariantDecl, Outcome, Reaches, TestDecl, TestField, TestItem,
};

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tree {
    /// `edition 1`
    pub edition: Option<Spanned<i64>>,
    /// Lines of `//!` at its start, without the marks.
    pub docs: Vec<String>,
    /// What it takes from other modules.
    pub uses: Vec<Use>,
    /// Items in the order of the text.
    pub items: Vec<Item>,
}

/// `use std.security.{baseline, hsts}`, `use self.nets as nets`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// `@name(argument, "reason")` before it.
    pub attributes: Vec<Attribute>,
    /// The module, or a thing of one; at least one part.
    pub path: Vec<Ident>,
    /// The things in braces; `None` without braces.
    pub names: Option<Vec<Ident>>,
    /// The name after `as`.
    pub alias: Option<Ident>,
    /// All of it.
    pub span: Span,
}

impl Use {
    /// The names that it brings into the file.
    pub fn declared(&self) -> &[Ident] {
        match (&self.alias, &self.names) {
            (Some(alias), _) => std::slice::from_ref(alias),
            (None, Some(names)) => names,
            (None, None) => self.path.last().map_or(&[], std::slice::from_ref),
        }
    }
}

/// A name, or a name of another module: `app`, `billing.api`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModPath {
    /// Its words; at least one.
    pub parts: Vec<Ident>,
    /// All of it.
    pub span: Span,
}

impl ModPath {
    /// The name, when it is one of this file.
    pub fn as_name(&self) -> Option<&Ident> {
        match self.parts.as_slice() {
            [name] => Some(name),
            _ => None,
        }
    }
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Lines of `///` before it, without the marks.
    pub docs: Vec<String>,
    /// `@name(argument, "reason")` before it.
    pub attributes: Vec<Attribute>,
    /// Where `pub` stands before it.
    pub public: Option<Span>,
    /// What is declared.
    pub kind: ItemKind,
    /// All of it, from the keyword to the closing brace.
    pub span: Span,
}

/// `@allow(lint, "reason")`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// `allow`
    pub name: Ident,
    /// The lint.
    pub argument: Ident,
    /// The reason.
    pub reason: Option<Spanned<String>>,
}

/// The kinds of top-level declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `server { … }`
    Server(Vec<Setting>),
    /// `const name: Ty = expr`
    Const(ConstDecl),
    /// `env NAME: Ty = default`
    Env(EnvDecl),
    /// `secret name from file "path"`
    Secret(SecretDecl),
    /// `enum Name { variants }`
    Enum(EnumDecl),
    /// `table name: Ty from "file"`
    Table(TableDecl),
    /// `fn name(params) -> Ty = expr`
    Fn(FnDecl),
    /// `rule name(params) = expr`
    Rule(RuleDecl),
    /// `policy name(params) { … }`
    Policy(PolicyDecl),
    /// `routes name(params) { … }`
    Routes(RoutesDecl),
    /// `listener name { … }`
    Listener(Named),
    /// `upstream name { … }`
    Upstream(Named),
    /// `site hosts on listeners { … }`
    Site(SiteDecl),
    /// `stream name on listeners { … }`
    Stream(StreamDecl),
    /// `forward name on listeners { … }`
    Forward(ForwardDecl),
    /// `test "name" { … }`
    Test(TestDecl),
    /// `invariant "name" { … }`
    Invariant(InvariantDecl),
    /// A declaration that could not be parsed, with its name if that could; it was reported.
    Error(Option<Ident>),
}

impl ItemKind {
    /// The name it declares; names of tests and invariants are texts and declare nothing.
    pub fn declared(&self) -> Option<&Ident> {
        match self {
            ItemKind::Const(decl) => Some(&decl.name),
            ItemKind::Env(decl) => Some(&decl.name),
            ItemKind::Secret(decl) => Some(&decl.name),
            ItemKind::Enum(decl) => Some(&decl.name),
            ItemKind::Table(decl) => Some(&decl.name),
            ItemKind::Fn(decl) => Some(&decl.name),
            ItemKind::Rule(decl) => Some(&decl.name),
            ItemKind::Policy(decl) => Some(&decl.name),
            ItemKind::Routes(decl) => Some(&decl.name),
            ItemKind::Listener(decl) | ItemKind::Upstream(decl) => Some(&decl.name),
            ItemKind::Stream(decl) => Some(&decl.name),
            ItemKind::Forward(decl) => Some(&decl.name),
            ItemKind::Error(name) => name.as_ref(),
            ItemKind::Server(_) | ItemKind::Site(_) | ItemKind::Test(_) | ItemKind::Invariant(_) => None,
        }
    }
}
