//! Which parts of a repository may be elsewhere, and which may not.

use super::*;

/// What is read of `a.js` in a folder, and the problem if there is one.
fn read(repository: &TestRepository, folder: &str) -> (Option<String>, Option<String>) {
    let history = repository.history(folder);
    let text = at(&history, "a.js", START);
    let prefix = format!("The git history of {} is ", repository.0.join(folder).display());
    let problem = history.problem().map(|problem| problem.what.strip_prefix(&prefix).unwrap().to_owned());
    (text, problem.map(|why| why.replace(&format!("{}/", repository.0.display()), "")))
}

fn yes() -> (Option<String>, Option<String>) {
    (Some("one".into()), None)
}

fn no(why: &str) -> (Option<String>, Option<String>) {
    (None, Some(why.into()))
}

/// A repository in the folder `main`, with one commit of `a.js`.
fn main_with_a_commit() -> TestRepository {
    let repository = TestRepository::folder();
    init_in(&repository, "main");
    repository
}

fn init_in(repository: &TestRepository, folder: &str) {
    fs::create_dir_all(repository.0.join(folder)).unwrap();
    repository.git(folder, &["init", "--quiet", "--initial-branch", "main"], 0);
    repository.commit_in(folder, "a.js", "one", START);
}

fn move_to(repository: &TestRepository, from: &str, to: &str) {
    fs::create_dir_all(repository.0.join(to).parent().unwrap()).unwrap();
    fs::rename(repository.0.join(from), repository.0.join(to)).unwrap();
}

#[cfg(unix)]
fn link(repository: &TestRepository, from: &str, to: &str) {
    std::os::unix::fs::symlink(repository.0.join(to), repository.0.join(from)).unwrap();
}

#[test]
fn worktrees_are_followed_where_their_repository_knows_them() {
    let repository = main_with_a_commit();
    repository.git("main", &["worktree", "add", "--quiet", "-b", "side", "../side"], 0);
    repository.git("main", &["worktree", "add", "--quiet", "--detach", "inside"], 0);
    repository.commit_in("main", "a.js", "two", START);
    assert_eq!(
        [read(&repository, "side"), read(&repository, "main/inside")],
        [yes(), yes()],
        "each with its own HEAD"
    );

    let leads = "not read: thief/.git leads out of the folder to main/.git/worktrees/side";
    repository.write(
        "thief/.git",
        &format!("gitdir: {}\n", repository.0.join("main/.git/worktrees/side").display()),
    );
    assert_eq!(read(&repository, "thief"), no(leads), "another folder says that it is the worktree");
    let own = repository.0.join("own");
    repository.write("own/.git", &format!("gitdir: {}\n", repository.0.join("worktrees/x").display()));
    repository.write("worktrees/x/HEAD", "ref: refs/heads/main\n");
    repository.write("worktrees/x/gitdir", &format!("{}/.git\n", own.display()));
    repository.write("worktrees/x/commondir", &format!("{}\n", repository.0.join("main/.git").display()));
    let leads = "not read: own/.git leads out of the folder to worktrees/x";
    assert_eq!(read(&repository, "own"), no(leads), "its objects are not where worktrees have theirs");
}

#[test]
fn worktrees_of_a_bare_repository() {
    let repository = main_with_a_commit();
    repository.git("", &["clone", "--quiet", "--bare", "main", "bare.git"], 0);
    repository.git("bare.git", &["worktree", "add", "--quiet", "../side"], 0);
    assert_eq!(read(&repository, "side"), yes());
}

