//! Whether a work tree is clean: the answer is that of `git status --untracked-files=no`.

use std::time::Duration;

use super::*;

/// The answer for a folder, and git's own: `clean`, `changed`, or why it cannot be determined.
fn tree(repository: &TestRepository, folder: &str) -> String {
    let checked_out = checked_out(&repository.0.join(folder)).unwrap().unwrap();
    let head = repository.git(folder, &["rev-parse", "HEAD"], 0);
    assert_eq!(checked_out.commit, String::from_utf8(head).unwrap().trim());
    match checked_out.clean {
        Ok(true) => "clean".into(),
        Ok(false) => "changed".into(),
        Err(why) => why.clause(),
    }
}

/// Git's own answer; this has to be asked last, because git writes what it has found to its index.
fn by_git(repository: &TestRepository, folder: &str) -> &'static str {
    let status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"];
    if repository.git(folder, &status, 0).is_empty() { "clean" } else { "changed" }
}

fn check(repository: &TestRepository, expected: &str, what: &str) {
    assert_eq!((tree(repository, ""), by_git(repository, "")), (expected.into(), expected), "{what}");
}

/// Files in folders whose names sort differently from their paths.
fn with_files(options: &[&str]) -> TestRepository {
    let repository = TestRepository::repository(options);
    for file in ["a.js", "a/b.js", "a/c/d.js", "a-b.js", "a0.js", "ä b.js", "empty.js"] {
        repository.write(file, if file == "empty.js" { "" } else { file });
    }
    repository.commit("run.sh", "exit", START);
    repository
}

