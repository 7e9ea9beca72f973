//! What the plan takes over from the checked program as it is: the server, listeners and upstreams.

use crate::lower::lower_timeouts;
use crate::plan::{ListenAddress, ListenerPlan, LogTarget, ServerPlan, ServersPlan, UpstreamPlan};
use twp_lang::hir;

pub(super) fn server(source: &hir::Program) -> ServerPlan {
    let server = &source.server;
    let access_log = match (server.access_log.off, &server.access_log.path) {
        (true, _) => None,
        (false, Some(path)) => Some(LogTarget::File(path.clone())),
        (false, None) => Some(LogTarget::Stdout),
    };
    ServerPlan {
        workers: server.workers,
        trusted_proxies: server.trusted_proxies.clone(),
        access_log,
        head_bytes_max: server.limits.head_bytes,
        header_count_max: server.limits.header_count,
        target_bytes_max: server.limits.target_bytes,
        drain_ms: server.drain,
    }
}

pub(super) fn listeners(source: &hir::Program) -> Vec<ListenerPlan> {
    source.listeners.iter().map(listener).collect()
}

fn listener(listener: &hir::Listener) -> ListenerPlan {
    let plain = listener.plain.iter().map(|endpoint| (endpoint, true));
    let all = listener.bind.iter().map(|endpoint| (endpoint, false)).chain(plain);
    let addresses = all.map(|(endpoint, plain)| ListenAddress { endpoint: endpoint.value.clone(), plain });
    ListenerPlan { name: listener.name.clone(), addresses: addresses.collect() }
}

pub(super) fn upstreams(source: &hir::Program) -> Vec<UpstreamPlan> {
    source.upstreams.iter().map(upstream).collect()
}

fn upstream(upstream: &hir::Upstream) -> UpstreamPlan {
    let servers = match &upstream.servers {
        hir::Servers::Endpoints(endpoints) => ServersPlan::Endpoints(endpoints.clone()),
        hir::Servers::Echo => ServersPlan::Echo,
        // Refused before it would run; a plan without servers answers that none is there.
        hir::Servers::Discover(_) => ServersPlan::Endpoints(Vec::new()),
    };
    UpstreamPlan {
        name: upstream.name.clone(),
        servers,
        timeouts: lower_timeouts(upstream.timeouts),
        keepalive: upstream.keepalive,
    }
}
