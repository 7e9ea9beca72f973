//! The code generator: match IR and conditions to machine code, as functions that need nothing but their arguments.
//!
//! It only makes bytes; `jit` loads them. Equal programs give equal bytes. Code contains no address: constants are in
//! the instructions, all else comes through view and context, and whatever would need a relocation is refused.

use crate::capture::Class;
use crate::ir::{Ir, Node, NodeId};
use crate::jit::Blob;
use crate::limits::{NATIVE_STACK_MAX, NativeLimits};
use crate::predicate::many::AnyText;
use crate::predicate::{Cond, Conditions};
use crate::table::Tables;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Function, Signature, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable as _};
use cranelift_frontend::FunctionBuilderContext;
use emit::Emit;
use memchr::memmem::Finder;
use std::time::Instant;

mod answer;
mod capture;
mod condition;
mod emit;
pub(crate) mod fault;
mod node;
pub(crate) mod print;
mod select;
mod text;

pub(crate) use answer::Answer;

/// What native code refers to by number, for helpers to look up.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Parts of conditions that are not code.
    pub(crate) conditions: Vec<Cond>,
    /// Texts to search for.
    pub(crate) needles: Vec<Finder<'static>>,
    /// Lists of texts to search for together.
    pub(crate) searches: Vec<AnyText>,
    /// Classes of captures.
    pub(crate) classes: Vec<Class>,
}

impl Extras {
    fn condition(&mut self, cond: &Cond) -> u64 {
        let known = self.conditions.iter().position(|known| known == cond);
        let number = known.unwrap_or_else(|| {
            self.conditions.push(cond.clone());
            self.conditions.len() - 1
        });
        number as u64
    }

    fn needle(&mut self, needle: &[u8]) -> u64 {
        let known = self.needles.iter().position(|known| known.needle() == needle);
        let number = known.unwrap_or_else(|| {
            self.needles.push(Finder::new(needle).into_owned());
            self.needles.len() - 1
        });
        number as u64
    }

    fn search(&mut self, any: &AnyText) -> u64 {
        let known = self.searches.iter().position(|known| known == any);
        let number = known.unwrap_or_else(|| {
            self.searches.push(any.clone());
            self.searches.len() - 1
        });
        number as u64
    }

    fn class(&mut self, class: Class) -> u64 {
        let known = self.classes.iter().position(|known| *known == class);
        let number = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        number as u64
    }
}

/// The code of a program, not loaded.
pub(crate) struct Code {
    /// The machine it is for.
    pub(crate) isa: OwnedTargetIsa,
    /// Functions: those of the graph, then those of conditions.
    pub(crate) functions: Vec<Compiled>,
    /// What it refers to.
    pub(crate) extras: Extras,
    /// The function that each site begins with, plus one.
    pub(crate) roots: Vec<u32>,
    /// The node that each function of the graph begins with.
    pub(crate) starts: Vec<NodeId>,
    /// The function of each condition, plus one.
    pub(crate) predicates: Vec<u32>,
    /// Nodes and conditions compiled.
    pub(crate) n_nodes: usize,
}

/// One function.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// What it stands for, as dumps call it.
    pub(crate) name: String,
    /// Its machine code; empty when there was no time for it or it needed too much stack.
    pub(crate) bytes: Vec<u8>,
    /// Cranelift's intermediate code, when asked for.
    pub(crate) clif: String,
    /// Its assembly, when asked for.
    pub(crate) asm: String,
}

impl Code {
    /// Compiles what the limits allow. The error says why this machine cannot have native code. Where code is left, the
    /// tables get a place to go on at.
    pub(crate) fn generate(
        tables: &mut Tables,
        conditions: &Conditions,
        limits: &NativeLimits,
    ) -> Result<Code, String> {
        Self::generate_with(tables, conditions, limits, false)
    }

    /// As [`Code::generate`], with the texts of all functions for a dump.
    pub(crate) fn generate_with(
        tables: &mut Tables,
        conditions: &Conditions,
        limits: &NativeLimits,
        texts: bool,
    ) -> Result<Code, String> {
        let ir = tables.ir();
        let isa = host()?;
        let selection = select::select(&ir, &|node| node_cost(node, conditions, limits), limits);
        let exits = selection.exits(&ir);
        let starts = tables.starts(&exits);
        let exits = exits.into_iter().zip(starts).collect();
        let mut generator = Generator {
            isa,
            context: cranelift_codegen::Context::new(),
            memory: FunctionBuilderContext::new(),
            extras: Extras::default(),
            functions: Vec::new(),
            end: Instant::now() + limits.time_max,
            texts,
        };
        let graph = node::Graph { ir: &ir, exits: &exits, conditions, selection: &selection, limits };
        for (number, nodes) in selection.chunks.iter().enumerate() {
            let name = nodes.first().map_or_else(String::new, |node| format!("n{node}"));
            generator.function(name, |emit| node::chunk(emit, &graph, number))?;
        }
        let predicates = generator.predicates(conditions, limits)?;
        let Generator { isa, extras, functions, .. } = generator;
        let compiled =
            |number: usize| functions.get(number).is_some_and(|function| !function.bytes.is_empty());
        let mut n_nodes = 0;
        for (_, nodes) in selection.chunks.iter().enumerate().filter(|(number, _)| compiled(*number)) {
            n_nodes += nodes.len();
        }
        n_nodes += predicates.iter().filter(|number| **number != 0).count();
        let starts = selection.chunks.iter().filter_map(|nodes| nodes.first().copied()).collect();
        Ok(Code { isa, functions, extras, roots: roots(&ir, &selection), starts, predicates, n_nodes })
    }

