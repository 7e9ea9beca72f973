//! The listening sockets: made once per address and worker slot, kept while some generation wants their address.
//!
//! A TCP address has one `SO_REUSEPORT` socket per slot. A new socket is bound when a generation asks for it, which
//! tells whether it can be had, but listens only at COMMIT: until then no client can wait in a queue that nobody
//! would empty if the attempt failed. A Unix address has one socket.

use crate::handover::message::{Address, ListenerNeed, Need};
use crate::limits::{LISTEN_BACKLOG, LISTEN_SOCKETS_MAX};
use crate::sys::descriptors;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

/// All listening sockets of a supervisor.
#[derive(Default)]
pub(super) struct Sockets {
    groups: BTreeMap<Address, Group>,
}

/// The sockets of one address.
struct Group {
    /// Where the first slot was bound; `None` for a path.
    bound: Option<SocketAddr>,
    slots: Vec<Slot>,
}

struct Slot {
    socket: Arc<OwnedFd>,
    is_listening: bool,
}

/// How many sockets of each address a generation holds.
pub(super) type Held = BTreeMap<Address, usize>;

/// A socket on its way to a generation.
pub(super) struct Passed {
    /// The index in its needs.
    pub(super) need: u32,
    /// The socket.
    pub(super) socket: Arc<OwnedFd>,
}

impl Sockets {
    /// Binds what is missing. On failure says why and what to do, for a person; nothing new is listening then.
    pub(super) fn bind(&mut self, need: &Need) -> Result<(), String> {
        for listener in &need.listeners {
            let n_wanted = match listener.address {
                Address::Tcp(_) | Address::Port(_) => usize::from(need.workers.max(1)),
                Address::Unix(_) => 1,
            };
            while self.groups.get(&listener.address).map_or(0, |group| group.slots.len()) < n_wanted {
                self.add_slot(&listener.address).map_err(|error| explain(listener, &error))?;
            }
        }
        Ok(())
    }

    fn add_slot(&mut self, address: &Address) -> io::Result<()> {
        if self.groups.values().map(|group| group.slots.len()).sum::<usize>() >= LISTEN_SOCKETS_MAX {
            return Err(io::Error::other("too many listening sockets"));
        }
        let socket = match (address, self.groups.get(address).and_then(|group| group.bound)) {
            (Address::Unix(path), _) => bind_unix(path)?,
            (Address::Tcp(_) | Address::Port(_), Some(bound)) => bind_tcp(bound, address, Sharing::Ours)?,
            (Address::Tcp(addr), None) => self.bind_first(*addr, address)?,
            (Address::Port(port), None) => self
                .bind_first((Ipv6Addr::UNSPECIFIED, *port).into(), address)
                .or_else(|error| match error.raw_os_error().map(nix::errno::Errno::from_raw) {
                    // Where IPv6 is switched off every address means every IPv4 address.
                    Some(nix::errno::Errno::EAFNOSUPPORT | nix::errno::Errno::EADDRNOTAVAIL) => {
                        self.bind_first((Ipv4Addr::UNSPECIFIED, *port).into(), address)
                    }
                    _ => Err(error),
                })?,
        };
        let bound = socket.local_addr()?.as_socket();
        let slot = Slot { socket: Arc::new(socket.into()), is_listening: false };
        let group = self.groups.entry(address.clone()).or_insert(Group { bound, slots: Vec::new() });
        group.slots.push(slot);
        Ok(())
    }

    /// The first socket of an address: without the trial, another program of the same user that also shares its
    /// port would silently get a part of our clients, and we of its.
    fn bind_first(&self, addr: SocketAddr, address: &Address) -> io::Result<Socket> {
        let is_ours = addr.port() != 0
            && self.groups.values().any(|g| g.bound.is_some_and(|b| b.port() == addr.port()));
        if !is_ours {
            bind_tcp(addr, address, Sharing::Trial)?;
        }
        bind_tcp(addr, address, Sharing::Ours)
    }

    /// Lets every bound socket listen. On failure says why, for a person.
    pub(super) fn listen(&mut self, need: &Need) -> Result<(), String> {
        for listener in &need.listeners {
            let is_ours = self.listens_on_port_of(&listener.address);
            let Some(group) = self.groups.get_mut(&listener.address) else { continue };
            let mut sharing = if is_ours || group.bound.is_none() { Sharing::Ours } else { Sharing::Trial };
            for slot in group.slots.iter_mut().filter(|slot| !slot.is_listening) {
                listen(&slot.socket, sharing).map_err(|error| explain(listener, &error))?;
                slot.is_listening = true;
                sharing = Sharing::Ours;
            }
        }
        Ok(())
    }

    /// Whether some socket of ours listens on the port of this address already.
    fn listens_on_port_of(&self, address: &Address) -> bool {
        let port = |group: &Group| group.bound.map(|addr| addr.port());
        let wanted = self.groups.get(address).and_then(port);
        let same = self.groups.values().filter(|group| wanted.is_some() && port(group) == wanted);
        same.flat_map(|group| &group.slots).any(|slot| slot.is_listening)
    }

