//! The runtime: an artifact in, traffic out.
//!
//! It moves bytes according to a plan and a program and never sees source text. From the bottom: `limits`, `time`,
//! `sys`; `wire`, pure protocol code; `error`, `buffer`, `socket`, `group`, `local`; `listen`; `http`, connections
//! that yield exchanges; `upstream`; what happens to an exchange; `exchange`, the order of its stages; `worker` and
//! the processes. A module uses only its own layer and those before it.

mod buffer;
mod context;
pub mod control;
mod echo;
mod error;
mod exchange;
mod filters;
pub mod generation;
mod group;
pub mod handover;
mod http;
mod limits;
mod listen;
mod local;
pub mod log;
pub mod perf_map;
pub mod record;
mod relay;
mod respond;
mod socket;
pub mod supervisor;
mod sys;
mod time;
mod upstream;
pub mod view;
pub mod watch;
pub mod wire;
pub mod worker;
