//! The rules of V8's format.

use crate::decode::decode;
use crate::decode::tests::costs;
use crate::model::{FunctionId, FunctionKind, PlaceTicks, Position};

/// `id name child child`, one node per line; names in parentheses have no url.
fn nodes(drawing: &str) -> String {
    let node = |line: &str| {
        let mut words = line.split_whitespace();
        let (id, name) = (words.next().expect("an id"), words.next().expect("a name"));
        let (url, at) = if name.starts_with('(') { ("", -1) } else { ("file:///a.js", 4) };
        let children: Vec<&str> = words.collect();
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"{name}","scriptId":"1","url":"{url}","lineNumber":{at},"columnNumber":{at}}},"hitCount":1,"children":[{}]}}"#,
            children.join(",")
        )
    };
    let nodes: Vec<String> = drawing.trim().lines().map(node).collect();
    format!("[{}]", nodes.join(","))
}

const TREE: &str = "
    1 (root) 2 3 4 5 8
    2 (program)
    3 (garbage_collector)
    4 (idle)
    5 a 6
    6 rec 7
    7 rec
    8 b";

fn tree() -> String {
    nodes(TREE).replace("garbage_collector", "garbage collector")
}

/// Samples of [`TREE`], 100 microseconds apart.
fn sampled(samples: &str) -> Vec<String> {
    let deltas = samples.split(',').map(|_| "100").collect::<Vec<_>>().join(",");
    timed(samples, &deltas)
}

fn timed(samples: &str, deltas: &str) -> Vec<String> {
    let nodes = tree();
    costs(&format!(
        r#"{{"nodes":{nodes},"startTime":1000,"endTime":1900,"samples":[{samples}],"timeDeltas":[{deltas}]}}"#
    ))
}

#[test]
fn who_gets_the_time_of_a_sample() {
    let rows: [(&str, &[&str]); 9] = [
        // Until the next sample; the last one gets the average.
        ("5,6,6", &["a 100/300", "rec 200/200"]),
        ("5,7,7", &["a 100/300", "rec 200/200"]),
        // The collector is on top of what it interrupted: in totals, never in anyone's self.
        ("7,3,7", &["(garbage collector) 100/100", "a 0/300", "rec 200/300"]),
        ("7,3,3,8", &["(garbage collector) 200/200", "a 0/300", "rec 100/300", "b 100/100"]),
        ("3,8", &["b 100/100", "GarbageCollector: 100"]),
        ("4,3,2,3", &["Idle: 100", "Program: 100", "GarbageCollector: 200"]),
        // A lone (program) between two samples below the same outermost function is that function.
        ("5,2,7,2,8", &["a 200/300", "rec 100/100", "b 100/100", "Program: 100"]),
        ("5,2,2,5,2", &["a 200/200", "Program: 300"]),
        ("1,4,2,99", &["Idle: 100", "Program: 200", "Unknown: 100", "! 1 sample of nodes that do not exist"]),
    ];
    for (samples, expected) in rows {
        assert_eq!(sampled(samples), expected, "{samples}");
    }
}

#[test]
fn the_worked_example() {
    assert_eq!(
        timed("5,6,7,3,7,2,5,4", "50,100,100,100,100,100,100,100"),
        ["(garbage collector) 100/100", "a 200/700", "rec 400/500", "Idle: 100"]
    );
}

