//! What a pump makes of a body, by how its bytes arrive and how its sink takes them.

use super::*;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// One direction of a body between two sockets whose other ends the test holds.
struct Relay {
    source: Option<UnixStream>,
    sink: UnixStream,
    from: Socket,
    to: Socket,
    buffers: Buffers,
    buffer: Buffer,
    out: Vec<u8>,
    pump: Pump,
}

impl Relay {
    async fn new(framing: Framing, writer: Writer) -> Relay {
        let (source, from) = pair();
        let (sink, to) = pair();
        if let Socket::Unix(to) = &to {
            to.writable().await.expect("a connected socket");
        }
        let pump = Pump::new(framing, writer, None);
        let (buffers, buffer) = (Buffers::default(), Buffer::default());
        Relay { source: Some(source), sink, from, to, buffers, buffer, out: b"head|".to_vec(), pump }
    }

    /// Sends bytes, lets the pump run once they have arrived; gives its word and what came out.
    async fn send(&mut self, bytes: &[u8]) -> (Poll<Result<(), PumpError>>, String) {
        let mut source = self.source.as_ref().expect("the source is open");
        source.write_all(bytes).expect("room for a test");
        std::future::poll_fn(|cx| self.from.poll_readable(cx)).await.expect("a connected socket");
        self.run()
    }

    async fn end(&mut self) -> (Poll<Result<(), PumpError>>, String) {
        self.source = None;
        std::future::poll_fn(|cx| self.from.poll_readable(cx)).await.expect("a connected socket");
        self.run()
    }

    fn run(&mut self) -> (Poll<Result<(), PumpError>>, String) {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut ends = Ends {
            from: &mut self.from,
            to: &mut self.to,
            buffer: &mut self.buffer,
            out: &mut self.out,
            buffers: &self.buffers,
        };
        // Once only: it must not wait for a second word about bytes that are there.
        let polled = self.pump.poll(&mut cx, &mut ends);
        let mut bytes = vec![0; 64 * 1024];
        let n = self.sink.read(&mut bytes).unwrap_or(0);
        (polled, String::from_utf8_lossy(&bytes[..n]).into_owned())
    }
}

/// Our end of a pair of sockets, and the other as the runtime has it.
fn pair() -> (UnixStream, Socket) {
    let (one, other) = UnixStream::pair().expect("a pair of sockets");
    one.set_nonblocking(true).expect("a socket");
    other.set_nonblocking(true).expect("a socket");
    (one, Socket::from_bare(crate::socket::BareSocket::Unix(other)).expect("a socket"))
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(test);
}

#[test]
fn a_chunked_body_that_arrives_whole_leaves_whole() {
    let body = b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\nx-trailer: 1\r\n\r\n";
    run(async {
        let mut relay = Relay::new(Framing::Chunked, Writer::Chunked).await;
        let (polled, came) = relay.send(body).await;
        assert_eq!(polled, Poll::Ready(Ok(())), "nothing more will come");
        assert_eq!(came, "head|5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
        let mut relay = Relay::new(Framing::Chunked, Writer::Plain).await;
        let (polled, came) = relay.send(body).await;
        assert_eq!((polled, came.as_str()), (Poll::Ready(Ok(())), "head|hello world"));
    });
}

#[test]
fn a_chunked_body_may_be_cut_anywhere() {
    let body = b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\nx-trailer: 1\r\n\r\n";
    run(async {
        for cut in 1..body.len() {
            for (writer, decoded) in [(Writer::Plain, true), (Writer::Chunked, false)] {
                let mut relay = Relay::new(Framing::Chunked, writer).await;
                let (first, mut came) = relay.send(&body[..cut]).await;
                assert_eq!(first, Poll::Pending, "{cut}");
                let (polled, more) = relay.send(&body[cut..]).await;
                came.push_str(&more);
                assert_eq!(polled, Poll::Ready(Ok(())), "{cut}");
                let text = if decoded { came } else { decode(&came) };
                assert_eq!(text, "head|hello world", "{cut}");
            }
        }
    });
}

/// The data of plain chunks behind a head, which must end with the last one.
fn decode(text: &str) -> String {
    let (head, mut rest) = text.split_once('|').expect("the head");
    let mut decoded = format!("{head}|");
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        decoded.push_str(&after[..size]);
        assert_eq!(&after[size..size + 2], "\r\n");
        rest = &after[size + 2..];
        if size == 0 {
            break;
        }
    }
    assert_eq!(rest, "", "nothing behind the last chunk");
    decoded
}

#[test]
fn what_follows_a_body_stays_in_the_buffer() {
    run(async {
        for (framing, body) in [(Framing::Length(3), "abc"), (Framing::Chunked, "3\r\nabc\r\n0\r\n\r\n")] {
            let mut relay = Relay::new(framing, Writer::Plain).await;
            let (polled, came) = relay.send(format!("{body}GET / HT").as_bytes()).await;
            assert_eq!((polled, came.as_str()), (Poll::Ready(Ok(())), "head|abc"));
            assert_eq!(relay.buffer.filled(), b"GET / HT");
        }
    });
}

#[test]
fn only_the_close_ends_a_body_without_length() {
    run(async {
        let mut relay = Relay::new(Framing::UntilClose, Writer::Chunked).await;
        assert_eq!(relay.send(b"abc").await, (Poll::Pending, "head|3\r\nabc\r\n".to_owned()));
        assert_eq!(relay.end().await, (Poll::Ready(Ok(())), "0\r\n\r\n".to_owned()));
        for (framing, body) in [(Framing::Length(4), "abc"), (Framing::Chunked, "3\r\nabc\r\n")] {
            let mut relay = Relay::new(framing, Writer::Plain).await;
            assert_eq!(relay.send(body.as_bytes()).await, (Poll::Pending, "head|abc".to_owned()));
            assert_eq!(relay.end().await.0, Poll::Ready(Err(PumpError::Source)), "{framing:?}");
        }
    });
}

#[test]
fn a_head_can_be_sent_again_until_something_follows_it() {
    run(async {
        let mut relay = Relay::new(Framing::Chunked, Writer::Chunked).await;
        assert_eq!(relay.run(), (Poll::Pending, "head|".to_owned()));
        assert!(relay.pump.can_rewind());
        relay.pump.rewind();
        assert_eq!(relay.run(), (Poll::Pending, "head|".to_owned()));
        let (polled, came) = relay.send(b"0\r\n\r\n").await;
        assert_eq!((polled, came.as_str()), (Poll::Ready(Ok(())), "0\r\n\r\n"));
        assert!(!relay.pump.can_rewind(), "the head has made room for the end of the body");
    });
}
