//! Native code in memory: loads it, calls it, frees it. The one place, beside the view's layout, that is unsafe.
//!
//! All functions of a program are one piece of memory, written while it is writable and executable only afterwards,
//! never both. They need no relocation and import nothing: helpers come through the [`Context`] that each
//! call brings along. Nothing is patched later, so any thread may run them while the [`CodeUnit`] lives.
#![expect(unsafe_code, reason = "loading and calling machine code cannot be checked by the compiler")]

use crate::abi::View;
use crate::native::Native;
use crate::predicate::Conditions;
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{JITBuilder, JITModule, SystemMemoryProvider};
use cranelift_module::{Module as _, default_libcall_names};
use std::fmt;
use std::mem::{ManuallyDrop, offset_of};
use std::ops::Range;

mod helpers;

use helpers::{HELPERS, Helpers};

/// What native code is called with beside the view: where its helpers are and what those look into.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    helpers: &'static Helpers,
    conditions: &'a Conditions,
    native: &'a Native,
}

impl<'a> Context<'a> {
    pub(crate) fn new(conditions: &'a Conditions, native: &'a Native) -> Context<'a> {
        Context { helpers: &HELPERS, conditions, native }
    }

    /// The conditions of the program.
    pub(crate) fn conditions(&self) -> &'a Conditions {
        self.conditions
    }
}

/// A function that native code may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helper {
    /// `(view, predicate)`: whether a condition of the program holds.
    Test,
    /// `(view, number)`: whether a part of a condition, kept for native code, holds.
    Condition,
    /// `(ptr, len, number)`: whether a needle is in the text.
    Contains,
    /// `(ptr, len, number)`: whether one of several needles is in the text.
    ContainsAny,
    /// `(ptr, len, number)`: whether a text is of a capture's class.
    Class,
    /// `(ptr, len)`: the number that digits stand for.
    Number,
}

/// Where native code finds what the context holds.
pub(crate) mod context_layout {
    use super::{Context, Helper, Helpers, offset_of};

