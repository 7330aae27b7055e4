//! Which signals the JavaScript of a process listens to, read from its memory: the kernel also reports Node's own listeners, and does
//! not say whose a listener is.
//!
//! libuv keeps one tree of all active listeners, whose root is a variable of the program or of libuv's library (`uv__signal_tree` in
//! libuv/src/unix/signal.c). A listener is a `uv_signal_t`, whose layout belongs to libuv's ABI and has been the same since 1.0
//! (libuv/include/uv.h, `UV_HANDLE_FIELDS`; uv/unix.h, `UV_SIGNAL_PRIVATE_FIELDS`). Reading changes nothing in the process.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// `UV_SIGNAL` of `uv_handle_type`.
const SIGNAL_HANDLE: u32 = 16;
/// The size of a `uv_signal_t` in bytes, and where its parts are.
const LISTENER_BYTES: usize = 152;
const LOOP: usize = 8;
const TYPE: usize = 16;
const CALLBACK: usize = 96;
const SIGNAL: usize = 104;
const LEFT: usize = 112;
const RIGHT: usize = 120;
const PARENT: usize = 128;
const COLOUR: usize = 136;
/// Node has 1 MB of variables.
const MAX_VARIABLES: u64 = 32 << 20;
/// More listeners than any program has.
const MAX_LISTENERS: usize = 10_000;

/// The signals that JavaScript listens to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SignalListeners {
    /// The signals, as bits.
    Of(u64),
    /// No tree was found.
    None,
    /// There is a tree that cannot be read, or several.
    Unknown,
}

/// Looks for listeners, by the lines of /proc/PID/maps and the memory of the process.
pub(super) fn signal_listeners(maps: &str, memory: &File) -> SignalListeners {
    let spans: Vec<Span> = maps.lines().filter_map(Span::read).collect();
    let process = Memory {
        memory,
        writable: spans.iter().filter(|span| span.is_writable).map(|span| span.bytes.clone()).collect(),
    };
    let mut roots = Vec::new();
    for variables in variables(&spans) {
        let Some(bytes) = process.read(variables.start, variables.end - variables.start) else {
            return SignalListeners::Unknown;
        };
        let words = bytes.chunks_exact(8).map(|word| u64_at(word, 0));
        roots.extend(
            words.filter(|address| process.listener(*address).is_some_and(|found| found.parent == 0)),
        );
    }
    roots.sort_unstable();
    roots.dedup();
    match roots[..] {
        [] => SignalListeners::None,
        [root] => process.walk(root).map_or(SignalListeners::Unknown, SignalListeners::Of),
        _ => SignalListeners::Unknown,
    }
}

/// A line of /proc/PID/maps.
struct Span<'m> {
    bytes: Range<u64>,
    is_writable: bool,
    file: &'m str,
}

