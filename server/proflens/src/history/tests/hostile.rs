//! Repositories that are damaged, or were made to do harm: nothing hangs, nothing panics, nothing takes much memory.

use super::*;

fn pack(repository: &TestRepository, ending: &str) -> PathBuf {
    let mut files =
        fs::read_dir(repository.0.join(".git/objects/pack")).unwrap().map(|it| it.unwrap().path());
    files.find(|it| it.extension().is_some_and(|it| it == ending)).unwrap()
}

fn writable(path: &Path) {
    let mut permissions = fs::metadata(path).unwrap().permissions();
    #[allow(clippy::permissions_set_readonly_false, reason = "of a file that is gone after the test")]
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions).unwrap();
}

#[test]
#[cfg(unix)]
fn named_pipes_are_not_waited_for() {
    let pipe = |path: PathBuf| {
        let _ = fs::remove_file(&path); // alternates are not there yet
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let repository = TestRepository::repository(&[]);
    let check = |what: &str, path: PathBuf, is_read: bool| {
        let before = fs::read(&path).ok();
        pipe(path.clone());
        let history = repository.history("");
        assert_eq!(at(&history, "a.js", START).is_some(), is_read, "{what}");
        let problem = history.problem().unwrap();
        assert!(problem.what.ends_with("is not a regular file"), "{what}: {problem}");
        fs::remove_file(&path).unwrap();
        before.into_iter().for_each(|it| fs::write(&path, it).unwrap());
        assert!(at(&repository.history(""), "a.js", START).is_some(), "{what}: put back");
    };
    repository.commit("a.js", "one", START);
    let git = repository.0.join(".git");
    check("HEAD", git.join("HEAD"), false);
    check("a branch", git.join("refs/heads/main"), false);
    check("alternates", git.join("objects/info/alternates"), true);
    check("commondir", git.join("commondir"), false);
    let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
    check("an object", git.join("objects").join(&blob[..2]).join(blob[2..].trim()), false);
    repository.git("", &["gc", "--quiet"], 0);
    check("packed branches", git.join("packed-refs"), false);
    check("an index", pack(&repository, "idx"), false);
    check("a pack", pack(&repository, "pack"), false);
    fs::remove_dir_all(&git).unwrap();
    pipe(git);
    assert_eq!((at(&repository.history(""), "a.js", START), repository.history("").problem()), (None, None));
}

/// Numbers that look random but are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

#[test]
fn no_damage_does_harm() {
    let repository = TestRepository::repository(&[]);
    import(&repository);
    repository.git("", &["gc", "--quiet", "--aggressive", "--prune=now"], 0);
    repository.commit("loose.js", "one", START + 1000);
    let mut files = vec![repository.0.join(".git/HEAD"), repository.0.join(".git/packed-refs")];
    files.extend([pack(&repository, "idx"), pack(&repository, "pack"), pack(&repository, "pack")]);
    let loose =
        String::from_utf8(repository.git("", &["rev-parse", "HEAD", "HEAD:", "HEAD:loose.js"], 0)).unwrap();
    let objects = repository.0.join(".git/objects");
    files.extend(loose.lines().map(|it| objects.join(&it[..2]).join(&it[2..])));
    files.iter().for_each(|it| writable(it));
    let times = [START + 100, START + 333, START + 1000];
    let all = |history: &History| {
        let of_pack = super::read(history, &times);
        [of_pack, vec![at(history, "loose.js", START + 1000)]].concat()
    };
    let whole = all(&repository.history(""));
    let mut dice = Dice(1);
    let mut lost = 0;
    for round in 0..400 {
        let file = &files[dice.below(files.len())];
        let before = fs::read(file).unwrap();
        let mut after = before.clone();
        match dice.below(4) {
            0 => after.truncate(dice.below(before.len())),
            1 => after[dice.below(before.len())..].fill(0),
            _ => {
                // The beginnings of files decide more than the rest.
                let end = if dice.below(2) == 0 { before.len() } else { before.len().min(1200) };
                for _ in 0..=dice.below(8) {
                    after[dice.below(end)] ^= 1 << dice.below(8);
                }
            }
        }
        fs::write(file, after).unwrap();
        let history = repository.history("");
        let took = Instant::now();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| all(&history)));
        let found = found.unwrap_or_else(|_| panic!("round {round} panics: {}", file.display()));
        assert!(took.elapsed() < TIME_LIMIT, "round {round} hangs: {}", file.display());
        lost += usize::from(found != whole);
        fs::write(file, before).unwrap();
    }
    assert!(lost > 50, "the damage of {lost} rounds shows");
    assert!(all(&repository.history("")) == whole, "put back");
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A repository whose `a.js` is an object that was made by hand.
fn with_object(bytes: &[u8]) -> TestRepository {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
    let path = repository.0.join(".git/objects").join(&blob[..2]).join(blob[2..].trim());
    writable(&path);
    fs::write(path, bytes).unwrap();
    repository
}