#[test]
fn times_of_all_kinds() {
    let rows: [(&str, &str, &[&str]); 10] = [
        ("5,8,5", "999,10,30", &["a 30/30", "b 30/30"]),
        // Out of order: at 10, 30 and 20.
        ("5,8,6", "10,20,-10", &["a 10/20", "rec 10/10", "b 10/10"]),
        // As V8 writes them: the time that follows belongs to the later one, whichever comes last.
        ("5,6,8,5", "0,4000,-6,5006", &["a 6994/11994", "rec 5000/5000", "b 6/6"]),
        ("5,8,5", "0,0,0", &["a 0/0", "b 0/0", "! its samples span no time"]),
        ("5,8", "1.5,2.5", &["a 2500ns/2500ns", "b 2500ns/2500ns"]),
        // One time too few: the median; one too many: the end of the last sample; more are ignored.
        ("5,8,8,5", "9,10,30", &["a 30/30", "b 50/50", "! 1 sample has no time"]),
        ("5,8", "9,10,70", &["a 10/10", "b 70/70"]),
        ("5,8", "9,10,70,70", &["a 10/10", "b 10/10"]),
        ("5,8,5", "9,null,\"20\"", &["a 10/10", "b 20/20"]),
        // No times: the same for all.
        ("5,5,8", "", &["a 600/600", "b 300/300", "! the samples have no times"]),
    ];
    for (samples, deltas, expected) in rows {
        assert_eq!(timed(samples, deltas), expected, "{samples} at {deltas}");
    }
}

