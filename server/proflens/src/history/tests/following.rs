//! What a repository may be put together from, and what not.

use super::*;

/// What is read of `a.js` in a folder at the end, and why not.
fn read(drawn: &Drawn, folder: &str) -> (Option<String>, Option<String>) {
    let history = drawn.history(folder);
    let text = at(&history, "a.js", START);
    let prefix = format!("The git history of {} is ", drawn.0.join(folder).display());
    let problem = history.problem().map(|it| it.strip_prefix(&prefix).unwrap().to_owned());
    (text, problem.map(|it| it.replace(&format!("{}/", drawn.0.display()), "")))
}

fn yes() -> (Option<String>, Option<String>) {
    (Some("one".into()), None)
}

fn no(why: &str) -> (Option<String>, Option<String>) {
    (None, Some(why.into()))
}

/// A repository in the folder `main`, with one commit of `a.js`.
fn main_with_a_commit() -> Drawn {
    let drawn = Drawn::folder();
    repository(&drawn, "main");
    drawn
}

fn repository(drawn: &Drawn, folder: &str) {
    fs::create_dir_all(drawn.0.join(folder)).unwrap();
    drawn.git(folder, &["init", "--quiet", "--initial-branch", "main"], 0);
    drawn.commit_in(folder, "a.js", "one", START);
}

fn move_to(drawn: &Drawn, from: &str, to: &str) {
    fs::create_dir_all(drawn.0.join(to).parent().unwrap()).unwrap();
    fs::rename(drawn.0.join(from), drawn.0.join(to)).unwrap();
}

#[cfg(unix)]
fn link(drawn: &Drawn, from: &str, to: &str) {
    std::os::unix::fs::symlink(drawn.0.join(to), drawn.0.join(from)).unwrap();
}

#[test]
fn worktrees_are_followed_where_their_repository_knows_them() {
    let drawn = main_with_a_commit();
    drawn.git("main", &["worktree", "add", "--quiet", "-b", "side", "../side"], 0);
    drawn.git("main", &["worktree", "add", "--quiet", "--detach", "inside"], 0);
    drawn.commit_in("main", "a.js", "two", START);
    assert_eq!([read(&drawn, "side"), read(&drawn, "main/inside")], [yes(), yes()], "each with its own HEAD");

    let leads = "not read: thief/.git leads out of the folder to main/.git/worktrees/side";
    drawn.write("thief/.git", &format!("gitdir: {}\n", drawn.0.join("main/.git/worktrees/side").display()));
    assert_eq!(read(&drawn, "thief"), no(leads), "another folder says that it is the worktree");
    let own = drawn.0.join("own");
    drawn.write("own/.git", &format!("gitdir: {}\n", drawn.0.join("worktrees/x").display()));
    drawn.write("worktrees/x/HEAD", "ref: refs/heads/main\n");
    drawn.write("worktrees/x/gitdir", &format!("{}/.git\n", own.display()));
    drawn.write("worktrees/x/commondir", &format!("{}\n", drawn.0.join("main/.git").display()));
    let leads = "not read: own/.git leads out of the folder to worktrees/x";
    assert_eq!(read(&drawn, "own"), no(leads), "its objects are not where worktrees have theirs");
}

#[test]
fn worktrees_of_a_bare_repository() {
    let drawn = main_with_a_commit();
    drawn.git("", &["clone", "--quiet", "--bare", "main", "bare.git"], 0);
    drawn.git("bare.git", &["worktree", "add", "--quiet", "../side"], 0);
    assert_eq!(read(&drawn, "side"), yes());
}

