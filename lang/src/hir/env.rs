//! Values of the environment: declared with a type, read when a generation starts.

use super::{Expr, ExprKind, Program, Ty, Value};
use crate::ast::{self, ItemKind, Literal};
use crate::target::{normalize_host, normalize_path};
use crate::{Diagnostic, Span};

/// Number of a variable: its place in [`Program::envs`].
pub type EnvId = usize;

/// `env NAME: Ty = default`
#[derive(Clone, Debug)]
pub struct Env {
    /// The variable.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value when the environment has none; without one the variable must be set.
    pub default: Option<Expr>,
    /// Its value: the default, or some value of the type, until [`Program::set_environment`].
    pub value: Expr,
    /// Where it is declared.
    pub span: Span,
}

/// What the environment has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// Every variable without a default: the program is to run.
    All,
    /// None: what is not known stays unknown.
    Nothing,
}

impl Program {
    /// Gives variables their values. The errors are variables that are missing or do not fit their type.
    pub fn set_environment(
        &mut self,
        get: &dyn Fn(&str) -> Option<String>,
        required: Required,
    ) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for env in &mut self.envs {
            match get(&env.name).map(|text| value(&env.ty, &text).ok_or(text)) {
                Some(Ok(value)) => env.value.kind = ExprKind::Value(value),
                Some(Err(text)) => errors.push(malformed(env, &text)),
                None if env.default.is_some() || required == Required::Nothing => {}
                None => errors.push(
                    Diagnostic::error(
                        "E0701",
                        format!("`{}` is not set in the environment", env.name),
                        env.span,
                    )
                    .label("declared without a default")
                    .help(format!("set it, or write `env {}: {} = …`", env.name, env.ty)),
                ),
            }
        }
        errors
    }
}

fn malformed(env: &Env, text: &str) -> Diagnostic {
    // A value is shown as far as a person reads it.
    let shown: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    let diagnostic =
        Diagnostic::error("E0701", format!("`{}` in the environment is no {}", env.name, env.ty), env.span)
            .label(format!("its value is `{shown}`"));
    match &env.ty {
        Ty::Enum(declared) => diagnostic.help(format!("possible: {}", declared.variants.join(", "))),
        _ => diagnostic.help("write it as in a file, texts, hosts and paths without quotes"),
    }
}

/// Whether the environment can hold values of this type.
pub(crate) fn is_readable(ty: &Ty) -> bool {
    placeholder(ty).is_some()
}

/// Some value of a type, for where the environment is not known.
pub(crate) fn placeholder(ty: &Ty) -> Option<Value> {
    let text = match ty {
        Ty::String | Ty::RawString => "unknown",
        Ty::Bool => "true",
        Ty::Int => "1",
        Ty::Duration => "1s",
        Ty::Size => "1MiB",
        Ty::Rate => "1/sec",
        Ty::Percent => "1%",
        Ty::Status => "200",
        Ty::Port => "1024",
        Ty::Method => "GET",
        Ty::Scheme => "https",
        Ty::Ip => "192.0.2.1",
        Ty::Cidr => "192.0.2.0/24",
        Ty::Endpoint => "192.0.2.1:80",
        Ty::Host => "unknown.invalid",
        Ty::Path => "/unknown",
        Ty::Enum(declared) => return declared.variants.first().cloned().map(Value::Text),
        Ty::Regex
        | Ty::Glob
        | Ty::Upstream
        | Ty::Option(_)
        | Ty::List(_)
        | Ty::Set(_)
        | Ty::Range(_)
        | Ty::Map(..)
        | Ty::Error => return None,
    };
    value(ty, text)
}

