//! What `/proc` says about a process. A handle keeps its number from being given to another process meanwhile
//! (`pidfd_open(2)`): a signal goes to the process that was looked at, or to none.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::elf;
use super::error::{ProcessError, Why};
use super::listeners::{SignalListeners, signal_listeners};
use crate::regular;

/// No file below /proc that is read here is longer, unless a process makes it so.
const MAX_BYTES: u64 = 16 << 20;
/// `SIGUSR1`, as a bit of the sets in /proc/PID/status.
const USR1: u64 = 1 << (10 - 1);
/// Signals that no thread can block (SIGKILL, SIGSTOP), and the two that glibc keeps for itself.
const NEVER_BLOCKED: u64 = 1 << (9 - 1) | 1 << (19 - 1) | 1 << (32 - 1) | 1 << (33 - 1);
/// Signals that are caught without any listener in JavaScript: SIGINT, SIGUSR1, SIGSEGV, SIGTERM (node/src/node.cc), SIGPROF (V8's
/// profiler), those that glibc and musl catch for themselves (32 to 34), and those that crash-reporting addons catch (SIGQUIT to SIGFPE,
/// SIGSYS).
const NODES_OWN: u64 = 1 << 1 | 0b11_1111 << 2 | USR1 | 1 << 10 | 1 << 14 | 1 << 26 | 1 << 30 | 0b111 << 31;
/// The library that some distributions keep Node in.
const LIBRARY: &str = "libnode.so";

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    number: u32,
    handle: OwnedFd,
}

impl Process {
    /// Finds a process.
    pub(crate) fn open(number: u32) -> Result<Self, ProcessError> {
        let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
        let why = match pid.ok_or(Errno::SRCH).and_then(|pid| pidfd_open(pid, PidfdFlags::empty())) {
            Ok(handle) => return Ok(Self { number, handle }),
            Err(Errno::SRCH) => Why::Gone,
            // This is the number of a thread that is not the first of its process.
            Err(Errno::INVAL | Errno::NOENT) => Why::Gone,
            Err(error) => Why::NotReadable(error.into()),
        };
        Err(ProcessError { process: number, why })
    }

    /// A reason that is about it.
    pub(crate) fn because(&self, why: Why) -> ProcessError {
        ProcessError { process: self.number, why }
    }

    /// Its number in its own namespace, which is the one it knows.
    pub(crate) fn own_number(&self) -> Result<u64, ProcessError> {
        let status = self.read("status")?;
        // Kernels without namespaces do not have this line.
        let own = field(&status, "NSpid:").split_whitespace().last().and_then(|number| number.parse().ok());
        Ok(own.unwrap_or(self.number.into()))
    }

    /// Whether its ports are those of this machine.
    pub(crate) fn shares_network(&self) -> Result<(), ProcessError> {
        let theirs = fs::read_link(self.path("ns/net")).map_err(|error| self.unreadable(error))?;
        let ours = fs::read_link("/proc/self/ns/net").map_err(|error| self.unreadable(error))?;
        if theirs == ours { Ok(()) } else { Err(self.because(Why::OtherNetwork)) }
    }

    /// The words of its command line.
    pub(crate) fn command(&self) -> Result<Vec<String>, ProcessError> {
        Ok(words(&self.read_bytes("cmdline")?))
    }

    /// The addresses at which it listens and that lead to it from this machine.
    pub(crate) fn listening(&self) -> Result<Vec<SocketAddr>, ProcessError> {
        let files = fs::read_dir(self.path("fd")).map_err(|error| self.unreadable(error))?;
        let sockets: HashSet<String> = files
            .filter_map(|entry| {
                let link = fs::read_link(entry.ok()?.path()).ok()?;
                Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
            })
            .collect();
        let mut addresses = Vec::new();
        for table in ["net/tcp", "net/tcp6"] {
            // A kernel may not have IPv6.
            let Ok(text) = self.read(table) else { continue };
            let own = text.lines().skip(1).filter_map(listener).filter(|(_, inode)| sockets.contains(*inode));
            addresses.extend(own.map(|(address, _)| address));
        }
        addresses.dedup();
        Ok(addresses)
    }

