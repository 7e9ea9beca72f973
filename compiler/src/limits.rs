//! Every limit of the compiler, with its reason.

/// Most nodes of expressions and statements after inlining constants, rules, policies and mounted routes. A program of
/// this size compiles in seconds; rules that call rules twice each double at every level, so growth beyond it is a
/// mistake.
pub(crate) const NODES_MAX: usize = 1_000_000;

/// Most levels of one expression after inlining: later stages walk it recursively on a stack of 2 MiB. The checker
/// allows 256 in what is written; rules that use rules add theirs.
pub(crate) const DEPTH_MAX: usize = 512;

/// Most bytes of a key of a map: keys that are joined from pieces are put together on the stack, one inside the other
/// at worst.
pub(crate) const KEY_BYTES_MAX: usize = 1024;
/// Most levels of policies that apply policies, and of routes that mount routes: people write three or four, and
/// lowering is recursive.
pub(crate) const INLINED_MAX: usize = 64;

/// Most nodes that outer blocks give to the routes inside: each route has its own copy. The statements of a site with
/// 100,000 routes may have 40 nodes; this is about a gigabyte while compiling.
pub(crate) const COPIED_MAX: usize = 4_000_000;

/// Most routes of a program: route numbers share a word with other facts in the tables.
pub(crate) const ROUTES_MAX: usize = 1_000_000;

/// Most listeners: the view holds their number in 16 bits.
pub(crate) const LISTENERS_MAX: usize = 65_535;

/// Most bytes of one regular expression's table. Large Unicode classes take about half of it; ten such tables
/// still fit the second-level cache.
pub(crate) const REGEX_TABLE_BYTES_MAX: usize = 1024 * 1024;

/// Most bytes used while one table is made, so that a bad expression costs memory for a moment only.
pub(crate) const REGEX_BUILD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Most bytes and labels of a host (RFC 1035, section 2.3.4); the normal form of targets refuses longer ones.
pub(crate) const HOST_BYTES_MAX: u64 = 253;
/// Labels are not empty, so every second byte of a host is a dot at most.
pub(crate) const HOST_LABELS_MAX: u64 = 127;

/// Fewest `starts_with`, `ends_with` or `contains` of one text with constants, joined by `or`, that are answered
/// together. Measured on texts of 18 to 193 bytes without any of them: two words cost 9 to 79 ns together and 15 to 30
/// ns one by one; three 11 to 30 ns against 18 to 42; sixteen 24 to 37 ns against 95 to 141.
pub(crate) const MANY_TEXTS_MIN: usize = 3;

/// Fewest constants that a text is compared with, joined by `or`, that become a set.
pub(crate) const MANY_EQUAL_MIN: usize = 2;

/// Most bytes of texts that `contains` looks for together with a table row for each of their bytes: 256 places of four
/// bytes each at worst, so 4 MiB, and some 64 KiB for forty words. More are searched by an automaton that takes a
/// quarter of the memory, and more time only where no prefilter fits.
pub(crate) const DFA_NEEDLE_BYTES_MAX: usize = 4096;

/// Most literal segments of a node that are compared one after the other; beyond it a hash table is quicker.
pub(crate) const SMALL_NODE_MAX: usize = 8;

/// Most typed captures that one position may have to tell apart; more is left to the linear walk.
pub(crate) const TYPED_MAX: usize = 256;

/// Most candidates whose conditions are combined into one diagram; longer lists are tested one after the other.
pub(crate) const DIAGRAM_CANDIDATES_MAX: usize = 32;

/// Bounds for the first-match machine of one site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineLimits {
    /// States for each node of the pattern trie. Sites as people write them need one.
    pub(crate) states_per_trie_node: usize,
    /// States whatever the trie: about 100 MB while building.
    pub(crate) states_max: usize,
    /// Steps of the construction for each node of the trie, which bounds edges and time alike.
    pub(crate) steps_per_trie_node: usize,
}

impl MachineLimits {
    /// The limits of a real build.
    pub(crate) const DEFAULT: MachineLimits =
        MachineLimits { states_per_trie_node: 4, states_max: 400_000, steps_per_trie_node: 256 };

    /// States that every site may have: a few megabytes, so factors only matter beyond that.
    pub(crate) const STATES_FREE: usize = 20_000;
    /// Steps that every site may take: some tens of milliseconds.
    pub(crate) const STEPS_FREE: usize = 400_000;
}

/// Bounds for the native code of one program. They count nodes, not time, so that equal programs get equal code.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "every limit of the project says that it is a most")]
pub(crate) struct NativeLimits {
    /// Nodes and tests compiled; all others are left to the tables. About 0.1 ms each at most.
    pub(crate) nodes_max: usize,
    /// Tests compiled for conditions that are asked apart from the graph.
    pub(crate) tests_max: usize,
    /// Nodes of one function: the compiler's time grows faster than a function does.
    pub(crate) chunk_nodes_max: usize,
    /// Nodes, texts and tests of one function.
    pub(crate) chunk_cost_max: usize,
    /// Literals of a node that are compared by code; more are looked up in a table.
    pub(crate) literals_max: usize,
    /// Sites that share the budget; more are left to the tables, conditions apart.
    pub(crate) sites_together_max: usize,
    /// Tests of one condition; larger ones are left to the tables.
    pub(crate) condition_cost_max: usize,
    /// A net under all counts: once this is over, what is not compiled yet is left to the tables. The counts alone keep
    /// a release below 0.25 s; the net is wall time and wide, so that a busy machine does not change what is native.
    pub(crate) time_max: std::time::Duration,
}

impl NativeLimits {
    /// The limits of a real build.
    pub(crate) const DEFAULT: NativeLimits = NativeLimits {
        nodes_max: 2_000,
        tests_max: 2_000,
        chunk_nodes_max: 64,
        chunk_cost_max: 256,
        literals_max: 16,
        sites_together_max: 32,
        condition_cost_max: 64,
        time_max: std::time::Duration::from_secs(2),
    };
}

/// Most texts of a set that a condition compares by code; larger sets are searched through a helper.
pub(crate) const NATIVE_TEXTS_MAX: usize = 32;

/// Most ranges of numbers that a condition compares by code, one after the other.
pub(crate) const NATIVE_RANGES_MAX: usize = 8;

/// Most networks that a condition searches by code: six comparisons; larger sets go through a helper.
pub(crate) const NATIVE_NETS_MAX: usize = 64;

/// Most bytes of native code for one program: what the design allows a generation.
pub(crate) const NATIVE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Most bytes of stack that one native function may use; what needs more is left to the tables. Two such functions are
/// at work at most: one of the graph, and one for a condition that it asks.
pub(crate) const NATIVE_STACK_MAX: u32 = 512;
