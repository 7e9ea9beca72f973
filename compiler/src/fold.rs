//! Simplifies Core without changing what it means: constants computed, conditions and texts in one shape.

use crate::core::{Action, Arithmetic, Core, Expr, Kind, Set, Table, TableValues, Terminal, TextTest};

/// Simplifies every expression of the program and drops branches that cannot be taken.
pub(crate) fn fold(core: &mut Core) {
    for route in core.sites.iter_mut().flat_map(|site| &mut site.routes) {
        route.guard = route.guard.take().map(fold_expr).filter(|guard| *guard != Expr::Bool(true));
        route.actions = fold_actions(std::mem::take(&mut route.actions));
    }
}

fn fold_actions(actions: Vec<Action>) -> Vec<Action> {
    let mut out = Vec::with_capacity(actions.len());
    for action in actions {
        match action {
            Action::Set { message, name, value } => {
                out.push(Action::Set { message, name, value: fold_expr(value) });
            }
            Action::Add { message, name, value } => {
                out.push(Action::Add { message, name, value: fold_expr(value) });
            }
            Action::RewritePath(value) => out.push(Action::RewritePath(fold_expr(value))),
            Action::RewriteHost(value) => out.push(Action::RewriteHost(fold_expr(value))),
            Action::When { condition, then, otherwise } => {
                let (then, otherwise) = (fold_actions(then), fold_actions(otherwise));
                match fold_expr(condition) {
                    Expr::Bool(true) => out.extend(then),
                    Expr::Bool(false) => out.extend(otherwise),
                    condition => out.push(Action::When { condition, then, otherwise }),
                }
            }
            Action::End(terminal) => out.push(Action::End(fold_terminal(terminal))),
            Action::Remove { .. } | Action::Strip(_) => out.push(action),
        }
        if matches!(out.last(), Some(Action::End(_))) {
            break;
        }
    }
    out
}

fn fold_terminal(terminal: Terminal) -> Terminal {
    match terminal {
        Terminal::Respond { status, body } => Terminal::Respond { status, body: body.map(fold_expr) },
        Terminal::Redirect { status, location, keep_query } => {
            Terminal::Redirect { status, location: fold_expr(location), keep_query }
        }
        Terminal::To { .. } | Terminal::NotFound => terminal,
    }
}

