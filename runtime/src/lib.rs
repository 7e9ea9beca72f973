//! The runtime: an artifact in, traffic out.
//!
//! It moves bytes according to a plan and a program and never sees source text. The layers, from the bottom:
//! `limits`, `time`, `error`, `sys`; `wire` (pure protocol code); `listen`; `http` (connections that yield
//! exchanges); `upstream`; `view`, `filters`, `body`, `relay`, `respond`, `record`, `log`; `exchange`; `worker`,
//! `generation`, `supervisor`, `handover`.
