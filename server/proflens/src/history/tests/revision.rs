//! Names of commits: the id that is found is the one that `git rev-parse` prints.

use super::*;

/// A branch with merges, tags of both kinds, and a clone of it that knows it as `origin`.
fn repositories() -> TestRepository {
    let repository = TestRepository::folder();
    fs::create_dir(repository.0.join("whole")).unwrap();
    repository.git("whole", &["init", "--quiet", "--initial-branch", "main"], 0);
    let git = |arguments: &[&str], second: u64| repository.git("whole", arguments, START + second);
    repository.commit_in("whole", "a.js", "1", START);
    repository.commit_in("whole", "a.js", "2", START + 1);
    git(&["tag", "v1"], 0);
    git(&["checkout", "--quiet", "-b", "feature/side"], 0);
    repository.commit_in("whole", "b.js", "1", START + 2);
    git(&["tag", "--annotate", "--message", "x", "v2"], 2);
    git(&["tag", "--annotate", "--message", "x", "tag-of-a-tag", "v2"], 2);
    git(&["checkout", "--quiet", "main"], 0);
    repository.commit_in("whole", "a.js", "3", START + 3);
    git(&["merge", "--quiet", "--no-ff", "--message", "x", "feature/side"], 4);
    repository.commit_in("whole", "a.js", "4", START + 5);
    git(&["tag", "of-a-tree", "HEAD^{tree}"], 0);
    repository.git("", &["clone", "--quiet", "whole", "clone"], 0);
    repository
}

fn parsed(repository: &TestRepository, folder: &str, revision: &str) -> String {
    let name = format!("{revision}^{{commit}}");
    let output = repository.git(folder, &["rev-parse", "--verify", "--quiet", &name], 0);
    String::from_utf8(output).unwrap().trim().to_owned()
}

#[test]
fn the_same_commit_that_git_finds() {
    let repository = repositories();
    let head = parsed(&repository, "whole", "HEAD");
    let described = repository.git("whole", &["describe", "--tags", "--long"], 0);
    let described = String::from_utf8(described).unwrap();
    let tag = String::from_utf8(repository.git("whole", &["rev-parse", "v2"], 0)).unwrap();
    let of_both = [
        "HEAD",
        "@",
        "HEAD^",
        "HEAD~1",
        "HEAD~2",
        "HEAD~1^2",
        "@~1^2~1",
        "HEAD~1^1",
        "HEAD^^",
        "HEAD~0",
        "HEAD^0",
        "v1",
        "v1^{commit}",
        "v2",
        "v2^{}",
        "v2~1",
        "tag-of-a-tag",
        "tags/v2",
        "refs/tags/v1",
        "main",
        "main~",
        "heads/main",
        "refs/heads/main",
        &head,
        &head[..12],
        &head[..4],
        &head[..10].to_uppercase(),
        &format!("{}~1", &head[..8]),
        tag.trim(),
        &tag[..9],
        described.trim(),
    ];
    let of_clone =
        ["origin/main", "origin", "origin/feature/side", "remotes/origin/main~1", "refs/remotes/origin/main"];
    let check = |folder: &str, revisions: &[&str], what: &str| {
        for revision in revisions {
            let found = commit_named(&repository.0.join(folder), revision);
            assert_eq!(found, Ok(parsed(&repository, folder, revision)), "{revision} in {folder}, {what}");
        }
    };
    check("whole", &of_both, "as committed");
    check("whole", &["feature/side", "feature/side^"], "as committed");
    check("clone", &of_both, "cloned");
    check("clone", &of_clone, "cloned");
    for folder in ["whole", "clone"] {
        repository.git(folder, &["gc", "--quiet"], 0);
        repository.git(folder, &["pack-refs", "--all"], 0);
        check(folder, &of_both, "packed");
    }
    check("clone", &of_clone, "packed");
    repository.git("whole", &["worktree", "add", "--quiet", "--detach", "../linked", "v1"], 0);
    check("linked", &["HEAD", "main", "v2", &head[..7]], "from a worktree");
}

#[test]
fn what_names_nothing_is_said_with_what_to_do() {
    let repository = repositories();
    repository.git("", &["clone", "--quiet", "--depth", "2", "--no-local", "whole", "shallow"], 0);
    let unknown = "is no commit, branch or tag of this clone: check its name, or fetch it with git fetch.";
    let not_understood =
        "is not understood: name a commit, a branch or a tag, or go back from one, as in main~2.";
    let not_here = "leads to commits that are not in this clone: fetch them with git fetch --unshallow.";
    let rows = [
        ("nothing", unknown),
        ("abc", unknown),
        ("deadbeef", unknown),
        ("v9~1", unknown),
        ("", not_understood),
        ("main@{1}", not_understood),
        ("main:a.js", not_understood),
        ("main..side", not_understood),
        ("main^{/x}", not_understood),
        ("main^x", not_understood),
        ("../../etc", not_understood),
        ("main~99", "goes back further than the history does."),
        ("main^3", "goes back further than the history does."),
        ("of-a-tree", "does not lead to a commit: name one, or a branch or a tag."),
    ];
    for (revision, expected) in rows {
        let sentence = commit_named(&repository.0.join("whole"), revision).unwrap_err().to_string();
        assert_eq!(sentence, format!("{revision} {expected}"));
    }
    let shallow = repository.0.join("shallow");
    assert_eq!(commit_named(&shallow, "HEAD~9").unwrap_err().to_string(), format!("HEAD~9 {not_here}"));
    let far = "0123456789012345678901234567890123456789";
    assert_eq!(commit_named(&shallow, far), Ok(far.into()), "a whole id needs no clone");
    let none = TestRepository::folder();
    let sentence = commit_named(&none.0, "main").unwrap_err().to_string();
    let folder = none.0.display();
    assert_eq!(
        sentence,
        format!("main names nothing, as {folder} is in no git repository: name the recordings themselves.")
    );
    let empty = TestRepository::repository(&[]);
    assert_eq!(
        commit_named(&empty.0, "HEAD").unwrap_err().to_string(),
        "HEAD names no commit yet: commit something first."
    );
}

#[test]
fn an_abbreviation_of_several_commits_is_not_guessed() {
    let repository = TestRepository::repository(&[]);
    let mut stream = String::new();
    for number in 0..1500 {
        stream += &format!("commit refs/heads/main\ncommitter A <a@b> {} +0000\ndata 1\nx\n", START + number);
    }
    let mut command = repository.command("", 0);
    let mut git = command.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success());
    let all = String::from_utf8(repository.git("", &["rev-list", "main"], 0)).unwrap();
    let mut shown: Vec<&str> = all.lines().map(|it| &it[..4]).collect();
    shown.sort_unstable();
    let twice = shown.windows(2).find(|it| it[0] == it[1]).unwrap()[0];
    let number = shown.iter().filter(|it| **it == twice).count();
    let sentence = commit_named(&repository.0, twice).unwrap_err().to_string();
    assert_eq!(sentence, format!("{twice} is the beginning of {number} commits: give more digits."));
}
