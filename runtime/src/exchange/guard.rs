//! Keeps a panic inside one exchange from its connection and its worker (F-15).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future panicked. What it was working on is in an unknown state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Panicked;

/// Runs a future to its end or its panic. The panic is reported as always; nothing of the future is used after it.
pub(super) async fn guarded<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(move |cx| poll(future.as_mut(), cx)).await
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>, cx: &mut Context<'_>) -> Poll<Result<T, Panicked>> {
    // What the future leaves behind is the caller's to judge, as `Panicked` says.
    match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(Err(Panicked)),
    }
}
