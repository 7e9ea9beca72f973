//! One direction of a body: decodes what one socket sends, frames it anew, writes it to the other.
//!
//! Back-pressure comes by itself: nothing is read while something waits to be written. What can leave as it arrived
//! is written straight from the read buffer; a head that waits in `out` leaves together with the first of the body.

use crate::buffer::{Buffer, Buffers};
use crate::limits::{BUFFER_LARGE, BUFFER_SMALL, JOINED_WRITE_MAX};
use crate::socket::Socket;
use crate::wire::ParseError;
use crate::wire::h1::Framing;
use crate::wire::h1::chunked::{CHUNK_END, ChunkedDecoder, LAST_CHUNK, encode_chunk_header};
use std::task::{Context, Poll};

/// What is left to read of a body.
#[derive(Debug)]
enum Reader {
    Done,
    Length(u64),
    Chunked(ChunkedDecoder),
    UntilClose,
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// As it is: the length was announced, or the end of the connection ends it.
    Plain,
    /// In chunks.
    Chunked,
}

/// One direction of a body.
#[derive(Debug)]
pub(crate) struct Pump {
    reader: Reader,
    writer: Writer,
    /// How many bytes at the front of the read buffer may be written as they are.
    ready: usize,
    /// How much of `out` was written.
    written: usize,
    /// The last read filled the buffer: more is probably waiting.
    was_filled: bool,
    /// Something behind the head was read.
    has_begun: bool,
    /// Body bytes so far.
    pub(crate) body_bytes: u64,
    /// Body bytes that are allowed.
    limit: u64,
    /// What it waits for.
    pub(crate) blocked: Blocked,
    /// Grows with every byte written.
    pub(crate) progress: u64,
}

/// What a pump waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// Bytes of its source.
    Read,
    /// Room in its sink.
    Write,
}

/// Why a body could not be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PumpError {
    /// The source ended or failed before the body was whole.
    Source,
    /// The sink takes no more.
    Sink,
    /// The source broke the rules of its framing.
    Malformed(ParseError),
    /// The body is larger than allowed.
    TooLarge,
}

/// What a pump moves bytes between.
#[derive(Debug)]
pub(crate) struct Ends<'a> {
    /// Where bytes come from.
    pub(crate) from: &'a mut Socket,
    /// Where they go.
    pub(crate) to: &'a mut Socket,
    /// Read and not yet used.
    pub(crate) buffer: &'a mut Buffer,
    /// Framed and not yet written.
    pub(crate) out: &'a mut Vec<u8>,
    /// Where larger buffers come from.
    pub(crate) buffers: &'a Buffers,
}

impl Pump {
    /// A pump for a body framed so. `limit` is the largest body in bytes.
    pub(crate) fn new(framing: Framing, writer: Writer, limit: Option<u64>) -> Pump {
        let reader = match framing {
            Framing::None | Framing::Length(0) => Reader::Done,
            Framing::Length(length) => Reader::Length(length),
            Framing::Chunked => Reader::Chunked(ChunkedDecoder::default()),
            Framing::UntilClose => Reader::UntilClose,
        };
        Pump {
            reader,
            writer,
            ready: 0,
            written: 0,
            was_filled: false,
            has_begun: false,
            body_bytes: 0,
            limit: limit.unwrap_or(u64::MAX),
            blocked: Blocked::Read,
            progress: 0,
        }
    }