    /// Pointer to the helpers.
    pub(crate) const HELPERS: i32 = 0;
    const _: () = assert!(offset_of!(Context<'static>, helpers) == 0);

    /// Every helper with its place and how dumps call it.
    pub(crate) const ALL: [(Helper, usize, &str); 6] = [
        (Helper::Test, offset_of!(Helpers, test), "test"),
        (Helper::Condition, offset_of!(Helpers, condition), "condition"),
        (Helper::Contains, offset_of!(Helpers, contains), "contains"),
        (Helper::ContainsAny, offset_of!(Helpers, contains_any), "contains_any"),
        (Helper::Class, offset_of!(Helpers, class), "class"),
        (Helper::Number, offset_of!(Helpers, number), "number"),
    ];

    /// Offset of a helper in the table of helpers.
    pub(crate) fn helper(helper: Helper) -> i32 {
        let place = ALL.iter().find(|(known, ..)| *known == helper);
        place.and_then(|(_, offset, _)| i32::try_from(*offset).ok()).expect("every helper is in the list")
    }
}

type Entry = for<'c, 'v> unsafe extern "C" fn(&'c View<'v>, &'c Context<'c>) -> u64;

/// The native functions of a program.
pub(crate) struct CodeUnit {
    /// Owns the memory; taken out only to free it.
    module: ManuallyDrop<JITModule>,
    entries: Vec<Option<Entry>>,
    n_slots: usize,
    /// Address of the first byte of code; never used to reach it.
    base: usize,
    n_bytes: usize,
}

// SAFETY: after `load` the module is not touched until `drop`, which has the only reference; the entries point to
// code that never changes and keeps all its state in registers and on the caller's stack.
unsafe impl Sync for CodeUnit {}

/// The code of a unit before it is loaded.
pub(crate) struct Blob {
    /// The functions one after the other.
    pub(crate) bytes: Vec<u8>,
    /// Where each begins; `None` when it was not compiled.
    pub(crate) starts: Vec<Option<usize>>,
    /// Slots that views must have: the code reads them without asking.
    pub(crate) n_slots: usize,
}

impl CodeUnit {
    /// Loads code made by this crate's generator for this machine. The error says why the system refuses.
    pub(crate) fn load(isa: OwnedTargetIsa, signature: &Signature, blob: &Blob) -> Result<CodeUnit, String> {
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        builder.memory_provider(Box::new(SystemMemoryProvider::new()));
        // The generator refuses code with relocations, so no name is ever looked up. One mapping holds everything; this
        // provider reports a refusal to make it executable, where the one with an arena would panic.
        let mut module = JITModule::new(builder);
        let loaded = place(&mut module, signature, &blob.bytes);
        let base = match loaded {
            Ok(base) => base,
            Err(reason) => {
                // SAFETY: no pointer into the module's memory was kept.
                unsafe { module.free_memory() };
                return Err(reason);
            }
        };
        let entry = |start: usize| {
            let code = base.wrapping_add(start);
            // SAFETY: the generator wrote a function of this type at `start`, and the memory holding it is executable
            // until `drop`.
            unsafe { std::mem::transmute::<*const u8, Entry>(code) }
        };
        Ok(CodeUnit {
            entries: blob.starts.iter().map(|start| start.map(entry)).collect(),
            module: ManuallyDrop::new(module),
            n_slots: blob.n_slots,
            base: base.addr(),
            n_bytes: blob.bytes.len(),
        })
    }

    /// The answer of a function; `None` when it was not compiled, or when the view lacks what code takes for granted.
    #[inline]
    pub(crate) fn call(&self, function: usize, view: &View<'_>, context: &Context<'_>) -> Option<u64> {
        if view.n_segments() == 0 || view.n_slots() < self.n_slots {
            return None;
        }
        let entry = (*self.entries.get(function)?)?;
        // SAFETY: the code reads the view by its layout: fields that always exist, slots below `n_slots`, segments that
        // the graph or the code itself proved to exist, and texts within their length, all of which live as long as
        // the view. It passes view and context on to helpers, writes only its stack and keeps no pointer.
        Some(unsafe { entry(view, context) })
    }

    /// Where a function lies, as addresses for profilers; up to the next one, hence with some unused bytes.
    pub(crate) fn range(&self, function: usize) -> Option<Range<usize>> {
        let address = |entry: Entry| (entry as *const ()).addr();
        let start = address((*self.entries.get(function)?)?);
        let next = self.entries.get(function + 1..)?.iter().copied().flatten().map(address).next();
        Some(start..next.unwrap_or(self.base + self.n_bytes))
    }

    /// Where all code lies.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> Range<usize> {
        self.base..self.base + self.n_bytes
    }

    /// Bytes of code.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes
    }
}

/// Copies the code to its memory and makes that executable.
fn place(module: &mut JITModule, signature: &Signature, bytes: &[u8]) -> Result<*const u8, String> {
    let refused = |error: cranelift_module::ModuleError| format!("no executable memory: {error}");
    let function = module.declare_anonymous_function(signature).map_err(refused)?;
    module.define_function_bytes(function, 64, bytes, &[]).map_err(refused)?;
    module.finalize_definitions().map_err(refused)?;
    Ok(module.get_finalized_function(function))
}

impl Drop for CodeUnit {
    fn drop(&mut self) {
        // SAFETY: `drop` runs once and nothing uses the field afterwards.
        let module = unsafe { ManuallyDrop::take(&mut self.module) };
        // SAFETY: nobody runs the code, since `call` borrows the unit, and the entries die with it.
        unsafe { module.free_memory() };
    }
}

impl fmt::Debug for CodeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodeUnit({} functions, {} bytes)", self.entries.len(), self.n_bytes)
    }
}
