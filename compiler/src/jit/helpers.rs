//! What native code calls: searches and tests that are not worth to be code of their own.
//!
//! Each takes numbers that the generator chose, so a wrong one is a mistake of this crate. A panic in here cannot
//! unwind into native code: leaving an `extern "C"` function that way ends the process.

use super::Context;
use crate::abi::View;
use crate::plan::{PredicateId, digits};

/// The functions by their place.
#[repr(C)]
pub(super) struct Helpers {
    pub(super) test: extern "C" fn(&Context<'_>, &View<'_>, u64) -> u64,
    pub(super) condition: extern "C" fn(&Context<'_>, &View<'_>, u64) -> u64,
    pub(super) contains: unsafe extern "C" fn(&Context<'_>, *const u8, u64, u64) -> u64,
    pub(super) contains_any: unsafe extern "C" fn(&Context<'_>, *const u8, u64, u64) -> u64,
    pub(super) class: unsafe extern "C" fn(&Context<'_>, *const u8, u64, u64) -> u64,
    pub(super) number: unsafe extern "C" fn(&Context<'_>, *const u8, u64) -> u64,
}

/// All of them.
pub(super) static HELPERS: Helpers = Helpers { test, condition, contains, contains_any, class, number };

extern "C" fn test(context: &Context<'_>, view: &View<'_>, predicate: u64) -> u64 {
    let predicate = PredicateId::try_from(predicate).unwrap_or(PredicateId::MAX);
    u64::from(context.native.test(context, predicate, view))
}

extern "C" fn condition(context: &Context<'_>, view: &View<'_>, number: u64) -> u64 {
    let condition = context.native.extras().conditions.get(index(number));
    u64::from(condition.is_some_and(|condition| context.conditions.holds(condition, view)))
}

/// # Safety
/// `len` bytes at `ptr` are readable and do not change while this runs.
unsafe extern "C" fn contains(context: &Context<'_>, ptr: *const u8, len: u64, number: u64) -> u64 {
    // SAFETY: the caller's promise.
    let text = unsafe { text(ptr, len) };
    let needle = context.native.extras().needles.get(index(number));
    u64::from(needle.is_some_and(|needle| needle.find(text).is_some()))
}

/// # Safety
/// `len` bytes at `ptr` are readable and do not change while this runs.
unsafe extern "C" fn contains_any(context: &Context<'_>, ptr: *const u8, len: u64, number: u64) -> u64 {
    // SAFETY: the caller's promise.
    let text = unsafe { text(ptr, len) };
    let search = context.native.extras().searches.get(index(number));
    u64::from(search.is_some_and(|search| search.is_in(text)))
}

/// # Safety
/// `len` bytes at `ptr` are readable and do not change while this runs.
unsafe extern "C" fn class(context: &Context<'_>, ptr: *const u8, len: u64, number: u64) -> u64 {
    // SAFETY: the caller's promise.
    let text = unsafe { text(ptr, len) };
    let class = context.native.extras().classes.get(index(number));
    u64::from(class.is_some_and(|class| class.takes(text, &context.conditions.regexes)))
}

/// # Safety
/// `len` bytes at `ptr` are readable and do not change while this runs.
unsafe extern "C" fn number(_context: &Context<'_>, ptr: *const u8, len: u64) -> u64 {
    // SAFETY: the caller's promise.
    let text = unsafe { text(ptr, len) };
    digits(text).cast_unsigned()
}

/// # Safety
/// `len` bytes at `ptr` are readable and do not change while the slice is used.
unsafe fn text<'a>(ptr: *const u8, len: u64) -> &'a [u8] {
    if ptr.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise; native code only hands out parts of the view's texts.
    unsafe { std::slice::from_raw_parts(ptr, index(len)) }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
