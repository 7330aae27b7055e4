//! Sessions in a bucket: a complete S3 on this machine has to give the same lake as the same files.

use std::path::Path;

use anyhow::Result;

use super::checks::Checks;
use super::engines;
use super::programs::Programs;
use super::shards::{Shards, same_tables};
use crate::shell;

/// Ingests shards as files and as objects, also more objects than one listing has.
///
/// # Errors
/// If something that is needed is not available.
pub(super) fn check(programs: &Programs, python: &Path, checks: &mut Checks) -> Result<()> {
    for (what, sessions, shard_size) in [("shards", 200, 50), ("single sessions", 1_100, 1)] {
        let shards = Shards::generate(programs, "41", sessions, shard_size, &[])?;
        let [of_files, of_objects] = [programs.fresh("lake-of-files")?, programs.fresh("lake-of-objects")?];
        [&of_files, &of_objects].into_iter().try_for_each(|it| shards.symbolicate(programs, it))?;
        shards.ingest(programs, &of_files)?;
        let mut command = engines::scripted(programs, python, "bucket.py", &[&shards.folder]);
        command.arg(&programs.fleet).args(["ingest", "--release", "41", "--out"]).arg(&of_objects);
        let result =
            shell::run(command.arg("s3://traces/day one")).and_then(|()| same_tables(&of_files, &of_objects));
        checks.note(&format!("{what} in a bucket give the lake of their files"), result);
    }
    Ok(())
}
