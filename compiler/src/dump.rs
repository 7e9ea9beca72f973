//! What the compiler made of a program, as text for people: Core, then conditions, nodes and effects.

use crate::codegen::{self, Code};
use crate::ir;
use crate::limits::NativeLimits;
use crate::plan::{Effect, Message, Terminal, Value};
use crate::plan_build::Artifact;
use crate::predicate::print::Names;
use crate::table::Tables;
use crate::{core, fold, lower};
use std::fmt::Write as _;
use twp_lang::{Diagnostic, hir};

/// Core of a program after simplification. The errors are exceeded limits.
pub fn dump_core(program: &hir::Program) -> Result<String, Vec<Diagnostic>> {
    let mut lowered = lower::lower(program)?;
    fold::fold(&mut lowered);
    Ok(core::print::print(&lowered))
}

/// Hosts, conditions, match IR and effects of a compiled program.
pub fn dump_ir(artifact: &Artifact) -> String {
    let names = Names { conditions: &artifact.program.conditions, slots: &artifact.plan.slots };
    let mut out = ir::print::print(&artifact.program.tables.ir(), names);
    for (number, route) in artifact.plan.routes.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "route {number} {:?} of site {}", route.name, route.site);
        for (at, step) in route.effects.iter().enumerate() {
            let _ = writeln!(out, "  {at}: {}", effect(names, step));
        }
    }
    out
}

/// Cranelift's intermediate code of a program's native part. The error says why there is none.
pub fn dump_clif(artifact: &Artifact) -> Result<String, String> {
    generate(artifact).map(|code| codegen::print::clif(&code))
}

/// The assembly of a program's native part. The error says why there is none.
pub fn dump_asm(artifact: &Artifact) -> Result<String, String> {
    generate(artifact).map(|code| codegen::print::asm(&code))
}

fn generate(artifact: &Artifact) -> Result<Code, String> {
    let program = &artifact.program;
    // Tables as they were before any code was made.
    let mut tables = Tables::new(&program.tables.ir());
    Code::generate_with(&mut tables, &program.conditions, &NativeLimits::DEFAULT, true)
}

fn effect(names: Names<'_>, effect: &Effect) -> String {
    match effect {
        Effect::Set { message, name, value: text } => {
            format!("set {}[{name:?}] = {}", message_text(*message), value(names, text))
        }
        Effect::Add { message, name, value: text } => {
            format!("add {}[{name:?}] = {}", message_text(*message), value(names, text))
        }
        Effect::Remove { message, name } => format!("remove {}[{name:?}]", message_text(*message)),
        Effect::RewritePath(text) => format!("rewrite path {}", value(names, text)),
        Effect::RewriteHost(text) => format!("rewrite host {}", value(names, text)),
        Effect::StripSegments(count) => format!("rewrite strip {count} segments"),
        Effect::SkipUnless { test, count } => format!("unless p{test} skip {count}"),
        Effect::Skip { count } => format!("skip {count}"),
        Effect::End(terminal) => end(names, terminal),
    }
}

fn end(names: Names<'_>, terminal: &Terminal) -> String {
    match terminal {
        Terminal::To { upstream, .. } => format!("to upstream {upstream}"),
        Terminal::Respond { status, body: None } => format!("respond {status}"),
        Terminal::Respond { status, body: Some(body) } => {
            format!("respond {status} body {}", value(names, body))
        }
        Terminal::Redirect { status, location, keep_query } => {
            let query = if *keep_query { " with the query" } else { "" };
            format!("redirect {status} {}{query}", value(names, location))
        }
        Terminal::NotFound => "not found".to_owned(),
    }
}

fn message_text(message: Message) -> &'static str {
    match message {
        Message::Request => "request.header",
        Message::Response => "response.header",
    }
}

fn value(names: Names<'_>, text: &Value) -> String {
    match text {
        Value::Literal(text) => format!("{text:?}"),
        Value::Read(read) => names.read(*read),
        Value::Join(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| value(names, part)).collect();
            format!("join({})", parts.join(", "))
        }
        Value::Else(first, default) => format!("({} ?? {})", value(names, first), value(names, default)),
        Value::Lookup(table, key) => format!("{}[{}]", table.name(), value(names, key)),
        Value::Absent => "absent".to_owned(),
        Value::If(condition, then, otherwise) => {
            format!("(if p{condition} then {} else {})", value(names, then), value(names, otherwise))
        }
        Value::Int(number) => names.int(number),
    }
}