/// The value that a text stands for as a type; `None` when it stands for none.
fn value(ty: &Ty, text: &str) -> Option<Value> {
    let within = |number: i64, low: i64, high: i64| (low..=high).contains(&number).then_some(number);
    match ty {
        Ty::RawString => Some(Value::Text(text.to_owned())),
        Ty::String => (!text.chars().any(char::is_control)).then(|| Value::Text(text.to_owned())),
        Ty::Scheme => matches!(text, "http" | "https").then(|| Value::Text(text.to_owned())),
        Ty::Enum(declared) => {
            declared.variants.iter().any(|variant| variant == text).then(|| Value::Text(text.to_owned()))
        }
        Ty::Host => {
            let mut scratch = Vec::new();
            let host = normalize_host(text.as_bytes(), &mut scratch).ok()?;
            Some(Value::Text(String::from_utf8_lossy(host).into_owned()))
        }
        Ty::Path => {
            let mut scratch = Vec::new();
            let path = normalize_path(text.as_bytes(), &mut scratch).ok()?;
            Some(Value::Text(String::from_utf8_lossy(path).into_owned()))
        }
        _ => match (literal(text)?, ty) {
            (Literal::Bool(value), Ty::Bool) => Some(Value::Bool(value)),
            (Literal::Int(number), Ty::Int) => Some(Value::Int(number)),
            (Literal::Int(number), Ty::Status) => within(number, 100, 599).map(Value::Int),
            (Literal::Int(number), Ty::Port) => within(number, 1, 65_535).map(Value::Int),
            (Literal::Duration(ms), Ty::Duration) => Some(Value::Duration(ms)),
            (Literal::Size(bytes), Ty::Size) => Some(Value::Size(bytes)),
            (Literal::Rate { count, seconds }, Ty::Rate) => Some(Value::Rate(count, seconds)),
            (Literal::Percent(hundredths), Ty::Percent) => Some(Value::Percent(hundredths)),
            (Literal::Method(method), Ty::Method) => Some(Value::Method(method)),
            (Literal::Ip(addr), Ty::Ip) => Some(Value::Ip(addr)),
            (Literal::Ip(addr), Ty::Cidr) => Some(Value::Cidr(crate::literal::Cidr::single(addr))),
            (Literal::Cidr(cidr), Ty::Cidr) => {
                let network = crate::literal::Cidr::network(cidr.addr, cidr.prefix);
                (network == cidr).then_some(Value::Cidr(cidr))
            }
            (Literal::Endpoint(endpoint), Ty::Endpoint) => Some(Value::Endpoint(endpoint)),
            _ => None,
        },
    }
}

/// The one literal that a text consists of, negative numbers included.
fn literal(text: &str) -> Option<Literal> {
    if text.len() > LITERAL_BYTES_MAX {
        return None;
    }
    let (tree, found) = crate::parse(&format!("edition 1 const value = {text}"));
    let [item] = tree.items.as_slice() else { return None };
    let ItemKind::Const(decl) = &item.kind else { return None };
    // A comment or a second declaration is no part of a value.
    if !found.is_empty() || text.trim() != text || text.contains("//") {
        return None;
    }
    match &decl.value.kind {
        ast::ExprKind::Literal(literal) => Some(literal.clone()),
        ast::ExprKind::Unary { op: ast::UnaryOp::Negate, operand } => match operand.kind {
            ast::ExprKind::Literal(Literal::Int(number)) => Some(Literal::Int(number.saturating_neg())),
            _ => None,
        },
        _ => None,
    }
}

/// Bytes of the longest literal: a name of an endpoint with its port.
const LITERAL_BYTES_MAX: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ty: &Ty, text: &str) -> String {
        value(ty, text).map_or("none".to_owned(), |value| format!("{value:?}"))
    }

    #[test]
    fn texts_are_values_of_their_type() {
        let cases = [
            (Ty::Int, "42", "Int(42)"),
            (Ty::Int, "-7", "Int(-7)"),
            (Ty::Int, "4x", "none"),
            (Ty::Int, "", "none"),
            (Ty::Int, "1 const b = 2", "none"),
            (Ty::Int, "1 // one", "none"),
            (Ty::Duration, "1m30s", "Duration(90000)"),
            (Ty::Duration, "30", "none"),
            (Ty::Port, "0", "none"),
            (Ty::Status, "404", "Int(404)"),
            (Ty::Bool, "yes", "none"),
            (Ty::Bool, "false", "Bool(false)"),
            (Ty::Host, "Example.COM", "Text(\"example.com\")"),
            (Ty::Host, "a b", "none"),
            (Ty::Path, "/%61/../b", "Text(\"/b\")"),
            (Ty::String, "a \"b\" // c", "Text(\"a \\\"b\\\" // c\")"),
            (Ty::String, "a\nb", "none"),
            (Ty::Cidr, "10.0.0.1/8", "none"),
            (Ty::Method, "PURGE", "none"),
        ];
        for (ty, text, expected) in cases {
            assert_eq!(shown(&ty, text), expected, "{ty} {text}");
        }
    }

    #[test]
    fn every_readable_type_has_a_placeholder_of_its_own() {
        for ty in [Ty::String, Ty::Int, Ty::Endpoint, Ty::Method, Ty::Rate, Ty::Host, Ty::Path, Ty::Cidr] {
            assert!(placeholder(&ty).is_some(), "{ty}");
        }
        assert!(!is_readable(&Ty::Regex) && !is_readable(&Ty::Set(Box::new(Ty::Int))));
    }
}
