//! All that belongs to one worker: what it serves, its tools, its upstream connections, and the memory of exchanges.

use crate::buffer::Buffer;
use crate::filters::Changes;
use crate::group::{Counters, WorkerGroup};
use crate::limits::{SCRATCH_BYTES_KEPT, WORKSPACES_KEPT};
use crate::local::Local;
use crate::log::WorkerLog;
use crate::record::Start;
use crate::upstream::Upstreams;
use crate::view::SlotMemory;
use crate::wire::h1::request::RequestHead;
use crate::wire::h1::response::ResponseHead;
use crate::wire::target::TargetScratch;
use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use twp_compiler::Artifact;

pub(crate) use crate::local::Phase;

/// What one worker has.
#[derive(Debug)]
pub(crate) struct WorkerContext {
    /// Its tools.
    pub(crate) local: Local,
    /// What it serves.
    pub(crate) artifact: Arc<Artifact>,
    /// Its upstreams.
    pub(crate) upstreams: Upstreams,
    /// Where its records go.
    pub(crate) log: WorkerLog,
    index: usize,
    group: Arc<WorkerGroup>,
    #[expect(clippy::vec_box, reason = "they move between here and exchanges, by pointer and not by value")]
    workspaces: RefCell<Vec<Box<Workspace>>>,
    began: Start,
}

/// Memory of one exchange, reused by the next. Idle connections have none.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Read from the client and not yet used.
    pub(crate) client: Buffer,
    /// Read from the server and not yet used.
    pub(crate) server: Buffer,
    /// The request head.
    pub(crate) request: RequestHead,
    /// The response head.
    pub(crate) response: ResponseHead,
    /// Its target, where it was not normal on arrival.
    pub(crate) target: TargetScratch,
    /// What the program reads.
    pub(crate) slots: SlotMemory,
    /// What its route changes.
    pub(crate) changes: Changes,
    /// Head and framed body on their way to the server.
    pub(crate) to_server: Vec<u8>,
    /// Head and framed body on their way to the client.
    pub(crate) to_client: Vec<u8>,
    /// The body of an answer of our own.
    pub(crate) text: Vec<u8>,
    /// The value of the field that goes with such an answer.
    pub(crate) value: Vec<u8>,
}

impl WorkerContext {
    /// A worker that has seen nothing yet.
    pub(crate) fn new(
        index: usize,
        artifact: Arc<Artifact>,
        group: Arc<WorkerGroup>,
        log: WorkerLog,
    ) -> Rc<WorkerContext> {
        let local = Local::new(&artifact.plan.server);
        let upstreams = Upstreams::new(&artifact.plan.upstreams, index, &local.clock);
        Rc::new(WorkerContext {
            local,
            artifact,
            upstreams,
            log,
            index,
            group,
            workspaces: RefCell::new(Vec::new()),
            began: now(),
        })
    }

    /// Its counters.
    pub(crate) fn counters(&self) -> &Counters {
        self.group.counters(self.index).expect("a worker is a member of its group")
    }

    /// Whether an address is a trusted proxy.
    pub(crate) fn is_trusted(&self, addr: IpAddr) -> bool {
        self.artifact.plan.server.trusted_proxies.iter().any(|network| network.contains(addr))
    }

    /// When an exchange begins. Only records want to know.
    pub(crate) fn start(&self) -> Start {
        if self.log.is_on() { now() } else { self.began }
    }

    /// Memory for an exchange.
    pub(crate) fn workspace(&self) -> Box<Workspace> {
        self.workspaces.borrow_mut().pop().unwrap_or_default()
    }

    /// Takes the memory of an exchange back.
    pub(crate) fn release(&self, mut work: Box<Workspace>) {
        self.local.buffers.release(std::mem::take(&mut work.client));
        self.local.buffers.release(std::mem::take(&mut work.server));
        for text in [&mut work.to_server, &mut work.to_client, &mut work.text, &mut work.value] {
            text.clear();
            text.shrink_to(SCRATCH_BYTES_KEPT);
        }
        let mut kept = self.workspaces.borrow_mut();
        if kept.len() < WORKSPACES_KEPT {
            kept.push(work);
        }
    }
}

fn now() -> Start {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Start { unix_millis: u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX), instant: Instant::now() }
}