#[test]
fn hit_counts_share_the_duration() {
    let text = format!(r#"{{"nodes":{},"startTime":0,"endTime":800}}"#, tree());
    let expected =
        ["a 100/300", "rec 200/200", "b 100/100", "Idle: 100", "Program: 200", "GarbageCollector: 100"];
    assert_eq!(costs(&text), expected);
    let none = text.replace("\"hitCount\":1", "\"hitCount\":0");
    assert_eq!(
        costs(&none),
        ["trace.json is not a profile that Proflens reads: it is a profile without samples. \
          Record for longer, and while the program is busy."]
    );
}

#[test]
fn trees_of_all_kinds() {
    let rows: [(&str, &str, &[&str]); 7] = [
        ("1 (root) 2\n2 a 3\n3 b", "3,2", &["a 10/20", "b 10/10"]),
        // Leaves first, ids from 0 and without end.
        (
            "4503599627370496 b\n7 a 4503599627370496\n0 (root) 7",
            "4503599627370496,7",
            &["b 10/10", "a 10/20"],
        ),
        ("-3 b\n\"7\" a -3\n0.5 (root) 7", "-3,7", &["b 10/10", "a 10/20"]),
        // Several roots.
        ("2 a\n3 b", "3,2", &["a 10/10", "b 10/10"]),
        ("1 (root)\n2 a 3\n3 b", "3,2", &["a 10/20", "b 10/10"]),
        // A cycle, and a node that exists twice.
        ("1 (root) 2\n2 a 2 3\n3 b 2", "3,2", &["a 10/20", "b 10/10", "! 2 nodes are listed by two parents"]),
        ("1 (root) 2\n2 a\n2 b", "2,2", &["a 20/20", "! 1 node has the id of another one"]),
    ];
    for (drawing, samples, expected) in rows {
        let nodes = nodes(drawing);
        let text = format!(r#"{{"nodes":{nodes},"samples":[{samples}],"timeDeltas":[10,10]}}"#);
        assert_eq!(costs(&text), expected, "{drawing}");
    }
}

#[test]
fn parents_instead_of_children() {
    let frame = |name: &str| format!(r#""callFrame":{{"functionName":"{name}","url":"a.js"}}"#);
    let (root, a, b, c, d) =
        (frame("(root)").replace("a.js", ""), frame("a"), frame("b"), frame("c"), frame("d"));
    let text = format!(
        r#"{{"samples":[3,2,4,5],"timeDeltas":[1,1,1,1],"nodes":[{{"id":1,{root}}},{{"id":3,"parent":2,{b}}},
            {{"id":2,"parent":1,{a}}},{{"id":4,"parent":5,{c}}},{{"id":5,"parent":4,{d}}}]}}"#
    );
    assert_eq!(costs(&text), ["b 1/1", "a 1/2", "Unknown: 2", "! 2 nodes are below no root, or in a circle"]);
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let parts = [
        format!(r#""nodes":{}"#, tree()),
        r#""samples":[5,8,6]"#.to_owned(),
        r#""timeDeltas":[10,20,-10]"#.to_owned(),
        r#""startTime":0"#.to_owned(),
    ];
    for first in 0..4 {
        let mut parts = parts.clone();
        parts.rotate_left(first);
        assert_eq!(costs(&format!("{{{}}}", parts.join(","))), ["a 10/20", "rec 10/10", "b 10/10"]);
        parts.reverse();
        assert_eq!(costs(&format!("{{{}}}", parts.join(","))), ["a 10/20", "rec 10/10", "b 10/10"]);
    }
}

#[test]
fn wrapped() {
    let bare = format!(r#"{{"nodes":{},"samples":[5,8],"timeDeltas":[1,2]}}"#, tree());
    let quoted = serde_json::to_string(&bare).expect("text can be quoted");
    let texts = [
        format!(r#"{{"id":1,"result":{{"profile":{bare}}}}}"#),
        format!(r#"{{"cpuProfile":{bare},"other":[1,2]}}"#),
        format!(r#"{{"data":{quoted}}}"#),
        format!(r#"{{"payload":{{"trace":{{"profile":{quoted}}}}}}}"#),
        quoted.clone(),
    ];
    for text in texts {
        assert_eq!(costs(&text), ["a 2/2", "b 2/2"], "{text}");
    }
    assert_eq!(costs(&format!("[{bare},{bare}]")), ["a 2/2", "b 2/2", "|", "a 2/2", "b 2/2"]);
}

#[test]
fn the_old_form_nests() {
    let text = r#"{"typeId":"CPU","head":{"functionName":"(root)","url":"","lineNumber":0,"columnNumber":0,"hitCount":0,
        "children":[{"functionName":"a","url":"l.js","lineNumber":2,"columnNumber":11,"children":[
            {"functionName":"b","url":"l.js","lineNumber":6,"children":[],"id":3}],"id":2}],"id":1},
        "startTime":1000.0,"endTime":1000.005,"samples":[2,2,3,3,3],
        "timestamps":[1000000000,1000001000,1000002000,1000003000,1000004000]}"#;
    assert_eq!(costs(text), ["b 3000/3000", "a 2000/5000"]);
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let places: Vec<_> = profile.functions.iter().map(|function| function.defined_at).collect();
    let expected = [Position { line: 5, column: None }, Position { line: 1, column: Some(10) }];
    assert_eq!(places, expected.map(Some));

    let deep =
        r#"{"functionName":"a","url":"l.js","id":5,"children":["#.repeat(100_000) + &"]}".repeat(100_000);
    let root = format!(r#"{{"functionName":"(root)","url":"","id":1,"children":[{deep}]}}"#);
    let text = format!(r#"{{"head":{root},"startTime":1,"endTime":2,"samples":[5,5],"timestamps":[1,2]}}"#);
    assert_eq!(costs(&text), ["a 2/2"]);
}

#[test]
fn deep_stacks() {
    let mut tree = String::from("1 (root) 2\n");
    for id in 2..100_000 {
        tree += &format!("{id} f {}\n", id + 1);
    }
    tree += "100000 f";
    let text = format!(r#"{{"nodes":{},"samples":[100000,2],"timeDeltas":[1,1]}}"#, nodes(&tree));
    assert_eq!(costs(&text), ["f 2/2"]);
}

#[test]
fn kinds_of_functions() {
    let frames = [
        ("work", "file:///a.js", 3, 4),
        ("(anonymous)", "file:///a.js", 3, 4),
        ("", "file:///a.js", 0, 0),
        ("now", "", -1, -1),
        ("now", "", 0, 0),
        ("", "", 0, 0),
        ("(bytecode compiler)", "", -1, -1),
        ("(module)", "file:///a.ts", 17, 0),
        ("evaluated", "", 0, 19),
    ];
    let nodes: Vec<String> = frames
        .iter()
        .enumerate()
        .map(|(id, (name, url, line, column))| {
            format!(
                r#"{{"id":{id},"callFrame":{{"functionName":"{name}","url":"{url}","lineNumber":{line},"columnNumber":{column}}}}}"#
            )
        })
        .collect();
    let text = format!(r#"{{"nodes":[{}],"samples":[0],"timeDeltas":[1]}}"#, nodes.join(","));
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    use FunctionKind::{Native, Script};
    let kinds: Vec<FunctionKind> = profile.functions.iter().map(|function| function.kind).collect();
    assert_eq!(kinds, [Script, Script, Script, Native, Native, Script, Native, Script, Script]);
    assert_eq!(profile.resource(FunctionId(0)), Some("file:///a.js"));
    assert_eq!(profile.resource(FunctionId(3)), None);
}

#[test]
fn ticks_and_known_places() {
    let text = r#"{"nodes":[
        {"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
        {"id":2,"callFrame":{"functionName":"a","url":"a.js"},"locationId":0,
         "positionTicks":[{"line":7,"ticks":3},{"line":5,"ticks":1},{"ticks":1, "line":7},{"line":0,"ticks":9}]}],
        "samples":[2],"timeDeltas":[1],"$vscode":{"rootPath":"/w","locations":[{"callFrame":{},"locations":[
            {"lineNumber":4,"columnNumber":2,"source":{"path":"/w/a.ts","sourceReference":0}},
            {"lineNumber":1,"columnNumber":1,"source":{"path":"/gone.ts","sourceReference":7}},
            {"lineNumber":9,"columnNumber":1,"source":{"name":"no path"}}]}]}}"#;
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let line = |it: &PlaceTicks| (it.stack.0, profile.places.get(it.place).line, it.ticks);
    let mut ticks: Vec<_> = profile.threads[0].ticks.iter().map(line).collect();
    ticks.sort_unstable();
    assert_eq!(ticks, [(0, Some(4), 1), (0, Some(6), 4)]);
    let places: Vec<_> =
        profile.known_places.iter().map(|it| (it.function.0, it.path.as_str(), it.position)).collect();
    assert_eq!(places, [(0, "/w/a.ts", Position { line: 3, column: Some(1) })]);
}

#[test]
fn code_that_was_made_has_a_maker() {
    let frame = |name: &str, url: &str, line: u32, more: &str| {
        format!(
            r#""callFrame":{{"functionName":"{name}","scriptId":"1","url":"{url}","lineNumber":{line},"columnNumber":2{more}}}"#
        )
    };
    let maker =
        |name: &str, url: &str| format!(",\"madeBy\":{}", &frame(name, url, 7, "")["\"callFrame\":".len()..]);
    let nodes = [
        frame("(root)", "", 0, ""),
        frame("a", "/a.js", 1, ""),
        frame("made", "", 0, &maker("parse", "/s.js")),
        frame("made", "", 0, &maker("write", "/s.js")),
        frame("made", "", 0, &maker("parse", "/s.js")),
        // A maker without a script, and one of code that was not made.
        frame("made", "", 0, &maker("parse", "")),
        frame("b", "/b.js", 0, &maker("unused", "/s.js")),
    ];
    let nodes = nodes.iter().enumerate().map(|(index, frame)| {
        let children = if index == 0 { "2,3,4,5,6,7" } else { "" };
        format!(r#"{{"id":{},{frame},"hitCount":1,"children":[{children}]}}"#, index + 1)
    });
    let nodes = nodes.collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"nodes":[{nodes}],"startTime":0,"endTime":600,"samples":[2,3,4,5,6,7],"timeDeltas":[100,100,100,100,100,100]}}"#
    );
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let name = |id: FunctionId| profile.name(id).to_owned();
    let functions = (0..profile.functions.len()).map(|it| FunctionId(it as u32));
    let made = functions.map(|it| (name(it), profile.functions[it.0 as usize].made_by.map(name)));
    let by = |maker: &str| ("made".to_owned(), Some(maker.to_owned()));
    let plain = |name: &str| (name.to_owned(), None);
    assert_eq!(
        made.collect::<Vec<_>>(),
        [plain("a"), plain("parse"), by("parse"), plain("write"), by("write"), plain("made"), plain("b")]
    );
}
