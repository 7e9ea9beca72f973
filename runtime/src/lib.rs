//! The runtime: an artifact in, traffic out.
//!
//! It moves bytes according to a plan and a program and never sees source text. The layers, from the bottom:
//! `limits`, `time`, `error`, `sys`; `wire` (pure protocol code); `listen`; `http` (connections that yield
//! exchanges); `upstream`; `view`, `filters`, `body`, `relay`, `respond`, `record`, `log`; `exchange`; `worker`,
//! `generation`, `supervisor`, `handover`.

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
