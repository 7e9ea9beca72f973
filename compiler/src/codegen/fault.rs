//! Seeded faults: mistakes that the code generator makes on demand, so that tests can show they would be noticed.
//!
//! Outside of tests none is ever active and the checks vanish.

#[cfg(test)]
use std::cell::Cell;

macro_rules! faults {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A mistake of the code generator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($(#[$doc])+ $name,)+
        }

        #[cfg(test)]
        impl Fault {
            /// All of them.
            pub(crate) const ALL: &[Fault] = &[$(Fault::$name),+];
        }
    };
}

faults! {
    /// A comparison of words leaves out the last one.
    SkipLastWord,
    /// A comparison with one text does not look at the length.
    SkipLength,
    /// A text that no literal equals counts as the first of them.
    MissIsHit,
    /// The search among words goes left where it is equal.
    PivotIncluded,
    /// A word is compared at the place beside its own.
    WordMoved,
    /// `starts_with` does not look at the length.
    StartsWithoutLength,
    /// `ends_with` compares the start.
    EndsAtStart,
    /// `ends_with` does not look at the length.
    EndsWithoutLength,
    /// The search for one of several starts or ends does not look at the length.
    AnyWithoutLength,
    /// Of several starts or ends with the same word the last one is forgotten.
    GroupCut,
    /// Another list of texts is searched for.
    SearchNext,
    /// Whether a field is there is not asked.
    PresenceForgotten,
    /// Presence is answered the wrong way.
    PresenceSwapped,
    /// `not` is left out.
    NotForgotten,
    /// `and` and `or` are mixed up.
    AllIsAny,
    /// `if` takes the other branch.
    IfSwapped,
    /// `http` and `https` are mixed up.
    SchemeSwapped,
    /// The bit of the method before is tested.
    MethodShifted,
    /// A path ends one segment too early.
    SegmentsOffByOne,
    /// The next segment is looked at.
    SegmentNext,
    /// The slash counts as part of the segment.
    SegmentWithSlash,
    /// The slash after the segment counts as part of it.
    SegmentTooLong,
    /// A rest begins at its slash.
    RestWithSlash,
    /// A segment that is not there is read.
    SegmentUnchecked,
    /// The text before a capture is kept.
    PrefixKept,
    /// The text after a capture is not compared.
    SuffixUnchecked,
    /// A capture takes the empty text.
    CaptureTakesEmpty,
    /// Captures of different types are mixed up.
    CaptureClass,
    /// The last address of a network does not belong to it.
    NetworkEndsEarly,
    /// Addresses are compared by their lower half only.
    NetworkHighIgnored,
    /// The bytes of an address are not swapped.
    AddressUnswapped,
    /// `<` holds for equal numbers.
    LessIsLessEqual,
    /// Numbers are compared without their sign.
    NumbersUnsigned,
    /// The last number of a range does not belong to it.
    RangeEndsEarly,
    /// The port loses its upper byte.
    PortByte,
    /// A leaf names the next route.
    RouteOffByOne,
    /// Two answers of a test are swapped.
    TestSwapped,
    /// The table is left at the wrong node.
    ContinuationOffByOne,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Whether the generator has to make this mistake.
#[cfg(test)]
pub(crate) fn active(fault: Fault) -> bool {
    ACTIVE.get() == Some(fault)
}

/// Whether the generator has to make this mistake: never.
#[cfg(not(test))]
pub(crate) const fn active(_fault: Fault) -> bool {
    false
}

/// From now on this thread's generator makes the mistake.
#[cfg(test)]
pub(crate) fn activate(fault: Fault) {
    ACTIVE.set(Some(fault));
}
