//! Tests of captures: the text around them by words, plain ones inline, the types through a helper.

use super::emit::{Emit, Str};
use super::fault::{Fault, active};
use crate::capture::{CaptureTest, Class};
use crate::jit::Helper;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;

impl Emit<'_> {
    /// Goes to `yes` where a segment passes a capture's test.
    pub(super) fn capture(&mut self, test: &CaptureTest, segment: Str, yes: Block, no: Block) {
        let value = self.between(segment, &test.prefix, &test.suffix, no);
        let class = match test.class {
            Class::Segment => {
                if active(Fault::CaptureTakesEmpty) {
                    return self.jump(yes);
                }
                let some = self.compare_to(IntCC::NotEqual, value.len, 0);
                return self.branch(some, yes, no);
            }
            Class::Slug if active(Fault::CaptureClass) => Class::Hex,
            class @ (Class::Int | Class::Uuid | Class::Slug | Class::Hex | Class::Regex(_)) => class,
        };
        let number = self.extras.class(class);
        let number = self.number(number);
        let passes = self.call(Helper::Class, &[value.ptr, value.len, number]);
        self.branch(passes, yes, no);
    }
}
