//! Which commands start a Node without a recorder, because it would not start with one: with the permission model it may not read
//! the recorder's files, and a policy does not name them. The recorder must not appear in a coverage table either.
//!
//! What a command will start cannot be known. What it mentions can: a flag of the table below in its words, in `NODE_OPTIONS`, or in the
//! script that a shell, a package manager or make is given. What Node programs start is left to the recorder (preload/children.cjs).
//! The same texts may set `NODE_OPTIONS` itself, which is how the recorder comes into Node; that is only said.

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

/// node/doc/api/permissions.md, node/doc/api/policy.md of Node 22, and "Collecting code coverage" of node/doc/api/test.md.
const RULES: [Rule; 3] = [
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
    Rule {
        flags: &["--experimental-test-coverage"],
        why: "whose table would list the recorder among the files of the program",
        advice: "record the tests without it",
    },
];
/// With all of these nothing is kept out: the recorder can read its files, write what it found, and run its watcher.
const RIGHTS: [&str; 4] = ["--allow-inspector", "--allow-worker", "--allow-fs-read=*", "--allow-fs-write=*"];

/// How a text sets the variable: a shell, `env`, cross-env, `set` of Windows, make.
const OPTIONS_ARE: &str = "NODE_OPTIONS=";

/// Longer scripts are programs, or data.
const MAX_SCRIPT_BYTES: u64 = 1 << 20;
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
const PACKAGE_MANAGERS: [&str; 7] = ["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "bun"];
/// What package managers run on installation (docs.npmjs.com/cli/using-npm/scripts).
const ON_INSTALLATION: [&str; 5] = ["preinstall", "install", "postinstall", "prepublish", "prepare"];
/// How many words of a text are searched for the names of other texts.
const MOST_WORDS: usize = 5000;
/// How many texts are looked at. What is started at a deeper level is not found.
const MOST_TEXTS: usize = 100;
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

/// A text that decides which flags Node gets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Text {
    /// Its name.
    place: String,
    text: String,
    /// Whether it is a script of a package, which may name other scripts freely.
    is_of_package: bool,
}

impl Text {
    fn new(place: impl Into<String>, text: String) -> Self {
        Self { place: place.into(), text, is_of_package: false }
    }
}

/// A text that sets `NODE_OPTIONS` to something else, so that the Node that it starts has no recorder.
pub struct Replacement {
    place: String,
    value: String,
}

impl fmt::Display for Replacement {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, value } = self;
        let space = if value.is_empty() { "" } else { " " };
        write!(
            to,
            "{place} sets NODE_OPTIONS, by which the recorder comes into Node, so that what it starts is not recorded; write \
             NODE_OPTIONS=\"$NODE_OPTIONS{space}{value}\" there"
        )
    }
}

/// What keeps the recorder out of a command, if anything does.
pub fn refusal(command: &[OsString]) -> Option<Refusal> {
    found_in_texts(command, refusal_of)
}

/// What takes the recorder away from what a command starts, if anything does.
pub fn replacement(command: &[OsString]) -> Option<Replacement> {
    found_in_texts(command, replacement_in)
}

/// Looks through the texts that decide which flags Node gets when a command runs.
fn found_in_texts<T>(command: &[OsString], find: impl Fn(&Text) -> Option<T>) -> Option<T> {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let mut open = vec![Text::new("the command", words.join(" "))];
    open.extend(words.first().and_then(|first| shell_script(&program(first)?, false)));
    let options = env::var_os("NODE_OPTIONS");
    open.extend(options.map(|text| Text::new("NODE_OPTIONS", text.to_string_lossy().into_owned())));
    let mut seen: BTreeSet<Text> = open.iter().cloned().collect();
    while let Some(next) = open.pop() {
        if let Some(found) = find(&next) {
            return Some(found);
        }
        let found = scripts(&next).into_iter().chain(package_scripts(&next)).chain(makefiles(&next));
        for text in found {
            if seen.len() < MOST_TEXTS && seen.insert(text.clone()) {
                open.push(text);
            }
        }
    }
    None
}

fn refusal_of(Text { place, text, .. }: &Text) -> Option<Refusal> {
    let text = unquoted(text);
    let mut flags = RULES.iter().flat_map(|rule| rule.flags.iter().map(move |flag| (rule, *flag)));
    let (rule, flag) = flags.find(|(_, flag)| mentions(&text, flag))?;
    let is_allowed = RIGHTS.iter().all(|right| text.contains(right));
    (!is_allowed).then(|| Refusal { place: place.clone(), flag, rule })
}

/// The first assignment to `NODE_OPTIONS` in a text that does not keep what is in there.
fn replacement_in(Text { place, text, .. }: &Text) -> Option<Replacement> {
    let assigned = text.match_indices(OPTIONS_ARE).filter(|(at, _)| {
        // `MY_NODE_OPTIONS=`, and `$NODE_OPTIONS=` in a comparison, are other things.
        !text[..*at].ends_with(|before: char| before.is_ascii_alphanumeric() || "_$".contains(before))
    });
    let mut values = assigned.map(|(at, name)| {
        let rest = &text[at + name.len()..];
        match rest.chars().next().filter(|first| ['"', '\''].contains(first)) {
            Some(quote) => rest[1..].split(quote).next(),
            None => rest.split(|letter: char| letter.is_whitespace() || ";&|\"'`)".contains(letter)).next(),
        }
        .unwrap_or_default()
    });
    // `$NODE_OPTIONS` and `${NODE_OPTIONS}` of shells and cross-env, `%NODE_OPTIONS%` of Windows.
    let value = values.find(|value| !value.contains("NODE_OPTIONS"))?;
    Some(Replacement { place: place.clone(), value: value.to_owned() })
}

