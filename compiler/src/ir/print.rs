//! The match IR as text.

use super::{Ir, LinearRoute, MethodSet, Node, OtherMethods, SegTest, TailTest};
use crate::capture::{CaptureTest, Class};
use crate::predicate::print::Names;
use std::fmt::Write as _;
use twp_lang::literal::Method;

/// Hosts, conditions and nodes, one on a line.
pub(crate) fn print(ir: &Ir, names: Names<'_>) -> String {
    let mut out = String::new();
    print_hosts(ir, &mut out);
    for (number, cond) in names.conditions.list.iter().enumerate() {
        line(&mut out, &format!("p{number} = {}", names.cond(cond)));
    }
    let printer = Printer { ir, names };
    for (site, root) in ir.roots.iter().enumerate() {
        line(&mut out, &format!("site {site}: n{root}"));
    }
    for (number, node) in ir.nodes.iter().enumerate() {
        line(&mut out, &format!("n{number} = {}", printer.node(node)));
    }
    out
}

fn line(out: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn print_hosts(ir: &Ir, out: &mut String) {
    for (listener, hosts) in ir.hosts.iter().enumerate() {
        for (name, site) in &hosts.exact {
            line(out, &format!("listener {listener} host {name}: site {site}"));
        }
        for (suffix, site) in &hosts.one_label {
            line(out, &format!("listener {listener} host *.{suffix}: site {site}"));
        }
        for (suffix, site) in &hosts.any_depth {
            line(out, &format!("listener {listener} host **.{suffix}: site {site}"));
        }
        if let Some(site) = hosts.any {
            line(out, &format!("listener {listener} host *: site {site}"));
        }
    }
}

struct Printer<'a> {
    ir: &'a Ir,
    names: Names<'a>,
}

impl Printer<'_> {
    fn node(&self, node: &Node) -> String {
        match node {
            Node::Miss => "miss".to_owned(),
            Node::Leaf(route) => format!("route {route}"),
            Node::Method { known, other } => {
                let mut text = "method {".to_owned();
                for (method, target) in Method::KNOWN.iter().zip(known).filter(|(_, target)| *target != other)
                {
                    let _ = write!(text, " {method}: n{target}");
                }
                format!("{text} }} else n{other}")
            }
            Node::Segments { depth, end, more } => format!("path ends after {depth}: n{end} else n{more}"),
            Node::Seg { depth, literals, other } => {
                let mut text = format!("segment {depth} {{");
                for (literal, target) in literals {
                    let _ = write!(text, " {literal:?}: n{target}");
                }
                format!("{text} }} else n{other}")
            }
            Node::Typed { depth, capture, yes, no } => {
                format!("segment {depth} is {}: n{yes} else n{no}", self.capture(*capture))
            }
            Node::Test { predicate, yes, no } => format!("p{predicate}: n{yes} else n{no}"),
            Node::Linear(routes) => {
                let routes: Vec<String> = routes.iter().map(|route| self.linear(route)).collect();
                format!("first of\n  {}", routes.join("\n  "))
            }
        }
    }

    fn capture(&self, id: super::CaptureId) -> String {
        let Some(test) = self.ir.captures.get(id as usize) else { return format!("capture {id}") };
        let CaptureTest { prefix, suffix, class } = test;
        let class = match class {
            Class::Segment => "text",
            Class::Int => "int",
            Class::Uuid => "uuid",
            Class::Slug => "slug",
            Class::Hex => "hex",
            Class::Regex(regex) => {
                self.names.conditions.regexes.table(*regex).map_or("", |table| table.pattern())
            }
        };
        format!("{}{{{class}}}{}", String::from_utf8_lossy(prefix), String::from_utf8_lossy(suffix))
    }

    fn linear(&self, route: &LinearRoute) -> String {
        let mut text = methods(route.methods);
        for segment in &route.segments {
            match segment {
                SegTest::Literal(literal) => {
                    let _ = write!(text, "/{literal}");
                }
                SegTest::Capture(capture) => {
                    let _ = write!(text, "/{}", self.capture(*capture));
                }
            }
        }
        text.push_str(match route.tail {
            TailTest::End => "",
            TailTest::EndOrSlash => "[/]",
            TailTest::Rest => "/...",
            TailTest::Below => "[/...]",
        });
        for predicate in &route.guard {
            let _ = write!(text, " p{predicate}");
        }
        format!("{text}: route {}", route.route)
    }
}

fn methods(set: MethodSet) -> String {
    if set == MethodSet::ANY {
        return String::new();
    }
    let known = Method::KNOWN.iter().enumerate().filter(|(number, _)| set.known & (1 << number) != 0);
    let mut names: Vec<String> = known.map(|(_, method)| method.to_string()).collect();
    match set.other {
        OtherMethods::None => {}
        OtherMethods::All => names.push("others".to_owned()),
        OtherMethods::If(predicate) => names.push(format!("p{predicate}")),
    }
    names.join("|") + " "
}
