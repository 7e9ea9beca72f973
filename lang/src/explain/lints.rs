//! Pages of the lints that reading the text reports.

/// Code and page, in the order of the codes.
pub(super) const PAGES: &[(&str, &str)] = &[(
    "L0101",
    r"a file without an edition (lint `missing_edition`)

`edition 1` fixes what a file means, also for later versions of twp. Without it the newest edition is taken.

    site a.test { to 127.0.0.1:3000 }

Write `edition 1` at the top of the file.
",
)];