    /// All functions in one piece.
    pub(crate) fn blob(&self, n_slots: usize) -> Blob {
        let mut bytes: Vec<u8> = Vec::new();
        let mut starts = Vec::with_capacity(self.functions.len());
        for function in &self.functions {
            if function.bytes.is_empty() {
                starts.push(None);
                continue;
            }
            // Functions begin where the processor fetches a new group of instructions.
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            starts.push(Some(bytes.len()));
            bytes.extend_from_slice(&function.bytes);
        }
        // Also a program without any code finds out here whether code may run.
        bytes.resize(bytes.len().max(16), 0);
        Blob { bytes, starts, n_slots }
    }

    /// What every function takes and gives.
    pub(crate) fn signature(&self) -> Signature {
        emit::signature(self.isa.default_call_conv())
    }
}

/// The machine this runs on, if it is one that Cranelift and the view's layout know.
fn host() -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let wanted = [
        ("opt_level", "speed"),
        // In debug builds and tests every function is checked before and after optimisation.
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ];
    for (name, value) in wanted {
        flags.set(name, value).map_err(|error| format!("cranelift: {name}: {error}"))?;
    }
    let builder = cranelift_native::builder().map_err(|reason| format!("cranelift: {reason}"))?;
    let isa = builder.finish(settings::Flags::new(flags)).map_err(|error| format!("cranelift: {error}"))?;
    if isa.pointer_type() != I64 {
        return Err("native code needs a 64-bit machine".to_owned());
    }
    Ok(isa)
}

fn node_cost(node: &Node, conditions: &Conditions, limits: &NativeLimits) -> usize {
    match node {
        Node::Miss | Node::Leaf(_) | Node::Linear(_) => 0,
        Node::Method { .. } | Node::Segments { .. } | Node::Typed { .. } => 1,
        Node::Seg { literals, .. } => literals.len().div_ceil(4).max(1),
        Node::Test { predicate, .. } => {
            let cost = conditions.list.get(*predicate as usize).map_or(1, condition::cost);
            if cost <= limits.condition_cost_max { cost.max(1) } else { 1 }
        }
    }
}

fn roots(ir: &Ir, selection: &select::Selection) -> Vec<u32> {
    let function = |root: &NodeId| {
        let place = selection.place.get(root).filter(|place| place.entry);
        place.and_then(|place| u32::try_from(place.chunk + 1).ok()).unwrap_or(0)
    };
    ir.roots.iter().map(function).collect()
}

struct Generator {
    isa: OwnedTargetIsa,
    context: cranelift_codegen::Context,
    memory: FunctionBuilderContext,
    extras: Extras,
    functions: Vec<Compiled>,
    end: Instant,
    texts: bool,
}

impl Generator {
    /// A function for each condition that code makes quicker.
    fn predicates(&mut self, conditions: &Conditions, limits: &NativeLimits) -> Result<Vec<u32>, String> {
        let mut numbers = vec![0; conditions.list.len()];
        let mut left = limits.tests_max;
        for (id, cond) in conditions.list.iter().enumerate() {
            let cost = condition::cost(cond);
            if cost > limits.condition_cost_max || cost > left || condition::is_foreign(cond) {
                continue;
            }
            left -= cost;
            self.function(format!("p{id}"), |emit| {
                let (yes, no) = (emit.answer(1), emit.answer(0));
                emit.condition(cond, yes, no);
            })?;
            numbers[id] = u32::try_from(self.functions.len()).unwrap_or(0);
        }
        Ok(numbers)
    }

    fn function(&mut self, name: String, write: impl FnOnce(&mut Emit<'_>)) -> Result<(), String> {
        if Instant::now() >= self.end {
            self.functions.push(Compiled { name, ..Compiled::default() });
            return Ok(());
        }
        self.context.clear();
        self.context.set_disasm(self.texts);
        let signature = emit::signature(self.isa.default_call_conv());
        self.context.func = Function::with_name_signature(UserFuncName::testcase(name.as_bytes()), signature);
        let mut emit = Emit::new(&mut self.context.func, &mut self.memory, &mut self.extras);
        write(&mut emit);
        emit.finish(self.isa.frontend_config());
        let clif = if self.texts { self.context.func.display().to_string() } else { String::new() };
        let code = self
            .context
            .compile(self.isa.as_ref(), &mut ControlPlane::default())
            .map_err(|error| format!("cranelift: {:?}", error.inner))?;
        if !code.buffer.relocs().is_empty() {
            return Err("the code would need relocations".to_owned());
        }
        let frame = code.buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset);
        if frame > NATIVE_STACK_MAX {
            self.functions.push(Compiled { name, ..Compiled::default() });
            return Ok(());
        }
        let bytes = code.code_buffer().to_vec();
        let asm = code.vcode.clone().unwrap_or_default();
        self.functions.push(Compiled { name, bytes, clif, asm });
        Ok(())
    }
}
