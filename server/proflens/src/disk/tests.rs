//! Folders on the real disk.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use analysis::files::{FilePath, Files};

use super::*;
use crate::open::{self, Stamp, files_in, open};

/// A temporary folder for a test, with these files; it is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[&str]) -> Self {
        let root = std::env::temp_dir().join(format!("proflens-disk-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root); // of a run that was killed
        let folder = Self(root);
        for file in files {
            folder.write(file, file, 0);
        }
        folder
    }

    /// Writes a file whose time is this many seconds later than that of others.
    fn write(&self, file: &str, text: &str, newer: u64) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + newer);
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }

    fn path(&self, file: &str) -> FilePath {
        FilePath::new(self.0.join(file).to_str().unwrap())
    }

    fn disk(&self, dependencies: bool) -> Disk {
        Disk::new(vec![self.path("ws")], dependencies)
    }

    /// The traces of these patterns by name, and the sentences about them.
    fn found(&self, patterns: &[&str]) -> (Vec<String>, Vec<String>) {
        let found = self.disk(false).traces(&TracePatterns::new(&to_strings(patterns)));
        let sentences = found.problems.iter().map(|it| format!("{} {}", it.what, it.hint)).collect();
        (self.relative(found.traces.iter().map(|it| it.path.as_path())), sentences)
    }

    fn relative<'a>(&self, all: impl IntoIterator<Item = &'a Path>) -> Vec<String> {
        all.into_iter().map(|it| it.strip_prefix(&self.0).unwrap().to_str().unwrap().to_string()).collect()
    }

    fn listed(&self, disk: &Disk) -> Vec<String> {
        self.relative(disk.list().iter().map(|it| Path::new(it.as_str())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const FILES: [&str; 7] = [
    "outside/secret.js",
    "ws/.git/config",
    "ws/.gitignore",
    "ws/.hidden/b.js",
    "ws/dist/a.js",
    "ws/node_modules/x/index.js",
    "ws/src/a.ts",
];

#[test]
fn the_list_holds_ignored_and_hidden_files_but_no_dependencies() {
    let folder = Folder::new("list", &FILES);
    folder.write("ws/.gitignore", "dist/\n", 0);
    let without = ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/src/a.ts"];
    let with =
        ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/node_modules/x/index.js", "ws/src/a.ts"];
    assert_eq!(folder.listed(&folder.disk(false)), without);
    assert_eq!(folder.listed(&folder.disk(true)), with);
}

#[test]
fn caches_that_say_so_are_left_out() {
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag.\n";
    let folder = Folder::new("tagged", &["ws/target/debug/a.js", "ws/other/a.js", "ws/src/a.ts"]);
    folder.write("ws/target/CACHEDIR.TAG", tag, 0);
    folder.write("ws/other/CACHEDIR.TAG", "Signature: none", 0);
    folder.write("ws/CACHEDIR.TAG", tag, 0); // what somebody opens is what they want
    let expected = ["ws/CACHEDIR.TAG", "ws/other/CACHEDIR.TAG", "ws/other/a.js", "ws/src/a.ts"];
    assert_eq!(folder.listed(&folder.disk(false)), expected);
}

#[test]
fn the_list_is_made_once_until_it_is_forgotten() {
    let folder = Folder::new("once", &["ws/a.js"]);
    let disk = folder.disk(false);
    assert_eq!(folder.listed(&disk), ["ws/a.js"]);
    folder.write("ws/b.js", "", 0);
    assert_eq!(folder.listed(&disk), ["ws/a.js"]);
    disk.invalidate();
    assert_eq!(folder.listed(&disk), ["ws/a.js", "ws/b.js"]);
}

#[test]
#[cfg(unix)]
fn links_are_resolved_and_none_leads_out() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links", &FILES);
    let link = |to: &str, from: &str| symlink(folder.0.join(to), folder.0.join(from)).unwrap();
    link("outside", "ws/out");
    link("outside/secret.js", "ws/out.js");
    link("ws/src", "ws/in");
    link("ws/loop", "ws/loop");
    link("/dev/zero", "ws/zero.js");
    std::process::Command::new("mkfifo").arg(folder.0.join("ws/pipe.js")).status().unwrap();
    let disk = folder.disk(false);
    assert_eq!(folder.listed(&disk), ["ws/.gitignore", "ws/.hidden/b.js", "ws/dist/a.js", "ws/src/a.ts"]);
    let resolved = |file: &str| disk.resolve(&folder.path(file));
    assert_eq!(resolved("ws/in/a.ts"), Some(folder.path("ws/src/a.ts")));
    for nothing in [
        "ws/out/secret.js",
        "ws/out.js",
        "outside/secret.js",
        "ws/loop",
        "ws/zero.js",
        "ws/pipe.js",
        "ws/src",
        "ws/none",
    ] {
        let path = folder.path(nothing);
        assert_eq!(
            (resolved(nothing), disk.read(&path), disk.modified(&path)),
            (None, None, None),
            "{nothing}"
        );
    }
    assert_eq!(disk.read(&folder.path("ws/in/a.ts")).as_deref(), Some(&b"ws/src/a.ts"[..]));
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_a_listed_folder_is_not_followed() {
    let folder = Folder::new("exchanged", &["ws/src/a.ts", "outside/a.ts"]);
    let (disk, file) = (folder.disk(false), folder.path("ws/src/a.ts"));
    assert_eq!(folder.listed(&disk), ["ws/src/a.ts"]);
    std::fs::rename(folder.0.join("ws/src"), folder.0.join("ws/old")).unwrap();
    std::os::unix::fs::symlink(folder.0.join("outside"), folder.0.join("ws/src")).unwrap();
    assert_eq!((disk.read(&file), disk.modified(&file)), (None, None));
    disk.invalidate();
    assert_eq!(disk.resolve(&file), None);
}

#[test]
fn traces_are_found_by_glob_and_by_name_the_newest_first() {
    let folder = Folder::new("traces", &["ws/old.cpuprofile", "ws/src/a.ts"]);
    folder.write("ws/a/b/new.cpuprofile.gz", "", 30);
    folder.write("ws/.proflens/any", "", 20);
    folder.write("outside/x.cpuprofile", "", 10);
    let found = |patterns: &[&str]| folder.found(patterns).0;
    let outside = folder.path("outside/x.cpuprofile");
    assert_eq!(
        found(&["**/*.cpuprofile", ".proflens/**"]),
        ["ws/a/b/new.cpuprofile.gz", "ws/.proflens/any", "ws/old.cpuprofile"]
    );
    assert_eq!(found(&["old.cpuprofile", outside.as_str()]), ["outside/x.cpuprofile", "ws/old.cpuprofile"]);
    assert_eq!(
        found(&["${workspaceFolder}/old.cpuprofile", "../outside/x.cpuprofile"]),
        ["ws/old.cpuprofile"]
    );
    assert_eq!(found(&[folder.path("outside/*.cpuprofile").as_str()]), ["outside/x.cpuprofile"]);
    assert_eq!(found(&[folder.path("ws/*.cpuprofile").as_str()]), ["ws/old.cpuprofile"]);
    assert_eq!(found(&["*.cpuprofile", "none", "[", "**/*.cpuprofile"]), found(&["**/*.cpuprofile"]));
}

/// Each row has links in a workspace, patterns, and the traces that are found.
#[test]
#[cfg(unix)]
fn no_link_makes_a_trace_of_what_lies_outside() {
    const OWN: [&str; 2] = ["ws/.proflens/own", "ws/own.cpuprofile"];
    let defaults: &[&str] = &["**/*.cpuprofile", ".proflens/**"];
    let both = OWN.as_slice();
    // From where, to where, the patterns, what is found.
    type Row<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str]);
    let rows: &[Row<'_>] = &[
        ("ws/.proflens/**", "outside", defaults, both),
        ("ws/**/*.cpuprofile", "outside/x.cpuprofile", defaults, both),
        ("ws/**", "outside", defaults, both),
        ("ws/deep/.proflens", "outside", defaults, both),
        ("ws/.proflens/link", "outside", defaults, both),
        ("ws/latest.cpuprofile", "outside/x.cpuprofile", defaults, both),
        ("ws/twice", "ws/.proflens/once", defaults, both),
        ("ws/latest.cpuprofile", "outside/x.cpuprofile", &["latest.cpuprofile"], &[]),
        ("ws/latest", "outside", &["latest", "latest/x.cpuprofile", "latest/*"], &[]),
        ("ws/latest", "outside", &["${workspaceFolder}/latest/x.cpuprofile"], &[]),
        ("ws/latest", "own.cpuprofile", &["latest"], &["ws/latest"]),
        ("ws/*.cpuprofile", "own.cpuprofile", &["*.cpuprofile"], &["ws/*.cpuprofile", "ws/own.cpuprofile"]),
        ("ws/a/*", "../own.cpuprofile", &["a/*", "*.cpuprofile"], &["ws/a/*", "ws/own.cpuprofile"]),
        ("ws/loop", "loop", &["loop", "loop/*", "**/*.cpuprofile"], &["ws/own.cpuprofile"]),
        ("ws/up", "..", &["up/outside/*", "up/outside/x.cpuprofile", "up/**"], &[]),
        ("ws/round", "../ws", &["round/own.cpuprofile"], &["ws/round/own.cpuprofile"]),
    ];
    for (from, to, patterns, expected) in rows {
        let folder = Folder::new("hostile", &["outside/x.cpuprofile", OWN[0], OWN[1]]);
        fs::create_dir_all(folder.0.join(from).parent().unwrap()).unwrap();
        let to = if to.starts_with("outside") { folder.0.join(to) } else { PathBuf::from(to) };
        std::os::unix::fs::symlink(&to, folder.0.join(from)).unwrap();
        let (mut found, problems) = folder.found(patterns);
        found.sort();
        assert_eq!(
            (found, problems),
            (to_strings(expected), Vec::new()),
            "{from} -> {} {patterns:?}",
            to.display()
        );
    }
}

#[test]
#[cfg(unix)]
fn a_whole_path_is_the_users_own_word() {
    let folder = Folder::new("own-word", &["outside/x.cpuprofile", "ws/own.cpuprofile"]);
    let link =
        |to: &str, from: &str| std::os::unix::fs::symlink(folder.0.join(to), folder.0.join(from)).unwrap();
    link("outside/x.cpuprofile", "ws/link.cpuprofile");
    link("outside", "ws/*");
    let whole = |file: &str| folder.path(file).to_string();
    let rows: [(String, &[&str]); 4] = [
        (whole("ws/link.cpuprofile"), &["ws/link.cpuprofile"]),
        (whole("outside/x.cpuprofile"), &["outside/x.cpuprofile"]),
        (whole("outside"), &["outside"]),
        (whole("ws/*"), &["ws/own.cpuprofile"]),
    ];
    for (pattern, expected) in rows {
        let patterns = TracePatterns::new(std::slice::from_ref(&pattern));
        assert_eq!(folder.found(&[&pattern]).0, expected, "{pattern}");
        let reaches = |file: &str| folder.disk(false).reaches(&folder.0.join(file), &patterns);
        assert!(expected.iter().all(|it| reaches(it)), "{pattern}");
        assert!(reaches("ws/own.cpuprofile") && !reaches("ws/*") && !reaches("outside/other"), "{pattern}");
        assert_eq!(reaches("ws/link.cpuprofile"), pattern == whole("ws/link.cpuprofile"));
    }
}

#[test]
fn a_glob_outside_goes_as_deep_as_it_says() {
    let folder =
        Folder::new("deep", &["outside/x.cpuprofile", "outside/a/y.cpuprofile", "outside/a/b/z.cpuprofile"]);
    let found = |pattern: &str| folder.found(&[&format!("{}/{pattern}", folder.path("outside"))]);
    let rows: [(&str, &[&str]); 5] = [
        ("*.cpuprofile", &["outside/x.cpuprofile"]),
        ("*/*.cpuprofile", &["outside/a/y.cpuprofile"]),
        ("{a,a/b}/*.cpuprofile", &["outside/a/b/z.cpuprofile", "outside/a/y.cpuprofile"]),
        ("a/**", &["outside/a/b/z.cpuprofile", "outside/a/y.cpuprofile"]),
        ("none.cpuprofile", &[]),
    ];
    for (pattern, expected) in rows {
        assert_eq!(found(pattern), (to_strings(expected), Vec::new()), "{pattern}");
    }
}

#[test]
#[cfg(unix)]
fn a_glob_over_the_whole_disk_is_not_looked_for() {
    let folder = Folder::new("disk", &["ws/a.cpuprofile"]);
    let refused = |it: &str| {
        format!(
            "The glob {it} of proflens.traces spans a whole disk and is not looked for. Begin it with a folder."
        )
    };
    for pattern in ["/**/*.cpuprofile", "/**"] {
        assert_eq!(folder.found(&[pattern]).1, [refused(pattern)]);
    }
    assert_eq!(folder.found(&["/*.cpuprofile", "/none/**"]), (Vec::new(), Vec::new()));
}

#[test]
fn a_large_folder_outside_is_looked_at_in_the_order_of_its_names() {
    let folder = Folder::new("large", &["a/1", "a/2", "b", "c"]);
    let walked = |most: usize| {
        let (files, are_all) = walk::walk_at_most(&folder.0, None, most);
        (folder.relative(files.iter().map(|it| Path::new(it.as_str()))), are_all)
    };
    // The folder itself and `a` count too.
    assert_eq!(walked(6), (to_strings(&["a/1", "a/2", "b", "c"]), true));
    assert_eq!(walked(5), (to_strings(&["a/1", "a/2", "b"]), false));
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_opened_and_nobody_is_waited_for() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("open", &["file", "folder/a"]);
    std::process::Command::new("mkfifo").arg(folder.0.join("pipe")).status().unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.0.join("socket")).unwrap();
    symlink(folder.0.join("pipe"), folder.0.join("link")).unwrap();
    let opened = |file: &str| {
        let opened = open(&folder.0.join(file)).map_err(|error| open::reason(&error));
        opened.map(|(_, about)| Stamp::of(&about).unwrap().size)
    };
    assert_eq!(opened("file"), Ok(4));
    let rows = [
        ("folder", "it is a folder"),
        ("pipe", "it is not a regular file"),
        ("link", "it is not a regular file"),
        ("socket", "it is not a regular file"),
        ("none", "there is no such file"),
    ];
    for (file, why) in rows {
        assert_eq!(opened(file), Err(why.to_owned()), "{file}");
    }
    assert_eq!(opened("/dev/zero"), Err("it is not a regular file".to_owned()));
    // Also if a pipe replaces a file after the name was checked and before the file is opened.
    let replaced = open::open_then_check(&folder.0.join("pipe")).unwrap_err();
    assert_eq!(open::reason(&replaced), "it is not a regular file");
}

