//! One function while it is written: access to the view, calls of helpers, answers.

use super::Extras;
use crate::abi::layout;
use crate::jit::{Helper, context_layout};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder as _, MemFlagsData, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use std::collections::BTreeMap;

/// A function in the making. Everything is a 64-bit number.
pub(super) struct Emit<'f> {
    pub(super) builder: FunctionBuilder<'f>,
    pub(super) extras: &'f mut Extras,
    view: Value,
    context: Value,
    returns: BTreeMap<u64, Block>,
    signatures: BTreeMap<usize, SigRef>,
    call_conv: CallConv,
}

/// A text in memory.
#[derive(Clone, Copy)]
pub(super) struct Str {
    /// Where it begins.
    pub(super) ptr: Value,
    /// Its bytes.
    pub(super) len: Value,
}

/// What all native functions look like: view and context in, an answer out.
pub(super) fn signature(call_conv: CallConv) -> Signature {
    numbers(2, call_conv)
}

fn numbers(params: usize, call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params = vec![AbiParam::new(I64); params];
    signature.returns = vec![AbiParam::new(I64)];
    signature
}

impl<'f> Emit<'f> {
    pub(super) fn new(
        function: &'f mut Function,
        memory: &'f mut FunctionBuilderContext,
        extras: &'f mut Extras,
    ) -> Emit<'f> {
        let call_conv = function.signature.call_conv;
        let mut builder = FunctionBuilder::new(function, memory);
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let params = builder.block_params(entry);
        let (view, context) = (params[0], params[1]);
        Emit {
            builder,
            extras,
            view,
            context,
            returns: BTreeMap::new(),
            signatures: BTreeMap::new(),
            call_conv,
        }
    }

    /// Writes the blocks of all answers and ends the function.
    pub(super) fn finish(mut self, config: TargetFrontendConfig) {
        for (answer, block) in std::mem::take(&mut self.returns) {
            self.start(block);
            let answer = self.number(answer);
            self.builder.ins().return_(&[answer]);
        }
        self.builder.seal_all_blocks();
        self.builder.finalize(config);
    }

    /// The block that gives this answer.
    pub(super) fn answer(&mut self, answer: u64) -> Block {
        if let Some(block) = self.returns.get(&answer) {
            return *block;
        }
        let block = self.builder.create_block();
        self.returns.insert(answer, block);
        block
    }

    pub(super) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    /// Goes on writing in a block; the one before has ended.
    pub(super) fn start(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub(super) fn jump(&mut self, to: Block) {
        self.builder.ins().jump(to, &[]);
    }

    pub(super) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.builder.ins().brif(condition, yes, &[], no, &[]);
    }

    /// Ends the block: where the condition does not hold, `no` is next; goes on where it does.
    pub(super) fn require(&mut self, condition: Value, no: Block) {
        let next = self.block();
        self.branch(condition, next, no);
        self.start(next);
    }

    pub(super) fn number(&mut self, number: u64) -> Value {
        self.builder.ins().iconst(I64, number.cast_signed())
    }

    pub(super) fn compare(&mut self, how: IntCC, left: Value, right: Value) -> Value {
        self.builder.ins().icmp(how, left, right)
    }

    pub(super) fn compare_to(&mut self, how: IntCC, left: Value, right: u64) -> Value {
        let right = self.number(right);
        self.compare(how, left, right)
    }

    /// A field of the view. These never change and are always there, so equal loads are one.
    pub(super) fn field(&mut self, bytes: u32, offset: i32) -> Value {
        let base = self.view;
        self.constant_load(bytes, base, offset)
    }

    fn constant_load(&mut self, bytes: u32, base: Value, offset: i32) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.load_with(flags, bytes, base, offset)
    }

    /// Bytes of a text. Whoever asks has checked its length, so the load has to stay behind that check.
    pub(super) fn load(&mut self, bytes: u32, base: Value, offset: i32) -> Value {
        self.load_with(MemFlagsData::new(), bytes, base, offset)
    }

    fn load_with(&mut self, flags: MemFlagsData, bytes: u32, base: Value, offset: i32) -> Value {
        let ty = integer(bytes);
        let value = self.builder.ins().load(ty, flags, base, offset);
        if ty == I64 { value } else { self.builder.ins().uextend(I64, value) }
    }

    /// A text of the view; it may be absent.
    pub(super) fn view_text(&mut self, offset: i32) -> Str {
        Str { ptr: self.field(8, offset + layout::TEXT_PTR), len: self.field(4, offset + layout::TEXT_LEN) }
    }

    /// The value of a slot that the program knows; it may be absent.
    pub(super) fn slot_text(&mut self, slot: u16) -> Str {
        let slots = self.field(8, layout::SLOTS);
        let offset = i32::from(slot) * layout::TEXT_SIZE;
        Str {
            ptr: self.constant_load(8, slots, offset + layout::TEXT_PTR),
            len: self.constant_load(4, slots, offset + layout::TEXT_LEN),
        }
    }

    /// Calls a helper: the context goes before the arguments.
    pub(super) fn call(&mut self, helper: Helper, arguments: &[Value]) -> Value {
        let helpers = self.context;
        let helpers = self.constant_load(8, helpers, context_layout::HELPERS);
        let function = self.constant_load(8, helpers, context_layout::helper(helper));
        let signature = self.helper_signature(1 + arguments.len());
        let mut all = vec![self.context];
        all.extend(arguments);
        let call = self.builder.ins().call_indirect(signature, function, &all);
        self.builder.inst_results(call)[0]
    }

    pub(super) fn view(&self) -> Value {
        self.view
    }

    fn helper_signature(&mut self, params: usize) -> SigRef {
        if let Some(known) = self.signatures.get(&params) {
            return *known;
        }
        let signature = self.builder.import_signature(numbers(params, self.call_conv));
        self.signatures.insert(params, signature);
        signature
    }
}

fn integer(bytes: u32) -> Type {
    match bytes {
        1 => I8,
        2 => I16,
        4 => I32,
        _ => I64,
    }
}