/// The same expression in simpler form.
pub(crate) fn fold_expr(expr: Expr) -> Expr {
    match expr {
        Expr::Not(inner) => match fold_expr(*inner) {
            Expr::Bool(value) => Expr::Bool(!value),
            Expr::Not(inner) => *inner,
            inner => Expr::Not(Box::new(inner)),
        },
        Expr::And(parts) => fold_list(parts, true),
        Expr::Or(parts) => fold_list(parts, false),
        Expr::Compare { op, left, right } => {
            let (left, right) = (fold_expr(*left), fold_expr(*right));
            let order = match (&left, &right) {
                (Expr::Absent(_), _) | (_, Expr::Absent(_)) => return Expr::Bool(false),
                (Expr::Bool(a), Expr::Bool(b)) => Some(a.cmp(b)),
                (Expr::Int(a), Expr::Int(b)) => Some(a.cmp(b)),
                (Expr::Text(a), Expr::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
                _ => None,
            };
            match order {
                Some(order) => Expr::Bool(op.holds(order)),
                None => Expr::Compare { op, left: Box::new(left), right: Box::new(right) },
            }
        }
        Expr::TextTest { op, left, right } => match (fold_expr(*left), fold_expr(*right)) {
            (Expr::Text(text), Expr::Text(part)) => Expr::Bool(match op {
                TextTest::StartsWith => text.starts_with(&part),
                TextTest::EndsWith => text.ends_with(&part),
                TextTest::Contains => text.contains(&part),
            }),
            (left, right) => Expr::TextTest { op, left: Box::new(left), right: Box::new(right) },
        },
        Expr::In { value, set } => fold_in(fold_expr(*value), set),
        Expr::Matches { value, pattern } => Expr::Matches { value: Box::new(fold_expr(*value)), pattern },
        Expr::Else(value, default) => match fold_expr(*value) {
            value if !value.optional() => value,
            Expr::Absent(_) => fold_expr(*default),
            Expr::Else(first, second) => Expr::Else(first, Box::new(fold_expr(Expr::Else(second, default)))),
            value => Expr::Else(Box::new(value), Box::new(fold_expr(*default))),
        },
        Expr::IsSome(value) => match fold_expr(*value) {
            value if !value.optional() => Expr::Bool(true),
            Expr::Absent(_) => Expr::Bool(false),
            value => Expr::IsSome(Box::new(value)),
        },
        Expr::If { condition, then, otherwise } => {
            let (then, otherwise) = (fold_expr(*then), fold_expr(*otherwise));
            match fold_expr(*condition) {
                Expr::Bool(true) => then,
                Expr::Bool(false) => otherwise,
                _ if then == otherwise => then,
                condition => Expr::If {
                    condition: Box::new(condition),
                    then: Box::new(then),
                    otherwise: Box::new(otherwise),
                },
            }
        }
        Expr::Join(parts) => fold_join(parts),
        Expr::Arithmetic { op, left, right } => fold_arithmetic(op, fold_expr(*left), fold_expr(*right)),
        Expr::Lookup { table, key } => fold_lookup(table, fold_expr(*key)),
        Expr::Bool(_)
        | Expr::Int(_)
        | Expr::Text(_)
        | Expr::Ip(_)
        | Expr::Absent(_)
        | Expr::Field(_)
        | Expr::Capture { .. } => expr,
    }
}

/// `and` when `all`, else `or`: nested lists joined, constants applied, repeated parts once.
fn fold_list(parts: Vec<Expr>, all: bool) -> Expr {
    let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
    let mut add = |part: Expr| {
        // Looking for repetitions in a long list would cost more than testing one part twice.
        if out.len() > 64 || !out.contains(&part) {
            out.push(part);
        }
    };
    for part in parts {
        match fold_expr(part) {
            Expr::Bool(value) if value == all => {}
            Expr::Bool(value) => return Expr::Bool(value),
            Expr::And(inner) if all => inner.into_iter().for_each(&mut add),
            Expr::Or(inner) if !all => inner.into_iter().for_each(&mut add),
            part => add(part),
        }
    }
    match out.len() {
        0 => Expr::Bool(all),
        1 => out.swap_remove(0),
        _ if all => Expr::And(out),
        _ => Expr::Or(out),
    }
}

fn fold_in(value: Expr, set: Set) -> Expr {
    let known = match (&value, &set) {
        (Expr::Absent(_), _) => Some(false),
        (Expr::Text(text), Set::Texts(texts)) => Some(texts.contains(text)),
        (Expr::Int(number), Set::Ints(ranges)) => {
            Some(ranges.iter().any(|(low, high)| (low..=high).contains(&number)))
        }
        (Expr::Ip(addr), Set::Nets(nets)) => Some(nets.iter().any(|net| net.contains(*addr))),
        _ => None,
    };
    match known {
        Some(known) => Expr::Bool(known),
        None => Expr::In { value: Box::new(value), set },
    }
}

fn fold_join(parts: Vec<Expr>) -> Expr {
    let mut out: Vec<Expr> = Vec::with_capacity(parts.len());
    let mut add = |part: Expr| {
        let part = match part {
            Expr::Int(number) => Expr::Text(number.to_string()),
            Expr::Ip(addr) => Expr::Text(addr.to_string()),
            part => part,
        };
        match (out.last_mut(), part) {
            (Some(Expr::Text(before)), Expr::Text(text)) => before.push_str(&text),
            (_, Expr::Text(text)) if text.is_empty() => {}
            (_, Expr::Absent(_)) => {}
            (_, part) => out.push(part),
        }
    };
    for part in parts {
        match fold_expr(part) {
            Expr::Join(inner) => inner.into_iter().for_each(&mut add),
            part => add(part),
        }
    }
    match out.as_slice() {
        [] => Expr::Text(String::new()),
        // What may be absent stays joined: as text it is empty, not absent.
        [single] if single.kind() == Kind::Text && !single.optional() => out.swap_remove(0),
        _ => Expr::Join(out),
    }
}

fn fold_lookup(table: Table, key: Expr) -> Expr {
    let known = match &key {
        Expr::Text(key) => Some(table.keys().position(|known| known == key)),
        _ => None,
    };
    match (known, table.values()) {
        (Some(Some(number)), TableValues::Texts(texts)) => Expr::Text(texts[number].clone()),
        (Some(Some(number)), TableValues::Ints(numbers)) => Expr::Int(numbers[number]),
        (Some(Some(_)), TableValues::Keys) => key,
        (Some(None), TableValues::Ints(_)) => Expr::Absent(Kind::Int),
        (Some(None), TableValues::Texts(_) | TableValues::Keys) => Expr::Absent(Kind::Text),
        (None, _) => Expr::Lookup { table, key: Box::new(key) },
    }
}

fn fold_arithmetic(op: Arithmetic, left: Expr, right: Expr) -> Expr {
    let (Expr::Int(a), Expr::Int(b)) = (&left, &right) else {
        return Expr::Arithmetic { op, left: Box::new(left), right: Box::new(right) };
    };
    Expr::Int(match op {
        Arithmetic::Add => a.saturating_add(*b),
        Arithmetic::Subtract => a.saturating_sub(*b),
        Arithmetic::Multiply => a.saturating_mul(*b),
    })
}
