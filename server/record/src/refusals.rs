//! Which commands start a Node that must have no recorder, as it would not start with one: with the permission model it may not read
//! the recorder's files, and a policy does not name them.
//!
//! What a command will start cannot be known. What it mentions can: a flag of the table below in its words, in `NODE_OPTIONS`, or in
//! the script that a shell, a package manager or make is given. What Node programs start is left to the recorder (preload/children.cjs).

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::regular;

/// What keeps a recorder out.
struct Rule {
    flags: &'static [&'static str],
    why: &'static str,
    advice: &'static str,
}

/// node/doc/api/permissions.md, and node/doc/api/policy.md of Node 22.
const RULES: [Rule; 2] = [
    Rule {
        flags: &["--permission", "--experimental-permission"],
        why: "with which Node lets nobody look into it",
        advice: "Node 24 and newer allow it with --allow-inspector, --allow-worker, --allow-fs-read=* and --allow-fs-write=*",
    },
    Rule {
        flags: &["--experimental-policy", "--policy-integrity"],
        why: "with which Node loads only what the policy names",
        advice: "record it without the policy",
    },
];
/// With all of these nothing is kept out: the recorder reads its files, writes what it found, and runs its watcher.
const RIGHTS: [&str; 4] = ["--allow-inspector", "--allow-worker", "--allow-fs-read=*", "--allow-fs-write=*"];

/// Longer scripts are programs, or data.
const MAX_SCRIPT_BYTES: u64 = 1 << 20;
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
const PACKAGE_MANAGERS: [&str; 7] = ["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "bun"];
/// What package managers run on installation (docs.npmjs.com/cli/using-npm/scripts).
const ON_INSTALLATION: [&str; 5] = ["preinstall", "install", "postinstall", "prepublish", "prepare"];
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Why the Node processes of a command are not recorded.
pub struct Refusal {
    place: String,
    flag: &'static str,
    rule: &'static Rule,
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { why, advice, .. } = self.rule;
        write!(to, "Node is not recorded: {} has {}, {why}; {advice}", self.place, self.flag)
    }
}

/// A text that decides which flags Node gets, and what it is called.
struct Mention {
    place: String,
    text: String,
}

/// What keeps the recorder out of a command, if something does.
pub fn refusal(command: &[OsString]) -> Option<Refusal> {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let options = env::var_os("NODE_OPTIONS").map(|text| text.to_string_lossy().into_owned());
    let own = Mention { place: "the command".to_owned(), text: words.join(" ") };
    let of_environment = options.map(|text| Mention { place: "NODE_OPTIONS".to_owned(), text });
    let of_scripts = shell_scripts(&words).chain(package_scripts(&words)).chain(makefiles(&words));
    [own].into_iter().chain(of_environment).chain(of_scripts).find_map(refusal_of)
}

fn refusal_of(mention: Mention) -> Option<Refusal> {
    let text = unquoted(&mention.text);
    let rules = RULES.iter().flat_map(|rule| rule.flags.iter().map(move |flag| (rule, *flag)));
    let (rule, flag) = rules.into_iter().find(|(_, flag)| mentions(&text, flag))?;
    let is_allowed = RIGHTS.iter().all(|right| text.contains(right));
    (!is_allowed).then_some(Refusal { place: mention.place, flag, rule })
}

/// As Node reads flags, which may have `_` for `-`, once a shell has taken the quotes away.
fn unquoted(text: &str) -> String {
    text.replace('_', "-").replace(['"', '\'', '\\'], "")
}

fn mentions(text: &str, flag: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-');
    text.match_indices(flag).any(|(at, _)| is_end(&text[at + flag.len()..]))
}

/// The scripts that a shell is given, or that are the command themselves. Of a script of another language only the first line says
/// what runs it: the rest is its own.
fn shell_scripts(words: &[String]) -> impl Iterator<Item = Mention> {
    let is_shell = words.first().is_some_and(|first| SHELLS.contains(&name_of(first)));
    let program = words.first().and_then(|first| program(first)).into_iter();
    let named = words.iter().skip(1).filter(|word| !word.starts_with('-')).map(PathBuf::from);
    program.chain(named).filter_map(move |file| {
        let text = read(&file)?;
        let first = text.lines().next().unwrap_or_default();
        let runs = first.strip_prefix("#!").map(|line| {
            line.split(['/', ' '])
                .rfind(|word| !word.is_empty() && !word.starts_with('-'))
                .unwrap_or_default()
        });
        let is_read_by_shell = runs.map_or(is_shell, |runs| SHELLS.contains(&runs));
        let text = if is_read_by_shell { text.as_str() } else { runs.map(|_| first)? };
        Some(Mention { place: file.display().to_string(), text: text.to_owned() })
    })
}

