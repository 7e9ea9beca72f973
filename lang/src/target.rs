//! The one normal form of paths, queries and authorities (language reference, "Matching": normalise once, match
//! and forward the same bytes).
//!
//! The checker brings path literals to this form, the runtime brings request targets to it, so `/%61` and `/a`
//! are one path everywhere. Sources: RFC 3986 sections 2.3, 5.2.4 and 6.2.2; RFC 9112 section 3.2.
