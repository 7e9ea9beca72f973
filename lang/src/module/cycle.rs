//! E0206: modules that use themselves through others.

use super::Module;
use crate::{Diagnostic, Span};

/// How far the walk is with a module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Reports each `use` that closes a cycle, and lets it lead nowhere.
pub(super) fn cut(modules: &mut [Module], diagnostics: &mut Vec<Diagnostic>) {
    let mut states = vec![State::New; modules.len()];
    for start in 0..modules.len() {
        if states[start] == State::New {
            walk(modules, start, &mut states, diagnostics);
        }
    }
}

/// Walks depth first and without recursion: chains may be long.
fn walk(modules: &mut [Module], start: usize, states: &mut [State], diagnostics: &mut Vec<Diagnostic>) {
    let mut path = vec![(start, 0)];
    states[start] = State::Open;
    while let Some((module, next)) = path.last_mut() {
        let (module, used) = (*module, *next);
        let Some(link) = modules[module].uses.get(used) else {
            states[module] = State::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let Some(target) = link.map(usize::from) else { continue };
        match states[target] {
            State::Done => {}
            State::Open => {
                let first = path.iter().position(|(open, _)| *open == target).unwrap_or(0);
                let names: Vec<&str> =
                    path[first..].iter().map(|(open, _)| modules[*open].name.as_str()).collect();
                diagnostics.push(cycle(&names, place(modules, module, used)));
                if let Some(link) = modules[module].uses.get_mut(used) {
                    *link = None;
                }
            }
            State::New => {
                states[target] = State::Open;
                path.push((target, 0));
            }
        }
    }
}

/// The `use` with this number.
fn place(modules: &[Module], module: usize, used: usize) -> Span {
    modules[module].tree.uses.get(used).map_or(Span::new(0, 0), |used| used.span)
}

fn cycle(names: &[&str], span: Span) -> Diagnostic {
    let (first, rest) = names.split_first().map_or(("", names), |(first, rest)| (*first, rest));
    let message = if rest.is_empty() {
        format!("the module `{first}` uses itself")
    } else {
        let through: Vec<String> = rest.iter().map(|name| format!("`{name}`")).collect();
        format!("the module `{first}` uses itself through {}", through.join(" and "))
    };
    Diagnostic::error("E0206", message, span)
        .label("closes the circle")
        .help("put what both need into a module of its own")
}
