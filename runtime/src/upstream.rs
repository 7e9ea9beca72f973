//! The other side: upstreams, their servers, and leases on connections to them.
//!
//! Everything here belongs to one worker; nothing is locked. A [`Lease`] that is dropped closes its connection; only
//! [`Lease::give_back`] returns one to the pool, so an exchange that ends anywhere else leaves nothing half-used.

mod balance;
mod connect;
mod pool;

pub(crate) use pool::Lease;

use crate::error::{Error, ErrorKind};
use crate::limits::{BODY_IDLE_TIMEOUT, CONNECT_TIMEOUT, RESPONSE_TIMEOUT, SERVER_REST, UPSTREAM_IDLE_MAX};
use crate::socket::Check;
use crate::time::{Clock, Deadline, Tick, ticks};
use balance::RoundRobin;
use pool::Server;
use std::rc::Rc;
use std::time::Duration;
use twp_compiler::plan::{ServersPlan, TimeoutPlan, UpstreamId, UpstreamPlan};

/// The upstreams of one worker.
#[derive(Debug)]
pub(crate) struct Upstreams {
    list: Vec<Upstream>,
    clock: Rc<Clock>,
}

/// An upstream.
#[derive(Debug)]
pub(crate) struct Upstream {
    /// Its name.
    pub(crate) name: String,
    /// Who answers.
    pub(crate) answers: Answers,
    timeouts: TimeoutPlan,
}

/// Who answers for an upstream.
#[derive(Debug)]
pub(crate) enum Answers {
    /// Servers.
    Servers(Group),
    /// The origin inside twp.
    Echo,
}

/// The servers of an upstream.
#[derive(Debug)]
pub(crate) struct Group {
    servers: Vec<Server>,
    round_robin: RoundRobin,
    clock: Rc<Clock>,
}

/// Time limits of an exchange with an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// To establish a connection.
    pub(crate) connect: Tick,
    /// From the request sent to the response head.
    pub(crate) response: Tick,
    /// Between two pieces of a body.
    pub(crate) idle: Tick,
}

impl Upstreams {
    /// The upstreams of a plan, as this worker uses them.
    pub(crate) fn new(plans: &[UpstreamPlan], worker: usize, clock: &Rc<Clock>) -> Upstreams {
        let list = plans.iter().map(|plan| Upstream::new(plan, worker, clock)).collect();
        Upstreams { list, clock: Rc::clone(clock) }
    }

    /// An upstream by its number. Numbers come from the plan that made this list.
    pub(crate) fn of(&self, id: UpstreamId) -> Option<&Upstream> {
        self.list.get(usize::try_from(id).ok()?)
    }

    /// Once a second: closes idle connections that are old, or that the other side has closed.
    pub(crate) fn sweep(&self) {
        if !self.clock.now().is_multiple_of(ticks(Duration::from_secs(1))) {
            return;
        }
        self.servers().for_each(|server| server.sweep(self.clock.now()));
    }

    /// Closes all idle connections.
    pub(crate) fn close_idle(&self) {
        self.servers().for_each(Server::close_idle);
    }

    fn servers(&self) -> impl Iterator<Item = &Server> {
        let groups = self.list.iter().filter_map(|upstream| match &upstream.answers {
            Answers::Servers(group) => Some(group),
            Answers::Echo => None,
        });
        groups.flat_map(|group| &group.servers)
    }
}

impl Upstream {
    fn new(plan: &UpstreamPlan, worker: usize, clock: &Rc<Clock>) -> Upstream {
        let idle_max = plan.keepalive.map_or(UPSTREAM_IDLE_MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let answers = match &plan.servers {
            ServersPlan::Endpoints(endpoints) => Answers::Servers(Group {
                servers: endpoints.iter().map(|endpoint| Server::new(endpoint.clone(), idle_max)).collect(),
                // Workers begin at different servers, so that a quiet proxy does not send all to the first.
                round_robin: RoundRobin::starting_at(worker),
                clock: Rc::clone(clock),
            }),
            ServersPlan::Echo => Answers::Echo,
        };
        Upstream { name: plan.name.clone(), answers, timeouts: plan.timeouts }
    }

    /// Time limits: those of the route, else of the upstream, else the defaults.
    pub(crate) fn timeouts(&self, route: &TimeoutPlan) -> Timeouts {
        let pick = |route: Option<u64>, own: Option<u64>, default: Duration| {
            ticks(route.or(own).map_or(default, Duration::from_millis))
        };
        Timeouts {
            connect: pick(route.connect_ms, self.timeouts.connect_ms, CONNECT_TIMEOUT),
            response: pick(route.response_ms, self.timeouts.response_ms, RESPONSE_TIMEOUT),
            idle: pick(route.idle_ms, self.timeouts.idle_ms, BODY_IDLE_TIMEOUT),
        }
    }
}

impl Group {
    /// A connection to one of the servers: an idle one of the next server, or a new one; a server that cannot be
    /// reached rests and the next is tried. `note` is told the name of each server that is tried.
    pub(crate) async fn lease(
        &self,
        how: &LeaseOptions<'_>,
        mut note: impl FnMut(&str),
    ) -> Result<Lease<'_>, Error> {
        let mut failure = Error::unsent(ErrorKind::ConnectFailed);
        let now = self.clock.now();
        for server in self.round_robin.order(&self.servers, move |server| server.is_resting(now)) {
            note(server.name());
            if !how.fresh
                && let Some(lease) = server.idle(&self.clock, how.check)
            {
                return Ok(lease);
            }
            // Rare and large: exchanges on idle connections do not carry its state around.
            match Box::pin(connect::connect(server, how.deadline, how.connect)).await {
                Ok(socket) => return Ok(Lease::new(server, &self.clock, socket)),
                Err(error) => {
                    if error.kind == ErrorKind::Exhausted {
                        return Err(error);
                    }
                    server.rest_until(self.clock.now() + ticks(SERVER_REST));
                    failure = error;
                }
            }
        }
        let is_refusal = matches!(failure.kind, ErrorKind::ConnectFailed | ErrorKind::NameUnknown);
        Err(if is_refusal && self.servers.len() > 1 { Error::unsent(ErrorKind::NoServer) } else { failure })
    }
}

/// How a connection is wanted.
#[derive(Debug)]
pub(crate) struct LeaseOptions<'a> {
    /// The deadline of the exchange; moved while connecting.
    pub(crate) deadline: &'a Deadline,
    /// Time to establish a connection.
    pub(crate) connect: Tick,
    /// Take no idle connection.
    pub(crate) fresh: bool,
    /// How thoroughly an idle connection is looked at.
    pub(crate) check: Check,
}