/// As Node reads flags, which may have `_` for `-`, once a shell has removed the quotes.
fn unquoted(text: &str) -> String {
    text.replace('_', "-").replace(['"', '\'', '\\'], "")
}

fn mentions(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let rest = &text[at + flag.len()..];
        !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '-')
    })
}

/// The words of a text, split as a shell would.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || "\"'`;&|(){}<>".contains(letter))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
}

/// The scripts for a shell that a text names.
fn scripts(from: &Text) -> Vec<Text> {
    let (mut scripts, mut before) = (Vec::new(), "");
    for word in words(&from.text).filter(|word| !word.starts_with('-')) {
        let follows_shell = SHELLS.contains(&name_of(before)) || matches!(before, "." | "source");
        scripts.extend(shell_script(Path::new(word), follows_shell || word.ends_with(".sh")));
        before = word;
    }
    scripts
}

/// A script, if a shell runs it. If another program runs it, only the first line counts, because the rest is not meant for a
/// shell.
fn shell_script(file: &Path, is_for_shell: bool) -> Option<Text> {
    let text = read(file)?;
    let first = text.lines().next().unwrap_or_default();
    let text = match first.strip_prefix("#!") {
        Some(line) => {
            let is_shell = words(line).any(|word| SHELLS.contains(&name_of(word)));
            if is_shell { text.clone() } else { first.to_owned() }
        }
        None if is_for_shell => text,
        None => return None,
    };
    Some(Text::new(file.display().to_string(), text))
}

/// The scripts of the next `package.json` that a text makes a package manager, or `node --run`, run.
fn package_scripts(from: &Text) -> Vec<Text> {
    if !from.is_of_package && !words(&from.text).any(runs_package_scripts) {
        return Vec::new();
    }
    let mut named: BTreeSet<&str> = words(&from.text).map(script_name).collect();
    if ["i", "ci", "install", "add", "update"].iter().any(|installs| named.contains(installs)) {
        named.extend(ON_INSTALLATION);
    }
    let files: BTreeSet<PathBuf> =
        folders(&from.text).iter().filter_map(|folder| package_above(folder)).collect();
    let mut found = Vec::new();
    for file in files {
        let package: Option<Value> = read(&file).and_then(|text| serde_json::from_str(&text).ok());
        let scripts = package.as_ref().and_then(|package| package.get("scripts")?.as_object());
        for (name, script) in scripts.into_iter().flatten() {
            let main = name.strip_prefix("pre").or(name.strip_prefix("post"));
            if !named.contains(name.as_str()) && !main.is_some_and(|main| named.contains(main)) {
                continue;
            }
            let place = format!("the script {name} of {}", file.display());
            let text = script.as_str().unwrap_or_default().to_owned();
            found.push(Text { place, text, is_of_package: true });
        }
    }
    found
}

fn runs_package_scripts(word: &str) -> bool {
    PACKAGE_MANAGERS.contains(&name_of(word)) || word == "--run" || word.starts_with("--run=")
}

/// The name of a script in a word: `test` of `npm t`, `build` of `--run=build` and of `npm:build`.
fn script_name(word: &str) -> &str {
    match word.strip_prefix("--run=").or(word.strip_prefix("npm:")).unwrap_or(word) {
        "t" | "tst" => "test",
        name => name,
    }
}

/// The makefiles that a text makes make read.
fn makefiles(from: &Text) -> Vec<Text> {
    if !words(&from.text).any(|word| ["make", "gmake"].contains(&name_of(word))) {
        return Vec::new();
    }
    let usual = folders(&from.text).into_iter().flat_map(|folder| MAKEFILES.map(|name| folder.join(name)));
    let files = usual.chain(words(&from.text).map(PathBuf::from));
    files.filter_map(|file| Some(Text::new(file.display().to_string(), read(&file)?))).collect()
}

/// The folders that a text may mean: those that it names (`cd`, `-C`, `--prefix=`), and the current one.
fn folders(text: &str) -> Vec<PathBuf> {
    let values = words(text).map(|word| word.split_once('=').map_or(word, |(_, value)| value));
    let named = values.map(PathBuf::from).filter(|path| path.is_dir());
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

/// The text of a script; `None` if it is not a script, or not there.
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
            refusal_of(&Text::new("", text)).is_some()
        };
        assert_eq!(refused.map(is_refused), [true; 6]);
        assert_eq!(recorded.map(is_refused), [false; 5]);
    }

    #[test]
    fn what_sets_the_options_of_node_is_found_with_its_value() {
        let texts = [
            "NODE_OPTIONS=--max-old-space-size=4096 node a.js",
            "export NODE_OPTIONS='--trace-warnings --no-deprecation'; node a.js",
            "cross-env A=1 NODE_OPTIONS=\"--a --b\" vite build",
            "set NODE_OPTIONS=--a&& node a.js",
            "NODE_OPTIONS= node a.js",
            "NODE_OPTIONS=\"$NODE_OPTIONS --a\" node a.js",
            "NODE_OPTIONS=${NODE_OPTIONS:-} node a.js",
            "set NODE_OPTIONS=%NODE_OPTIONS% --a&& node a.js",
            "MY_NODE_OPTIONS=--a node a.js",
            "test \"$NODE_OPTIONS=\" && node a.js",
            "NODE_OPTIONS",
        ];
        let found = texts.map(|text| {
            let found = replacement_in(&Text::new("it", text.to_owned()));
            found.map_or("none".to_owned(), |found| format!("[{}]", found.value))
        });
        assert_eq!(
            found,
            [
                "[--max-old-space-size=4096]",
                "[--trace-warnings --no-deprecation]",
                "[--a --b]",
                "[--a]",
                "[]",
                "none",
                "none",
                "none",
                "none",
                "none",
                "none"
            ]
        );
    }
}