fn old(repository: &TestRepository, file: &str, second: u64) {
    let file = fs::File::options().write(true).open(repository.0.join(file)).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

#[test]
fn a_tree_is_clean_until_a_tracked_file_changes() {
    for format in ["sha1", "sha256"] {
        let repository = with_files(&["--object-format", format]);
        check(&repository, "clean", "just committed");
        repository.write("untracked.js", "new");
        repository.write(".gitignore", "*.log");
        repository.write("ignored.log", "new");
        check(&repository, "clean", "what is not tracked does not count");
        // The same size, right after the commit, as a script does it.
        repository.write("a.js", "b.js");
        check(&repository, "changed", "of the same size");
        repository.write("a.js", "a.js");
        check(&repository, "clean", "written again as it was");
        fs::remove_file(repository.0.join("a/c/d.js")).unwrap();
        check(&repository, "changed", "removed");
        repository.write("a/c/d.js", "a/c/d.js");
        repository.write("empty.js", "no");
        check(&repository, "changed", "was empty");
        repository.write("empty.js", "");
        repository.write("a0.js", "staged");
        repository.git("", &["add", "a0.js"], 0);
        check(&repository, "changed", "staged");
        repository.write("a0.js", "a0.js");
        check(&repository, "changed", "staged, and the file as it was");
        repository.git("", &["add", "a0.js"], 0);
        check(&repository, "clean", "staged as it was");
        repository.git("", &["rm", "--quiet", "--cached", "a-b.js"], 0);
        check(&repository, "changed", "not tracked any more");
        repository.git("", &["reset", "--quiet"], 0);
        check(&repository, "clean", "reset");
        repository.git("", &["add", "--intent-to-add", "untracked.js"], 0);
        check(&repository, "changed", "announced");
        repository.commit("untracked.js", "new", START + 1);
        repository.git("", &["pack-refs", "--all"], 0);
        repository.git("", &["gc", "--quiet"], 0);
        check(&repository, "clean", "packed");
    }
}

#[test]
fn what_git_knew_of_a_file_is_not_trusted_blindly() {
    let repository = with_files(&[]);
    old(&repository, "a.js", START);
    repository.git("", &["status"], 0);
    check(&repository, "clean", "the time is known");
    repository.write("a.js", "b.js");
    old(&repository, "a.js", START);
    assert_eq!(tree(&repository, ""), "changed", "of the same size and time, by which git may not notice it");
    repository.write("a.js", "a.js");
    // As in a copy, where nothing is as git saw it.
    for version in ["2", "3", "4"] {
        repository.git("", &["update-index", "--index-version", version], 0);
        for file in ["a.js", "a/b.js", "ä b.js", "empty.js"] {
            old(&repository, file, START + 5);
        }
        assert_eq!(tree(&repository, ""), "clean", "version {version}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_compared_as_links() {
    use std::os::unix::fs::symlink;
    let repository = TestRepository::repository(&[]);
    repository.write("target.js", "text");
    symlink("target.js", repository.0.join("link.js")).unwrap();
    repository.commit("folder/file.js", "text", START);
    check(&repository, "clean", "committed");
    fs::remove_file(repository.0.join("link.js")).unwrap();
    symlink("folder/file", repository.0.join("link.js")).unwrap();
    check(&repository, "changed", "leads elsewhere");
    fs::remove_file(repository.0.join("link.js")).unwrap();
    repository.write("link.js", "target.js");
    check(&repository, "changed", "a file in its place");
    fs::remove_file(repository.0.join("link.js")).unwrap();
    symlink("target.js", repository.0.join("link.js")).unwrap();
    check(&repository, "clean", "as it was");
    fs::rename(repository.0.join("folder"), repository.0.join("elsewhere")).unwrap();
    symlink("elsewhere", repository.0.join("folder")).unwrap();
    check(&repository, "changed", "a folder that became a link to the same files");
}

#[test]
fn what_the_configuration_decides_is_not_guessed() {
    let repository = with_files(&[]);
    repository.write("crlf.js", "one\r\ntwo\r\n");
    repository.write(".gitattributes", "crlf.js text eol=crlf\n");
    repository.commit("b.js", "b", START);
    old(&repository, "crlf.js", START);
    check(&repository, "clean", "lines end otherwise than they were committed");
    repository.write("crlf.js", "one\r\nTWO\r\n");
    check(&repository, "changed", "in a word");

    let repository = with_files(&[]);
    repository.write(".gitattributes", "*.bin filter=upper\n");
    repository.write("large.bin", "text");
    let filter = ["-c", "filter.upper.clean=tr a-z A-Z", "-c", "filter.upper.smudge=tr A-Z a-z"];
    repository.git("", &[&filter[..], &["add", "--all"]].concat(), 0);
    repository.git("", &[&filter[..], &["commit", "--quiet", "--message", "x"]].concat(), START);
    std::thread::sleep(Duration::from_millis(20));
    repository.git("", &[&filter[..], &["update-index", "--force-write-index"]].concat(), 0);
    assert_eq!(tree(&repository, ""), "clean", "not touched since");
    old(&repository, "large.bin", START);
    assert_eq!(tree(&repository, ""), "a filter of .gitattributes decides which of its files are changed");
    repository.write("a.js", "changed");
    assert_eq!(tree(&repository, ""), "changed", "a file without a filter");
    repository.write(".git/info/attributes", "[attr]large filter=upper\n");
    assert!(tree(&repository, "").starts_with("a filter"), "which files have it is not looked up");

    let repository = with_files(&[]);
    repository.git("", &["update-index", "--split-index"], 0);
    assert_eq!(tree(&repository, ""), "its index is split; `git update-index --no-split-index` makes it one");
}

#[test]
fn files_that_are_not_checked_out_do_not_count() {
    let repository = with_files(&[]);
    repository.git("", &["sparse-checkout", "set", "--no-cone", "/a.js", "/run.sh"], 0);
    assert!(!repository.0.join("a/b.js").exists());
    check(&repository, "clean", "sparse");
    repository.write("a.js", "b");
    check(&repository, "changed", "sparse, and changed");
    repository.git("", &["sparse-checkout", "set", "--cone", "--sparse-index", "a/c"], 0);
    assert!(tree(&repository, "").starts_with("its index is sparse;"), "{}", tree(&repository, ""));
}

#[test]
fn worktrees_submodules_and_merges() {
    let repository = TestRepository::folder();
    for folder in ["main", "inner"] {
        fs::create_dir_all(repository.0.join(folder)).unwrap();
        repository.git(folder, &["init", "--quiet", "--initial-branch", "main"], 0);
        repository.commit_in(folder, "a.js", "one", START);
    }
    repository.git("main", &["worktree", "add", "--quiet", "-b", "side", "../side"], 0);
    repository.write("main/a.js", "two");
    let both = |folders: [&str; 2]| folders.map(|it| (tree(&repository, it), by_git(&repository, it)));
    let changed = ("changed".to_owned(), "changed");
    let clean = ("clean".to_owned(), "clean");
    assert_eq!(both(["main", "side"]), [changed.clone(), clean.clone()], "each has its own files");
    repository.commit_in("main", "a.js", "two", START);
    let inner = repository.0.join("inner").to_string_lossy().into_owned();
    repository.git("main", &["submodule", "--quiet", "add", &inner, "sub"], START);
    repository.git("main", &["commit", "--quiet", "--message", "x"], START);
    assert_eq!(both(["main", "main/sub"]), [clean.clone(), clean.clone()]);
    repository.write("main/sub/a.js", "two");
    assert_eq!(both(["main", "main/sub"]), [changed.clone(), changed.clone()], "a file of a submodule");
    repository.commit_in("main/sub", "a.js", "two", START);
    assert_eq!(both(["main", "main/sub"]), [changed.clone(), clean.clone()], "a commit of a submodule");
    repository.git("main", &["submodule", "--quiet", "deinit", "--force", "sub"], 0);
    assert_eq!(both(["main", "main"]), [clean.clone(), clean.clone()], "it is not checked out");
    repository.commit_in("side", "a.js", "three", START);
    let merge = repository.command("main", 0).args(["merge", "--quiet", "side"]).output().unwrap();
    assert!(!merge.status.success(), "both have changed the same line");
    assert_eq!(both(["main", "side"]), [changed, clean], "in the middle of a merge");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_submodule_is_not_followed() {
    use std::os::unix::fs::symlink;
    let repository = TestRepository::folder();
    for folder in ["main", "inner"] {
        fs::create_dir_all(repository.0.join(folder)).unwrap();
        repository.git(folder, &["init", "--quiet", "--initial-branch", "main"], 0);
        repository.commit_in(folder, "a.js", "one", START);
    }
    let inner = repository.0.join("inner").to_string_lossy().into_owned();
    repository.git("main", &["submodule", "--quiet", "add", &inner, "folder/sub"], START);
    repository.git("main", &["commit", "--quiet", "--message", "x"], START);
    assert_eq!((tree(&repository, "main"), by_git(&repository, "main")), ("clean".into(), "clean"));
    let sub = repository.0.join("main/folder/sub");
    fs::remove_dir_all(&sub).unwrap();
    symlink(&inner, &sub).unwrap();
    assert_eq!(tree(&repository, "main"), "changed", "git says nothing of such a repository at all");
    fs::remove_dir_all(repository.0.join("main/folder")).unwrap();
    fs::create_dir(repository.0.join("elsewhere")).unwrap();
    fs::rename(&inner, repository.0.join("elsewhere/sub")).unwrap();
    symlink(repository.0.join("elsewhere"), repository.0.join("main/folder")).unwrap();
    assert_eq!(tree(&repository, "main"), "changed", "nor of a link on the way to it");
}

#[test]
fn branches_and_folders_without_a_commit() {
    let repository = with_files(&[]);
    let branch = |folder: &str| checked_out(&repository.0.join(folder)).unwrap().unwrap().branch;
    assert_eq!(branch("a/c"), Some("main".into()), "of a folder in it");
    repository.git("", &["checkout", "--quiet", "-b", "feature/x"], 0);
    assert_eq!(branch(""), Some("feature/x".into()));
    repository.git("", &["checkout", "--quiet", "--detach"], 0);
    assert_eq!(branch(""), None);
    let empty = TestRepository::repository(&[]);
    assert_eq!(checked_out(&empty.0).unwrap(), None);
    let none = TestRepository::folder();
    assert_eq!(checked_out(&none.0).unwrap(), None);
    empty.write(".git/HEAD", "nonsense");
    let sentence = checked_out(&empty.0).unwrap_err().to_string();
    assert_eq!(
        sentence.replace(&empty.0.to_string_lossy().into_owned(), "DIR"),
        "The commit of DIR is not known: DIR/.git/HEAD does not name a commit."
    );
}

#[test]
fn an_index_that_git_would_not_write() {
    let repository = with_files(&[]);
    let index = repository.0.join(".git/index");
    let whole = fs::read(&index).unwrap();
    for length in [0, 3, 11, 60, whole.len() / 2, whole.len() - 30] {
        fs::write(&index, &whole[..length]).unwrap();
        let said = tree(&repository, "");
        assert!(said == "its index is damaged" || said == "changed", "{length}: {said}");
    }
    let climbing = String::from_utf8_lossy(&whole).into_owned();
    assert!(climbing.contains("a/b.js"));
    let at = whole.windows(6).position(|it| it == b"a/b.js").unwrap();
    let mut climbing = whole.clone();
    climbing[at..at + 6].copy_from_slice(b"../.js");
    fs::write(&index, &climbing).unwrap();
    assert!(["its index names ../.js", "changed"].contains(&&*tree(&repository, "")));
    fs::remove_file(&index).unwrap();
    assert_eq!(tree(&repository, ""), "changed", "nothing is tracked");
}

/// Sixty gigabytes that take no room: reading them takes longer than any test may.
const HUGE: u64 = 60 << 30;

#[test]
fn a_large_file_of_another_size_is_changed_without_being_read() {
    let repository = with_files(&[]);
    repository.git("", &["update-index", "--refresh"], 0);
    let file = fs::File::options().write(true).open(repository.0.join("a.js")).unwrap();
    file.set_len(HUGE).unwrap();
    assert_eq!(tree(&repository, ""), "changed");
    repository.write("a.js", "a.js");
    let file = fs::File::options().write(true).open(repository.0.join("empty.js")).unwrap();
    file.set_len(HUGE).unwrap();
    assert_eq!(tree(&repository, ""), "changed", "was empty");
}

#[test]
fn a_file_that_cannot_be_compared_in_time_is_said() {
    let repository = with_files(&[]);
    // Git notes no size for what is added to the index by its id.
    let id = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
    let entry = format!("100644,{},a.js", id.trim());
    repository.git("", &["update-index", "--cacheinfo", &entry], 0);
    let file = fs::File::options().write(true).open(repository.0.join("a.js")).unwrap();
    file.set_len(HUGE).unwrap();
    let found = repository::find(&repository.0).unwrap().unwrap();
    let commit = refs::head(&found).unwrap().unwrap();
    let deadline = Instant::now() + Duration::from_millis(200);
    let said = super::super::clean::is_clean(&found, &commit, &mut Objects::new(&found, deadline));
    assert_eq!(said, Err(Problem::new("it takes longer than 10 seconds", "")));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_changed_without_being_opened() {
    use std::os::unix::fs::symlink;
    let repository = with_files(&[]);
    let at = |name: &str| repository.0.join(name);
    fs::remove_file(at("a.js")).unwrap();
    assert!(Command::new("mkfifo").arg(at("a.js")).status().unwrap().success());
    assert_eq!(tree(&repository, ""), "changed", "a pipe that nobody writes to");
    fs::remove_file(at("a.js")).unwrap();
    symlink("/dev/zero", at("a.js")).unwrap();
    assert_eq!(tree(&repository, ""), "changed", "a link to a device");
    fs::remove_file(at("a.js")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("a.js")).unwrap();
    assert_eq!(tree(&repository, ""), "changed", "a socket");
}
