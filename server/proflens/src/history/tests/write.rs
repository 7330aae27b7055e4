//! Files of a commit, compared with how git itself writes them.

use super::super::write_files;
use super::*;

/// The content of a folder: `a.js text`, with `*` before executable files, and where links lead.
#[cfg(unix)]
fn listed(folder: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let mut open = vec![folder.to_path_buf()];
    let mut lines = Vec::new();
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let about = path.symlink_metadata().unwrap();
            if about.is_symlink() {
                lines.push(format!("{name} -> {}", fs::read_link(path).unwrap().display()));
            } else if about.is_dir() {
                open.push(path);
            } else {
                let star = if about.permissions().mode() & 0o100 == 0 { "" } else { "*" };
                lines.push(format!("{star}{name} {}", fs::read_to_string(path).unwrap()));
            }
        }
    }
    lines.sort();
    lines
}

#[test]
#[cfg(unix)]
fn the_files_of_a_commit_as_git_has_them() {
    use std::os::unix::fs::PermissionsExt;
    let repository = TestRepository::repository(&[]);
    repository.write("bin/run.sh", "run");
    fs::set_permissions(repository.0.join("bin/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    repository.write("größe/a.js", "one");
    std::os::unix::fs::symlink("../bin", repository.0.join("größe/link")).unwrap();
    repository.commit("b.js", "b", START);
    repository.commit("b.js", "later", START + 1);
    let expected = ["*bin/run.sh run", "b.js b", "größe/a.js one", "größe/link -> ../bin"];
    for packed in [false, true] {
        if packed {
            repository.git("", &["gc", "--quiet"], 0);
        }
        let folder = TestRepository::folder();
        let commit = commit_named(&repository.0, "main~1").unwrap();
        assert_eq!(write_files(&repository.0, &commit, &folder.0), Ok(vec![]));
        assert_eq!(listed(&folder.0), expected);
    }
    assert_eq!(repository.git("", &["status", "--porcelain"], 0), b"", "the repository is as before");
}

/// Only git's plumbing creates trees with such paths.
#[test]
fn no_path_leads_out_of_the_folder() {
    let names =
        [("..", false), (".", false), (".git", false), (".GIT", false), ("ok", true), (".gitignore", true)];
    for (name, is_written) in names {
        let repository = TestRepository::repository(&[]);
        repository.commit("a.js", "one", START);
        let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
        let tree = repository.tree_of(&format!("100644 {name}"), blob.trim());
        let outer = repository.tree_of("40000 below", &tree);
        let by = format!("x <x> {START} +0000");
        let text = format!("tree {outer}\nauthor {by}\ncommitter {by}\n\nx\n");
        let commit = repository.object("commit", text.as_bytes());
        let folder = TestRepository::folder();
        let refused = write_files(&repository.0, &commit, &folder.0).err().map(|problem| problem.what);
        let expected = format!("commit {} has a file below/{name}, which is not written", &commit[..12]);
        assert_eq!(refused, (!is_written).then_some(expected), "{name}");
        assert_eq!(folder.0.join("below").exists(), is_written, "{name}");
    }
}

#[test]
fn what_a_clone_lacks_is_said() {
    let repository = TestRepository::repository(&[]);
    repository.commit("src/a.js", "one", START);
    let commit = commit_named(&repository.0, "main").unwrap();
    let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:src/a.js"], 0)).unwrap();
    fs::remove_file(repository.0.join(".git/objects").join(&blob[..2]).join(blob[2..].trim())).unwrap();
    let said = |commit: &str| {
        let problem = write_files(&repository.0, commit, &TestRepository::folder().0).unwrap_err();
        problem.what.replace(&commit[..12], "C")
    };
    let file = Path::new("src").join("a.js").display().to_string();
    assert_eq!(said(&commit), format!("{file} of commit C is not in this clone"));
    assert_eq!(said(&"1".repeat(40)), "commit C is not in this clone");
}

#[test]
fn submodules_are_left_out_and_named() {
    let repository = TestRepository::folder();
    for name in ["inner", "outer"] {
        repository.git("", &["init", "--quiet", "--initial-branch", "main", name], 0);
        repository.commit_in(name, "a.js", "a", START);
    }
    repository.git("outer", &["submodule", "--quiet", "add", "../inner", "deps/inner"], START);
    repository.git("outer", &["commit", "--quiet", "--message", "x"], START);
    let (outer, folder) = (repository.0.join("outer"), TestRepository::folder());
    let commit = commit_named(&outer, "main").unwrap();
    let inner = Path::new("deps").join("inner").display().to_string();
    assert_eq!(write_files(&outer, &commit, &folder.0), Ok(vec![inner]));
    assert!(folder.0.join("a.js").is_file() && !folder.0.join("deps").exists());
}

impl TestRepository {
    /// A tree with one entry, whatever its name is.
    fn tree_of(&self, entry: &str, id: &str) -> String {
        let digits = id.as_bytes().chunks(2).map(|two| str::from_utf8(two).unwrap());
        let id = digits.map(|two| u8::from_str_radix(two, 16).unwrap());
        self.object("tree", &entry.bytes().chain([0]).chain(id).collect::<Vec<u8>>())
    }

    fn object(&self, kind: &str, content: &[u8]) -> String {
        let mut git = self.command("", 0);
        git.args(["hash-object", "-t", kind, "-w", "--literally", "--stdin"]);
        let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        git.stdin.take().unwrap().write_all(content).unwrap();
        String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    }
}
