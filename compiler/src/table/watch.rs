//! What may look on while a decision is taken: tests count steps and the memory that is read.

/// Is told what a walk over the tables does. Deciding uses `()`, of which nothing is left in the code.
pub(crate) trait Watch {
    /// A question is asked, or a route of a list tried.
    #[inline]
    fn step(&mut self) {}

    /// Data of the tables is read at this address.
    #[inline]
    fn read<T>(&mut self, place: &T) {
        let _ = place;
    }
}

impl Watch for () {}
