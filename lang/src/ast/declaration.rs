//! Declarations that give something a name, and settings.

use super::{Expr, SiteItem, Stmt};
use crate::Span;
use crate::span::{Ident, Spanned};

/// `const name: Ty = value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstDecl {
    /// Its name.
    pub name: Ident,
    /// The written type.
    pub ty: Option<TypeName>,
    /// Its value.
    pub value: Expr,
}

/// `rule name(params) = condition`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its condition.
    pub condition: Expr,
}

/// `name: Ty = default`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// Its default.
    pub default: Option<Expr>,
}

/// A written type: `Set<Cidr>`, `plans.Tier`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The module that declares it, when it is another one.
    pub module: Option<Ident>,
    /// The outer name.
    pub name: Ident,
    /// Arguments in angle brackets.
    pub arguments: Vec<TypeName>,
    /// All of it.
    pub span: Span,
}

/// A named declaration that consists of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: Ident,
    /// Its settings.
    pub settings: Vec<Setting>,
}

/// `name: value` or `name { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: Ident,
    /// Its value.
    pub value: SettingValue,
    /// All of it.
    pub span: Span,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// `name: expr`
    Expr(Expr),
    /// `name { … }`
    Block(Vec<Setting>),
}

/// `env NAME: Ty = default`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvDecl {
    /// The variable of the environment, in capitals.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// Its value when the environment has none; without one the variable must be set.
    pub default: Option<Expr>,
}

/// `secret name from env "VARIABLE"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretDecl {
    /// Its name.
    pub name: Ident,
    /// Where its value is read.
    pub source: SecretSource,
}

/// Where the value of a secret is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// `from env "VARIABLE"`
    Env(Spanned<String>),
    /// `from file "path"`
    File(Spanned<String>),
}

/// `enum Name { first, second }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDecl {
    /// Its name, which is a type.
    pub name: Ident,
    /// Its values; at least one.
    pub variants: Vec<Ident>,
}

/// `table name: Map<Path, String> from "file.csv"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDecl {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// The file that holds it, as written.
    pub file: Spanned<String>,
}

/// `fn name(params) -> Ty = body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FnDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type of its value.
    pub result: TypeName,
    /// Its value.
    pub body: Expr,
}

/// `policy name(params) { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What `apply` runs.
    pub body: Vec<Stmt>,
    /// From `policy` to before the opening brace.
    pub head: Span,
}

/// `routes name(params) { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutesDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What `mount` puts in its place.
    pub items: Vec<SiteItem>,
    /// From `routes` to before the opening brace.
    pub head: Span,
}

/// `stream name on listeners { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamDecl {
    /// Its name.
    pub name: Ident,
    /// Listeners named after `on`; at least one.
    pub listeners: Vec<Ident>,
    /// What stands between the braces.
    pub items: Vec<SiteItem>,
    /// From `stream` to before the opening brace.
    pub head: Span,
}

/// `forward name on listeners { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardDecl {
    /// Its name.
    pub name: Ident,
    /// Listeners named after `on`; at least one.
    pub listeners: Vec<Ident>,
    /// What stands between the braces.
    pub items: Vec<SiteItem>,
    /// From `forward` to before the opening brace.
    pub head: Span,
}