#[test]
fn objects_that_lie_about_their_size() {
    let zeros = vec![0; 64 << 20];
    let with_header = |header: &str| deflated(&[header.as_bytes(), b"\0", &zeros].concat());
    for (bytes, problem) in [
        (with_header("blob 67108864"), None), // too large, and says so
        (with_header("blob 5"), Some("cannot be read")),
        (with_header("blob 18446744073709551615"), None),
        (with_header("blob 99999999999999999999"), Some("it has no size")),
        (with_header("blob -1"), Some("it has no size")),
        (with_header("bomb 5"), Some("it is of no kind")),
        (deflated(&zeros), Some("it begins as no object does")),
        (deflated(b"blob 5000000\0abc"), Some("cannot be read")),
        (deflated(b"tree 3\0abc"), None), // not a file
        (Vec::new(), Some("cannot be read")),
    ] {
        let repository = with_object(&bytes);
        let history = repository.history("");
        assert_eq!(at(&history, "a.js", START), None);
        let said = history.problem();
        assert_eq!(said.is_some(), problem.is_some(), "{said:?}");
        let is_said = |part: &str| said.as_ref().is_some_and(|said| said.what.contains(part));
        assert!(problem.is_none_or(is_said), "{said:?}, not {problem:?}");
    }
}

/// A repository whose `a.js` is in a handmade pack of one object. The entries are given as bytes; the last one is the
/// object that is asked for.
fn with_pack(entries: &[Vec<u8>]) -> TestRepository {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
    let id = refs::Id::of_hex(blob.trim().as_bytes()).unwrap();
    fs::remove_file(repository.0.join(".git/objects").join(&blob[..2]).join(blob[2..].trim())).unwrap();
    let pack = [b"PACK\0\0\0\x02\0\0\0\x01".to_vec(), entries.concat()].concat();
    let offset = 12 + entries[..entries.len() - 1].iter().map(Vec::len).sum::<usize>() as u32;
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    index.extend((0..=255).flat_map(|it| u32::from(it >= id.bytes()[0]).to_be_bytes()));
    index.extend_from_slice(id.bytes());
    index.extend([0; 4].iter().chain(&offset.to_be_bytes()).chain(&[0; 40]));
    let folder = repository.0.join(".git/objects/pack");
    fs::write(folder.join("pack-x.pack"), pack).unwrap();
    fs::write(folder.join("pack-x.idx"), index).unwrap();
    repository
}

/// The first bytes of an entry: its kind, and the size of what follows.
fn header(kind: u8, mut size: u64) -> Vec<u8> {
    let mut bytes = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push((size & 0x7f) as u8);
        size >>= 7;
    }
    bytes
}

