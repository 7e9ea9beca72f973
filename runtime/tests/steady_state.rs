//! In steady state a request is parsed, viewed, written upstream and recorded, and its response written to the
//! client, without one allocation. A counting allocator watches this thread.
#![expect(unsafe_code, reason = "an allocator that counts has to be one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};
use twp_compiler::SlotIndex;
use twp_compiler::plan::{LogTarget, Slot};
use twp_runtime::log::{Log, WorkerLog};
use twp_runtime::record::{Record, Start};
use twp_runtime::view::{Around, Parsed, SlotMemory, build, fill_slots};
use twp_runtime::wire::date::DateText;
use twp_runtime::wire::forwarded::{Forwarding, client_address};
use twp_runtime::wire::h1::chunked::ChunkedDecoder;
use twp_runtime::wire::h1::encode::{
    ChangeOp, FieldChange, RequestWrite, ResponseWrite, encode_request, encode_response,
};
use twp_runtime::wire::h1::request::RequestHead;
use twp_runtime::wire::h1::response::ResponseHead;
use twp_runtime::wire::h1::{Framing, HeadLimits, Version};
use twp_runtime::wire::target::{Target, TargetScratch};

struct Counting;

thread_local! {
    static N_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory it hands out, and the
// thread's counter needs neither allocation nor destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
        // SAFETY: the pointer came from `alloc` above with this layout.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const REQUESTS: [&[u8]; 4] = [
    b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
    b"GET /api/users?page=2&sort=name HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux \
      x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: text/html,application/xhtml+xml\r\n\
      Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\
      Cookie: session=0123456789abcdef; theme=dark\r\nX-Tenant: blue\r\n\r\n",
    b"GET http://A.Test:80/%61/../b%2e?x=%7e HTTP/1.1\r\nHost: a.test\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\
      X-Forwarded-For: 203.0.113.9, 10.0.0.2\r\nForwarded: for=203.0.113.9\r\nX-Tenant: a\r\nx-tenant: b\r\n\r\n",
    b"POST /form HTTP/1.0\r\nContent-Length: 5\r\nAuthorization: x\r\nAuthorization: x\r\nX_Real_IP: 1\r\n\r\n",
];

const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: origin\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\
      Connection: keep-alive\r\n\r\n";

/// What a worker keeps from request to request.
struct Worker {
    head: RequestHead,
    response: ResponseHead,
    scratch: TargetScratch,
    slots: SlotMemory,
    index: SlotIndex,
    date: DateText,
    upstream: Vec<u8>,
    client: Vec<u8>,
    n_requests: u64,
}

impl Worker {
    fn new() -> Worker {
        let slots = [
            Slot::Header("x-tenant".to_owned()),
            Slot::Cookie("theme".to_owned()),
            Slot::Query("page".to_owned()),
        ];
        Worker {
            head: RequestHead::default(),
            response: ResponseHead::default(),
            scratch: TargetScratch::default(),
            slots: SlotMemory::default(),
            index: SlotIndex::new(&slots),
            date: DateText::default(),
            upstream: Vec::new(),
            client: Vec::new(),
            n_requests: 0,
        }
    }

    fn exchange_all(&mut self, log: &WorkerLog) {
        for request in REQUESTS {
            self.exchange(request, log);
        }
    }

    fn exchange(&mut self, bytes: &[u8], log: &WorkerLog) {
        self.n_requests += 1;
        let peer = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
        let start = Start { unix_millis: 1_700_000_000_000 + self.n_requests, instant: Instant::now() };
        let mut record = Record::open(log, start, peer);
        let limits = HeadLimits::default();
        assert_eq!(self.head.parse(bytes, &limits), Ok(Some(bytes.len())));
        let target = Target::of(&self.head, bytes, &mut self.scratch).expect("a normal target");
        record.request(self.head.method_text.of(bytes), target.host, target.path);
        let is_trusted = |addr: IpAddr| matches!(addr, IpAddr::V4(v4) if v4.octets()[0] == 10);
        let client = client_address(peer, &self.head.fields, bytes, is_trusted);
        let around = Around { listener: 0, https: false, client, peer_is_trusted: true };
        let parsed = Parsed { head: &self.head, bytes, target };
        let mut slots = self.slots.take();
        fill_slots(&mut slots, &self.index, &parsed, &around);
        let view = build(&slots, &parsed, &around).expect("has a path");
        let changes = [FieldChange {
            op: ChangeOp::Set,
            name: b"x-tenant",
            value: black_box(&view).slot(0).or_empty(),
        }];
        self.upstream.clear();
        let write = RequestWrite {
            path: target.path,
            query: target.query,
            host: target.host,
            port: target.port,
            framing: self.head.framing,
            expect_continue: false,
            forwarding: Some(Forwarding {
                peer: b"10.0.0.1",
                peer_is_trusted: true,
                scheme: b"http",
                host: target.host,
                port: target.port,
            }),
            changes: &changes,
        };
        encode_request(&self.head, bytes, &write, &mut self.upstream).expect("encodes");
        self.slots.give_back(slots);
        record.server(b"127.0.0.1:3000");
        record.status = self.respond();
    }

    fn respond(&mut self) -> u16 {
        let limits = HeadLimits::default();
        assert_eq!(self.response.parse(RESPONSE, &limits, self.head.method), Ok(Some(RESPONSE.len())));
        self.client.clear();
        let write = ResponseWrite {
            version: Version::Http11,
            framing: Framing::Length(2),
            content_length: None,
            keep_alive: self.head.keep_alive,
            date: self.date.at(1_700_000_000 + self.n_requests / 100),
            changes: &[],
        };
        encode_response(&self.response, RESPONSE, &write, &mut self.client).expect("encodes");
        self.response.status
    }
}

#[test]
fn an_exchange_allocates_nothing() {
    let path = std::env::temp_dir().join(format!("twp-steady-{}.log", std::process::id()));
    let log = Log::start(&LogTarget::File(path.to_string_lossy().into_owned())).expect("the log opens");
    let worker_log = log.worker();
    let mut worker = Worker::new();
    // The memory of a worker, batches of the log included, has its size after some hundred exchanges.
    for _ in 0..200 {
        worker.exchange_all(&worker_log);
    }
    for _ in 0..8 {
        worker_log.flush();
        worker.exchange_all(&worker_log);
        // The writer gives the batch back.
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = N_ALLOCATIONS.get();
    for round in 0..500 {
        worker.exchange_all(&worker_log);
        if round % 20 == 0 {
            worker_log.flush();
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let n_allocations = N_ALLOCATIONS.get() - before;
    drop(worker_log);
    assert!(log.finish(Duration::from_secs(10)));
    let n_records = std::fs::read_to_string(&path).expect("the log is readable").lines().count();
    std::fs::remove_file(&path).expect("removes");
    assert_eq!(n_records, 4 * (200 + 8 + 500), "every exchange left its record");
    assert_eq!(n_allocations, 0);
}

#[test]
fn decoding_chunks_allocates_nothing() {
    let body = b"5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nA: b\r\n\r\n";
    let before = N_ALLOCATIONS.get();
    let mut decoder = ChunkedDecoder::default();
    let mut at = 0;
    while !decoder.is_done() {
        at += decoder.decode(&body[at..]).expect("decodes").consumed;
    }
    assert_eq!((at, N_ALLOCATIONS.get() - before), (body.len(), 0));
}

#[test]
fn the_allocator_counts() {
    let before = N_ALLOCATIONS.get();
    black_box(Vec::<u8>::with_capacity(black_box(10)));
    assert_eq!(N_ALLOCATIONS.get() - before, 1);
}
