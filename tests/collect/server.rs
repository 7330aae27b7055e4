//! A running `proflens collect`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tests::proflens;

/// The origin that each collector of these tests is told to trust.
pub(crate) const ORIGIN: &str = "https://shop.example";

/// A running collector; it is killed when this value is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(proflens())
            .args(["collect", "--listen", "0", "--origin", ORIGIN, "--out"])
            .arg(folder)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|it| it.split('/').next());
        Self { address: address.unwrap_or_else(|| panic!("`{line}`")).parse().unwrap(), child }
    }

    /// `kill -9`; returns what it had said.
    pub(crate) fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.said()
    }

    /// Ctrl-C; returns what it had said until its end.
    pub(crate) fn interrupt(mut self) -> String {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let said = self.said();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }

    /// The most memory that it ever used, in kB, if the system tells.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }

    fn said(&mut self) -> String {
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The files of a collector, in the order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|it| it.extension().is_some()).collect();
    files.sort();
    files
}

/// What was kept: each line of each file, which is one JSON value, including the last line.
pub(crate) fn kept(folder: &Path) -> Vec<Value> {
    let texts = files(folder).into_iter().map(|it| fs::read_to_string(it).unwrap());
    let mut values = Vec::new();
    for text in texts {
        assert!(text.is_empty() || text.ends_with('\n'), "the last line has an end");
        values.extend(text.lines().map(|it| serde_json::from_str::<Value>(it).unwrap()));
    }
    values
}
