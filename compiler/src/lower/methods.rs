//! The methods a site names: what `Allow` can be made of.

use crate::core::{Expr, Field, Route, Set};
use twp_lang::literal::Method;

/// Methods in routes' method sets and compared with in guards, `HEAD` beside `GET`; known ones first in their
/// usual order, then others by name.
pub(super) fn named(routes: &[Route]) -> Vec<Method> {
    let mut found = Vec::new();
    for route in routes {
        found.extend(route.methods.iter().cloned());
        if let Some(guard) = &route.guard {
            in_guard(guard, &mut found);
        }
    }
    if found.contains(&Method::Get) {
        found.push(Method::Head);
    }
    found.sort();
    found.dedup();
    found
}

fn in_guard(expr: &Expr, found: &mut Vec<Method>) {
    match expr {
        Expr::Compare { left, right, .. } => match (left.as_ref(), right.as_ref()) {
            (Expr::Field(Field::Method), Expr::Text(text))
            | (Expr::Text(text), Expr::Field(Field::Method)) => {
                found.push(Method::from_text(text));
            }
            (left, right) => {
                in_guard(left, found);
                in_guard(right, found);
            }
        },
        Expr::In { value, set: Set::Texts(texts) } if **value == Expr::Field(Field::Method) => {
            found.extend(texts.iter().map(|text| Method::from_text(text)));
        }
        Expr::Not(inner) | Expr::IsSome(inner) | Expr::In { value: inner, .. } => in_guard(inner, found),
        Expr::Lookup { key: value, .. } | Expr::Matches { value, .. } => in_guard(value, found),
        Expr::And(parts) | Expr::Or(parts) | Expr::Join(parts) => {
            for part in parts {
                in_guard(part, found);
            }
        }
        Expr::TextTest { left, right, .. }
        | Expr::Else(left, right)
        | Expr::Arithmetic { left, right, .. } => {
            in_guard(left, found);
            in_guard(right, found);
        }
        Expr::If { condition, then, otherwise } => {
            in_guard(condition, found);
            in_guard(then, found);
            in_guard(otherwise, found);
        }
        Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Text(_)
        | Expr::Ip(_)
        | Expr::Absent(_)
        | Expr::Field(_)
        | Expr::Capture { .. } => {}
    }
}