#[test]
fn submodules_are_followed_into_the_repository_above() {
    let repository = main_with_a_commit();
    init_in(&repository, "deep");
    let url = |name: &str| repository.0.join(name).to_string_lossy().into_owned();
    repository.git("main", &["submodule", "--quiet", "add", &url("deep"), "sub/deep"], START + 1);
    repository.git("main", &["commit", "--quiet", "--message", "x"], START + 1);
    init_in(&repository, "above");
    repository.git("above", &["submodule", "--quiet", "add", &url("main"), "sub"], START);
    repository.git("above", &["submodule", "--quiet", "update", "--init", "--recursive"], START);
    assert_eq!([read(&repository, "above/sub"), read(&repository, "above/sub/sub/deep")], [yes(), yes()]);
    move_to(&repository, "above/.git/modules", "above/.git/elsewhere");
    let git = repository.0.join("above/.git/elsewhere/sub");
    repository.write("above/sub/.git", &format!("gitdir: {}\n", git.display()));
    let leads = "not read: above/sub/.git leads out of the folder to above/.git/elsewhere/sub";
    assert_eq!(read(&repository, "above/sub"), no(leads));
}

#[test]
fn a_git_file_stays_in_its_folder() {
    let repository = main_with_a_commit();
    move_to(&repository, "main/.git", "main/.repository");
    repository.write("main/.git", "gitdir: .repository");
    assert_eq!(read(&repository, "main"), yes());
    move_to(&repository, "main/.repository", "repository");
    repository.write("main/.git", "gitdir: ../repository\n");
    assert_eq!(read(&repository, "main"), no("not read: main/.git leads out of the folder to repository"));
    repository.write("main/.git", "gitdir: ../none\n");
    assert_eq!(read(&repository, "main"), no("not read: main/.git names main/../none, which is not there"));
    repository.write("main/.git", "nothing\n");
    assert_eq!(read(&repository, "main"), no("not read: main/.git does not name a repository"));
    repository.write("main/.git", &"x".repeat(1 << 20));
    assert_eq!(read(&repository, "main"), no("not read: main/.git is too large to be what its name says"));
}

#[test]
fn a_common_folder_elsewhere_is_not_followed() {
    let repository = main_with_a_commit();
    init_in(&repository, "other");
    repository.write("other/.git/commondir", "../../main/.git\n");
    let leads = "not read: other/.git/commondir leads out of the folder to main/.git";
    assert_eq!(read(&repository, "other"), no(leads));
    fs::rename(repository.0.join("main/.git"), repository.0.join("other/common")).unwrap();
    repository.write("other/.git/commondir", "../common");
    assert_eq!(read(&repository, "other"), yes());
}

#[test]
fn objects_are_borrowed_from_the_work_tree_only() {
    let repository = main_with_a_commit();
    move_to(&repository, "main/.git/objects", "main/elsewhere");
    let objects = "main/.git/objects/info/alternates";
    repository.write(objects, "# to here\n\n../../elsewhere\n../objects\n");
    assert_eq!(read(&repository, "main"), yes());
    repository.write(objects, "none\n");
    let none = "not read whole: main/.git/objects/info/alternates names none, which is not there";
    assert_eq!(read(&repository, "main"), no(none));
    move_to(&repository, "main/elsewhere", "elsewhere");
    repository.write(objects, &format!("{}\n", repository.0.join("elsewhere").display()));
    let leads = "not read whole: main/.git/objects/info/alternates leads out of the folder to elsewhere; \
                 `git repack -a -d` brings here what it needs of it";
    assert_eq!(read(&repository, "main"), no(leads));
}

#[test]
fn folders_that_borrow_from_each_other_have_an_end() {
    let repository = main_with_a_commit();
    move_to(&repository, "main/.git/objects", "main/last");
    repository.write("main/.git/objects/info/alternates", "../../0\n");
    for number in 0..40 {
        let next = if number == 20 { "last".into() } else { (number + 1).to_string() };
        repository
            .write(&format!("main/{number}/info/alternates"), &format!("../{next}\n../{number}\n../0\n"));
    }
    assert_eq!(read(&repository, "main"), yes(), "further than git goes");
    repository.write("main/20/info/alternates", "../21\n../last\n");
    repository.write("main/31/info/alternates", "../last\n");
    assert_eq!(read(&repository, "main").0.as_deref(), Some("one"), "beside many more");
}

