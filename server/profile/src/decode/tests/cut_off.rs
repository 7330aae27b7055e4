//! Files that end too early: what is complete up to there is read, and the problem is reported.

use std::io::Write;

use expect_test::expect;

use super::{messages, shown};
use crate::decode::decode;

const CPUPROFILE: &str = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
    {"id":2,"callFrame":{"functionName":"work","url":"a.js","lineNumber":0,"columnNumber":0},"hitCount":2}],
    "startTime":0,"endTime":30,"samples":[2,2],"timeDeltas":[10,10]}"#;
const SELF_PROFILING: &str = r#"{"frames":[{"name":"work"}],"resources":[],"samples":[{"stackId":0,"timestamp":1},
    {"stackId":0,"timestamp":11}],"stacks":[{"frameId":0}]}"#;
const FIREFOX_THREAD: &str = r#"{"name":"GeckoMain","samples":{"schema":{"stack":0},"data":[[0]]},
    "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
    "frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["work (a.js:1:1)"]}"#;
const SPEEDSCOPE_FRAMES: &str =
    r#""$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"work"}]}"#;
const SPEEDSCOPE_PROFILE: &str = r#"{"type":"sampled","unit":"microseconds","samples":[[0]],"weights":[7]}"#;

/// What is read from a text without its last bytes, plain or compressed.
fn cut(text: &str, missing: usize) -> String {
    read(&text.as_bytes()[..text.len() - missing])
}

/// The message about a text, as far as a damaged gzip file contains it.
fn cut_gzip(text: &str) -> String {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.flush().unwrap();
    read(&packer.get_ref().clone())
}

fn read(mut bytes: &[u8]) -> String {
    match decode(&mut bytes, "trace.json", &()) {
        Ok(profile) => shown(&profile).join("; "),
        Err(error) => error.to_string(),
    }
}

#[test]
fn whole_threads_are_read() {
    let firefox = format!(
        r#"{{"meta":{{"version":3,"interval":1}},"threads":[{FIREFOX_THREAD},{FIREFOX_THREAD}],"processes":[]}}"#
    );
    let late_meta = format!(r#"{{"threads":[{FIREFOX_THREAD}],"meta":{{"version":3,"interval":1}}}}"#);
    let speedscope =
        format!(r#"{{{SPEEDSCOPE_FRAMES},"profiles":[{SPEEDSCOPE_PROFILE},{SPEEDSCOPE_PROFILE}]}}"#);
    let late_frames = format!(r#"{{"profiles":[{SPEEDSCOPE_PROFILE}],{SPEEDSCOPE_FRAMES}}}"#);
    let lines = format!("{}\n{}\n", SELF_PROFILING.replace('\n', ""), SELF_PROFILING.replace('\n', ""));
    let rows = [
        ("a list of profiles", cut(&format!("[{CPUPROFILE},{CPUPROFILE}]"), 9)),
        ("a list of traces", cut(&format!("[{SELF_PROFILING},{SELF_PROFILING}]"), 9)),
        ("a line of two", cut(&lines, 9)),
        ("a line of two, compressed", cut_gzip(&lines[..lines.len() - 9])),
        ("lines, compressed", cut_gzip(&lines)),
        ("a Firefox thread of two", cut(&firefox, 40)),
        ("two Firefox threads, compressed", cut_gzip(&firefox[..firefox.len() - 9])),
        ("a speedscope profile of two", cut(&speedscope, 9)),
        ("collapsed stacks, compressed", cut_gzip(&("main;work 2\n".repeat(9) + "main;wo"))),
        ("no whole profile", cut(CPUPROFILE, 1)),
        ("no whole trace", cut(SELF_PROFILING, 1)),
        ("no whole Firefox thread", cut(&firefox, firefox.len() / 2 + 20)),
        ("Firefox threads that nothing explains", cut(&late_meta, 20)),
        (
            "no whole speedscope profile",
            cut(&format!(r#"{{{SPEEDSCOPE_FRAMES},"profiles":[{SPEEDSCOPE_PROFILE}"#), 1),
        ),
        ("speedscope without frames", cut(&late_frames, 20)),
    ];
    let said: Vec<String> = rows.iter().map(|(what, read)| format!("{what}: {read}")).collect();
    expect![[r#"
        a list of profiles: work 20/20; ! the trace ends at byte 494, in its middle
        a list of traces: work 20000/20000; ! the trace ends at byte 273, in its middle
        a line of two: work 20000/20000; ! 1 line holds no profile
        a line of two, compressed: work 20000/20000; ! the compressed data is damaged or cut off after byte 275 of the trace
        lines, compressed: work 20000/20000; |; work 20000/20000; ! the compressed data is damaged or cut off after byte 284 of the trace
        a Firefox thread of two: work 1000/1000; ! the trace ends at byte 468, in its middle
        two Firefox threads, compressed: work 1000/1000; |; work 1000/1000; ! the compressed data is damaged or cut off after byte 504 of the trace
        a speedscope profile of two: work 7/7; ! the trace ends at byte 242, in its middle
        collapsed stacks, compressed: main 0/18000; work 18000/18000; ! the compressed data is damaged or cut off after byte 115 of the trace; ! it counts samples and does not say how long one is
        no whole profile: it looks truncated, it ends at byte 249 in the middle of its JSON
        no whole trace: it looks truncated, it ends at byte 141 in the middle of its JSON
        no whole Firefox thread: it looks truncated, it ends at byte 239 in the middle of its JSON
        Firefox threads that nothing explains: it looks truncated, it ends at byte 255 in the middle of its JSON
        no whole speedscope profile: it looks truncated, it ends at byte 183 in the middle of its JSON
        speedscope without frames: it looks truncated, it ends at byte 166 in the middle of its JSON"#]].assert_eq(&said.join("\n"));
}

#[test]
fn as_much_of_damaged_data_is_unpacked_in_whatever_pieces_it_comes() {
    let lines: String = (0..2000).map(|it| format!("main;work{};part {it}\n", it * 7919 % 1000)).collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(lines.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    for at in (40..packed.len()).step_by(packed.len() / 10) {
        let mut damaged = packed.clone();
        damaged[at] ^= 0x55;
        let [whole, pieces] = messages(&damaged);
        assert_eq!(whole, pieces, "byte {at} is another");
    }
}