    /// Asks it for its inspector by SIGUSR1. Only Node takes that as a question; any other program ends, or does something else.
    pub(crate) fn ask_for_inspector(&self) -> Result<(), ProcessError> {
        self.is_node()?;
        let caught = self.hears_of_usr1()?;
        if let Some(folder) = self.coverage()? {
            return Err(self.because(Why::TakesCoverage(format!("NODE_V8_COVERAGE={folder}"))));
        }
        self.has_no_listener(caught)?;
        pidfd_send_signal(&self.handle, Signal::USR1).map_err(|error| match error {
            Errno::SRCH => self.because(Why::Gone),
            error => self.because(Why::NotSignalled(error.into())),
        })
    }

    /// Whether its program, or a mapped `libnode.so`, has Node's inspector.
    fn is_node(&self) -> Result<(), ProcessError> {
        let program = self.path("exe");
        let file = fs::read_link(&program).map_err(|error| self.unreadable(error))?;
        let opened = File::open(&program).map_err(|error| self.unreadable(error))?;
        if elf::has_nodes_inspector(opened) || self.mapped_libnode().is_some_and(elf::has_nodes_inspector) {
            return Ok(());
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Err(self.because(Why::NotNode(name)))
    }

    /// The mapped `libnode.so`. Its file must be the one that was mapped, not another one that now has its name.
    fn mapped_libnode(&self) -> Option<File> {
        let maps = self.read("maps").ok()?;
        // address, rights, offset, device, inode, path
        let line = maps.lines().find(|line| {
            let name = line.rsplit('/').next().unwrap_or_default();
            name.starts_with(LIBRARY) && !name.ends_with(" (deleted)")
        })?;
        let inode: u64 = line.split_whitespace().nth(4)?.parse().ok()?;
        let path = &line[line.find('/')?..];
        let file = regular::open(&self.path("root").join(path.trim_start_matches('/')), u64::MAX).ok()?;
        let is_mapped = std::os::unix::fs::MetadataExt::ino(&file.metadata().ok()?) == inode;
        is_mapped.then_some(file)
    }

    /// The signals that it catches, if SIGUSR1 is one of them and a thread waits for it: a thread that blocks every signal, like the
    /// one of Node that opens the inspector (node/src/inspector_agent.cc, `StartIoThreadMain`). With `--disable-sigusr1` neither is
    /// the case.
    fn hears_of_usr1(&self) -> Result<u64, ProcessError> {
        let caught = signals(&self.read("status")?, "SigCgt:");
        let threads = fs::read_dir(self.path("task")).map_err(|error| self.unreadable(error))?;
        let waits = threads.filter_map(Result::ok).any(|thread| {
            // A thread may have ended.
            let status = read(thread.path().join("status")).unwrap_or_default();
            signals(&String::from_utf8_lossy(&status), "SigBlk:") | NEVER_BLOCKED == u64::MAX
        });
        if caught & USR1 != 0 && waits { Ok(caught) } else { Err(self.because(Why::DoesNotListen)) }
    }

    /// Whether JavaScript listens to SIGUSR1, which Node then leaves to it. The signals and threads look the same in that case, so only
    /// the list in the memory of the process can tell.
    fn has_no_listener(&self, caught: u64) -> Result<(), ProcessError> {
        let maps = self.read("maps")?;
        let memory = File::open(self.path("mem"))
            .map_err(|_| self.because(Why::MayListenItself("the system lets nobody read its memory")))?;
        match signal_listeners(&maps, &memory) {
            SignalListeners::Of(signals) if signals & USR1 != 0 => Err(self.because(Why::ListensItself)),
            SignalListeners::Of(_) => Ok(()),
            // Something listens to more signals than Node itself does.
            SignalListeners::None if caught & !NODES_OWN == 0 => Ok(()),
            SignalListeners::None | SignalListeners::Unknown => {
                Err(self.because(Why::MayListenItself("its list of listeners was not found")))
            }
        }
    }

    /// Where it writes coverage, if it collects it from the start.
    fn coverage(&self) -> Result<Option<String>, ProcessError> {
        let variables = words(&self.read_bytes("environ")?);
        let folder = variables
            .into_iter()
            .find_map(|variable| Some(variable.strip_prefix("NODE_V8_COVERAGE=")?.to_owned()));
        Ok(folder.filter(|folder| !folder.is_empty()))
    }

    fn read(&self, name: &str) -> Result<String, ProcessError> {
        Ok(String::from_utf8_lossy(&self.read_bytes(name)?).into_owned())
    }

    fn read_bytes(&self, name: &str) -> Result<Vec<u8>, ProcessError> {
        read(self.path(name)).map_err(|error| self.unreadable(error))
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.number))
    }

    fn unreadable(&self, error: io::Error) -> ProcessError {
        self.because(Why::NotReadable(error))
    }
}

