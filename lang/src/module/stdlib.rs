//! The standard library: the modules of `stdlib/`, part of this program, so that they fit it.

/// Each file of the library: its path and its text. In the order of the alphabet.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("methods.twp", include_str!("../../../stdlib/methods.twp")),
    ("nets.twp", include_str!("../../../stdlib/nets.twp")),
    ("security.twp", include_str!("../../../stdlib/security.twp")),
];

/// The path and the text of a module such as `std.nets`.
pub(crate) fn module(name: &str) -> Option<(&'static str, &'static str)> {
    let path = format!("{}.twp", name.strip_prefix("std.")?.replace('.', "/"));
    file(&path)
}

/// A file of the library by its path in `stdlib/`.
pub(crate) fn file(path: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|(known, _)| *known == path).copied()
}

/// The names of all modules.
pub(crate) fn names() -> impl Iterator<Item = String> {
    FILES.iter().filter_map(|(path, _)| Some(format!("std.{}", path.strip_suffix(".twp")?.replace('/', "."))))
}
