//! Sessions in a bucket: a loopback server that speaks as much S3 as is asked of it, and has the faults that real ones have.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tests::Folder;

use crate::fleet::{Ran, command, files, generate, ran, run, symbolicate};

/// How an object is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// In small parts, with pauses between them.
    Slow,
    /// Answers 503 a number of times first.
    Busy(u32),
    /// The connection ends in the middle of the first answer.
    Torn,
    /// Always 503.
    Down,
    /// It is a different object from the one that was listed.
    Changed,
    /// It is listed but does not exist.
    Gone,
    /// 403.
    Denied,
}

/// A key, its text, and how it is served.
type Put<'a> = (&'a str, &'a str, Fault);

struct Stored {
    bytes: Vec<u8>,
    fault: Fault,
    asked: u32,
}

type Objects = Arc<Mutex<BTreeMap<String, Stored>>>;

/// A bucket named `traces`. Its thread ends with the test's process.
struct Bucket {
    port: u16,
    objects: Objects,
}

impl Bucket {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let objects = Objects::default();
        let shared = Arc::clone(&objects);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let objects = Arc::clone(&shared);
                // A client that goes away ends only its own connection.
                thread::spawn(move || answer(stream, &objects));
            }
        });
        Self { port, objects }
    }

    fn put(&self, key: &str, bytes: impl Into<Vec<u8>>, fault: Fault) {
        let stored = Stored { bytes: bytes.into(), fault, asked: 0 };
        self.objects.lock().expect("no test panics with it").insert(key.to_owned(), stored);
    }

    fn ingest(&self, folder: &Folder, patience: &str, arguments: &[&str]) -> Ran {
        let mut command = command(folder, &["ingest", "--patience", patience]);
        command.args(arguments).env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port));
        command.envs([("AWS_ALLOW_HTTP", "true"), ("AWS_REGION", "eu-1"), ("AWS_SKIP_SIGNATURE", "true")]);
        ran(folder, &mut command)
    }
}