impl<'m> Span<'m> {
    fn read(line: &'m str) -> Option<Self> {
        // address, rights, offset, device, inode, path
        let mut columns = line.splitn(6, ' ');
        let (start, end) = columns.next()?.split_once('-')?;
        let bytes = u64::from_str_radix(start, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
        let is_writable = columns.next()?.starts_with("rw");
        Some(Self { bytes, is_writable, file: columns.nth(3).unwrap_or_default().trim() })
    }

    fn is_of_file(&self) -> bool {
        self.file.starts_with('/')
    }

    /// Whether it is memory without a file right after memory with one.
    fn goes_on_from(&self, before: &Span<'_>) -> bool {
        self.file.is_empty() && before.is_of_file() && before.bytes.end == self.bytes.start
    }
}

/// The variables of the program and of libraries: what is mapped as writable, and the memory without a file right after it,
/// which is for variables that start as 0.
fn variables(spans: &[Span<'_>]) -> Vec<Range<u64>> {
    let mut found = Vec::new();
    let mut left = MAX_VARIABLES;
    let mut before: Option<&Span<'_>> = None;
    for span in spans {
        let holds_variables = span.is_of_file() || before.is_some_and(|before| span.goes_on_from(before));
        let length = span.bytes.end.saturating_sub(span.bytes.start);
        if span.is_writable && length <= left && holds_variables {
            found.push(span.bytes.clone());
            left -= length;
        }
        before = Some(span);
    }
    found
}

struct Memory<'f> {
    memory: &'f File,
    writable: Vec<Range<u64>>,
}

/// A listener, and its neighbours in the tree; 0 for no neighbour.
struct Listener {
    signal: u32,
    left: u64,
    right: u64,
    parent: u64,
}

impl Memory<'_> {
    fn read(&self, at: u64, length: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        self.memory.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    fn is_writable(&self, at: u64) -> bool {
        let next = self.writable.partition_point(|span| span.end <= at);
        self.writable.get(next).is_some_and(|span| span.contains(&at))
    }

    fn is_pointer(&self, value: u64) -> bool {
        value.is_multiple_of(8) && self.is_writable(value)
    }

    /// The listener at an address, if there is one in use.
    fn listener(&self, at: u64) -> Option<Listener> {
        if at == 0 || !self.is_pointer(at) {
            return None;
        }
        let bytes = self.read(at, LISTENER_BYTES as u64)?;
        let neighbours = [LEFT, RIGHT, PARENT].map(|part| u64_at(&bytes, part));
        let is_listener = u32_at(&bytes, TYPE) == SIGNAL_HANDLE
            && self.is_pointer(u64_at(&bytes, LOOP))
            && u64_at(&bytes, CALLBACK) != 0
            && (1..=64).contains(&u32_at(&bytes, SIGNAL))
            && u32_at(&bytes, COLOUR) <= 1
            && neighbours.iter().all(|address| *address == 0 || self.is_pointer(*address));
        let [left, right, parent] = neighbours;
        is_listener.then(|| Listener { signal: u32_at(&bytes, SIGNAL), left, right, parent })
    }

    /// The signals of a tree; `None` if it is not a tree, as when it changes meanwhile.
    fn walk(&self, root: u64) -> Option<u64> {
        let (mut signals, mut left) = (0, MAX_LISTENERS);
        let mut next = vec![(root, 0)];
        while let Some((at, above)) = next.pop() {
            left = left.checked_sub(1)?;
            let listener = self.listener(at).filter(|listener| listener.parent == above)?;
            signals |= 1 << (listener.signal - 1);
            next.extend(
                [listener.left, listener.right]
                    .into_iter()
                    .filter(|child| *child != 0)
                    .map(|child| (child, at)),
            );
        }
        Some(signals)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as the memory of a process: variables at 0x1000, the part of them without a file, and listeners in a heap
    /// after that.
    const MAPS: &str = "0000-1000 r-xp 00000000 fe:00 7 /usr/bin/node\n1000-1100 rw-p 00001000 fe:00 7   /usr/bin/node\n\
        1100-1200 rw-p 00000000 00:00 0 \n2000-3000 rw-p 00000000 00:00 0                [heap]\n";

    fn listeners(words: &[(u64, u64)], listeners: &[(u64, u32, [u64; 3])]) -> SignalListeners {
        let mut memory = vec![0_u8; 0x3000];
        let mut put = |at: u64, value: u64| {
            memory[usize::try_from(at).unwrap()..][..8].copy_from_slice(&value.to_le_bytes());
        };
        for (at, word) in words {
            put(*at, *word);
        }
        for (at, signal, neighbours) in listeners {
            let parts =
                [(LOOP, 0x1008), (TYPE, SIGNAL_HANDLE.into()), (CALLBACK, 0x500), (SIGNAL, (*signal).into())];
            let neighbours = [LEFT, RIGHT, PARENT].into_iter().zip(*neighbours);
            for (part, value) in parts.into_iter().chain(neighbours) {
                put(at + part as u64, value);
            }
        }
        let file = std::env::temp_dir().join(format!("proflens-listeners-{:?}", std::thread::current().id()));
        std::fs::write(&file, memory).unwrap();
        let found = signal_listeners(MAPS, &File::open(&file).unwrap());
        std::fs::remove_file(&file).unwrap();
        found
    }

    #[test]
    fn listeners_are_found_by_their_tree() {
        let one = |signal| listeners(&[(0x1180, 0x2000)], &[(0x2000, signal, [0, 0, 0])]);
        let three =
            [(0x2000, 15, [0x2100, 0x2200, 0]), (0x2100, 10, [0, 0, 0x2000]), (0x2200, 17, [0, 0, 0x2000])];
        let found = [
            listeners(&[], &[]),
            one(10),
            one(65),
            listeners(&[(0x1080, 0x2000)], &three),
            // No root in a variable, a child that has another parent, a cycle, and two trees.
            listeners(&[(0x2f00, 0x2000)], &three),
            listeners(&[(0x1080, 0x2000)], &[three[0], three[1], (0x2200, 17, [0, 0, 0x2100])]),
            listeners(&[(0x1080, 0x2000)], &[(0x2000, 1, [0x2100, 0, 0]), (0x2100, 2, [0x2100, 0, 0x2000])]),
            listeners(&[(0x1080, 0x2000), (0x1100, 0x2100)], &[(0x2000, 1, [0; 3]), (0x2100, 2, [0; 3])]),
        ];
        use SignalListeners::{None, Of, Unknown};
        let (of_one, of_three) = (1 << 9, 1 << 9 | 1 << 14 | 1 << 16);
        assert_eq!(found, [None, Of(of_one), None, Of(of_three), None, Unknown, Unknown, Unknown]);
    }
}
