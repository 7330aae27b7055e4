//! Unpacks a file on a thread of its own while it is read: each of the two takes about as long as the other.
//!
//! Unpacked data waits in a few blocks, so that neither thread gets far ahead. The thread ends with the packed bytes or when nobody
//! reads on; it waits for nothing but the reader and the file. The result does not depend on it. A small file does not need one.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};

/// After this many bytes, a thread is started.
const WORTH_A_THREAD: usize = 1 << 20;
/// How many bytes are handed over at once.
const BLOCK: usize = 64 << 10;
/// How many blocks may be waiting.
const MAX_WAITING: usize = 16;

/// Calls `then` with a scope in which threads for unpacking are started; all of them have ended when it returns.
#[allow(
    clippy::disallowed_methods,
    reason = "they end before the function does, and only change how long it takes"
)]
pub(super) fn with_threads<'env, T>(then: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    std::thread::scope(then)
}

/// The bytes that a source unpacks to.
pub(super) struct Beside<'scope, 'env, R> {
    source: Source<R>,
    scope: &'scope Scope<'scope, 'env>,
    /// How many were read.
    count: usize,
}

enum Source<R> {
    /// They are unpacked as they are read.
    Here(Arc<Mutex<Option<R>>>),
    /// Another thread unpacks them.
    There(Blocks),
}

impl<'scope, 'env, R: Read + Send + 'scope> Beside<'scope, 'env, R> {
    pub(super) fn new(source: R, scope: &'scope Scope<'scope, 'env>) -> Self {
        Self { source: Source::Here(Arc::new(Mutex::new(Some(source)))), scope, count: 0 }
    }
}

impl<'scope, R: Read + Send + 'scope> Read for Beside<'scope, '_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.count >= WORTH_A_THREAD
            && let Source::Here(source) = &self.source
        {
            self.count = 0; // without a thread, it is tried again later
            if let Some(blocks) = start(self.scope, source) {
                self.source = Source::There(blocks);
            }
        }
        let count = match &mut self.source {
            Source::Here(source) => match &mut *source.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(source) => source.read(into)?,
                None => 0,
            },
            Source::There(blocks) => blocks.read(into)?,
        };
        self.count = self.count.saturating_add(count);
        Ok(count)
    }
}

/// Unpacks the rest of a source on another thread. If none can be started, returns `None` and changes nothing.
#[allow(clippy::disallowed_methods, reason = "it ends with its scope")]
fn start<'scope, R: Read + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    source: &Arc<Mutex<Option<R>>>,
) -> Option<Blocks> {
    let (unpacked, blocks) = sync_channel(MAX_WAITING);
    let (read, spare) = channel();
    let source = Arc::clone(source);
    let work = move || {
        let source = source.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(source) = source {
            unpack(source, &unpacked, &spare);
        }
    };
    Builder::new().spawn_scoped(scope, work).ok()?;
    Some(Blocks { unpacked: blocks, read, block: Vec::new(), at: 0, has_ended: false })
}

/// Unpacks a source until its end, its first error, or until nobody wants more.
fn unpack(mut source: impl Read, unpacked: &SyncSender<io::Result<Vec<u8>>>, spare: &Receiver<Vec<u8>>) {
    loop {
        let mut block = spare.try_recv().unwrap_or_default();
        block.resize(BLOCK, 0);
        let (mut count, mut end) = (0, None);
        while count < BLOCK && end.is_none() {
            match source.read(&mut block[count..]) {
                Ok(0) => end = Some(Ok(Vec::new())),
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => end = Some(Err(error)),
            }
        }
        block.truncate(count);
        let has_ended = end.is_some();
        let whole = (count > 0).then_some(Ok(block));
        if whole.into_iter().chain(end).any(|it| unpacked.send(it).is_err()) || has_ended {
            return;
        }
    }
}

/// Blocks that another thread unpacks.
struct Blocks {
    /// An empty block is the end.
    unpacked: Receiver<io::Result<Vec<u8>>>,
    /// Returns blocks to be filled again.
    read: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// How much of the block was read.
    at: usize,
    has_ended: bool,
}

impl Read for Blocks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() && !self.has_ended {
            let _ = self.read.send(std::mem::take(&mut self.block)); // the thread may have ended
            self.at = 0;
            // It always reports its end, unless it panics, which its scope passes on.
            let next = self.unpacked.recv().map_err(io::Error::other).flatten();
            self.has_ended = next.as_ref().is_ok_and(Vec::is_empty) || next.is_err();
            self.block = next?;
        }
        let rest = &self.block[self.at..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}
