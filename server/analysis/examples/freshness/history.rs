//! The versions of each JavaScript and TypeScript file of a clone, in the order in which they were committed.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use source::text::text_of;

/// Larger files are left out: they were not written by hand.
const LARGEST: usize = 1 << 20;
const ENDINGS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// One file through the history of the main branch, through its renames.
pub(crate) struct Chain {
    /// Its newest path.
    pub(crate) path: String,
    /// The ids of its contents, the oldest first; neighbours differ.
    pub(crate) blobs: Vec<String>,
}

/// The contents of a clone, from one `git cat-file --batch`.
pub(crate) struct Blobs {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The histories of all files that were changed at least once.
///
/// # Errors
/// If git does not run or the folder is no repository.
pub(crate) fn chains(repo: &Path) -> Result<Vec<Chain>> {
    let log = "log --first-parent --diff-merges=first-parent --reverse --raw -z --no-abbrev -M --format=";
    let mut command = Command::new("git");
    command.arg("-C").arg(repo).args(log.split(' ')).arg("--").args(ENDINGS.map(|it| format!("*.{it}")));
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut parts = text.split('\0').map(str::trim_start).filter(|it| !it.is_empty());
    let (mut open, mut done) = (HashMap::<String, Chain>::new(), Vec::new());
    while let Some(change) = parts.next() {
        let fields: Vec<&str> = change.split(' ').collect();
        let [_, _, old, new, status] = fields[..] else { bail!("what does git mean by `{change}`?") };
        let path = parts.next().context("a change without a path")?;
        let path_now =
            if status.starts_with(['R', 'C']) { parts.next().context("no new path")? } else { path };
        let before = if status.starts_with('C') { None } else { open.remove(path) };
        let start = || Chain { path: String::new(), blobs: vec![old.to_owned()] };
        match status.as_bytes()[0] {
            b'D' => done.extend(before),
            b'A' | b'C' => {
                let chain = Chain { path: path_now.to_owned(), blobs: vec![new.to_owned()] };
                open.insert(path_now.to_owned(), chain);
            }
            _ => {
                let mut chain = before.unwrap_or_else(start);
                if chain.blobs.last().is_some_and(|it| it != new) {
                    chain.blobs.push(new.to_owned());
                }
                chain.path = path_now.to_owned();
                open.insert(path_now.to_owned(), chain);
            }
        }
    }
    done.extend(open.into_values());
    done.retain(|it| is_source(&it.path) && it.blobs.len() > 1);
    done.sort_by(|a, b| (&a.path, &a.blobs).cmp(&(&b.path, &b.blobs)));
    Ok(done)
}

fn is_source(path: &str) -> bool {
    // Built files are left out: only code that people wrote counts.
    !path.ends_with(".d.ts") && !path.contains("dist/") && !path.contains("node_modules/")
}

impl Blobs {
    /// Starts `git cat-file`.
    ///
    /// # Errors
    /// If git does not run.
    pub(crate) fn new(repo: &Path) -> Result<Self> {
        let mut command = Command::new("git");
        command.arg("-C").arg(repo).args(["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asked = child.stdin.take().context("no way to ask")?;
        let answers = BufReader::new(child.stdout.take().context("no way to hear")?);
        Ok(Self { child, asked, answers })
    }

    /// The text of a content; `None` if there is no such content, or if it is too long.
    ///
    /// # Errors
    /// If git ends.
    pub(crate) fn read(&mut self, id: &str) -> Result<Option<String>> {
        writeln!(self.asked, "{id}")?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let Some(size) = header.trim_end().rsplit(' ').next().and_then(|it| it.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok((size <= LARGEST).then(|| text_of(&bytes)))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It also ends by itself once its input is closed; this is sooner.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
