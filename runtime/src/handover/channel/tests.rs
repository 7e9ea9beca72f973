//! Frames and descriptors over a real socket pair.

use super::super::message::{Load, Order, Report};
use super::*;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

fn pair() -> io::Result<(Channel, Channel)> {
    let (a, b) = UnixStream::pair()?;
    Ok((Channel::new(a)?, Channel::new(b)?))
}

#[test]
fn messages_arrive_whole_and_in_order() -> io::Result<()> {
    let (mut a, mut b) = pair()?;
    let heartbeat = Report::Heartbeat { workers: vec![Load { connections: 3, streams: 2, requests: 7 }] };
    a.send(&Report::Ready)?;
    a.send(&heartbeat)?;
    assert_eq!(b.receive()?, Some(Report::Ready));
    assert_eq!(b.receive()?, Some(heartbeat));
    assert_eq!(b.receive::<Report>()?, None);
    drop(a);
    let end = b.receive::<Report>().map_err(|error| error.kind());
    assert_eq!(end, Err(io::ErrorKind::UnexpectedEof));
    Ok(())
}

#[test]
fn a_message_larger_than_the_socket_buffer_is_flushed_in_pieces() -> io::Result<()> {
    let (mut a, mut b) = pair()?;
    let report = Report::Diagnostics { text: "x".repeat(4 << 20), sources: Vec::new() };
    a.send(&report)?;
    assert!(a.is_flushing());
    for _ in 0..100_000 {
        if let Some(got) = b.receive::<Report>()? {
            assert!(got == report && !a.is_flushing());
            return Ok(());
        }
        a.flush()?;
    }
    panic!("the message never arrived");
}

/// Each socket must keep its place: its port tells which one it is.
#[test]
fn six_hundred_listening_sockets_cross_in_acknowledged_chunks() -> io::Result<()> {
    descriptors::raise_limit()?;
    let (mut a, mut b) = pair()?;
    let listeners = (0..600).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<io::Result<Vec<_>>>()?;
    let ports = listeners.iter().map(|l| Ok(l.local_addr()?.port())).collect::<io::Result<Vec<_>>>()?;
    let sockets: Vec<Arc<OwnedFd>> = listeners.into_iter().map(|l| Arc::new(l.into())).collect();

    let mut got = Vec::new();
    let chunks: Vec<_> = sockets.chunks(DESCRIPTORS_PER_MESSAGE_MAX).collect();
    assert_eq!(chunks.len(), 3);
    for (idx, chunk) in chunks.iter().enumerate() {
        let needs = vec![0; chunk.len()];
        a.send_with(&Order::Sockets { needs, last: idx == 2 }, chunk.to_vec())?;
        let Some(Order::Sockets { needs, last }) = b.receive()? else { panic!("chunk {idx} is missing") };
        assert_eq!(last, idx == 2);
        got.extend(b.take_descriptors(needs.len())?);
        b.send(&Report::Adopted { count: u32::try_from(got.len()).unwrap_or(0) })?;
        assert!(matches!(a.receive()?, Some(Report::Adopted { .. })));
    }
    let got_ports = got
        .into_iter()
        .map(|fd| Ok(TcpListener::from(fd).local_addr()?.port()))
        .collect::<io::Result<Vec<_>>>()?;
    assert_eq!(got_ports, ports);
    Ok(())
}

#[test]
fn fewer_descriptors_than_announced_are_an_error_that_counts_them() -> io::Result<()> {
    let (mut a, mut b) = pair()?;
    a.send(&Order::Sockets { needs: vec![0, 0], last: true })?;
    b.receive::<Order>()?;
    let error = b.take_descriptors(2).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("2 sockets were announced and 0 came"));
    Ok(())
}

#[test]
fn hostile_frames_are_refused() -> io::Result<()> {
    for bytes in [&b"\xff\xff\xff\xff"[..], b"\x00\x00\x00\x02{]", b"\x00\x00\x00\x02{}"] {
        let (mut a, b) = UnixStream::pair()?;
        a.write_all(bytes)?;
        let refused = Channel::new(b)?.receive::<Order>();
        assert!(refused.is_err_and(|error| error.kind() == io::ErrorKind::InvalidData), "{bytes:?}");
    }
    Ok(())
}

#[test]
fn unknown_fields_and_later_versions_are_read() -> io::Result<()> {
    let (mut a, b) = UnixStream::pair()?;
    let json =
        br#"{"version":9,"new":1,"body":{"type":"drain","soft_ms":1,"hard_ms":2,"dropped":[],"more":[]}}"#;
    a.write_all(&u32::try_from(json.len()).unwrap_or(0).to_be_bytes())?;
    a.write_all(json)?;
    assert_eq!(
        Channel::new(b)?.receive()?,
        Some(Order::Drain { soft_ms: 1, hard_ms: 2, dropped: Vec::new() })
    );
    Ok(())
}

#[test]
fn a_reader_that_never_reads_fails_the_sender_instead_of_its_memory() -> io::Result<()> {
    let (mut a, _b) = pair()?;
    let big = Report::Diagnostics { text: "x".repeat(1 << 20), sources: Vec::new() };
    let refused = (0..=MESSAGE_QUEUE_MAX + 1).find_map(|_| a.send(&big).err());
    assert!(refused.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut));
    Ok(())
}

#[test]
fn a_dead_reader_is_noticed() -> io::Result<()> {
    let (mut a, b) = UnixStream::pair()?;
    drop(b);
    let mut byte = [0];
    assert_eq!(a.read(&mut byte)?, 0);
    assert!(Channel::new(a)?.send(&Report::Ready).is_err());
    Ok(())
}
