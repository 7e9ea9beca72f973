//! Pure protocol code: plain functions on bytes, no sockets, no tasks. Fuzzed as it is.

