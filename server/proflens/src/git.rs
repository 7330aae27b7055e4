//! Texts as they were committed: what a file looked like when a trace was recorded.
//!
//! Git is optional, and asked from workers only. It runs as a program, without a shell, without the environment's
//! `GIT_*`, without locks, and without the network: of a partial clone only what is there is read. One long-lived
//! `git cat-file --batch` gives the contents; the commit of a time is looked up once.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Larger contents are no source texts that somebody wrote.
const LARGEST: u64 = 8 << 20;
/// How long an answer may take; a folder on a slow disk is done without.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the child may end before it is done without.
const RESTARTS: u32 = 3;

/// The history of the repository that a workspace folder lies in. Nothing runs before it is first asked; the child
/// ends with it.
pub struct Git {
    folder: PathBuf,
    program: OsString,
    patience: Duration,
    state: Mutex<State>,
}

enum State {
    /// Nobody has asked yet.
    New,
    Open(Repository),
    /// There is no git, no repository, or it does not answer.
    Without(Option<String>),
}

struct Repository {
    /// The folder's path in the repository, with a slash at its end; empty for the root.
    prefix: String,
    /// The newest commit at or before a time, in seconds since 1970.
    commits: HashMap<u64, Option<String>>,
    contents: Option<Contents>,
    ended: u32,
}

/// `git cat-file --batch`, with a thread that reads what it says.
struct Contents {
    child: Child,
    asked: ChildStdin,
    answers: Receiver<Option<Vec<u8>>>,
}