#[test]
fn submodules_are_followed_into_the_repository_above() {
    let drawn = main_with_a_commit();
    repository(&drawn, "deep");
    let url = |name: &str| drawn.0.join(name).to_string_lossy().into_owned();
    drawn.git("main", &["submodule", "--quiet", "add", &url("deep"), "sub/deep"], START + 1);
    drawn.git("main", &["commit", "--quiet", "--message", "x"], START + 1);
    repository(&drawn, "above");
    drawn.git("above", &["submodule", "--quiet", "add", &url("main"), "sub"], START);
    drawn.git("above", &["submodule", "--quiet", "update", "--init", "--recursive"], START);
    assert_eq!([read(&drawn, "above/sub"), read(&drawn, "above/sub/sub/deep")], [yes(), yes()]);
    move_to(&drawn, "above/.git/modules", "above/.git/elsewhere");
    let git = drawn.0.join("above/.git/elsewhere/sub");
    drawn.write("above/sub/.git", &format!("gitdir: {}\n", git.display()));
    let leads = "not read: above/sub/.git leads out of the folder to above/.git/elsewhere/sub";
    assert_eq!(read(&drawn, "above/sub"), no(leads));
}

#[test]
fn a_git_file_stays_in_its_folder() {
    let drawn = main_with_a_commit();
    move_to(&drawn, "main/.git", "main/.repository");
    drawn.write("main/.git", "gitdir: .repository");
    assert_eq!(read(&drawn, "main"), yes());
    move_to(&drawn, "main/.repository", "repository");
    drawn.write("main/.git", "gitdir: ../repository\n");
    assert_eq!(read(&drawn, "main"), no("not read: main/.git leads out of the folder to repository"));
    drawn.write("main/.git", "gitdir: ../none\n");
    assert_eq!(read(&drawn, "main"), no("not read: main/.git names main/../none, which is not there"));
    drawn.write("main/.git", "nothing\n");
    assert_eq!(read(&drawn, "main"), no("not read: main/.git does not name a repository"));
    drawn.write("main/.git", &"x".repeat(1 << 20));
    assert_eq!(read(&drawn, "main"), no("not read: main/.git is too large to be what its name says"));
}

#[test]
fn a_common_folder_elsewhere_is_not_followed() {
    let drawn = main_with_a_commit();
    repository(&drawn, "other");
    drawn.write("other/.git/commondir", "../../main/.git\n");
    let leads = "not read: other/.git/commondir leads out of the folder to main/.git";
    assert_eq!(read(&drawn, "other"), no(leads));
    fs::rename(drawn.0.join("main/.git"), drawn.0.join("other/common")).unwrap();
    drawn.write("other/.git/commondir", "../common");
    assert_eq!(read(&drawn, "other"), yes());
}

#[test]
fn objects_are_borrowed_from_the_work_tree_only() {
    let drawn = main_with_a_commit();
    move_to(&drawn, "main/.git/objects", "main/elsewhere");
    let objects = "main/.git/objects/info/alternates";
    drawn.write(objects, "# to here\n\n../../elsewhere\n../objects\n");
    assert_eq!(read(&drawn, "main"), yes());
    drawn.write(objects, "none\n");
    let none = "not read whole: main/.git/objects/info/alternates names none, which is not there";
    assert_eq!(read(&drawn, "main"), no(none));
    move_to(&drawn, "main/elsewhere", "elsewhere");
    drawn.write(objects, &format!("{}\n", drawn.0.join("elsewhere").display()));
    let leads = "not read whole: main/.git/objects/info/alternates leads out of the folder to elsewhere; \
                 `git repack -a -d` brings here what it needs of it";
    assert_eq!(read(&drawn, "main"), no(leads));
}

#[test]
fn folders_that_borrow_from_each_other_have_an_end() {
    let drawn = main_with_a_commit();
    move_to(&drawn, "main/.git/objects", "main/last");
    drawn.write("main/.git/objects/info/alternates", "../../0\n");
    for number in 0..40 {
        let next = if number == 20 { "last".into() } else { (number + 1).to_string() };
        drawn.write(&format!("main/{number}/info/alternates"), &format!("../{next}\n../{number}\n../0\n"));
    }
    assert_eq!(read(&drawn, "main"), yes(), "further than git goes");
    drawn.write("main/20/info/alternates", "../21\n../last\n");
    drawn.write("main/31/info/alternates", "../last\n");
    assert_eq!(read(&drawn, "main").0.as_deref(), Some("one"), "beside many more");
}

