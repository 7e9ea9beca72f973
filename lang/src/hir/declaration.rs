//! Declarations of values: functions and enums.

use super::{Expr, Ty};
use std::fmt;
use std::sync::Arc;

/// Number of a function: its place in [`Program::fns`](super::Program::fns).
pub type FnId = usize;
/// Number of an enum: unique in a program.
pub type EnumId = usize;
/// Number of a `let`: unique in a program.
pub type LetId = usize;

/// `fn name(params) -> Ty = body`
#[derive(Clone, Debug)]
pub struct Fn {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters.
    pub params: Vec<(String, Ty)>,
    /// Its value: uses only parameters, constants and functions.
    pub body: Expr,
}

/// The type that an `enum` declares. Its values are texts: the names of its variants.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EnumTy {
    /// Its number.
    pub id: EnumId,
    /// Its name.
    pub name: Arc<str>,
    /// Its variants in the order of the text.
    pub variants: Arc<[String]>,
}

impl fmt::Debug for EnumTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
