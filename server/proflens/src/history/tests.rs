//! Repositories made by git: what is read from them is what git itself shows.

mod clean;
mod following;
mod hostile;
mod revision;
mod write;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::object::MAX_TEXT_BYTES;
use super::objects::MAX_OPEN_PACKS;
use super::*;

/// A temporary folder for a test; it is removed when dropped.
struct TestRepository(PathBuf);

const START: u64 = 1_700_000_000;

impl TestRepository {
    fn folder() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("proflens-history-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root); // of a run that was killed
        fs::create_dir_all(&root).unwrap();
        Self(fs::canonicalize(root).unwrap())
    }

    fn repository(options: &[&str]) -> Self {
        let repository = Self::folder();
        repository.git("", &[&["init", "--quiet", "--initial-branch", "main"], options].concat(), 0);
        repository
    }

    /// Git in one of the folders, without the machine's configuration.
    fn command(&self, folder: &str, second: u64) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        let date = format!("@{second} +0000");
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        command.env("GIT_CONFIG_GLOBAL", self.0.join("none")).env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=x", "-c", "user.email=x@x.x", "-c", "protocol.file.allow=always"]);
        command.arg("-C").arg(self.0.join(folder));
        command
    }

    fn git(&self, folder: &str, arguments: &[&str], second: u64) -> Vec<u8> {
        let output = self.command(folder, second).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        output.stdout
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit_in(&self, folder: &str, file: &str, text: &str, second: u64) {
        self.write(&format!("{folder}/{file}"), text);
        self.git(folder, &["add", "--all"], second);
        self.git(folder, &["commit", "--quiet", "--message", "x"], second);
    }

    fn commit(&self, file: &str, text: &str, second: u64) {
        self.commit_in(".", file, text, second);
    }

    fn history(&self, folder: &str) -> History {
        let history = History::new(self.0.join(folder).components().collect::<PathBuf>());
        // A busy machine may need longer than people wait.
        History { time_limit: Duration::from_secs(600), ..history }
    }
}

impl Drop for TestRepository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn at(history: &History, file: &str, second: u64) -> Option<String> {
    let when = UNIX_EPOCH + Duration::from_secs(second);
    history.at(&history.folder.join(file), when).map(|it| String::from_utf8(it).unwrap())
}

#[test]
fn a_file_as_it_was_at_any_time() {
    let repository = TestRepository::repository(&[]);
    repository.commit("src/a b.js", "one\n", START);
    repository.commit("src/a b.js", "two\n", START + 10);
    repository.git("", &["checkout", "--quiet", "-b", "side"], 0);
    repository.commit("src/a b.js", "side\n", START + 15);
    repository.git("", &["checkout", "--quiet", "main"], 0);
    repository.git("", &["merge", "--quiet", "--no-ff", "--message", "x", "side"], START + 20);
    repository.write("src/a b.js", "not committed\n");
    let history = repository.history("");
    let all = [0, 9, 10, 16, 20, 99].map(|it| at(&history, "src/a b.js", START + it));
    let text = |it: &str| Some(it.to_owned());
    let expected =
        [text("one\n"), text("one\n"), text("two\n"), text("two\n"), text("side\n"), text("side\n")];
    assert_eq!(all, expected);
    assert_eq!(at(&history, "src/a b.js", START - 1), None, "before the first commit");
    assert_eq!(history.problem(), None);
}

#[test]
fn what_is_no_file_of_the_folder_is_nothing() {
    let repository = TestRepository::repository(&[]);
    repository.write("package/huge.js", &"x".repeat(MAX_TEXT_BYTES as usize + 1));
    repository.write("package/large.js", &"x".repeat(MAX_TEXT_BYTES as usize));
    repository.write("outside.js", "outside");
    repository.commit("package/src/a.js", "here", START);
    let history = repository.history("package");
    for again in ["of their own", "in a pack"] {
        for file in ["none.js", "src", "src/a.js/b", "huge.js", "", "../outside.js", "src/../../outside.js"] {
            assert_eq!(at(&history, file, START), None, "{file} {again}");
        }
        assert_eq!(history.at(&repository.0.join("outside.js"), SystemTime::now()), None);
        assert_eq!(at(&history, "src/a.js", START).as_deref(), Some("here"), "and goes on answering");
        assert_eq!(at(&history, "large.js", START).map(|it| it.len() as u64), Some(MAX_TEXT_BYTES));
        assert_eq!(history.problem(), None, "{again}");
        repository.git("", &["gc", "--quiet"], 0);
    }
}