impl Git {
    /// The history around a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            program: "git".into(),
            patience: PATIENCE,
            state: Mutex::new(State::New),
        }
    }

    /// What was committed of a file when the clock showed `when`: its content in the newest commit of the current
    /// branch (first parents only) that is not later. `None` where the file did not exist by this path, where it is
    /// too large, and where there is no history to ask. The file must lie in the folder.
    ///
    /// Lines may end differently than in the folder: git can translate them on their way out.
    pub fn at(&self, file: &Path, when: SystemTime) -> Option<Vec<u8>> {
        let path = self.path_below(file)?;
        let seconds = when.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let mut state = self.lock();
        if let State::New = *state {
            *state = self.open();
        }
        let State::Open(repository) = &mut *state else { return None };
        let commit = match repository.commits.get(&seconds) {
            Some(commit) => commit.clone(),
            None => {
                let commit = self.commit_at(seconds);
                repository.commits.insert(seconds, commit.clone());
                commit
            }
        }?;
        let name = format!("{commit}:{}{path}", repository.prefix);
        match self.content(repository, &name) {
            Ok(content) => content,
            Err(problem) => {
                repository.contents = None;
                repository.ended += 1;
                if repository.ended > RESTARTS {
                    let sentence =
                        format!("The git history of {} is not read: {problem}", self.folder.display());
                    *state = State::Without(Some(sentence));
                }
                None
            }
        }
    }

    /// One sentence on why there is no history, where there should be one. Without git or a repository there is
    /// nothing to say.
    pub fn problem(&self) -> Option<String> {
        match &*self.lock() {
            State::Without(problem) => problem.clone(),
            _ => None,
        }
    }

    /// The branch may have changed: commits are looked up again.
    pub fn forget(&self) {
        if let State::Open(repository) = &mut *self.lock() {
            repository.commits.clear();
        }
    }

    /// The path below the folder, with `/`; `None` where it leads out, or cannot be asked for.
    fn path_below(&self, file: &Path) -> Option<String> {
        let rest = file.strip_prefix(&self.folder).ok()?;
        let part = |it: Component<'_>| match it {
            Component::Normal(name) => name.to_str().filter(|it| !it.contains('\n')).map(str::to_owned),
            _ => None,
        };
        let parts: Option<Vec<_>> = rest.components().map(part).collect();
        parts.filter(|it| !it.is_empty()).map(|it| it.join("/"))
    }

    fn open(&self) -> State {
        let about = match self.run(&["rev-parse", "--is-inside-work-tree", "--show-prefix"]) {
            Ok(about) => about,
            Err(problem) => {
                let sentence = |it| format!("The git history of {} is not read: {it}", self.folder.display());
                return State::Without(problem.map(sentence));
            }
        };
        let mut lines = about.lines();
        match (lines.next(), lines.next()) {
            (Some("true"), prefix) => State::Open(Repository {
                prefix: prefix.unwrap_or_default().to_owned(),
                commits: HashMap::new(),
                contents: None,
                ended: 0,
            }),
            _ => State::Without(None),
        }
    }

    fn commit_at(&self, seconds: u64) -> Option<String> {
        let before = format!("--min-age={seconds}");
        // A branch without a commit is an error that says nothing.
        let commit =
            self.run(&["rev-list", "--max-count=1", "--first-parent", &before, "HEAD", "--"]).ok()?;
        Some(commit.trim().to_owned()).filter(|it| !it.is_empty())
    }

    /// The content that a name of git's means.
    fn content(&self, repository: &mut Repository, name: &str) -> Result<Option<Vec<u8>>, String> {
        let contents = match &mut repository.contents {
            Some(contents) => contents,
            None => {
                let contents = Contents::new(self.command(&["cat-file", "--batch"]));
                repository.contents.insert(contents.map_err(|it| it.to_string())?)
            }
        };
        writeln!(contents.asked, "{name}").map_err(|_| "git ended too early".to_owned())?;
        contents.answers.recv_timeout(self.patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => "git does not answer".to_owned(),
            RecvTimeoutError::Disconnected => "git ended too early".to_owned(),
        })
    }

    /// What a short command says; else why it does not, where that is worth a word.
    fn run(&self, arguments: &[&str]) -> Result<String, Option<String>> {
        let mut command = self.command(arguments);
        let mut child = match command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
            Err(error) => return Err(Some(format!("git does not start ({error})"))),
        };
        let (tell, told) = channel();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        std::thread::spawn(move || {
            // Both are short; neither fills its pipe.
            let said = read_all(out);
            let _ = tell.send((said, read_all(err)));
        });
        let told = told.recv_timeout(self.patience);
        if told.is_err() {
            end(&mut child);
        }
        let (said, complaint) = told.map_err(|_| Some("git does not answer".to_owned()))?;
        match child.wait() {
            Ok(status) if status.success() => Ok(said),
            _ => Err(reason(&complaint)),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .args(["--no-optional-locks", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "-C"])
            .arg(&self.folder)
            .args(arguments)
            .stdout(Stdio::piped());
        command
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn new(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (asked, said) = (child.stdin.take(), child.stdout.take());
        let (Some(asked), Some(said)) = (asked, said) else {
            end(&mut child);
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (tell, answers) = channel();
        std::thread::spawn(move || {
            let mut said = BufReader::new(said);
            while let Ok(answer) = answer(&mut said) {
                if tell.send(answer).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, asked, answers })
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// One answer of `git cat-file --batch`: `<id> blob <size>`, the content and a line end; or what there is not.
fn answer(said: &mut BufReader<ChildStdout>) -> io::Result<Option<Vec<u8>>> {
    let mut header = String::new();
    if said.read_line(&mut header)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut fields = header.trim_end().rsplit(' ');
    let (Some(size), Some(kind)) = (fields.next().and_then(|it| it.parse::<u64>().ok()), fields.next())
    else {
        return Ok(None);
    };
    if !matches!(kind, "blob" | "tree" | "commit" | "tag") {
        return Ok(None);
    }
    if kind != "blob" || size > LARGEST {
        io::copy(&mut said.take(size + 1), &mut io::sink())?;
        return Ok(None);
    }
    let mut content = vec![0; size as usize];
    said.read_exact(&mut content)?;
    said.read_exact(&mut [0])?;
    Ok(Some(content))
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What cannot be read was not said.
        let _ = from.take(64 << 10).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// What git complains about, where it concerns the user: a folder without a repository does not.
fn reason(complaint: &str) -> Option<String> {
    if complaint.contains("not a git repository") || complaint.trim().is_empty() {
        return None;
    }
    if complaint.contains("dubious ownership") {
        return Some(
            "it belongs to another user; allow it with `git config --global --add safe.directory`".into(),
        );
    }
    let line = complaint.lines().next().unwrap_or_default();
    Some(line.trim_start_matches("fatal: ").to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A repository of its own for a test; it goes when dropped.
    struct Drawn(PathBuf);

    impl Drawn {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("proflens-git-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&root); // of a run that was killed
            fs::create_dir_all(&root).unwrap();
            let drawn = Self(fs::canonicalize(root).unwrap());
            drawn.git(&["init", "--quiet", "--initial-branch", "main"], 0);
            drawn
        }

        fn git(&self, arguments: &[&str], second: u64) {
            let mut command = Git::new(&self.0).command(&["-c", "user.name=x", "-c", "user.email=x@x.x"]);
            let date = format!("@{second} +0000");
            command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
            command.env("GIT_CONFIG_GLOBAL", self.0.join("none")).env("GIT_CONFIG_NOSYSTEM", "1");
            assert!(command.args(arguments).status().unwrap().success(), "git {arguments:?}");
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn commit(&self, file: &str, text: &str, second: u64) {
            self.write(file, text);
            self.git(&["add", "--all"], second);
            self.git(&["commit", "--quiet", "--message", "x"], second);
        }

        fn history(&self, folder: &str) -> Git {
            Git::new(self.0.join(folder).components().collect::<PathBuf>())
        }
    }

    impl Drop for Drawn {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const START: u64 = 1_700_000_000;

    fn at(git: &Git, file: &str, second: u64) -> Option<String> {
        let when = UNIX_EPOCH + Duration::from_secs(second);
        git.at(&git.folder.join(file), when).map(|it| String::from_utf8(it).unwrap())
    }

    #[test]
    fn a_file_as_it_was_at_any_time() {
        let drawn = Drawn::new("times");
        drawn.commit("src/a b.js", "one\n", START);
        drawn.commit("src/a b.js", "two\n", START + 10);
        drawn.git(&["checkout", "--quiet", "-b", "side"], 0);
        drawn.commit("src/a b.js", "side\n", START + 15);
        drawn.git(&["checkout", "--quiet", "main"], 0);
        drawn.git(&["merge", "--quiet", "--no-ff", "--message", "x", "side"], START + 20);
        drawn.write("src/a b.js", "not committed\n");
        let git = drawn.history("");
        let all = [0, 9, 10, 16, 20, 99].map(|it| at(&git, "src/a b.js", START + it));
        let text = |it: &str| Some(it.to_owned());
        let expected =
            [text("one\n"), text("one\n"), text("two\n"), text("two\n"), text("side\n"), text("side\n")];
        assert_eq!(all, expected);
        assert_eq!(at(&git, "src/a b.js", START - 1), None, "before the first commit");
        assert_eq!(git.problem(), None);
    }

    #[test]
    fn what_is_no_file_of_the_folder_is_nothing() {
        let drawn = Drawn::new("nothing");
        drawn.write("package/huge.js", &"x".repeat(LARGEST as usize + 1));
        drawn.write("outside.js", "outside");
        drawn.commit("package/src/a.js", "here", START);
        let git = drawn.history("package");
        for file in ["none.js", "src", "huge.js", "", "../outside.js", "src/../../outside.js", "a\nb.js"] {
            assert_eq!(at(&git, file, START), None, "{file}");
        }
        assert_eq!(git.at(&drawn.0.join("outside.js"), SystemTime::now()), None);
        assert_eq!(at(&git, "src/a.js", START).as_deref(), Some("here"), "and goes on answering");
    }

    #[test]
    fn a_branch_that_changed_is_noticed_when_told() {
        let drawn = Drawn::new("branch");
        drawn.commit("a.js", "one", START);
        let git = drawn.history("");
        assert_eq!(at(&git, "a.js", START + 5).as_deref(), Some("one"));
        drawn.commit("a.js", "two", START + 1);
        git.forget();
        assert_eq!(at(&git, "a.js", START + 5).as_deref(), Some("two"));
    }

    #[test]
    fn without_git_or_a_repository_there_is_nothing_to_say() {
        let drawn = Drawn::new("without");
        drawn.write("a.js", "");
        let empty = drawn.history("");
        assert_eq!((at(&empty, "a.js", START), empty.problem()), (None, None), "no commit yet");
        fs::remove_dir_all(drawn.0.join(".git")).unwrap();
        let bare = drawn.history("");
        assert_eq!((at(&bare, "a.js", START), bare.problem()), (None, None));
        let absent = Git { program: "no-such-git".into(), ..drawn.history("") };
        assert_eq!((at(&absent, "a.js", START), absent.problem()), (None, None));
    }

    #[test]
    fn complaints_are_for_people() {
        let dubious = "fatal: detected dubious ownership in repository at '/x'\nTo add ...\n";
        let rows = [
            ("fatal: not a git repository (or any of the parent directories): .git\n", None),
            ("fatal: bad config line 1 in file .git/config\n", Some("bad config line 1 in file .git/config")),
            (
                dubious,
                Some("it belongs to another user; allow it with `git config --global --add safe.directory`"),
            ),
        ];
        for (complaint, sentence) in rows {
            assert_eq!(reason(complaint).as_deref(), sentence);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_git_that_hangs_or_ends_is_done_without() {
        use std::os::unix::fs::PermissionsExt;
        let drawn = Drawn::new("hangs");
        drawn.commit("a.js", "one", START);
        let stand_in = |name: &str, does: &str, patience: u64| {
            let path = drawn.0.join(name);
            let script =
                format!("#!/bin/sh\ncase \"$*\" in *cat-file*) {does};; *) exec git \"$@\";; esac\n");
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            Git { program: path.into(), patience: Duration::from_millis(patience), ..drawn.history("") }
        };
        for (git, reason) in [
            (stand_in("hangs", "exec sleep 60", 200), "git does not answer"),
            (stand_in("ends", "exit 1", 60_000), "git ended too early"),
        ] {
            for _ in 0..=RESTARTS {
                assert_eq!(at(&git, "a.js", START), None);
            }
            let sentence = format!("The git history of {} is not read: {reason}", drawn.0.display());
            assert_eq!(git.problem(), Some(sentence));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_child_ends_with_the_history() {
        let drawn = Drawn::new("ends");
        drawn.commit("a.js", "one", START);
        let git = drawn.history("");
        at(&git, "a.js", START);
        let process = match &*git.lock() {
            State::Open(Repository { contents: Some(contents), .. }) => {
                format!("/proc/{}", contents.child.id())
            }
            _ => panic!("it answered"),
        };
        assert!(Path::new(&process).exists());
        drop(git);
        assert!(!Path::new(&process).exists());
    }
}