#[test]
fn a_bare_repository_that_was_committed_is_none() {
    let drawn = main_with_a_commit();
    drawn.git("", &["clone", "--quiet", "--bare", "main", "main/app"], 0);
    drawn.write("main/app/a.js", "one");
    drawn.git("main/app", &["config", "core.bare", "false"], 0);
    drawn.git("main/app", &["config", "core.worktree", "."], 0);
    assert_eq!(read(&drawn, "main/app"), (None, None), "the file is not in the repository around it");
}

#[test]
#[cfg(unix)]
fn links_are_followed_as_far_as_they_stay() {
    let drawn = main_with_a_commit();
    link(&drawn, "by-link", "main");
    assert_eq!(read(&drawn, "by-link"), yes(), "the folder itself may be a link");
    move_to(&drawn, "main/.git", "main/hidden");
    link(&drawn, "main/.git", "main/hidden");
    assert_eq!(read(&drawn, "main"), yes());
    move_to(&drawn, "main/hidden/objects", "main/hidden/there");
    link(&drawn, "main/hidden/objects", "main/hidden/there");
    assert_eq!(read(&drawn, "main"), yes());
    fs::remove_file(drawn.0.join("main/hidden/objects")).unwrap();
    move_to(&drawn, "main/hidden/there", "out");
    link(&drawn, "main/hidden/objects", "out");
    let leads = |what: &str, to: &str| no(&format!("not read whole: {what} leads out of it to {to}"));
    assert_eq!(read(&drawn, "main"), leads("main/hidden/objects", "out"));
    fs::remove_file(drawn.0.join("main/hidden/objects")).unwrap();
    move_to(&drawn, "out", "main/hidden/objects");
    drawn.git("main", &["gc", "--quiet"], 0);
    move_to(&drawn, "main/hidden/objects/pack", "pack");
    link(&drawn, "main/hidden/objects/pack", "pack");
    assert_eq!(read(&drawn, "main"), leads("main/hidden/objects/pack", "pack"));
    fs::remove_file(drawn.0.join("main/.git")).unwrap();
    move_to(&drawn, "main/hidden", "repository");
    link(&drawn, "main/.git", "repository");
    assert_eq!(read(&drawn, "main"), no("not read: main/.git leads out of it to repository"));
}

#[test]
fn names_of_branches_lead_nowhere_else() {
    let drawn = main_with_a_commit();
    let head = String::from_utf8(drawn.git("main", &["rev-parse", "HEAD"], 0)).unwrap();
    drawn.write("secret", &head);
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
        drawn.write("main/.git/refs/heads/loop", "ref: refs/heads/loop");
        drawn.write("main/.git/HEAD", name);
        assert_eq!(read(&drawn, "main"), no(why), "{name}");
    }
    drawn.write("main/.git/HEAD", &head);
    assert_eq!(read(&drawn, "main"), yes());
    drawn.write("main/.git/HEAD", "ref: refs/heads");
    assert_eq!(read(&drawn, "main"), (None, None), "a folder is no branch, but may become one's name");
}

#[test]
fn reftables_are_told_of() {
    let drawn = Drawn::folder();
    fs::create_dir(drawn.0.join("main")).unwrap();
    let init = ["init", "--quiet", "--ref-format=reftable"];
    if !drawn.command("main", 0).args(init).output().unwrap().status.success() {
        return; // a git that cannot make one
    }
    drawn.commit_in("main", "a.js", "one", START);
    let why = "its branches are kept as a reftable; `git refs migrate --ref-format=files` makes them files";
    assert_eq!(read(&drawn, "main"), no(&format!("not read: {why}")));
}