#[test]
#[cfg(unix)]
fn a_folder_of_traces_holds_those_to_which_links_lead() {
    let folder =
        Folder::new("of-traces", &["ws/traces/a", "ws/traces/.hidden", "ws/traces/deep/b", "outside/x"]);
    std::os::unix::fs::symlink(folder.0.join("outside/x"), folder.0.join("ws/traces/x")).unwrap();
    let files = files_in(&folder.0.join("ws/traces")).unwrap();
    assert_eq!(folder.relative(files.iter().map(PathBuf::as_path)), ["ws/traces/a", "ws/traces/x"]);
}

#[test]
fn what_record_works_with_is_no_trace() {
    let files = [
        "ws/.proflens/.gitignore",
        "ws/.proflens/.unfinished/a/1-0.part.json",
        "ws/.proflens/recordings/.a.json.gz",
        "ws/.proflens/recordings/a.json.gz",
    ];
    let folder = Folder::new("unfinished", &files);
    let patterns = TracePatterns::new(&to_strings(&[".proflens/**"]));
    let found = folder.disk(false).traces(&patterns).traces;
    let found = found.iter().map(|it| it.path.as_path());
    assert_eq!(folder.relative(found), ["ws/.proflens/recordings/a.json.gz"]);
    assert!(files.iter().all(|it| patterns.has(it, it.strip_prefix("ws/")) == it.ends_with("s/a.json.gz")));
}

fn to_strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}
