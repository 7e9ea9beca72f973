//! Bounds of what a program may say.

/// Depth of expressions and of blocks in blocks: that of the parser, for what it builds without brackets.
pub(super) const NESTING_MAX: usize = crate::limits::EXPR_DEPTH_MAX;
/// Milliseconds in a day: no time limit of a proxy is longer by intention.
pub(super) const TIMEOUT_MS_MAX: u64 = 24 * 60 * 60 * 1000;
/// Worker threads; more than the cores of the largest machines only cost.
pub(super) const WORKERS_MAX: i64 = 256;
/// Idle connections kept per worker and upstream: the number of ports one address has.
pub(super) const KEEPALIVE_MAX: i64 = 65_536;
/// Smallest limit of a message head in bytes: what browsers send without cookies.
pub(super) const HEAD_BYTES_MIN: u64 = 1024;
/// Largest limit of a message head in bytes: each connection may need it as memory.
pub(super) const HEAD_BYTES_MAX: u64 = 1024 * 1024;
/// Largest limit of field lines; lookups walk them.
pub(super) const HEADER_COUNT_MAX: i64 = 1000;
/// Smallest limit of a request target in bytes.
pub(super) const TARGET_BYTES_MIN: u64 = 64;
/// Largest limit of a request target in bytes: path and query, both below 64 KiB.
pub(super) const TARGET_BYTES_MAX: u64 = 64 * 1024;
/// Bytes of a compiled regular expression, asked of the parser as nesting and of the compiler as size.
pub(super) const REGEX_BYTES_MAX: usize = 4096;
/// Depth of groups inside a regular expression.
pub(super) const REGEX_NESTING_MAX: u32 = 32;
/// States that counted repetitions of a regular expression unfold to.
pub(super) const REGEX_STATES_MAX: u64 = 10_000;