/// A distance in bytes, as offset deltas write it.
fn back(mut offset: usize) -> Vec<u8> {
    let mut bytes = vec![(offset & 0x7f) as u8];
    while offset >= 128 {
        offset = (offset >> 7) - 1;
        bytes.insert(0, 0x80 | (offset & 0x7f) as u8);
    }
    bytes
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 128 {
        bytes.push(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[test]
fn differences_that_lie() {
    let blob = |text: &[u8]| [header(3, text.len() as u64), deflated(text)].concat();
    let delta = |kind: Vec<u8>, delta: &[u8]| [header(6, delta.len() as u64), kind, deflated(delta)].concat();
    let base = blob(b"0123456789");
    let good = [number(10), number(3), vec![0x90, 3]].concat();
    // Copies all of the base, as often as needed.
    let grow = |from: u64, times: u64| {
        let copy = [0xf0, from as u8, (from >> 8) as u8, (from >> 16) as u8];
        [number(from), number(from * times), copy.repeat(times as usize)].concat()
    };
    let mut bomb = vec![base.clone()];
    for step in 0..7 {
        let more = grow(10 * 10_u64.pow(step), 10);
        bomb.push(delta(back(bomb.last().unwrap().len()), &more));
    }
    let itself = {
        let blob = refs::Id::of_hex(b"43dd47ea691c90a5fa7827892c70241913351963").unwrap(); // of `one`
        [header(7, good.len() as u64), blob.bytes().to_vec(), deflated(&good)].concat()
    };
    let rows = [
        ("a good one", vec![base.clone(), delta(back(base.len()), &good)], Some("012")),
        ("10 bytes become 100 MB", bomb, None),
        ("of itself", vec![itself], None),
        ("of what is before the pack", vec![delta(back(1000), &good)], None),
        ("of nothing", vec![delta(vec![0], &good)], None),
        ("of no number", vec![[header(6, 5), vec![0xff; 60]].concat()], None),
        ("a size of no number", vec![vec![0xff; 60]], None),
        ("of 16 EB", vec![[header(3, u64::MAX), deflated(b"x")].concat()], None),
        ("of 8 MB that are not there", vec![[header(3, 8 << 20), deflated(b"x")].concat()], None),
        ("a kind that there is not", vec![[header(5, 1), deflated(b"x")].concat()], None),
        ("cut off", vec![base[..5].to_vec()], None),
    ];
    for (what, entries, text) in rows {
        let repository = with_pack(&entries);
        let history = repository.history("");
        assert_eq!(at(&history, "a.js", START).as_deref(), text, "{what}");
    }
}

#[test]
fn chains_without_an_end() {
    let blob = [header(3, 10), deflated(b"0123456789")].concat();
    let same = [number(10), number(10), vec![0x90, 10]].concat();
    for (length, is_read) in [(4000, true), (5000, false)] {
        let mut entries = vec![blob.clone()];
        for _ in 0..length {
            let offset = back(entries.last().unwrap().len());
            entries.push([header(6, same.len() as u64), offset, deflated(&same)].concat());
        }
        let repository = with_pack(&entries);
        assert_eq!(at(&repository.history(""), "a.js", START).is_some(), is_read, "{length}");
    }
}

/// Files that would end the process if they were mapped.
#[test]
fn packs_that_are_cut_off_while_they_are_open() {
    for ending in ["pack", "idx"] {
        let repository = TestRepository::repository(&[]);
        import(&repository);
        repository.git("", &["gc", "--quiet", "--aggressive", "--prune=now"], 0);
        let history = repository.history("");
        let times = [START + 100, START + 333];
        assert!(super::read(&history, &times[..1]).iter().any(Option::is_some), "the {ending} is open");
        let path = pack(&repository, ending);
        writable(&path);
        fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
        assert!(super::read(&history, &times[1..]).iter().all(Option::is_none), "{ending}");
        assert!(history.problem().unwrap().what.contains(" cannot be read ("), "{ending}");
    }
}

#[test]
fn an_index_that_claims_to_have_more_objects_than_there_are() {
    let repository = with_pack(&[[header(3, 1), deflated(b"x")].concat()]);
    let index = pack(&repository, "idx");
    let mut bytes = fs::read(&index).unwrap();
    bytes[8 + 4 * 0x43..8 + 4 * 256].fill(0xff); // four billion from 43 on
    fs::write(&index, bytes).unwrap();
    assert_eq!(at(&repository.history(""), "a.js", START), None, "of names that are looked for among them");
    let problem = commit_named(&repository.0, "43dd").unwrap_err();
    assert!(problem.what.contains("pack-x.idx cannot be read ("), "{problem}");
}

#[test]
fn few_folders_with_very_many_long_paths() {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    let make = |kind: &str, mode: &str, id: &str| {
        let line = |number: usize| format!("{mode} {kind} {id}\t{number:0>4000}\n");
        let tree: String = (0..400).map(line).collect();
        let mut command = repository.command("", 0);
        let command = command.arg("mktree").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = command.spawn().unwrap();
        git.stdin.take().unwrap().write_all(tree.as_bytes()).unwrap();
        let output = git.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let blob = String::from_utf8(repository.git("", &["rev-parse", "HEAD:a.js"], 0)).unwrap();
    let leaves = make("blob", "100644", blob.trim());
    let folders = make("tree", "040000", &leaves);
    for (tree, listed) in [(&leaves, Some(400)), (&folders, None)] {
        let commit = repository.git("", &["commit-tree", "-m", "x", tree], START);
        let commit = String::from_utf8(commit).unwrap();
        repository.git("", &["reset", "--quiet", "--soft", commit.trim()], 0);
        let history = repository.history("");
        let files = history.files(UNIX_EPOCH + Duration::from_secs(START));
        assert_eq!(files.map(|files| files.len()), listed);
        let problem = history.problem().map(|problem| problem.what);
        assert_eq!(
            problem.is_some_and(|what| what.ends_with("a commit has too many files")),
            listed.is_none()
        );
    }
}

#[test]
fn branches_are_lists_of_lines() {
    let repository = TestRepository::repository(&[]);
    repository.commit("a.js", "one", START);
    repository.git("", &["pack-refs", "--all"], 0);
    let list = repository.0.join(".git/packed-refs");
    let good = fs::read(&list).unwrap();
    for (bytes, is_problem) in [
        (vec![b'x'; 1 << 20], true),
        (b"refs/heads/main".to_vec(), false),
        (b"x refs/heads/main\n".to_vec(), true),
        (Vec::new(), false),
        (b"\xff\xfe\n \n\n".to_vec(), false),
    ] {
        fs::write(&list, &bytes).unwrap();
        let history = repository.history("");
        assert_eq!((at(&history, "a.js", START), history.problem().is_some()), (None, is_problem));
    }
    fs::write(&list, good).unwrap();
    fs::File::options().write(true).open(&list).unwrap().set_len(1 << 40).unwrap();
    let history = repository.history("");
    assert_eq!(at(&history, "a.js", START), None);
    assert!(history.problem().unwrap().what.ends_with("is too large to be what its name says"));
}
