//! Files that are not supported are named, and the result does not depend on how the bytes arrive.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use expect_test::expect;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::decode::decode;
use crate::decode::error::{DecodeError, UnsupportedFormat};
use crate::decode::progress::Progress;
use crate::decode::tests::shown;
use crate::model::{Profile, Thread};

const SOUND: &str = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"work","url":"a.js"}},
    {"id":2,"callFrame":{"functionName":"rest","url":"a.js"}}],"samples":[1,2],"timeDeltas":[1,1]}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("memory can be written");
    packed.finish().expect("memory can be written")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// RFC 8878, 3.1.1: a frame with this descriptor and the rest.
fn zstd_frame(descriptor: u8, rest: &[u8]) -> Vec<u8> {
    [&[0x28, 0xb5, 0x2f, 0xfd, descriptor], rest].concat()
}

fn decoded(bytes: &[u8]) -> Vec<String> {
    match decode(&mut &*bytes, "trace.json", &()) {
        Ok(profile) => shown(&profile),
        Err(error) => vec![error.problem("trace.json").to_string()],
    }
}

#[test]
fn refusals() {
    let bomb = [gzip(b"{\"nodes\":"), gzip(&vec![b' '; 1 << 20]).repeat(300)].concat();
    // A window of 1 MB, then blocks that each repeat one blank 128 K times.
    let repeated = [0x02, 0x00, 0x10, b' '];
    let zstd_bomb = zstd_frame(0, &[&[0x50][..], &repeated.repeat(3000)].concat());
    let packed = gzip(SOUND.as_bytes());
    let zstd_packed = zstd(SOUND.as_bytes());
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("empty", "".into()),
        ("white space", " \n\t".into()),
        ("much white space", " ".repeat(1000).into()),
        ("empty object", "{}".into()),
        ("nulls", "[null, null]".into()),
        ("null", "null".into()),
        ("number", "42".into()),
        ("string", r#""hello""#.into()),
        ("other JSON", r#"{"name":"app","version":"1.0.0"}"#.into()),
        ("a graph", r#"{"nodes":[{"id":1}],"edges":[]}"#.into()),
        ("truncated", SOUND[..SOUND.len() - 1].into()),
        ("wrong", r#"{"nodes":[}"#.into()),
        ("too deep", "[".repeat(2_000_000).into()),
        ("no nodes", r#"{"nodes":[],"samples":[],"timeDeltas":[1]}"#.into()),
        ("no samples", r#"{"frames":[],"stacks":[],"resources":[],"samples":[]}"#.into()),
        ("heap snapshot", r#"{"snapshot":{"meta":{"node_fields":["type"]}},"nodes":[1,2],"edges":["#.into()),
        ("heap profile", r#"{"head":{"callFrame":{},"selfSize":0,"id":1,"children":[]},"samples":[]}"#.into()),
        ("coverage", r#"{"result":[{"scriptId":"1","url":"a.js","functions":[]}]}"#.into()),
        ("coverage list", r#"[{"scriptId":"1","url":"a.js","functions":[]}]"#.into()),
        ("source map", r#"{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}"#.into()),
        ("guarded source map", ")]}'\n{}".into()),
        ("trace", r#"{"traceEvents":[{"name":"ProfileChunk","ph":"P","args":{}}]}"#.into()),
        ("cut trace", r#"[{"ph":"X","name":"RunTask","ts":1},"#.into()),
        ("trace without samples", r#"{"metadata":{},"traceEvents":[{"ph":"M","name":"thread_name"}]}"#.into()),
        ("Edge", r#"{"meta":{"magic":"x-msedge-session-log"},"payload":{"traceEvents":[{"ph":"X"}]},"scripts":[]}"#.into()),
        ("Gecko", r#"{"meta":{"version":34,"interval":1},"libs":[],"threads":[{"samples":{"schema":{}}}]}"#.into()),
        ("Firefox", r#"{"meta":{"preprocessedProfileVersion":50},"threads":[]}"#.into()),
        ("speedscope", r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{}}"#.into()),
        ("empty pprof", vec![0x0a, 0x04, 0x08, 0x01, 0x10, 0x02]),
        ("cut pprof", vec![0x0a, 0x04, 0x08, 0x01, 0x10]),
        ("a text with numbers", "version 1\nfunctions 2\n".into()),
        ("Safari", r#"{"version":1,"recording":{"sampleStackTraces":[]}}"#.into()),
        ("Cleopatra", r#"{"format":"profileJSONWithSymbolicationTable,1","meta":{"version":2},"profileJSON":[]}"#.into()),
        ("stackprof", r#"{"mode":"cpu","raw_timestamp_deltas":[1]}"#.into()),
        ("processed V8 log", r#"{"code":[],"functions":[],"ticks":[]}"#.into()),
        ("V8 log", "v8-version,11,3,244,8,-node.26,0\nshared-library,/usr/bin/node,0x1,0x2,0\n".into()),
        ("gperftools", b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27\0\0".to_vec()),
        ("gperftools, 32 bits", b"\0\0\0\0\x03\0\0\0\0\0\0\0\x10\x27\0\0".to_vec()),
        ("heapz", "heap profile:    144:  8498176 [   144:  8498176] @ heapz_v2/524288\n".into()),
        ("contentionz", "--- contentionz 1 ---\ncycles/second = 3201000000\n".into()),
        ("callgrind", "# callgrind format\nevents: Instructions\n\nfn=main\n16 20\n".into()),
        ("DHAT", r#"{"dhatFileVersion":2,"mode":"heap","pps":[]}"#.into()),
        ("Haskell", r#"{"program":"app","rts_arguments":["-pj"],"profile":{"id":1}}"#.into()),
        ("Pyroscope", r#"{"version":1,"flamebearer":{"names":["total"],"levels":[[0,1,0,0]]}}"#.into()),
        ("ART", "*version\n3\nclock=dual\n".into()),
        ("ART, streamed", b"SLOW\xf3\0\x20\0".to_vec()),
        ("Instruments", "Weight\tSelf Weight\t\tSymbol Name\n4.93 s  100.0%\t0 s\t \tstart\n".into()),
        ("perf without names", "node 7 1.000000: 1 cpu-clock: \n\t17 main (/usr/bin/node)\n".into()),
        ("perf.data", b"PERFILE2\x68\0\0\0".to_vec()),
        ("simpleperf", b"SIMPLEPERF\x01\0".to_vec()),
        ("nettrace", b"Nettrace\x14\0\0\0".to_vec()),
        ("JFR", b"FLR\0\0\x02".to_vec()),
        ("JsonSlabs", b"\xdc\xdfJSLB\x01\0\x65\0\0\0\0\0\0\0\0\0\0\0".to_vec()),
        ("Perfetto", b"\x0a\x2d\x32\x13\x0a\x08\x08\x06\x10".to_vec()),
        ("lcov", "TN:\nSF:/srv/app.js\nFN:1,work\nend_of_record\n".into()),
        ("HAR", r#"{"log":{"version":"1.2","creator":{},"entries":[]}}"#.into()),
        ("Lighthouse", r#"{"lighthouseVersion":"12.0.0","requestedUrl":"http://localhost/","audits":{}}"#.into()),
        ("heap timeline", r#"{"snapshot":{"meta":{"sample_fields":["timestamp_us"]}},"nodes":[]}"#.into()),
        ("zip", b"PK\x03\x04....".to_vec()),
        ("page", " <!doctype html><title>404</title>".into()),
        ("source", "function work() {}".into()),
        ("NUL", vec![0; 4096]),
        ("cut gzip", packed[..packed.len() / 2].into()),
        ("gzip three times", gzip(&gzip(&packed))),
        ("bomb", bomb),
        ("cut zstd", zstd_packed[..zstd_packed.len() / 2].into()),
        ("zstd in gzip in zstd", zstd(&gzip(&zstd_packed))),
        ("zstd with more behind", [&zstd_packed[..], b"more"].concat()),
        ("zstd with a dictionary", zstd_frame(1, &[0, 7])),
        ("zstd with a huge window", zstd_frame(0, &[0x90])),
        ("zstd bomb", zstd_bomb),
    ];
    let said: Vec<String> = rows
        .iter()
        .map(|(what, bytes)| {
            format!("{what}: {}", decoded(bytes).join("; "))
                .replace("trace.json is not a profile that Proflens reads: ", "")
        })
        .collect();
    expect![[r#"
        empty: the file is empty. Record it again.
        white space: the file is empty. Record it again.
        much white space: the file is empty. Record it again.
        empty object: its JSON is empty. Record it again.
        nulls: its JSON is empty. Record it again.
        null: its JSON is empty. Record it again.
        number: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace.
        string: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace.
        other JSON: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace.
        a graph: its JSON holds no CPU profile. Open a .cpuprofile or a JS Self-Profiling trace.
        truncated: it looks truncated, it ends at byte 166 in the middle of its JSON. Copy or record it again.
        wrong: it is not valid JSON at byte 10, where a value should be.
        too deep: its JSON is nested more than a million levels deep.
        no nodes: it is a profile without samples. Record for longer, and while the program is busy.
        no samples: it is a profile without samples. Record for longer, and while the program is busy.
        heap snapshot: it is a heap snapshot. Record a CPU profile instead.
        heap profile: it is a profile without samples. Record for longer, and while the program is busy.
        coverage: it is a coverage report. Record a CPU profile; coverage of V8 joins it, by --counts or loaded after it.
        coverage list: it is a coverage report. Record a CPU profile; coverage of V8 joins it, by --counts or loaded after it.
        source map: it is a source map. Open the profile that it belongs to.
        guarded source map: it is a source map. Open the profile that it belongs to.
        trace: it is a Chrome trace without CPU samples. Record while the page runs JavaScript, with the JavaScript samples of the Performance panel.
        cut trace: it is a Chrome trace without CPU samples. Record while the page runs JavaScript, with the JavaScript samples of the Performance panel.
        trace without samples: it is a Chrome trace without CPU samples. Record while the page runs JavaScript, with the JavaScript samples of the Performance panel.
        Edge: it is a Chrome trace without CPU samples. Record while the page runs JavaScript, with the JavaScript samples of the Performance panel.
        Gecko: it is a profile without samples. Record for longer, and while the program is busy.
        Firefox: it is a profile without samples. Record for longer, and while the program is busy.
        speedscope: it is a profile without samples. Record for longer, and while the program is busy.
        empty pprof: it is a profile without samples. Record for longer, and while the program is busy.
        cut pprof: its protobuf data is damaged or cut off. Copy or record it again.
        a text with numbers: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        Safari: it is a profile without samples. Record for longer, and while the program is busy.
        Cleopatra: it is a profile of a Firefox before 2016. Record it with a newer one.
        stackprof: it is a stackprof profile of Ruby. Record a JavaScript CPU profile.
        processed V8 log: it is a profile without samples. Record for longer, and while the program is busy.
        V8 log: it is a raw V8 log. Run node --prof-process --preprocess on it and open what that prints.
        gperftools: it is a profile in the form that was before pprof's. Convert it with pprof -proto.
        gperftools, 32 bits: it is a profile in the form that was before pprof's. Convert it with pprof -proto.
        heapz: it is a profile in the form that was before pprof's. Convert it with pprof -proto.
        contentionz: it is a profile in the form that was before pprof's. Convert it with pprof -proto.
        callgrind: it is a profile of Callgrind. Record a JavaScript CPU profile.
        DHAT: it is a heap profile of DHAT. Record a JavaScript CPU profile.
        Haskell: it is a profile of Haskell. Record a JavaScript CPU profile.
        Pyroscope: it is a flame graph of Pyroscope. Export the profile as pprof.
        ART: it is a method trace of Android. Record a JavaScript CPU profile.
        ART, streamed: it is a method trace of Android. Record a JavaScript CPU profile.
        Instruments: it is text copied from Instruments. Record a JavaScript CPU profile.
        perf without names: its samples name no JavaScript. Run perf on node --perf-basic-prof --interpreted-frames-native-stack.
        perf.data: it is raw data of perf. Open what perf script prints of it.
        simpleperf: it is raw data of perf. Open what perf script prints of it.
        nettrace: it is a trace of .NET. Record a JavaScript CPU profile.
        JFR: it is a recording of Java Flight Recorder. Record a JavaScript CPU profile.
        JsonSlabs: it is a Firefox profile in JsonSlabs of a version that is newer than 1, the newest that was tried. Save it as JSON.
        Perfetto: it is a Perfetto trace. Record with the Performance panel of DevTools instead.
        lcov: it is a coverage report. Record a CPU profile; coverage of V8 joins it, by --counts or loaded after it.
        HAR: it is a list of network requests (HAR). Record a CPU profile instead.
        Lighthouse: it is a report of Lighthouse. Open the trace that lighthouse --save-assets writes beside it.
        heap timeline: it is a heap snapshot. Record a CPU profile instead.
        zip: it is a zip archive. Unpack it first.
        page: it is an HTML page. Download the profile again.
        source: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        NUL: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        cut gzip: its gzip data is damaged or cut off. Copy it again.
        gzip three times: it is compressed more than twice. Unpack it first.
        bomb: it is too large when inflated. Inflate it yourself if that is meant.
        cut zstd: its zstd data is damaged or cut off. Copy it again.
        zstd in gzip in zstd: it is compressed more than twice. Unpack it first.
        zstd with more behind: work 1/1; rest 1/1; ! the compressed data is damaged or cut off after byte 167 of the trace
        zstd with a dictionary: it is compressed by zstd with a dictionary. Unpack it first.
        zstd with a huge window: it is too large when inflated. Inflate it yourself if that is meant.
        zstd bomb: it is too large when inflated. Inflate it yourself if that is meant."#]].assert_eq(&said.join("\n"));
}

#[test]
fn however_the_bytes_arrive() {
    let expected = ["work 1/1", "rest 1/1"];
    let utf16 = |bytes: fn(u16) -> [u8; 2]| {
        "\u{feff}".chars().chain(SOUND.chars()).flat_map(|c| bytes(c as u16)).collect()
    };
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0skip";
    let zstd_frames =
        [skipped, &zstd(&SOUND.as_bytes()[..50])[..], skipped, &zstd(&SOUND.as_bytes()[50..])].concat();
    let forms: [Vec<u8>; 10] = [
        SOUND.into(),
        format!("\u{feff}{SOUND}").into(),
        SOUND.replace('\n', "\r\n").into(),
        gzip(SOUND.as_bytes()),
        gzip(&gzip(SOUND.as_bytes())),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
        zstd(SOUND.as_bytes()),
        gzip(&zstd(SOUND.as_bytes())),
        zstd_frames,
    ];
    for form in forms {
        assert_eq!(decoded(&form), expected);
        for piece in [1, 2, 3, 7, 64] {
            let profile = decode(&mut InPieces(&form, piece), "trace.json", &()).expect("a profile");
            assert_eq!(shown(&profile), expected, "in pieces of {piece}");
        }
    }
    let two_members = [gzip(&SOUND.as_bytes()[..50]), gzip(&SOUND.as_bytes()[50..])].concat();
    assert_eq!(decoded(&two_members), expected);
}

/// A file large enough to be unpacked on a thread: as many lines as that takes, each a session.
fn many_lines() -> String {
    format!("{}\n", SOUND.replace('\n', "")).repeat(20_000)
}

#[test]
fn a_large_file_is_unpacked_beside_the_reading() {
    let text = many_lines();
    let whole = decode(&mut text.as_bytes(), "trace.json", &()).expect("a profile");
    assert_eq!(whole.sessions(), 20_000);
    let facts = |it: &Profile| format!("{:?} {:?} {:?}", it.threads, it.stacks, it.problems);
    let once = [gzip(text.as_bytes()), zstd(text.as_bytes())];
    let twice = [gzip(&once[1]), zstd(&once[0])];
    for packed in once.iter().chain(&twice) {
        let profile = decode(&mut &**packed, "trace.json", &()).expect("a profile");
        assert!(facts(&profile) == facts(&whole), "the same but for nothing");
    }
}

#[test]
fn a_large_file_ends_as_it_does_without_a_thread() {
    let text = many_lines();
    let packed = gzip(text.as_bytes());
    // Cut off: what came before is there, and the problem says where it ends.
    let cut = decode(&mut &packed[..packed.len() / 2], "trace.json", &()).expect("a profile");
    assert!(cut.sessions() > 9_000 && cut.sessions() < 11_000, "{}", cut.sessions());
    let what =
        Vec::from_iter(cut.problems.iter().map(|it| it.what.split(" after byte ").next().unwrap_or("")));
    assert_eq!(what, ["the compressed data is damaged or cut off"]);
    // The reader ends first: the rest is not a profile.
    let other = gzip(format!("{}{text}", " ".repeat(2 << 20)).replace("\"nodes\"", "\"graph\"").as_bytes());
    let error = decode(&mut &*other, "trace.json", &()).expect_err("no profile");
    assert!(matches!(error, DecodeError::UnsupportedFormat(UnsupportedFormat::OtherJson)), "{error:?}");
    // The user cancels in the middle.
    let progress = Patience(packed.len() as u64 / 2, AtomicU64::new(0));
    let cancelled = decode(&mut &*packed, "trace.json", &progress);
    assert!(matches!(cancelled, Err(DecodeError::Cancelled)));
    // Unpacking panics, which is not the end of the file.
    struct Panics<'b>(&'b [u8]);
    impl Read for Panics<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "the disk is gone");
            let length = into.len().min(1000);
            self.0.read(&mut into[..length])
        }
    }
    let panic =
        std::panic::catch_unwind(|| decode(&mut Panics(&packed[..packed.len() / 2]), "", &()).is_ok());
    assert!(panic.is_err());
}

#[test]
fn half_a_surrogate_pair_at_a_time() {
    let text = SOUND.replace("work", "w💩k");
    let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let profile = decode(&mut InPieces(&bytes, 1), "trace.json", &()).expect("a profile");
    assert_eq!(shown(&profile)[0], "w💩k 1/1");
}

struct InPieces<'b>(&'b [u8], usize);

impl Read for InPieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.1);
        self.0.read(&mut into[..length])
    }
}

/// Cancels after this many bytes, and remembers how many were reported.
struct Patience(u64, AtomicU64);

impl Progress for Patience {
    fn read(&self, bytes: u64) {
        self.1.store(bytes, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed) > self.0
    }
}

#[test]
fn progress_and_cancellation() {
    let progress = Patience(u64::MAX, AtomicU64::new(0));
    let packed = gzip(SOUND.as_bytes());
    decode(&mut &*packed, "", &progress).expect("a profile");
    assert_eq!(progress.1.into_inner(), packed.len() as u64, "counts the bytes of the file");

    let endless = io::repeat(b' ');
    let progress = Patience(10 << 20, AtomicU64::new(0));
    let result = decode(&mut b"{\"nodes\":[".chain(endless), "", &progress);
    assert!(matches!(result, Err(DecodeError::Cancelled)));

    let empty_blocks = io::repeat(0);
    let progress = Patience(10 << 20, AtomicU64::new(0));
    let result = decode(&mut (&*zstd_frame(0, &[0x50])).chain(empty_blocks), "", &progress);
    assert!(matches!(result, Err(DecodeError::Cancelled)));
}

#[test]
fn a_source_that_fails() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::PermissionDenied))
        }
    }
    let error = decode(&mut Broken, "", &()).expect_err("not readable");
    assert_eq!(error.problem("a\nb.json").to_string(), "a\u{fffd}b.json cannot be read: permission denied.");
}

/// The names of threads, separated by `/` within a session and ` | ` between sessions.
fn sessions(text: &str) -> String {
    let profile = decode(&mut text.as_bytes(), "trace.json", &()).expect("a trace");
    let name = |it: &Thread| if it.name.is_empty() { "-".to_owned() } else { it.name.clone() };
    let sessions = profile.threads.chunk_by(|a, b| a.session == b.session);
    let sessions: Vec<_> = sessions.map(|it| it.iter().map(name).collect::<Vec<_>>().join("/")).collect();
    assert_eq!(profile.sessions(), sessions.len());
    sessions.join(" | ")
}

#[test]
fn sessions_and_threads_are_told_apart() {
    let beacon =
        r#"{"frames":[{"name":"a"}],"stacks":[{"frameId":0}],"samples":[{"timestamp":1,"stackId":0}]}"#;
    let named = |name: &str| SOUND.replace('\n', "").replacen('{', &format!(r#"{{"title":"{name}","#), 1);
    let speedscope = |active: u32| {
        let profiles = ["a", "b", "c"].map(|name| {
            format!(r#"{{"type":"sampled","name":"{name}","unit":"seconds","samples":[[0]],"weights":[1]}}"#)
        });
        let profiles = profiles.join(",");
        format!(
            r#"{{"activeProfileIndex":{active},"shared":{{"frames":[{{"name":"a"}}]}},"profiles":[{profiles}]}}"#
        )
    };
    let gecko = |name: &str, process: &str, samples: &str| {
        format!(
            r#"{{"name":"{name}","processType":"{process}",
            "samples":{{"schema":{{"stack":0}},"data":[{samples}]}},
            "stackTable":{{"schema":{{"prefix":0,"frame":1}},"data":[[null,0],[null,1]]}},
            "frameTable":{{"schema":{{"location":0,"relevantForJS":1}},"data":[[0],[1,true]]}},
            "stringTable":["work (a.js:1:1)","Performance.now"]}}"#
        )
    };
    let firefox = |threads: &[String], processes: &str| {
        let threads = threads.join(",");
        format!(r#"{{"meta":{{"version":34,"interval":1}},"threads":[{threads}],"processes":[{processes}]}}"#)
    };
    let parent = gecko("GeckoMain", "default", "[0],[0],[0],[0]");
    let worker = gecko("DOM Worker", "tab", "[0],[0],[0]");
    let page = |samples| firefox(&[gecko("GeckoMain", "tab", samples), worker.clone()], "");
    let pages = [page("[1],[1],[1]"), page("[0],[0],[1]")].join(",");

    let rows = [
        ("one", SOUND.to_owned(), "-"),
        ("an array", format!("[{},{},{}]", named("a"), named("b"), named("c")), "a | b | c"),
        ("lines", format!("{beacon}\n{{\"trace\":{beacon}}}\n\n{}", named("a")), "- | - | a"),
        ("a wrapper", format!(r#"{{"data":[{},{{"profile":{}}}]}}"#, named("a"), named("b")), "a | b"),
        ("speedscope", speedscope(1), "b/a/c"),
        ("no such profile", speedscope(7), "a/b/c"),
        ("lines of threads", format!("{}\n{}", speedscope(2), speedscope(0)), "c/a/b | a/b/c"),
        (
            "the page with most JavaScript, of all processes",
            firefox(&[gecko("Renderer", "default", "[0]"), parent.clone()], &pages),
            "GeckoMain, tab/Renderer, default/GeckoMain, default/GeckoMain, tab/DOM Worker, tab/DOM Worker, tab",
        ),
        (
            "no page",
            firefox(&[gecko("Renderer", "default", "[0],[0]"), parent], ""),
            "GeckoMain, default/Renderer, default",
        ),
    ];
    for (what, text, expected) in rows {
        assert_eq!(sessions(&text), expected, "{what}");
    }
}