#[test]
fn a_branch_that_changed_is_noticed_when_told() {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    let history = repository.history("");
    assert_eq!(at(&history, "a.js", START + 5).as_deref(), Some("one"));
    repository.commit("a.js", "two", START + 1);
    history.invalidate();
    assert_eq!(at(&history, "a.js", START + 5).as_deref(), Some("two"));
    repository.git("", &["checkout", "--quiet", "--detach", "HEAD^"], 0);
    history.invalidate();
    assert_eq!(at(&history, "a.js", START + 5).as_deref(), Some("one"), "of no branch");
    fs::remove_dir_all(repository.0.join(".git")).unwrap();
    history.invalidate();
    assert_eq!((at(&history, "a.js", START + 5), history.problem()), (None, None), "without a repository");
    repository.git("", &["init", "--quiet"], 0);
    repository.commit("a.js", "three", START);
    history.invalidate();
    assert_eq!(at(&history, "a.js", START + 5).as_deref(), Some("three"), "in a new one");
}

#[test]
fn packs_come_and_go() {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    repository.commit("b.js", "two", START);
    let history = repository.history("");
    assert_eq!(at(&history, "a.js", START).as_deref(), Some("one"));
    repository.git("", &["gc", "--quiet", "--prune=now"], 0);
    assert_eq!(at(&history, "b.js", START).as_deref(), Some("two"), "from its own file to a pack");
    repository.commit("c.js", "three", START);
    history.invalidate();
    assert_eq!(at(&history, "c.js", START).as_deref(), Some("three"), "from two places");
    for file in 0..MAX_OPEN_PACKS + 4 {
        repository.commit(&format!("{file}.js"), "another", START);
        repository.git("", &["repack", "--quiet", "-d"], 0);
    }
    history.invalidate();
    for file in 0..MAX_OPEN_PACKS + 4 {
        assert_eq!(at(&history, &format!("{file}.js"), START).as_deref(), Some("another"), "of many packs");
    }
    assert_eq!(history.problem(), None);
}

#[test]
fn without_a_repository_there_is_nothing_to_say() {
    let repository = TestRepository::repository(&[]);
    repository.write("a.js", "");
    let empty = repository.history("");
    assert_eq!((at(&empty, "a.js", START), empty.problem()), (None, None), "no commit yet");
    let inside = repository.history(".git");
    assert_eq!((at(&inside, "HEAD", START), inside.problem()), (None, None), "in the repository itself");
    fs::remove_dir_all(repository.0.join(".git")).unwrap();
    let bare = repository.history("");
    assert_eq!((at(&bare, "a.js", START), bare.problem()), (None, None));
    let absent = repository.history("absent");
    assert_eq!((at(&absent, "a.js", START), absent.problem()), (None, None));
}

/// A history with merges, renames, tags, clocks that went wrong, and versions that are very similar.
fn import(repository: &TestRepository) {
    let mut stream = String::new();
    let body = |version: u64| {
        (0..300).fold(String::new(), |text, line| {
            let value = if line % 40 == version % 40 { version * 1000 + line } else { line };
            text + &format!("function line{line}() {{ return {value}; }}\n")
        })
    };
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    for number in 1..=60 {
        let is_side = number % 5 == 3;
        let second = START + 10 * number - if number % 7 == 0 { 35 } else { 0 };
        let branch = if is_side { "side" } else { "main" };
        stream += &format!("commit refs/heads/{branch}\nmark :{number}\n");
        stream += &format!("committer A B <a@b> {second} +0130\n{}", data("x"));
        stream += &match number {
            1 => String::new(),
            _ if number % 5 == 4 => format!("from :{}\nmerge :{}\n", number - 2, number - 1),
            _ => format!("from :{}\n", number - 1),
        };
        let file = if number < 30 { "src/old name.js" } else { "src/näme.js" };
        if number == 30 {
            stream += "R \"src/old name.js\" src/n\u{e4}me.js\n";
        }
        stream += &format!("M 100644 inline {file}\n{}", data(&body(number)));
        if number % 3 == 0 {
            stream += &format!("M 100755 inline deep/er/and/deeper.js\n{}", data(&number.to_string()));
        }
        if number == 10 {
            stream += &format!("M 120000 inline link.js\n{}", data("src/old name.js"));
        }
        if number == 40 {
            stream += "D deep\n";
        }
    }
    stream += &format!("tag v1\nfrom :20\ntagger A <a@b> {START} +0000\n{}", data("x"));
    let mut command = repository.command("", 0);
    let mut git = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success());
}

const FILES: [&str; 5] =
    ["src/old name.js", "src/näme.js", "deep/er/and/deeper.js", "deep/er", "src/other.js"];

/// What git shows for each file at each time.
fn shown(repository: &TestRepository, times: &[u64]) -> Vec<Option<String>> {
    let mut shown = Vec::new();
    for time in times {
        let before = format!("--min-age={time}");
        let commit = repository.git("", &["rev-list", "--max-count=1", "--first-parent", &before, "HEAD"], 0);
        let commit = String::from_utf8(commit).unwrap();
        for file in FILES {
            let name = format!("{}:{file}", commit.trim());
            let output = repository.command("", 0).args(["cat-file", "blob", &name]).output().unwrap();
            shown.push(output.status.success().then(|| String::from_utf8(output.stdout).unwrap()));
        }
    }
    shown
}

