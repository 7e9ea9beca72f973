//! Native code as text for people: Cranelift's intermediate code and assembly, with the fields of the view by name.

use super::{Code, Compiled};
use crate::abi::layout;
use crate::jit::context_layout;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The intermediate code of all functions.
pub(crate) fn clif(code: &Code) -> String {
    let mut out = opening(code);
    for function in &code.functions {
        for line in named(&function.clif) {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{line}");
        }
        out.push('\n');
    }
    out
}

/// The assembly of all functions.
pub(crate) fn asm(code: &Code) -> String {
    let mut out = opening(code);
    for Compiled { name, bytes, asm, .. } in &code.functions {
        let _ = writeln!(out, "{name}: ; {} bytes", bytes.len());
        out.push_str(asm);
        if !asm.ends_with('\n') {
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

fn opening(code: &Code) -> String {
    let nothing = code.functions.is_empty();
    if nothing {
        "; nothing here is native code: no choices and no conditions\n".to_owned()
    } else {
        String::new()
    }
}

/// What a value points to.
#[derive(Clone, Copy)]
enum Base {
    View,
    Context,
    Slots,
    Helpers,
}

/// Lines with a comment after each load whose field has a name.
fn named(clif: &str) -> Vec<String> {
    let mut bases = BTreeMap::from([("v0".to_owned(), Base::View), ("v1".to_owned(), Base::Context)]);
    clif.lines()
        .map(|line| {
            let Some((base, offset)) = load_place(line) else { return line.to_owned() };
            let Some(known) = bases.get(base) else { return line.to_owned() };
            let name = match known {
                Base::View => layout::view_field(offset),
                Base::Slots => layout::slot_field(offset),
                Base::Context => (offset == context_layout::HELPERS).then(|| "context.helpers".to_owned()),
                Base::Helpers => context_layout::ALL
                    .iter()
                    .find(|(_, place, _)| i32::try_from(*place).is_ok_and(|place| place == offset))
                    .map(|(_, _, name)| format!("helpers.{name}")),
            };
            let target = match known {
                Base::View if offset == layout::SLOTS => Some(Base::Slots),
                Base::Context if offset == context_layout::HELPERS => Some(Base::Helpers),
                Base::View | Base::Context | Base::Slots | Base::Helpers => None,
            };
            if let (Some(target), Some(value)) = (target, line.trim_start().split(' ').next()) {
                bases.insert(value.to_owned(), target);
            }
            name.map_or_else(|| line.to_owned(), |name| format!("{line}  ; {name}"))
        })
        .collect()
}

/// The base and the offset of a load such as `v5 = load.i64 notrap aligned v0+40`.
fn load_place(line: &str) -> Option<(&str, i32)> {
    let (_, load) = line.split_once("= load.")?;
    let place = load.split_whitespace().rev().find(|word| word.starts_with('v'))?;
    match place.split_once('+') {
        Some((base, offset)) => Some((base, offset.parse().ok()?)),
        None => Some((place, 0)),
    }
}