/// The scripts of the next `package.json` that a package manager, or `node --run`, is told to run, and those that these run.
fn package_scripts(words: &[String]) -> impl Iterator<Item = Mention> {
    let all = words.join(" ");
    let mut named: BTreeSet<String> =
        all.split_whitespace().map(|word| script_name(word).to_owned()).collect();
    let is_meant = all.split_whitespace().any(|word| {
        PACKAGE_MANAGERS.contains(&name_of(word)) || word == "--run" || word.starts_with("--run=")
    });
    let file = is_meant.then(|| folders(words).iter().find_map(|folder| package_above(folder))).flatten();
    let scripts = file.as_ref().and_then(|file| {
        let package: Value = serde_json::from_str(&read(file)?).ok()?;
        package.get("scripts")?.as_object().cloned()
    });
    if named.iter().any(|word| ["i", "ci", "install", "add", "update"].contains(&word.as_str())) {
        named.extend(ON_INSTALLATION.map(str::to_owned));
    }
    let mut left: Vec<(String, String)> = scripts
        .into_iter()
        .flatten()
        .filter_map(|(name, text)| Some((name, text.as_str()?.to_owned())))
        .collect();
    let mut run = String::new();
    // Each of them may run others.
    loop {
        let is_run = |name: &str| {
            let of = name.strip_prefix("pre").or(name.strip_prefix("post"));
            named.contains(name) || of.is_some_and(|of| named.contains(of))
        };
        let (now, later): (Vec<_>, Vec<_>) = left.into_iter().partition(|(name, _)| is_run(name));
        if now.is_empty() {
            break;
        }
        for (_, text) in now {
            named.extend(text.split_whitespace().map(|word| script_name(word).to_owned()));
            run.push_str(&text);
            run.push('\n');
        }
        left = later;
    }
    file.map(|file| Mention { place: file.display().to_string(), text: run }).into_iter()
}

/// The name of a script in a word: `test` of `npm t`, `build` of `--run=build`, of `"build"` and of `build;`.
fn script_name(word: &str) -> &str {
    let word = word.strip_prefix("--run=").unwrap_or(word);
    match word.trim_matches(['"', '\'', ';', '&', '|', '(', ')']) {
        "t" | "tst" => "test",
        name => name,
    }
}

fn makefiles(words: &[String]) -> impl Iterator<Item = Mention> {
    let is_make = words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .any(|word| ["make", "gmake"].contains(&name_of(word)));
    let usual = folders(words).into_iter().flat_map(|folder| MAKEFILES.map(|name| folder.join(name)));
    let named = words.iter().map(PathBuf::from);
    let files: Vec<PathBuf> = if is_make { usual.chain(named).collect() } else { Vec::new() };
    files
        .into_iter()
        .filter_map(|file| Some(Mention { place: file.display().to_string(), text: read(&file)? }))
}

/// The folders that a command may mean: those that it names (`-C`, `--prefix`), and the current one.
fn folders(words: &[String]) -> Vec<PathBuf> {
    let value = |word: &str| PathBuf::from(word.split_once('=').map_or(word, |(_, value)| value));
    let named = words.iter().skip(1).map(|word| value(word)).filter(|path| path.is_dir());
    named.chain([PathBuf::from(".")]).collect()
}

fn package_above(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    folder.ancestors().map(|above| above.join("package.json")).find(|file| file.is_file())
}

/// The file that a command's first word starts.
fn program(word: &str) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(PathBuf::from(word));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(word)).find(|file| file.is_file())
}

fn name_of(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// The text of a script; `None` if it is none, or none at all.
fn read(file: &Path) -> Option<String> {
    // Package managers link the commands of packages.
    let file = fs::canonicalize(file).ok()?;
    String::from_utf8(regular::read(&file, MAX_SCRIPT_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_found_in_any_spelling() {
        let refused = [
            "node --permission a.js",
            "node --permission=true a.js",
            "sh -c 'node \"--experimental-permission\" a.js'",
            "node --experimental_permission a.js",
            "node --experimental-policy=policy.json a.js",
            "node --permission --allow-inspector --allow-worker --allow-fs-read=* a.js",
        ];
        let recorded = [
            "node a.js",
            "node --permissions a.js",
            "node --permission-audit a.js",
            "node --no-permission a.js",
            "node --permission --allow-inspector --allow-worker '--allow-fs-read=*' --allow-fs-write=\"*\" a.js",
        ];
        let is_refused = |line: &str| {
            let text = line.to_owned();
            refusal_of(Mention { place: "the command".to_owned(), text }).is_some()
        };
        assert_eq!(refused.map(is_refused), [true; 6]);
        assert_eq!(recorded.map(is_refused), [false; 5]);
    }
}
