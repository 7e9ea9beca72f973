//! From text to tables, work and memory grow with the number of routes and no faster: a counting allocator watches.
//!
//! Allocations do not depend on the speed of the machine, and whatever is done for each pair of routes, or copied again
//! and again, shows in their number or their bytes.
#![expect(unsafe_code, reason = "an allocator can only be replaced by an unsafe implementation")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;

struct Counting;

/// What was asked of the allocator by this thread.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    allocations: usize,
    bytes: usize,
    live: usize,
    peak: usize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, bytes: 0, live: 0, peak: 0 }) };
}

// SAFETY: every call is passed on to the system's allocator as it is; counting touches only a thread-local cell
// that needs no allocation itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTS.with(|counts| {
            let Counts { allocations, bytes, live, peak } = counts.get();
            let (bytes, live) = (bytes + layout.size(), live + layout.size());
            counts.set(Counts { allocations: allocations + 1, bytes, live, peak: peak.max(live) });
        });
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        COUNTS.with(|counts| {
            let now = counts.get();
            counts.set(Counts { live: now.live.saturating_sub(layout.size()), ..now });
        });
        // SAFETY: the pointer came from `alloc` above, hence from the system's allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Sites of `per_site` routes: literals, captures, rests, methods, guards and header changes.
fn configuration(n: usize, per_site: usize) -> String {
    let mut text = "edition 1\nconst nets = [10.0.0.0/8, 192.168.0.0/16]\nrule office = client.ip in nets\n\
                    upstream app { servers: [127.0.0.1:9000] }\n"
        .to_owned();
    for number in 0..n {
        if number % per_site == 0 {
            let close = if number == 0 { "" } else { "}\n" };
            let _ = writeln!(text, "{close}site h{}.example.test {{", number / per_site);
        }
        let tail = ["items/list", "{id:int}", "{id}/edit", "{rest...}", "items"][number % 5];
        let method = ["", "GET ", "GET|POST "][number % 3];
        let guard = ["", "", "", " when office", "", "", "", "", "", ""][number % 10];
        let change = if number.is_multiple_of(7) { "set request.header[\"x-route\"] = \"yes\" " } else { "" };
        let _ = writeln!(
            text,
            "route {method}/api/v1/service-{number}/{tail} as r{number}{guard} {{ {change}to app }}"
        );
    }
    text + "}\n"
}

fn compiled(text: &str) -> usize {
    let (tree, found) = twp_lang::parse(text);
    assert_eq!(found, []);
    let (program, found) = twp_lang::check(&tree);
    let program = program.unwrap_or_else(|| panic!("{:?}", found.first()));
    twp_compiler::compile(&program).expect("within the limits").plan.routes.len()
}

/// What compiling that many routes asks of the allocator, for each route.
fn for_each_route(n: usize, per_site: usize) -> [usize; 3] {
    let text = configuration(n, per_site);
    let before = COUNTS.with(Cell::get);
    COUNTS.with(|counts| counts.set(Counts { live: 0, peak: 0, ..before }));
    assert!(compiled(&text) >= n);
    let after = COUNTS.with(Cell::get);
    [after.allocations - before.allocations, after.bytes - before.bytes, after.peak].map(|count| count / n)
}

#[test]
fn work_and_memory_grow_with_the_routes_and_no_faster() {
    for per_site in [100, usize::MAX] {
        let (small, large) = (for_each_route(1_000, per_site), for_each_route(10_000, per_site));
        println!("allocations, bytes, peak for each route: {small:?} of 1,000, {large:?} of 10,000");
        // Tables double, so where a size falls between two powers of two makes some difference to the bytes.
        for ((small, large), (most, percent)) in
            small.into_iter().zip(large).zip([(120, 105), (18_000, 130), (7_000, 130)])
        {
            assert!(large * 100 <= small * percent, "{small} for each of 1,000 routes, {large} of 10,000");
            assert!(large <= most, "{large} for each of 10,000 routes");
        }
    }
}