#[test]
fn a_bare_repository_that_was_committed_is_none() {
    let repository = main_with_a_commit();
    repository.git("", &["clone", "--quiet", "--bare", "main", "main/app"], 0);
    repository.write("main/app/a.js", "one");
    repository.git("main/app", &["config", "core.bare", "false"], 0);
    repository.git("main/app", &["config", "core.worktree", "."], 0);
    assert_eq!(read(&repository, "main/app"), (None, None), "the file is not in the repository around it");
}

#[test]
#[cfg(unix)]
fn links_are_followed_as_far_as_they_stay() {
    let repository = main_with_a_commit();
    link(&repository, "by-link", "main");
    assert_eq!(read(&repository, "by-link"), yes(), "the folder itself may be a link");
    move_to(&repository, "main/.git", "main/hidden");
    link(&repository, "main/.git", "main/hidden");
    assert_eq!(read(&repository, "main"), yes());
    move_to(&repository, "main/hidden/objects", "main/hidden/there");
    link(&repository, "main/hidden/objects", "main/hidden/there");
    assert_eq!(read(&repository, "main"), yes());
    fs::remove_file(repository.0.join("main/hidden/objects")).unwrap();
    move_to(&repository, "main/hidden/there", "out");
    link(&repository, "main/hidden/objects", "out");
    let leads = |what: &str, to: &str| no(&format!("not read whole: {what} leads out of it to {to}"));
    assert_eq!(read(&repository, "main"), leads("main/hidden/objects", "out"));
    fs::remove_file(repository.0.join("main/hidden/objects")).unwrap();
    move_to(&repository, "out", "main/hidden/objects");
    repository.git("main", &["gc", "--quiet"], 0);
    move_to(&repository, "main/hidden/objects/pack", "pack");
    link(&repository, "main/hidden/objects/pack", "pack");
    assert_eq!(read(&repository, "main"), leads("main/hidden/objects/pack", "pack"));
    fs::remove_file(repository.0.join("main/.git")).unwrap();
    move_to(&repository, "main/hidden", "repository");
    link(&repository, "main/.git", "repository");
    assert_eq!(read(&repository, "main"), no("not read: main/.git leads out of it to repository"));
}

#[test]
fn names_of_branches_lead_nowhere_else() {
    let repository = main_with_a_commit();
    let head = String::from_utf8(repository.git("main", &["rev-parse", "HEAD"], 0)).unwrap();
    repository.write("secret", &head);
    for (name, why) in [
        ("ref: refs/heads/../../../../secret\n", "not read: main/.git/HEAD does not name a branch"),
        ("ref: ../../secret", "not read: main/.git/HEAD does not name a branch"),
        ("ref: /secret", "not read: main/.git/HEAD does not name a branch"),
        ("main", "not read: main/.git/HEAD does not name a commit"),
        ("", "not read: main/.git/HEAD does not name a commit"),
        (
            "ref: refs/heads/loop",
            "not read: its HEAD leads from name to name, of which refs/heads/loop is not the last",
        ),
    ] {
        repository.write("main/.git/refs/heads/loop", "ref: refs/heads/loop");
        repository.write("main/.git/HEAD", name);
        assert_eq!(read(&repository, "main"), no(why), "{name}");
    }
    repository.write("main/.git/HEAD", &head);
    assert_eq!(read(&repository, "main"), yes());
    repository.write("main/.git/HEAD", "ref: refs/heads");
    assert_eq!(read(&repository, "main"), (None, None), "a folder is no branch, but may become one's name");
}

#[test]
fn reftables_are_told_of() {
    let repository = TestRepository::folder();
    fs::create_dir(repository.0.join("main")).unwrap();
    let init = ["init", "--quiet", "--ref-format=reftable"];
    if !repository.command("main", 0).args(init).output().unwrap().status.success() {
        return; // a git that cannot make one
    }
    repository.commit_in("main", "a.js", "one", START);
    let why = "its branches are kept as a reftable; `git refs migrate --ref-format=files` makes them files";
    assert_eq!(read(&repository, "main"), no(&format!("not read: {why}")));
}