    /// Whether the whole body was read; some of it may still wait to be written.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.reader, Reader::Done)
    }

    /// Whether anything behind the head was read, be it the end of an empty body in chunks.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether `out` still holds the head and nothing but the head.
    pub(crate) fn can_rewind(&self) -> bool {
        !self.has_begun
    }

    /// Begins again with the same head in `out`.
    pub(crate) fn rewind(&mut self) {
        debug_assert!(self.can_rewind(), "what left behind the head cannot be sent again");
        self.written = 0;
        self.progress = 0;
    }

    /// Moves what can be moved; ready when the body and all that waited in `out` were written.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, ends: &mut Ends<'_>) -> Poll<Result<(), PumpError>> {
        loop {
            self.prepare(ends.buffer, ends.out)?;
            while self.written < ends.out.len() || self.ready > 0 {
                let waiting = ends.out.get(self.written..).unwrap_or_default();
                let body = ends.buffer.filled().get(..self.ready).unwrap_or_default();
                match ends.to.poll_write_two(cx, waiting, body) {
                    Poll::Ready(Ok(n)) => {
                        let n_waiting = n.min(waiting.len());
                        self.written += n_waiting;
                        ends.buffer.consume(n - n_waiting);
                        self.ready -= n - n_waiting;
                        self.progress += n as u64;
                    }
                    Poll::Ready(Err(_)) => return Poll::Ready(Err(PumpError::Sink)),
                    Poll::Pending => {
                        self.blocked = Blocked::Write;
                        return Poll::Pending;
                    }
                }
            }
            if self.is_read() {
                return Poll::Ready(Ok(()));
            }
            if !ends.buffer.is_empty() {
                // More was read than could leave at once, such as the last chunk behind others.
                continue;
            }
            self.make_room(ends);
            let space = ends.buffer.space();
            let room = space.len();
            match ends.from.poll_read(cx, space) {
                Poll::Ready(Ok(0)) => self.end_of_stream(ends.out)?,
                Poll::Ready(Ok(n)) => {
                    self.was_filled = n == room;
                    ends.buffer.fill(n);
                }
                Poll::Ready(Err(_)) => return Poll::Ready(Err(PumpError::Source)),
                Poll::Pending => {
                    self.blocked = Blocked::Read;
                    return Poll::Pending;
                }
            }
        }
    }

    /// Discards the body as far as it lies in the buffer; true when that was all of it.
    pub(crate) fn skip(&mut self, buffer: &mut Buffer) -> Result<bool, PumpError> {
        let mut nothing = Vec::new();
        self.writer = Writer::Plain;
        while !self.is_read() || self.ready > 0 {
            self.prepare(buffer, &mut nothing)?;
            if self.ready == 0 && !self.is_read() {
                return Ok(false);
            }
            buffer.consume(self.ready);
            self.ready = 0;
        }
        Ok(true)
    }

    /// Reads and discards the body; ready at its end.
    pub(crate) fn poll_skip(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut Socket,
        buffer: &mut Buffer,
    ) -> Poll<Result<(), PumpError>> {
        loop {
            if self.skip(buffer)? {
                return Poll::Ready(Ok(()));
            }
            match from.poll_read(cx, buffer.space()) {
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Err(PumpError::Source)),
                Poll::Ready(Ok(n)) => buffer.fill(n),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Decodes what was read, up to what can be written next.
    fn prepare(&mut self, buffer: &mut Buffer, out: &mut Vec<u8>) -> Result<(), PumpError> {
        while self.ready == 0 && out.len() - self.written < BUFFER_LARGE {
            let filled = buffer.filled();
            let n_data = match &mut self.reader {
                Reader::Done => break,
                Reader::Length(left) => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(filled.len());
                    *left -= n as u64;
                    if *left == 0 {
                        self.reader = Reader::Done;
                    }
                    n
                }
                Reader::UntilClose => filled.len(),
                Reader::Chunked(decoder) => {
                    self.has_begun |= !filled.is_empty();
                    let run = decoder.raw_run(filled);
                    if self.writer == Writer::Chunked && run.len > 0 {
                        self.ready = run.len;
                        self.count(run.data_len)?;
                        break;
                    }
                    let step = decoder.decode(filled).map_err(PumpError::Malformed)?;
                    let (skip, len) = (step.data.start, step.data.len());
                    buffer.consume(if len == 0 { step.consumed } else { skip });
                    if step.done {
                        self.finish(out);
                        break;
                    }
                    len
                }
            };
            if n_data == 0 {
                break;
            }
            self.count(n_data)?;
            self.emit(n_data, buffer, out);
        }
        self.join(buffer, out);
        Ok(())
    }

    /// Takes so many body bytes from the front of the buffer on their way.
    fn emit(&mut self, n_data: usize, buffer: &mut Buffer, out: &mut Vec<u8>) {
        match self.writer {
            Writer::Plain => self.ready = n_data,
            Writer::Chunked => {
                self.forget_written(out);
                encode_chunk_header(n_data, out);
                out.extend_from_slice(buffer.filled().get(..n_data).unwrap_or_default());
                out.extend_from_slice(CHUNK_END);
                buffer.consume(n_data);
            }
        }
    }

    /// Copies a small body behind what waits, so that both leave in one plain write.
    fn join(&mut self, buffer: &mut Buffer, out: &mut Vec<u8>) {
        if self.written < out.len() && self.ready > 0 && self.ready <= JOINED_WRITE_MAX {
            out.extend_from_slice(buffer.filled().get(..self.ready).unwrap_or_default());
            buffer.consume(self.ready);
            self.ready = 0;
        }
    }

    fn count(&mut self, n_data: usize) -> Result<(), PumpError> {
        self.has_begun = true;
        self.body_bytes += n_data as u64;
        if self.body_bytes > self.limit { Err(PumpError::TooLarge) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        self.reader = Reader::Done;
        if self.writer == Writer::Chunked {
            self.forget_written(out);
            out.extend_from_slice(LAST_CHUNK);
        }
    }

    fn end_of_stream(&mut self, out: &mut Vec<u8>) -> Result<(), PumpError> {
        match self.reader {
            Reader::UntilClose => {
                self.finish(out);
                Ok(())
            }
            Reader::Done => Ok(()),
            Reader::Length(_) | Reader::Chunked(_) => Err(PumpError::Source),
        }
    }

    /// Empties `out` once all of it was written; it only grows while something waits.
    fn forget_written(&mut self, out: &mut Vec<u8>) {
        if self.written == out.len() {
            out.clear();
            self.written = 0;
        }
    }

    /// Sees to room for the next read, and to more of it while the source fills what it is given.
    fn make_room(&self, ends: &mut Ends<'_>) {
        let wanted =
            if self.was_filled && ends.buffer.is_empty() { ends.buffer.capacity() + 1 } else { BUFFER_SMALL };
        ends.buffers.grow(ends.buffer, wanted);
    }
}

#[cfg(test)]
mod tests;
