//! Binding, sharing and giving up addresses on loopback.

use super::*;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

fn need(address: Address, workers: u16) -> Need {
    Need {
        listeners: vec![ListenerNeed { name: "web".to_owned(), address, plain: true }],
        workers,
        sources: Vec::new(),
        engine: "table".to_owned(),
        warnings: String::new(),
        drain_ms: None,
    }
}

/// A free address: it was bound a moment ago.
fn free() -> io::Result<Address> {
    Ok(Address::Tcp(TcpListener::bind("127.0.0.1:0")?.local_addr()?))
}

fn addr(address: &Address) -> SocketAddr {
    match address {
        Address::Tcp(addr) => *addr,
        Address::Port(_) | Address::Unix(_) => panic!("not a TCP address"),
    }
}

#[test]
fn clients_are_refused_until_commit_and_wait_afterwards() -> io::Result<()> {
    let address = free()?;
    let need = need(address.clone(), 2);
    let mut sockets = Sockets::default();
    assert_eq!(sockets.bind(&need), Ok(()));
    assert!(TcpStream::connect(addr(&address)).is_err(), "a bound socket has no queue");
    assert_eq!(sockets.listen(&need), Ok(()));
    TcpStream::connect(addr(&address))?;
    Ok(())
}

#[test]
fn a_second_supervisor_of_the_same_user_is_refused_with_cause_and_remedy() -> io::Result<()> {
    let need = need(free()?, 2);
    let (mut first, mut second) = (Sockets::default(), Sockets::default());
    assert_eq!(first.bind(&need).and_then(|()| first.listen(&need)), Ok(()));
    let text = second.bind(&need).err().unwrap_or_default();
    assert!(text.contains("another program listens there") && text.contains("help:"), "{text}");
    assert!(text.contains(&need.listeners[0].address.to_string()) && text.contains("`web`"), "{text}");
    Ok(())
}

/// Sockets that are bound and do not listen are no hindrance to each other, so the trial at binding sees nothing.
#[test]
fn of_two_supervisors_that_start_at_once_the_second_to_listen_is_refused() -> io::Result<()> {
    let need = need(free()?, 2);
    let (mut first, mut second) = (Sockets::default(), Sockets::default());
    assert_eq!(first.bind(&need), Ok(()));
    assert_eq!(second.bind(&need), Ok(()));
    assert_eq!(first.listen(&need), Ok(()));
    let text = second.listen(&need).err().unwrap_or_default();
    assert!(text.contains("another program listens there") && text.contains("help:"), "{text}");
    // The first can still grow.
    let wider = Need { workers: 4, ..need };
    assert_eq!(first.bind(&wider).and_then(|()| first.listen(&wider)), Ok(()));
    Ok(())
}

/// The same sockets are passed again and again, so no queue is ever lost.
#[test]
fn more_and_fewer_workers_share_the_same_sockets() -> io::Result<()> {
    let address = free()?;
    let mut sockets = Sockets::default();
    let mut first = None;
    for workers in [4, 1, 4, 6] {
        let need = need(address.clone(), workers);
        assert_eq!(sockets.bind(&need).and_then(|()| sockets.listen(&need)), Ok(()));
        let (passed, held) = sockets.pass(&need);
        sockets.keep(&held);
        assert_eq!(passed.len(), usize::from(workers.max(4)));
        let known = first.get_or_insert_with(|| Arc::clone(&passed[0].socket));
        assert!(Arc::ptr_eq(known, &passed[0].socket));
    }
    Ok(())
}

#[test]
fn sockets_of_a_failed_attempt_are_closed_and_those_in_use_stay() -> io::Result<()> {
    let (old, new) = (free()?, free()?);
    let mut sockets = Sockets::default();
    let old_need = need(old.clone(), 1);
    assert_eq!(sockets.bind(&old_need).and_then(|()| sockets.listen(&old_need)), Ok(()));
    let (passed, held) = sockets.pass(&old_need);
    let mut wider = need(old.clone(), 3);
    wider.listeners.push(ListenerNeed { name: "more".to_owned(), address: new.clone(), plain: true });
    assert_eq!(sockets.bind(&wider), Ok(()));
    sockets.keep(&held);
    TcpListener::bind(addr(&new))?;

    // Every client reaches the one socket that is left.
    let listener = TcpListener::from(passed[0].socket.try_clone()?);
    listener.set_nonblocking(false)?;
    for _ in 0..20 {
        TcpStream::connect(addr(&old))?.write_all(b"x")?;
        listener.accept()?.0.read_exact(&mut [0])?;
    }
    Ok(())
}

/// Going from one address to every address on its port needs both for a moment.
#[test]
fn a_port_of_our_own_can_be_widened_to_every_address() -> io::Result<()> {
    let address = free()?;
    let mut sockets = Sockets::default();
    let narrow = need(address.clone(), 1);
    assert_eq!(sockets.bind(&narrow).and_then(|()| sockets.listen(&narrow)), Ok(()));
    let wide = need(Address::Port(addr(&address).port()), 1);
    assert_eq!(sockets.bind(&wide).and_then(|()| sockets.listen(&wide)), Ok(()));
    let (_, held) = sockets.pass(&wide);
    sockets.keep(&held);
    TcpStream::connect(addr(&address))?;
    Ok(())
}

#[test]
fn a_unix_socket_replaces_a_stale_one_but_no_file_and_no_living_one() -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("twp-sockets-{}.sock", std::process::id()));
    let need = need(Address::Unix(path.clone()), 4);
    std::fs::write(&path, "precious")?;
    let text = Sockets::default().bind(&need).err().unwrap_or_default();
    assert!(text.contains("no socket is in the way"), "{text}");
    std::fs::remove_file(&path)?;

    drop(std::os::unix::net::UnixListener::bind(&path)?);
    let (mut first, mut second) = (Sockets::default(), Sockets::default());
    assert_eq!(first.bind(&need).and_then(|()| first.listen(&need)), Ok(()));
    assert_eq!(first.pass(&need).0.len(), 1);
    UnixStream::connect(&path)?;
    assert!(second.bind(&need).is_err_and(|text| text.contains("another program listens there")));
    first.keep(&Held::new());
    assert!(!path.exists());
    Ok(())
}
