//! System calls without a safe wrapper elsewhere: passing descriptors, signals as a descriptor, limits of the process,
//! memory that goes back.
//!
//! Everything here is a plain function over owned descriptors; no raw pointer or number leaves this module.

pub(crate) mod descriptors;
pub(crate) mod memory;
pub(crate) mod process;
pub(crate) mod signals;