fn read(history: &History, times: &[u64]) -> Vec<Option<String>> {
    times.iter().flat_map(|time| FILES.map(|file| at(history, file, *time))).collect()
}

#[test]
fn the_same_that_git_shows() {
    for (format, packed) in [("sha1", true), ("sha256", true), ("sha1", false)] {
        let repository = TestRepository::repository(&["--object-format", format]);
        if !packed {
            repository.git("", &["config", "fastimport.unpackLimit", "10000"], 0);
        }
        import(&repository);
        let times: Vec<u64> = (0..65).step_by(3).map(|it| START + 10 * it + it % 2).collect();
        let expected = shown(&repository, &times);
        assert!(expected.iter().flatten().count() > times.len(), "git shows something");
        let history = repository.history("");
        let check = |what: &str| {
            assert!(read(&history, &times) == expected, "{format}, {what}");
            assert!(read(&repository.history(""), &times) == expected, "{format}, {what}, as if just opened");
            assert_eq!(history.problem(), None, "{format}, {what}");
        };
        check("as imported");
        assert_eq!(at(&history, "link.js", START + 500), None, "a link is no text");
        repository.git("", &["gc", "--quiet", "--aggressive", "--prune=now"], 0);
        check("chains of differences to what is further ahead");
        let repack = ["repack", "-q", "-a", "-d", "-f", "--depth=60"];
        repository.git("", &[&["-c", "repack.useDeltaBaseOffset=false"], &repack[..]].concat(), 0);
        check("differences to what is named");
        repository.git("", &["pack-refs", "--all"], 0);
        history.invalidate();
        check("packed branches");
        repository.git("", &["symbolic-ref", "refs/heads/alias", "refs/heads/main"], 0);
        repository.git("", &["symbolic-ref", "HEAD", "refs/heads/alias"], 0);
        history.invalidate();
        check("a branch that is another one");
    }
}

#[test]
fn offsets_behind_two_gigabytes_are_in_a_table_of_their_own() {
    let repository = TestRepository::repository(&[]);
    import(&repository);
    repository.git("", &["-c", "pack.indexVersion=2", "repack", "-q", "-a", "-d"], 0);
    let packs = fs::read_dir(repository.0.join(".git/objects/pack")).unwrap();
    let pack = packs.map(|it| it.unwrap().path()).find(|it| it.extension().unwrap() == "pack").unwrap();
    let expected = read(&repository.history(""), &[START + 300]);
    assert!(expected[0].is_some() || expected[1].is_some());
    fs::remove_file(pack.with_extension("idx")).unwrap();
    let far = pack.to_string_lossy().into_owned();
    repository.git("", &["index-pack", "--index-version=2,0x40", &far], 0);
    assert!(read(&repository.history(""), &[START + 300]) == expected);
}

#[test]
fn a_history_that_takes_too_long_is_done_without() {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    let hurried = History { time_limit: Duration::ZERO, ..repository.history("") };
    assert_eq!(at(&hurried, "a.js", START), None);
    let why = "it takes longer than 10 seconds";
    let what = format!("The git history of {} is not read whole: {why}", repository.0.display());
    assert_eq!(hurried.problem(), Some(Problem::new(what, "costs are compared with today's texts only")));
    assert!(matches!(&*hurried.lock(), Access::Unavailable), "nobody waits for it again");
}

#[test]
fn clones_that_are_not_whole_end_where_they_end() {
    let repository = TestRepository::folder();
    fs::create_dir(repository.0.join("whole")).unwrap();
    repository.git("whole", &["init", "--quiet", "--initial-branch", "main"], 0);
    for number in 0..5 {
        repository.commit_in("whole", "a.js", &format!("{number}"), START + number);
    }
    repository.git("whole", &["config", "uploadpack.allowFilter", "true"], 0);
    let url = format!("file://{}", repository.0.join("whole").display());
    repository.git("", &["clone", "--quiet", "--depth=2", &url, "shallow"], 0);
    repository.git("", &["clone", "--quiet", "--no-checkout", "--filter=blob:none", &url, "partial"], 0);
    let all = |history: &History| (0..5).map(|it| at(history, "a.js", START + it)).collect::<Vec<_>>();
    let (shallow, partial) = (repository.history("shallow"), repository.history("partial"));
    assert_eq!(all(&shallow), [None, None, None, Some("3".into()), Some("4".into())]);
    assert_eq!(all(&partial), [const { None }; 5]);
    assert_eq!((shallow.problem(), partial.problem()), (None, None));
}
