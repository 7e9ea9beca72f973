//! Pages about modules and data files.

/// Code and page, in the order of the codes.
pub(super) const PAGES: &[(&str, &str)] = &[
    (
        "E0206",
        r"modules use each other in a circle

Modules may use each other freely, but not in a circle: then none of them could be read without the others.

    // a.twp
    use self.b
    // b.twp
    use self.a

Put what both need into a third module that both use.
",
    ),
    (
        "E0207",
        r"there is no such module

A path after `use` starts with `self` or `std`. `self.shared.nets` is the file `shared/nets.twp`, counted from the folder
of the entry file; `std.nets` is a module of the standard library. Names of modules have small letters, digits and `_`,
and so have their files.

    use self.shared.net

Write the path of the file, or make the file. A thing of a module stands in braces: `use self.shared.nets.{office}`.
",
    ),
    (
        "E0208",
        r"a module declares a listener or `server`

What a program listens on, and how its process works, is visible in one place: the entry file, the one with `edition`.

    // teams/billing.twp
    listener web { plain: [:80] }

Move the declaration to the entry file. Sites of modules name its listeners after `on`.
",
    ),
    (
        "E0230",
        r"this is private to its module

Other modules see only what is declared with `pub`; what a module takes from others by `use` is not passed on either.

    // shared.twp
    const office = [192.0.2.0/24]
    // site.twp
    use self.shared.{office}

Write `pub const office = …`, or use something that the module offers.
",
    ),
    (
        "E0231",
        r"a module cannot be read

There is something with the name of the module's file, but it is a folder, may not be read by this account, has more
than 16 MiB or is not UTF-8.

    use self.shared.nets

The finding names the file and the reason.
",
    ),
    (
        "E0232",
        r"a module names an edition

An edition fixes what a program means, so a program has one, named by its entry file. A file with `edition` is the entry
file of a program of its own and no module of another one.

    // shared/nets.twp
    edition 1

Remove the line, or move what both programs need into a module.
",
    ),
    (
        "E0233",
        r"`pub` before something without a name

`pub` lets other modules name what is declared. A site, a test or an invariant has no name that others could use; it
counts wherever it stands.

    pub site example.com { to 127.0.0.1:3000 }

Remove `pub`.
",
    ),
    (
        "E0234",
        r"the program is too large

A program has at most 4096 files with 32 MiB together, and a module lies at most 16 folders deep.

    use self.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r

Put what is shared by many small files into one, and long lists into tables.
",
    ),
    (
        "E0235",
        r#"a data file lies outside of the program

A data file lies in the folder of the entry file or below, so that a program can be moved as a whole and checking it
reads nothing else. The path starts in the folder of the file that names it and has `/` between its parts.

    respond 200 body file("/etc/motd")

Put the file beside the program, or a symbolic link to it.
"#,
    ),
    (
        "E0236",
        r#"a data file cannot be read

The file is missing, is a folder, may not be read by this account, has more than 16 MiB or is not UTF-8.

    respond 503 body file("./503.htm")

The finding names the file and the reason.
"#,
    ),
    (
        "L0203",
        r"unused_import (warning)

A name is taken from another module and never used. A module with sites, streams, forwards or invariants counts without
being named, so this is not said of a `use` that brings it in.

    use std.nets
    site example.com { to 127.0.0.1:3000 }

Remove the `use`, or the name from its braces.
",
    ),
];