    /// The sockets of all needed addresses, and how many of each there are.
    pub(super) fn pass(&self, need: &Need) -> (Vec<Passed>, Held) {
        let mut passed = Vec::new();
        let mut held = Held::new();
        for (need_idx, listener) in (0_u32..).zip(&need.listeners) {
            let Some(group) = self.groups.get(&listener.address) else { continue };
            held.insert(listener.address.clone(), group.slots.len());
            passed.extend(
                group.slots.iter().map(|slot| Passed { need: need_idx, socket: Arc::clone(&slot.socket) }),
            );
        }
        (passed, held)
    }

    /// Closes our copies of everything that the serving generation does not hold.
    pub(super) fn keep(&mut self, held: &Held) {
        self.groups.retain(|address, group| {
            group.slots.truncate(held.get(address).copied().unwrap_or(0));
            if group.slots.is_empty()
                && let Address::Unix(path) = address
            {
                // Somebody else may have removed it; a path that stays is replaced at the next start.
                let _ = std::fs::remove_file(path);
            }
            !group.slots.is_empty()
        });
    }

    /// The address as a client would write it.
    pub(super) fn url(&self, listener: &ListenerNeed) -> String {
        let scheme = if listener.plain { "http" } else { "https" };
        let bound = self.groups.get(&listener.address).and_then(|group| group.bound);
        match (&listener.address, bound) {
            (Address::Unix(path), _) => format!("unix:{}", path.display()),
            (Address::Tcp(addr), None) => format!("{scheme}://{addr}"),
            (Address::Tcp(_), Some(addr)) => format!("{scheme}://{addr}"),
            (Address::Port(port), None) => format!("{scheme}://*:{port}"),
            (Address::Port(_), Some(addr)) => format!("{scheme}://*:{}", addr.port()),
        }
    }
}

/// With whom an address is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// With nobody: only to see whether it is free.
    Trial,
    /// With our other slots.
    Ours,
}

fn bind_tcp(addr: SocketAddr, address: &Address, sharing: Sharing) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
    // Connections of an earlier process that the kernel still closes must not keep us from starting.
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(sharing == Sharing::Ours)?;
    if addr.is_ipv6() {
        // `[::]:80` is IPv6 alone and can stand beside `0.0.0.0:80`; `:80` is both.
        socket.set_only_v6(matches!(address, Address::Tcp(_)))?;
    }
    socket.bind(&addr.into())?;
    Ok(socket)
}

/// Begins to listen. On trial the socket shares its port with nobody for that moment: bound sockets that do not listen
/// yet are no hindrance to each other, so of two programs that start at once both get this far, and only here the
/// kernel tells the second one.
fn listen(socket: &OwnedFd, sharing: Sharing) -> io::Result<()> {
    let socket = SockRef::from(socket);
    match sharing {
        Sharing::Ours => socket.listen(LISTEN_BACKLOG),
        Sharing::Trial => {
            socket.set_reuse_port(false)?;
            socket.listen(LISTEN_BACKLOG)?;
            socket.set_reuse_port(true)
        }
    }
}

fn bind_unix(path: &Path) -> io::Result<Socket> {
    if let Ok(meta) = path.symlink_metadata() {
        if !meta.file_type().is_socket() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "a file that is no socket is in the way",
            ));
        }
        match UnixStream::connect(path) {
            Ok(_) => return Err(io::ErrorKind::AddrInUse.into()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path)?,
            Err(error) => return Err(error),
        }
    }
    let socket = Socket::new(Domain::UNIX, Type::STREAM.nonblocking(), None)?;
    socket.bind(&socket2::SockAddr::unix(path)?)?;
    Ok(socket)
}

/// What went wrong with an address, and what to do about it.
fn explain(listener: &ListenerNeed, error: &io::Error) -> String {
    let ListenerNeed { name, address, .. } = listener;
    let port = match address {
        Address::Tcp(addr) => Some(addr.port()),
        Address::Port(port) => Some(*port),
        Address::Unix(_) => None,
    };
    let cause = match error.kind() {
        io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    let help = match (error.kind(), port) {
        (io::ErrorKind::AddrInUse, Some(port)) => {
            format!(
                "stop it (`ss -ltnp 'sport = :{port}'` shows it; `kill` drains a twp whose supervisor was killed), \
                 or give `{name}` another port"
            )
        }
        (io::ErrorKind::AddrInUse, None) => format!("stop it, or give `{name}` another path"),
        (io::ErrorKind::AddrNotAvailable, _) => {
            "`ip address` lists the addresses of this machine; `:PORT` listens on all of them".to_owned()
        }
        (io::ErrorKind::PermissionDenied, Some(port)) if port < 1024 => {
            "ports below 1024 need root or the capability CAP_NET_BIND_SERVICE".to_owned()
        }
        (io::ErrorKind::PermissionDenied, None) => {
            "the directory must be writable for the user of twp".to_owned()
        }
        (io::ErrorKind::AlreadyExists, _) => format!("remove it, or give `{name}` another path"),
        _ if descriptors::are_used_up(error) => descriptors::MORE.to_owned(),
        _ => return format!("error: cannot listen on `{address}` (listener `{name}`): {cause}\n"),
    };
    format!("error: cannot listen on `{address}` (listener `{name}`): {cause}\n  help: {help}\n")
}

#[cfg(test)]
mod tests;
