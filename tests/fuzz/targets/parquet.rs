//! A Parquet file as a lake may contain it, whatever it claims: it gives rows or a sentence, and takes no more memory than
//! docs/fleet.md says.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// How much memory a file may take, in bytes, and how much more for each of its own bytes.
const ALWAYS: u64 = 256 << 20;
const TIMES: u64 = 512;

/// One file for all inputs of this process.
static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("proflens-fuzz-{}.parquet", std::process::id())));

/// Reads it as each table.
pub(crate) fn check(bytes: &[u8]) {
    fs::write(&*FILE, bytes).expect("a folder for temporary files");
    let before = memory();
    proflens_fleet::read_parquet(&FILE);
    if let (Some([size, peak]), Some([_, after])) = (before, memory()) {
        let allowed = ALWAYS + TIMES * bytes.len() as u64;
        assert!(after <= peak.max(size + allowed), "it took {} MB", (after - size) >> 20);
    }
    // The next one is written over it, and the last one stays among temporary files.
    drop(fs::remove_file(&*FILE));
}

/// How much memory this process has requested, now and at most, in bytes; `None` if the system does not tell.
fn memory() -> Option<[u64; 2]> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|it| it.strip_prefix(name))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
    };
    Some([bytes("VmSize:")?, bytes("VmPeak:")?])
}