/// Answers one request: `GET /traces?list-type=2&prefix=…`, `HEAD` or `GET` of an object.
fn answer(mut stream: TcpStream, objects: &Objects) -> std::io::Result<()> {
    let mut head = Vec::new();
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let header = |name: &str| {
        head.iter()
            .find_map(|it| it.split_once(": ").filter(|it| it.0.eq_ignore_ascii_case(name)))
            .map(|it| it.1)
    };
    let mut words = head[0].split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut objects = objects.lock().expect("no test panics with it");
    let Some(key) = path.strip_prefix("/traces").map(|it| it.trim_start_matches('/')) else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    if key.is_empty() {
        let prefix = query.split('&').find_map(|it| it.strip_prefix("prefix=")).unwrap_or_default();
        let body = listing(&objects, &prefix.replace("%2F", "/"));
        return write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
    }
    let stored = objects.get_mut(key).map(|it| {
        it.asked += 1;
        (it.bytes.clone(), it.fault, it.asked)
    });
    drop(objects);
    let status = match stored {
        None | Some((_, Fault::Gone, _)) => "404 Not Found",
        Some((_, Fault::Down, _)) => "503 Service Unavailable",
        Some((_, Fault::Busy(times), asked)) if asked <= times => "503 Slow Down",
        Some((_, Fault::Denied, _)) => "403 Forbidden",
        Some((_, Fault::Changed, _)) if header("If-Match").is_some() => "412 Precondition Failed",
        Some((bytes, fault, asked)) => {
            let range = header("Range").and_then(|it| it.strip_prefix("bytes=")?.split_once('-'));
            let part = range.map_or(0..bytes.len(), |(from, to)| {
                from.parse().expect("a number")..to.parse::<usize>().map_or(bytes.len(), |it| it + 1)
            });
            let (from, to, all) = (part.start, part.end.min(bytes.len()), bytes.len());
            let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n", to - from)?;
            write!(stream, "Content-Range: bytes {from}-{}/{all}\r\nETag: \"1\"\r\n", to.saturating_sub(1))?;
            write!(stream, "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT\r\nConnection: close\r\n\r\n")?;
            let body: &[u8] = if method == "HEAD" { b"" } else { &bytes[from..to] };
            return match fault {
                Fault::Torn if asked == 1 => {
                    stream.write_all(&body[..body.len() / 2])?;
                    stream.shutdown(Shutdown::Both)
                }
                Fault::Slow => body.chunks(body.len() / 5 + 1).try_for_each(|it| {
                    thread::sleep(Duration::from_millis(20));
                    stream.write_all(it)
                }),
                _ => stream.write_all(body),
            };
        }
    };
    let body = "<?xml version=\"1.0\"?><Error><Code>No</Code></Error>";
    let length = body.len();
    let body = if method == "HEAD" { "" } else { body };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

fn listing(objects: &BTreeMap<String, Stored>, prefix: &str) -> String {
    let mut text = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>".to_owned();
    for (key, stored) in objects.iter().filter(|it| it.0.starts_with(prefix)) {
        let size = stored.bytes.len();
        let _ = write!(
            text,
            "<Contents><Key>{key}</Key><Size>{size}</Size><ETag>\"1\"</ETag><LastModified>2026-11-20T10:00:00.000Z</LastModified></Contents>"
        );
    }
    text + "</ListBucketResult>"
}

fn told(text: &mut String, name: &str, ran: &Ran) {
    let _ = writeln!(text, "{name}: {}", if ran.ok { "well" } else { "not well" });
    let sentences = ran.stderr.lines().filter(|it| !it.starts_with("The lake has no maps"));
    sentences.for_each(|it| _ = writeln!(text, "    {it}"));
}

#[test]
fn a_bucket_with_faults_gives_the_lake_of_its_files() {
    let folder = Folder::new();
    let bucket = Bucket::new();
    let shards = generate(&folder, "41", 40);
    // More than is requested at once.
    let all = |_| {
        fs::read_dir(&shards)
            .expect("shards")
            .map(|it| fs::read(it.expect("an entry").path()).expect("a shard"))
    };
    let large: Vec<u8> = (0..20).flat_map(all).flatten().collect();
    assert!(large.len() > 8 << 20, "{}", large.len());
    fs::write(shards.join("large.ndjson"), large).expect("a shard");
    let mut paths: Vec<_> =
        fs::read_dir(&shards).expect("shards").map(|it| it.expect("an entry").path()).collect();
    paths.sort();
    let faults = [Fault::Torn, Fault::Slow, Fault::Busy(2), Fault::None];
    for (path, fault) in paths.iter().zip(faults.into_iter().cycle()) {
        let name = path.file_name().and_then(|it| it.to_str()).expect("a name");
        bucket.put(&format!("day/{name}"), fs::read(path).expect("a shard"), fault);
    }
    bucket.put("day/.hidden", "no JSON", Fault::None);
    bucket.put("day/marker/", "", Fault::None);
    bucket.put("day-after/x.ndjson", "no JSON", Fault::None);
    for lake in ["files", "objects"] {
        symbolicate(&folder, "41", lake);
    }
    let shards = shards.display().to_string();
    let of_files = run(&folder, &["ingest", "--out", "files", &shards]);
    let of_objects = bucket.ingest(&folder, "10m", &["--out", "objects", "s3://traces/day"]);
    assert!(of_files.ok, "{}", of_files.stderr);
    assert_eq!(of_files.stderr.replace("files", "objects"), of_objects.stderr);
    let [of_files, of_objects] = ["files", "objects"].map(|it| files(&folder.path().join(it)));
    assert!(of_files == of_objects, "{:?}\n{:?}", of_files.keys(), of_objects.keys());
}

#[test]
fn a_bucket_that_does_not_answer_is_named_and_nothing_of_its_shard_is_kept() {
    let session = r#"{"dimensions":{"release":"1"},"trace":{"resources":["https://shop.example/a.js"],"frames":[{"name":"main","resourceId":0,"line":1,"column":1}],"stacks":[{"frameId":0}],"samples":[{"timestamp":0,"stackId":0},{"timestamp":10,"stackId":0}]}}"#;
    // Longer than small objects are, so that each is a shard.
    let large = format!("{session}\n").repeat(1_200);
    let cases: [(&str, &[Put], &str); 8] = [
        ("down", &[("a", &large, Fault::None), ("b", &large, Fault::Down), ("c", &large, Fault::None)], ""),
        ("down, small", &[("a", session, Fault::None), ("b", session, Fault::Down)], ""),
        ("changed", &[("a", session, Fault::None), ("b", session, Fault::Changed)], ""),
        ("gone", &[("a", session, Fault::None), ("b", session, Fault::Gone)], ""),
        ("denied", &[("a", session, Fault::None), ("b", session, Fault::Denied)], ""),
        ("one", &[("a", session, Fault::None), ("b", "no JSON", Fault::None)], "/a"),
        ("nothing", &[("a", session, Fault::None)], "/other"),
        ("denied itself", &[("a", session, Fault::Denied)], "/a"),
    ];
    let mut text = String::new();
    for (name, objects, key) in cases {
        let (folder, bucket) = (Folder::new(), Bucket::new());
        objects.iter().for_each(|(key, bytes, fault)| bucket.put(key, *bytes, *fault));
        let ran = bucket.ingest(&folder, "1s", &["--out", "lake", &format!("s3://traces{key}")]);
        told(&mut text, name, &ran);
    }
    let (folder, bucket) = (Folder::new(), Bucket::new());
    folder.write("a.ndjson", session);
    for url in ["gs://traces/a", "s3://other/a"] {
        told(&mut text, url, &bucket.ingest(&folder, "1s", &["--out", "lake", url, "a.ndjson"]));
    }
    expect_test::expect![[r#"
        down: not well
            1,200 sessions in lake.
            s3://traces/b cannot be read: the service answers 503 Service Unavailable. Neither its shard nor those after it were kept: run the same command again when the service answers.
        down, small: not well
            s3://traces/b cannot be read: the service answers 503 Service Unavailable. Neither its shard nor those after it were kept: run the same command again when the service answers.
        changed: not well
            1 session in lake.
            s3://traces/b cannot be read: it was changed while it was read. Check the path and its permissions.
        gone: not well
            1 session in lake.
            s3://traces/b cannot be read: it is not there. Check the path and its permissions.
        denied: not well
            1 session in lake.
            s3://traces/b cannot be read: the service answers 403 Forbidden. Check the path and its permissions.
        one: well
            1 session in lake.
        nothing: not well
            s3://traces/other cannot be read: there is no such object, and none below it. Check the name.
        denied itself: not well
            s3://traces/a cannot be read: the service answers 403 Forbidden. Check its name, AWS_REGION or AWS_ENDPOINT_URL, and the credentials in the environment.
        gs://traces/a: not well
            1 session in lake.
            gs://traces/a cannot be read: buckets are named s3://BUCKET/KEY, also those of other services that speak S3, with their address in AWS_ENDPOINT_URL.
        s3://other/a: not well
            1 session in lake.
            s3://other/a cannot be read: the service answers 404 Not Found. Check its name, AWS_REGION or AWS_ENDPOINT_URL, and the credentials in the environment.
    "#]].assert_eq(&text);
}
