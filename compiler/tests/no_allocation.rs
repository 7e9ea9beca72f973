//! Deciding and testing conditions allocate nothing: a counting allocator watches.
#![expect(unsafe_code, reason = "an allocator can only be replaced by an unsafe implementation")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use twp_compiler::{Artifact, EngineChoice, Request};
use twp_lang::literal::Method;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it is; counting touches only a thread-local cell
// that needs no allocation itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, hence from the system's allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SOURCE: &str = r#"edition 1
upstream app { builtin: echo }
const nets = [10.0.0.0/8, 192.0.2.0/24]
rule inside = client.ip in nets
site a.test, *.a.test {
  route GET /users/{id:int} as user when id > 7 and inside { to app }
  route /files/{name}.css as css when "${request.host}:${request.port}" == "a.test:80" { to app }
  route /x/{s:re"[a-z]+"} as word when request.header["user-agent"] matches re"(curl|wget)/.*" { to app }
  route /g/{rest...} as glob when request.target matches glob"/g/*?q=*" { to app }
  route /t/{rest...} as texts when (request.query["q"] ?? request.cookie["s"] ?? "z") in ["a", "b", "c"] { to app }
  route /c as client when "${client.ip}" starts_with "10." and request.header["x-a"] contains "needle" { to app }
  route /m/{rest...} as many when rest contains "aa" or rest contains "bb" or rest contains "/b" { to app }
  route /n/{rest...} as joined when request.target contains "?q" or request.target contains "cc" or request.target contains "dd" { to app }
  route PURGE /p as purge { to app }
}
site **.b.test { fallback { respond 200 } }
"#;

fn artifact() -> Artifact {
    let (tree, _) = twp_lang::parse(SOURCE);
    let (program, diagnostics) = twp_lang::check(&tree);
    let program = program.unwrap_or_else(|| panic!("{diagnostics:#?}"));
    twp_compiler::compile(&program).expect("within the limits")
}

fn requests() -> Vec<Request> {
    let header = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
    let mut requests = Vec::new();
    for path in [
        "/users/42",
        "/users/x",
        "/files/a.css",
        "/x/abc",
        "/g/a/b",
        "/m/a/b",
        "/n/x",
        "/t/",
        "/c",
        "/p",
        "/nowhere/at/all",
    ] {
        for host in ["a.test", "w.a.test", "x.y.b.test", "other.test"] {
            for method in ["GET", "PURGE", "POST"] {
                requests.push(Request {
                    method: Method::from_text(method),
                    host: host.to_owned(),
                    path: path.to_owned(),
                    query: Some("q=b&r".to_owned()),
                    client_ip: "10.1.2.3".parse().expect("an address"),
                    headers: vec![header("user-agent", "curl/8.0"), header("x-a", "hay needle hay")],
                    ..Request::default()
                });
            }
        }
    }
    requests
}

#[test]
fn deciding_allocates_nothing() {
    for engine in [EngineChoice::Native, EngineChoice::Table] {
        decide_and_count(engine);
    }
}

fn decide_and_count(engine: EngineChoice) {
    let Artifact { plan, mut program } = artifact();
    program.use_engine(engine).expect("native code");
    let (mut taken, mut tests) = (0, 0);
    for request in requests() {
        let allocations = request.with_view(&plan.slots, |view| {
            let before = ALLOCATIONS.with(Cell::get);
            if let Some(route) = program.decide(view) {
                taken += usize::from(!plan.routes[route as usize].builtin_fallback);
            }
            for predicate in 0..20 {
                tests += usize::from(program.test(predicate, view));
            }
            ALLOCATIONS.with(Cell::get) - before
        });
        assert_eq!(allocations, 0, "{request:?}");
    }
    assert!(taken > 20 && tests > 100, "{taken} requests reached a route, {tests} conditions held");
}