fn read(path: PathBuf) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A line of /proc/PID/status.
fn field<'s>(status: &'s str, name: &str) -> &'s str {
    status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim()
}

/// A set of signals of /proc/PID/status.
fn signals(status: &str, name: &str) -> u64 {
    u64::from_str_radix(field(status, name), 16).unwrap_or(0)
}

/// Values that are separated by zeros.
fn words(bytes: &[u8]) -> Vec<String> {
    bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The address and the inode of a line of /proc/PID/net/tcp or tcp6, if it describes a listener that this machine can reach
/// there.
fn listener(line: &str) -> Option<(SocketAddr, &str)> {
    // sl, local address, remote address, state (0A listens), queues, timer, retransmissions, user, timeout, inode
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [_, local, _, "0A", ..] = columns.as_slice() else { return None };
    let (host, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let address = match host.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(host, 0)?)),
        _ => {
            let bytes: Vec<u8> = (0..4).filter_map(|index| word(host, index)).flatten().collect();
            IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)).to_canonical()
        }
    };
    let here = match address {
        IpAddr::V4(host) if host.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(host) if host.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        // Another process may listen on the same port at another address of this machine.
        host => Some(host).filter(IpAddr::is_loopback)?,
    };
    Some((SocketAddr::new(here, port), columns.get(9)?))
}

/// A 32-bit word of an address in these tables; each is in the byte order of the machine.
fn word(address: &str, index: usize) -> Option<[u8; 4]> {
    let digits = address.get(index * 8..index * 8 + 8)?;
    u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listeners_of_this_machine_count() {
        let line = |local: &str, state: &str| {
            format!(
                "  0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0 0 4711 1 0 100 0"
            )
        };
        let lines = [
            line("0100007F:240D", "0A"),
            line("00000000:1F90", "0A"),
            line("0100007F:240D", "01"),
            line("0500000A:240D", "0A"),
            line("00000000000000000000000001000000:240D", "0A"),
            line("00000000000000000000000000000000:0050", "0A"),
            line("0000000000000000FFFF00000100007F:0051", "0A"),
            "  sl  local_address rem_address   st".to_owned(),
            line("", "0A"),
        ];
        let found: Vec<String> = lines
            .iter()
            .filter_map(|it| listener(it))
            .map(|(address, inode)| format!("{address} {inode}"))
            .collect();
        expect_test::expect![[r#"
            127.0.0.1:9229 4711
            127.0.0.1:8080 4711
            [::1]:9229 4711
            [::1]:80 4711
            127.0.0.1:81 4711"#]]
        .assert_eq(&found.join("\n"));
    }

    #[test]
    fn a_process_that_is_not_node_gets_nothing() {
        let own = Process::open(std::process::id()).unwrap();
        assert!(matches!(own.ask_for_inspector().unwrap_err().why, Why::NotNode(_)));
        assert_eq!(own.own_number().unwrap(), u64::from(std::process::id()));
        assert!(own.shares_network().is_ok());
        assert!(matches!(Process::open(0).unwrap_err().why, Why::Gone));
        assert!(matches!(Process::open(u32::MAX).unwrap_err().why, Why::Gone));
    }
}
