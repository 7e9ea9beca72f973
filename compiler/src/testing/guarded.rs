//! Texts between guard pages: reading a byte before or behind one ends the process.
#![expect(unsafe_code, reason = "pages without access can only be had from the system")]

use crate::abi::{Text, View};
use crate::plan::SlotId;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous, mprotect};
use std::num::NonZeroUsize;
use std::ptr::NonNull;

const PAGE: usize = 4096;
/// Texts of one request: host, path, query, method and the slots of generated programs.
const PLACES: usize = 48;

/// Pages for the texts of one request, each between two that cannot be touched. Lives as long as the process.
pub(super) struct Guarded {
    base: NonNull<u8>,
}

/// At which guard page a text lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    /// It begins where its page begins.
    Start,
    /// It ends where its page ends.
    End,
}

impl Guarded {
    pub(super) fn new() -> Guarded {
        let len = NonZeroUsize::new((2 * PLACES + 1) * PAGE).expect("more than nothing");
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a fresh private mapping at an address of the system's choice touches nothing that exists.
        let base = unsafe { mmap_anonymous(None, len, access, MapFlags::MAP_PRIVATE) }.expect("some memory");
        for page in (0..=2 * PLACES).step_by(2) {
            // SAFETY: the page lies inside the mapping made above.
            let guard = unsafe { base.byte_add(page * PAGE) };
            // SAFETY: nobody has a reference into that page.
            unsafe { mprotect(guard, PAGE, ProtFlags::PROT_NONE) }.expect("a guard page");
        }
        Guarded { base: base.cast() }
    }

    fn place(&self, number: usize, text: &[u8], edge: Edge) -> &[u8] {
        assert!(number < PLACES && text.len() <= PAGE, "text {number} of {} bytes", text.len());
        let skip = match edge {
            Edge::Start => 0,
            Edge::End => PAGE - text.len(),
        };
        // SAFETY: page `2 * number + 1` of the mapping is readable and writable, and the text fits into it.
        let at = unsafe { self.base.add((2 * number + 1) * PAGE + skip) };
        // SAFETY: as above; `text` lies elsewhere, and slices handed out before for this page are gone, since
        // `with_view` hands them only to its callback.
        unsafe { at.copy_from_nonoverlapping(NonNull::from(text).cast(), text.len()) };
        // SAFETY: these bytes were just written, and nobody writes them while the slice is in use.
        unsafe { std::slice::from_raw_parts(at.as_ptr(), text.len()) }
    }

    /// Hands on an equal view whose texts lie at guard pages.
    pub(super) fn with_view<T>(&mut self, view: &View<'_>, edge: Edge, f: impl FnOnce(&View<'_>) -> T) -> T {
        let this = &*self;
        let guard = |number: usize, text: Text<'_>| match text.bytes() {
            Some(bytes) => Text::new(this.place(number, bytes, edge)),
            None => Text::ABSENT,
        };
        let slot = |number: usize| view.slot(SlotId::try_from(number).expect("few slots"));
        let slots: Vec<Text<'_>> =
            (0..view.n_slots()).map(|number| guard(4 + number, slot(number))).collect();
        let mut guarded = View::new(&slots);
        guarded.method = view.method;
        guarded.scheme = view.scheme;
        guarded.version = view.version;
        guarded.listener = view.listener;
        guarded.port = view.port;
        guarded.content_length = view.content_length;
        guarded.client_ip = view.client_ip;
        guarded.host = guard(0, view.host);
        guarded.query = guard(1, view.query);
        guarded.method_text = guard(2, view.method_text);
        guarded.set_path(this.place(3, view.path().or_empty(), edge));
        f(&guarded)
    }
}
