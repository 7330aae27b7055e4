//! Requests that no page sends. Each is answered or dropped as docs/collect.md says, nothing of it is in an answer, and
//! what is kept is exactly what was acknowledged.

use std::io::{ErrorKind, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use expect_test::expect;
use flate2::Compression;
use flate2::write::GzEncoder;
use tests::Folder;

use crate::server::{ORIGIN, Server, kept};
use crate::traces::{SMALL, trace};
use crate::wire::{connect, exchange, head, post, request, send, send_and_end, short, trickle};

const POST: &str = "POST /v1/traces HTTP/1.1";

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes.as_ref()).unwrap();
    packed.finish().unwrap()
}

fn chunked(headers: &[&str], chunks: impl AsRef<[u8]>) -> Vec<u8> {
    let head = head(POST, &[headers, &["Transfer-Encoding: chunked"]].concat());
    [&head, chunks.as_ref()].concat()
}

fn raw(text: &str) -> Vec<u8> {
    text.replace('\n', "\r\n").into_bytes()
}

/// A small trace with something else in place of its samples.
fn samples(samples: &str) -> Vec<u8> {
    let (before, after) = SMALL.split_once(r#""samples":["#).unwrap();
    let after = after.split_once(']').unwrap().1;
    post(format!(r#"{before}"samples":{samples}{after}"#))
}

fn dimensions(dimensions: &str) -> Vec<u8> {
    post(format!(r#"{{"dimensions":{dimensions},"trace":{SMALL}}}"#))
}

/// What is sent, by what is wrong with it.
fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let long = |count| "x".repeat(count);
    let many = |count, line: &str| vec![line.to_owned(); count].join("\r\n");
    let inside = |what: &str| format!("{},{what}}}", SMALL.trim_end_matches('}'));
    let cpuprofile = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"a","url":"a.js","lineNumber":0,"columnNumber":0}}],"startTime":0,"endTime":9,"samples":[1],"timeDeltas":[9]}"#;
    let mut wrong_sum = gzip(SMALL);
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    let utf16: Vec<u8> = SMALL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        // Paths.
        ("the root", request("GET / HTTP/1.1", &[], "")),
        ("a slash too many at the end", request("POST /v1/traces/ HTTP/1.1", &[], SMALL)),
        ("a slash too many at the start", request("POST //v1/traces HTTP/1.1", &[], SMALL)),
        ("up", request("POST /v1/traces/../../../etc/passwd HTTP/1.1", &[], SMALL)),
        ("up to itself", request("POST /v1/../v1/traces HTTP/1.1", &[], SMALL)),
        ("up, escaped", request("GET /v1/traces/%2e%2e%2f%2e%2e%2fetc/passwd HTTP/1.1", &[], "")),
        ("back slashes", request(r"GET /..\..\windows\win.ini HTTP/1.1", &[], "")),
        ("escaped letters", request("POST /v1/%74races HTTP/1.1", &[], SMALL)),
        ("an escaped zero", request("POST /v1/traces%00.html HTTP/1.1", &[], SMALL)),
        ("a query", request("POST /v1/traces?file=/etc/passwd HTTP/1.1", &[], SMALL)),
        ("a script in the path", request("GET /<script>alert(1)</script> HTTP/1.1", &[], "")),
        ("another host", request("POST http://evil.example/v1/traces HTTP/1.1", &[], SMALL)),
        ("a star", request("OPTIONS * HTTP/1.1", &[], "")),
        ("a path of 100 kB", request(&format!("GET /{} HTTP/1.1", long(100_000)), &[], "")),
        ("a path of 20 kB", request(&format!("GET /{} HTTP/1.1", long(20_000)), &[], "")),
        // Methods.
        ("PUT", request("PUT /v1/traces HTTP/1.1", &[], SMALL)),
        ("DELETE", request("DELETE /v1/traces HTTP/1.1", &[], "")),
        ("PATCH", request("PATCH /v1/traces HTTP/1.1", &[], SMALL)),
        ("TRACE", request("TRACE /v1/traces HTTP/1.1", &["Cookie: secret"], "")),
        ("CONNECT", request("CONNECT evil.example:443 HTTP/1.1", &[], "")),
        ("a method of its own", request("BREW /v1/traces HTTP/1.1", &[], SMALL)),
        ("small letters", request("post /v1/traces HTTP/1.1", &[], SMALL)),
        ("an upgrade", request("GET /v1/traces HTTP/1.1", &["Upgrade: websocket"], "")),
        // Origins.
        ("a foreign origin", request(POST, &["Origin: https://evil.example"], SMALL)),
        ("the origin null", request(POST, &["Origin: null"], SMALL)),
        ("an origin that begins alike", request(POST, &["Origin: https://shop.example.evil"], SMALL)),
        ("an origin without TLS", request(POST, &["Origin: http://shop.example"], SMALL)),
        (
            "two origins",
            request(POST, &["Origin: https://shop.example", "Origin: https://evil.example"], SMALL),
        ),
        ("two origins in one", request(POST, &["Origin: https://shop.example, https://evil.example"], SMALL)),
        (
            "a foreign page that asks",
            request(
                "OPTIONS /v1/traces HTTP/1.1",
                &["Origin: https://evil.example", "Access-Control-Request-Method: POST"],
                "",
            ),
        ),
        // Heads.
        ("no host", raw("POST /v1/traces HTTP/1.1\nConnection: close\nContent-Length: 0\n\n")),
        ("two hosts", request(POST, &["Host: evil.example"], SMALL)),
        ("HTTP/0.9", raw("GET /v1/traces\n\n")),
        ("HTTP/2", raw("PRI * HTTP/2.0\n\nSM\n\n")),
        ("HTTP/3.0 as text", raw("GET /v1/traces HTTP/3.0\n\n")),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(40)),
        ("rubbish", (0..4000).map(|it| (it * 7919 % 251) as u8).chain(*b"\r\n\r\n").collect()),
        ("a header of 100 kB", request(POST, &[&format!("X: {}", long(100_000))], SMALL)),
        ("500 headers", request(POST, &[&many(500, "X: y")], SMALL)),
        ("100 cookies", request(POST, &[&many(100, "Cookie: a=b")], SMALL)),
        ("a header without a colon", request(POST, &["nonsense"], SMALL)),
        ("a space before the colon", request(POST, &["Content-Type : text/plain"], SMALL)),
        ("a header on two lines", request(POST, &["X: a\r\n b"], SMALL)),
        ("a zero in a header", request(POST, &["X: a\0b"], SMALL)),
        ("a lone carriage return in a header", request(POST, &["X: a\rSet-Cookie: b"], SMALL)),
        // Lengths.
        ("a negative length", [head(POST, &["Content-Length: -1"]), SMALL.into()].concat()),
        ("a length with a sign", [head(POST, &["Content-Length: +5"]), SMALL.into()].concat()),
        ("a length that is no number", [head(POST, &["Content-Length: 0x20"]), SMALL.into()].concat()),
        (
            "a length above all",
            [head(POST, &["Content-Length: 99999999999999999999999"]), SMALL.into()].concat(),
        ),
        ("two lengths", [head(POST, &["Content-Length: 5", "Content-Length: 50"]), SMALL.into()].concat()),
        ("the same length twice", request(POST, &[&format!("Content-Length: {}", SMALL.len())], SMALL)),
        ("a length and chunks", chunked(&["Content-Length: 4"], "0\r\n\r\n")),
        ("a body of 20 MB", post(long(20_000_000))),
        ("8 EB are announced", head(POST, &["Content-Length: 9000000000000000000"])),
        (
            "6 MB are announced, and asked for",
            head(POST, &["Content-Length: 6000000", "Expect: 100-continue"]),
        ),
        ("20 MB in chunks", chunked(&[], format!("10000\r\n{}\r\n", long(65_536)).repeat(320) + "0\r\n\r\n")),
        (
            "a length and chunks, and a request where the length ends",
            [raw("POST /v1/traces HTTP/1.1\nHost: a\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n"), post(SMALL)].concat(),
        ),
        ("a chunk with a wrong size", chunked(&[], "zz\r\nhello\r\n0\r\n\r\n")),
        ("a chunk with a negative size", chunked(&[], "-5\r\nhello\r\n0\r\n\r\n")),
        ("a chunk above all", chunked(&[], "FFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n")),
        ("a chunk longer than its size", chunked(&[], "2\r\nhello\r\n0\r\n\r\n")),
        ("a chunk with a long note", chunked(&[], format!("1;{}\r\n{{\r\n0\r\n\r\n", long(100_000)))),
        (
            "many lines after the chunks",
            chunked(&[], format!("2\r\n{{}}\r\n0\r\n{}\r\n\r\n", many(5000, "X: y"))),
        ),
        (
            "chunks that are not the last coding",
            [head(POST, &["Transfer-Encoding: chunked, gzip"]), b"0\r\n\r\n".to_vec()].concat(),
        ),
        (
            "a coding of its own",
            [head(POST, &["Transfer-Encoding: xchunked"]), b"0\r\n\r\n".to_vec()].concat(),
        ),
        (
            "a request in a body",
            request(POST, &[], "POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"),
        ),
        (
            "a request behind a body",
            [raw("POST /v1/traces HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}"), post(SMALL)].concat(),
        ),
        // Types and codings.
        ("a form", request(POST, &["Content-Type: application/x-www-form-urlencoded"], SMALL)),
        ("a form with files", request(POST, &["Content-Type: multipart/form-data; boundary=a"], SMALL)),
        ("HTML", request(POST, &["Content-Type: text/html"], SMALL)),
        ("another charset", request(POST, &["Content-Type: application/json; charset=utf-16"], &utf16)),
        ("two types", request(POST, &["Content-Type: text/plain", "Content-Type: text/html"], SMALL)),
        ("brotli", request(POST, &["Content-Encoding: br"], SMALL)),
        ("gzip twice", request(POST, &["Content-Encoding: gzip, gzip"], gzip(gzip(SMALL)))),
        (
            "gzip twice in two headers",
            request(POST, &["Content-Encoding: gzip", "Content-Encoding: gzip"], gzip(gzip(SMALL))),
        ),
        ("gzip that is none", request(POST, &["Content-Encoding: gzip"], SMALL)),
        ("gzip in gzip", post(gzip(gzip(SMALL)))),
        ("gzip that is cut off", post(&gzip(SMALL)[..60])),
        ("gzip with a wrong sum", post(wrong_sum)),
        ("gzip with rubbish behind it", post([gzip(SMALL), b"rubbish".to_vec()].concat())),
        ("10,000 gzips of nothing", post(gzip("").repeat(10_000))),
        ("a bomb of 100 MB", post(gzip(vec![b' '; 100_000_000]))),
        ("a bomb in a trace", post(gzip(inside(&format!(r#""a":"{}""#, long(20_000_000)))))),
        // JSON.
        ("nothing", post("")),
        ("white space", post(" \n\t ")),
        ("a text", post("hello <script>alert(1)</script>")),
        ("JSON that is cut off", post(&SMALL[..90])),
        ("two documents", post(format!("{SMALL}{SMALL}"))),
        ("two lines", post(format!("{SMALL}\n{SMALL}\n"))),
        ("a byte order mark", post(format!("\u{feff}{SMALL}"))),
        ("UTF-16", post(&utf16)),
        (
            "broken UTF-8",
            post(
                SMALL
                    .replace("work", "wor?")
                    .bytes()
                    .map(|it| if it == b'?' { 0xff } else { it })
                    .collect::<Vec<_>>(),
            ),
        ),
        ("a comment", post(format!("/* a */{SMALL}"))),
        ("NaN", samples(r#"[{"stackId":0,"timestamp":NaN}]"#)),
        ("Infinity", samples(r#"[{"stackId":0,"timestamp":-Infinity}]"#)),
        ("a hexadecimal number", samples(r#"[{"stackId":0x0,"timestamp":1}]"#)),
        ("a line end in a string", post(SMALL.replace("work", "wo\nrk"))),
        ("a million brackets", post("[".repeat(1_000_000))),
        ("a million objects", post(r#"{"a":"#.repeat(1_000_000))),
        (
            "a million brackets in a trace",
            post(inside(&format!(r#""a":{}{}"#, "[".repeat(1_000_000), "]".repeat(1_000_000)))),
        ),
        ("100 brackets in a trace", post(inside(&format!(r#""a":{}{}"#, "[".repeat(100), "]".repeat(100))))),
        // Traces.
        ("an empty object", post("{}")),
        ("an empty list", post("[]")),
        ("null", post("null")),
        ("a list of traces", post(format!("[{SMALL},{SMALL}]"))),
        ("a trace as text", post(serde_json::json!({ "trace": SMALL }).to_string())),
        ("two traces", post(format!(r#"{{"trace":{SMALL},"trace":{SMALL}}}"#))),
        ("a trace in a trace", post(inside(&format!(r#""profile":{SMALL}"#)))),
        ("a trace in a wrapper", post(format!(r#"{{"payload":{{"data":[{SMALL},{SMALL}]}}}}"#))),
        ("a .cpuprofile", post(cpuprofile)),
        ("a .cpuprofile in an envelope", post(format!(r#"{{"trace":{cpuprofile}}}"#))),
        ("a .cpuprofile in a trace", post(inside(&format!(r#""cpuProfile":{cpuprofile}"#)))),
        ("samples as an object", samples("{}")),
        ("no samples", samples("[]")),
        ("samples of a year", samples(r#"[{"stackId":0,"timestamp":0},{"stackId":0,"timestamp":31e9}]"#)),
        (
            "samples of all time",
            samples(r#"[{"stackId":0,"timestamp":-1e300},{"stackId":0,"timestamp":1e300}]"#),
        ),
        ("a number beyond all", samples(r#"[{"stackId":0,"timestamp":0},{"stackId":0,"timestamp":1e999}]"#)),
        ("a name of 1 MB", post(SMALL.replace("work", &long(1_000_000)))),
        ("an address of 1 MB", post(SMALL.replace("app.js", &long(1_000_000)))),
        // Dimensions.
        (
            "17 dimensions",
            dimensions(
                &serde_json::json!(
                    (0..17).map(|it| (it.to_string(), "a")).collect::<std::collections::BTreeMap<_, _>>()
                )
                .to_string(),
            ),
        ),
        ("a million dimensions", dimensions(&format!("{{{}}}", vec![r#""":"""#; 500_000].join(",")))),
        ("a dimension twice", dimensions(r#"{"a":"1","a":"2"}"#)),
        ("a trace in a dimension", dimensions(&serde_json::json!({ "trace": SMALL }).to_string())),
        ("dimensions twice", post(format!(r#"{{"dimensions":{{}},"dimensions":{{}},"trace":{SMALL}}}"#))),
        ("a dimension without a name", dimensions(r#"{"":"a"}"#)),
        ("a long name", dimensions(&format!(r#"{{"{}":"a"}}"#, long(65)))),
        ("a long text", dimensions(&format!(r#"{{"a":"{}"}}"#, long(513)))),
        ("a number", dimensions(r#"{"a":1}"#)),
        ("dimensions of dimensions", dimensions(r#"{"a":{"b":"c"}}"#)),
        ("a list of dimensions", dimensions(r#"["a"]"#)),
        ("half a character", dimensions(r#"{"a":"\ud800"}"#)),
        // What is kept, as what it is: text.
        (
            "line ends and a script",
            dimensions(r#"{"page":"\n{\"trace\":1}\n<script>alert(1)</script>","__proto__":"a"}"#),
        ),
        ("a trace on many lines", post(SMALL.replace(',', ",\r\n\n"))),
        ("a trace of 4 MB", post(trace(4_000_000))),
        (
            "samples and frames of nothing",
            samples(r#"[{"stackId":9},{},null,7,{"stackId":-1,"timestamp":"a"}]"#),
        ),
    ]
}

#[test]
fn each_is_answered_as_documented() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &[]);
    let address = server.address;
    let requests = requests();
    assert!(requests.len() >= 60);
    let mut answers = String::new();
    for (what, bytes) in &requests {
        let answer = exchange(address, bytes);
        let reflected = ["alert", "passwd", "evil", "secret", "Set-Cookie", "BREW"]
            .iter()
            .find(|it| answer.contains(**it));
        assert_eq!(reflected, None, "{what}");
        answers.push_str(&format!("{what}: {}\n", short(&answer)));
    }
    expect![[r#"
        the root: 404 There is nothing here.
        a slash too many at the end: 404 There is nothing here.
        a slash too many at the start: 404 There is nothing here.
        up: 404 There is nothing here.
        up to itself: 404 There is nothing here.
        up, escaped: 404 There is nothing here.
        back slashes: 404 There is nothing here.
        escaped letters: 404 There is nothing here.
        an escaped zero: 404 There is nothing here.
        a query: 404 There is nothing here.
        a script in the path: 400
        another host: 400 This is no proxy.
        a star: 404 There is nothing here.
        a path of 100 kB: 431
        a path of 20 kB: 404 There is nothing here.
        PUT: 405 Traces are sent by POST.
        DELETE: 405 Traces are sent by POST.
        PATCH: 405 Traces are sent by POST.
        TRACE: 405 Traces are sent by POST.
        CONNECT: 400 This is no proxy.
        a method of its own: 405 Traces are sent by POST.
        small letters: 405 Traces are sent by POST.
        an upgrade: 200 This is proflens collect. It takes traces of the JS Self-Profiling API by POST.
        a foreign origin: 403 Pages of this origin may not send. It can be named with --origin.
        the origin null: 403 Pages of this origin may not send. It can be named with --origin.
        an origin that begins alike: 403 Pages of this origin may not send. It can be named with --origin.
        an origin without TLS: 403 Pages of this origin may not send. It can be named with --origin.
        two origins: 403 Pages of this origin may not send. It can be named with --origin.
        two origins in one: 403 Pages of this origin may not send. It can be named with --origin.
        a foreign page that asks: 403 Pages of this origin may not send. It can be named with --origin.
        no host: 400 The request needs one Host.
        two hosts: 400 The request needs one Host.
        HTTP/0.9: 400
        HTTP/2: closed
        HTTP/3.0 as text: 400
        TLS: 400
        rubbish: 400
        a header of 100 kB: 431
        500 headers: 431
        100 cookies: 431
        a header without a colon: 400
        a space before the colon: 400
        a header on two lines: 400
        a zero in a header: 400
        a lone carriage return in a header: 400
        a negative length: 400
        a length with a sign: 400
        a length that is no number: 400
        a length above all: 400
        two lengths: 400
        the same length twice: 204
        a length and chunks: 400 The JSON ends in its middle.
        a body of 20 MB: 413 The trace is larger than this collector takes.
        8 EB are announced: 413 The trace is larger than this collector takes.
        6 MB are announced, and asked for: 413 The trace is larger than this collector takes.
        20 MB in chunks: 413 The trace is larger than this collector takes.
        a length and chunks, and a request where the length ends: 400 The JSON ends in its middle.
        a chunk with a wrong size: 400 The body is cut off or damaged.
        a chunk with a negative size: 400 The body is cut off or damaged.
        a chunk above all: 400 The body is cut off or damaged.
        a chunk longer than its size: 400 The body is cut off or damaged.
        a chunk with a long note: 400 The body is cut off or damaged.
        many lines after the chunks: 400 The body is cut off or damaged.
        chunks that are not the last coding: 400
        a coding of its own: 400
        a request in a body: 400 The body is not valid JSON.
        a request behind a body: 422 The body is no trace of the JS Self-Profiling API.
        a form: 415 The body must be JSON in UTF-8: application/json, text/plain, or application/gzip.
        a form with files: 415 The body must be JSON in UTF-8: application/json, text/plain, or application/gzip.
        HTML: 415 The body must be JSON in UTF-8: application/json, text/plain, or application/gzip.
        another charset: 415 The body must be JSON in UTF-8: application/json, text/plain, or application/gzip.
        two types: 400 The request says twice what its body is.
        brotli: 415 The body may be compressed by gzip, once.
        gzip twice: 415 The body may be compressed by gzip, once.
        gzip twice in two headers: 400 The request says twice what its body is.
        gzip that is none: 400 The gzip data is damaged or cut off.
        gzip in gzip: 400 The body is not UTF-8.
        gzip that is cut off: 400 The gzip data is damaged or cut off.
        gzip with a wrong sum: 400 The gzip data is damaged or cut off.
        gzip with rubbish behind it: 400 The gzip data is damaged or cut off.
        10,000 gzips of nothing: 400 The JSON ends in its middle.
        a bomb of 100 MB: 413 The trace is larger than this collector takes.
        a bomb in a trace: 413 The trace is larger than this collector takes.
        nothing: 400 The JSON ends in its middle.
        white space: 400 The JSON ends in its middle.
        a text: 400 The body is not valid JSON.
        JSON that is cut off: 400 The JSON ends in its middle.
        two documents: 400 The body is not valid JSON.
        two lines: 400 The body is not valid JSON.
        a byte order mark: 400 The body is not valid JSON.
        UTF-16: 400 The body is not valid JSON.
        broken UTF-8: 400 The body is not UTF-8.
        a comment: 400 The body is not valid JSON.
        NaN: 400 The body is not valid JSON.
        Infinity: 400 The body is not valid JSON.
        a hexadecimal number: 400 The body is not valid JSON.
        a line end in a string: 400 The body is not valid JSON.
        a million brackets: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a million objects: 400 The JSON ends in its middle.
        a million brackets in a trace: 422 The trace is nested too deeply, or has a number that is too large.
        100 brackets in a trace: 422 The trace is nested too deeply, or has a number that is too large.
        an empty object: 422 The body is no trace of the JS Self-Profiling API.
        an empty list: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        null: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a list of traces: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a trace as text: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        two traces: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a trace in a trace: 422 The body holds more than one trace. Send each by itself.
        a trace in a wrapper: 422 The body holds more than one trace. Send each by itself.
        a .cpuprofile: 422 The body is no trace of the JS Self-Profiling API.
        a .cpuprofile in an envelope: 422 The body is no trace of the JS Self-Profiling API.
        a .cpuprofile in a trace: 422 The body holds more than one trace. Send each by itself.
        samples as an object: 422 The body is no trace of the JS Self-Profiling API.
        no samples: 422 The trace has no samples.
        samples of a year: 422 The samples of the trace span more than a day.
        samples of all time: 422 The samples of the trace span more than a day.
        a number beyond all: 422 The trace is nested too deeply, or has a number that is too large.
        a name of 1 MB: 422 A name or an address in the trace is longer than 64 kB.
        an address of 1 MB: 422 A name or an address in the trace is longer than 64 kB.
        17 dimensions: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a million dimensions: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a dimension twice: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a trace in a dimension: 204
        dimensions twice: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a dimension without a name: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a long name: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a long text: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a number: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        dimensions of dimensions: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        a list of dimensions: 422 The body is not {"trace": {..}, "dimensions": {..}} with at most 16 dimensions, which are texts of at most 512 bytes.
        half a character: 400 The body is not valid JSON.
        line ends and a script: 204
        a trace on many lines: 204
        a trace of 4 MB: 204
        samples and frames of nothing: 204
    "#]].assert_eq(&answers);
    assert_eq!(send(address, &post(SMALL)), "204", "it goes on");
    let acknowledged = answers.lines().filter(|it| it.ends_with("204")).count() + 1;
    assert_eq!(kept(folder.path()).len(), acknowledged);
    if let Some(peak) = server.peak_memory() {
        assert!(peak < 150_000, "{peak} kB");
    }
    let said = server.interrupt();
    assert!(said.contains(&format!("{acknowledged} traces in 1 new file")), "{said}");
}

/// Senders that are slow or silent on purpose, while there are places for all.
#[test]
fn whoever_is_slow_is_dropped() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &[]);
    let address = server.address;
    let half = [head(POST, &["Content-Length: 1000"]), b"{".to_vec()].concat();
    let kept_open =
        [raw("POST /v1/traces HTTP/1.1\nHost: a\nContent-Length: 2\n\n"), b"{}".to_vec()].concat();
    let slow: [(&str, &(dyn Fn() -> String + Sync)); 7] = [
        ("nothing is sent", &|| send(address, b"")),
        ("half a head", &|| send(address, b"POST /v1/traces HTTP/1.1\r\nHos")),
        ("a head, byte by byte", &|| trickle(address, b"POST /v1/traces HTTP/1.1\r\nHost: ", b'a')),
        ("half a body", &|| send(address, &half)),
        ("half a body, and the end", &|| send_and_end(address, &half)),
        ("a body, byte by byte", &|| trickle(address, &half, b' ')),
        ("nothing more after an answer", &|| send(address, &kept_open)),
    ];
    let answers = Mutex::new(vec![String::new(); slow.len()]);
    thread::scope(|scope| {
        for (index, (what, run)) in slow.iter().enumerate() {
            let answers = &answers;
            scope.spawn(move || {
                let answer = format!("{what}: {}\n", run());
                answers.lock().unwrap()[index] = answer;
            });
        }
        assert_eq!(send(address, &post(SMALL)), "204");
    });
    expect![[r#"
        nothing is sent: closed
        half a head: closed
        a head, byte by byte: closed
        half a body: 408 The trace did not arrive in time.
        half a body, and the end: 400 The body is cut off or damaged.
        a body, byte by byte: 408 The trace did not arrive in time.
        nothing more after an answer: 422 The body is no trace of the JS Self-Profiling API.
    "#]]
    .assert_eq(&answers.into_inner().unwrap().concat());
    assert_eq!(kept(folder.path()).len(), 1);
}

/// More slow senders than there are places, with the same address, each of which comes again as soon as it is sent away:
/// with heads that never end, and with bodies.
#[test]
fn a_crowd_of_slow_senders_keeps_nobody_out() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &[]);
    let address = server.address;
    let is_over = AtomicBool::new(false);
    let half_a_body = [head(POST, &["Content-Length: 1000"]), b"{".to_vec()].concat();
    let beginnings: [&[u8]; 3] = [b"", b"POST /v1/traces HTTP/1.1\r\nHost: a\r\n", &half_a_body];
    let mut crowd = Vec::new();
    let one_more = |number: usize| {
        let mut stream = connect(address);
        stream.set_nonblocking(true).unwrap();
        // A sender that is sent away at once cannot write.
        let _ = stream.write_all(beginnings[number % beginnings.len()]);
        stream
    };
    thread::scope(|scope| {
        // All are connected before anybody else comes.
        crowd.extend((0..700).map(one_more));
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (number, stream) in crowd.iter_mut().enumerate() {
                    let is_open =
                        matches!(stream.read(&mut [0; 500]), Err(why) if why.kind() == ErrorKind::WouldBlock);
                    if !is_open || stream.write_all(b" ").is_err() {
                        *stream = one_more(number);
                    }
                }
                thread::sleep(Duration::from_millis(50));
            }
        });
        // On a machine that is busy enough, an honest sender is slow too, and has to try again.
        let answered = |_| (0..20).map(|_| send(address, &post(SMALL))).find(|it| it != "closed");
        let answers: Vec<Option<String>> = (0..20).map(answered).collect();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(answers, vec![Some("204".to_owned()); 20]);
    });
    drop(crowd);
    assert_eq!(kept(folder.path()).len(), 20);
    assert!(server.interrupt().contains("20 traces in 1 new file"));
}

#[test]
fn a_named_page_may_send() {
    let folder = Folder::new();
    let server = Server::start(folder.path(), &[]);
    let origin = format!("Origin: {ORIGIN}");
    let without_date =
        |answer: String| answer.lines().filter(|it| !it.starts_with("date: ")).collect::<Vec<_>>().join("\n");
    let asks = [
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: content-type",
        "Access-Control-Request-Private-Network: true",
        &origin,
    ];
    let asked = exchange(server.address, &request("OPTIONS /v1/traces HTTP/1.1", &asks, ""));
    expect![[r#"
        HTTP/1.1 204 No Content
        access-control-allow-origin: https://shop.example
        access-control-allow-credentials: true
        vary: Origin
        access-control-allow-methods: POST
        access-control-allow-headers: content-type, content-encoding
        access-control-max-age: 7200
        access-control-allow-private-network: true
        cache-control: no-store
        x-content-type-options: nosniff
        connection: close
    "#]]
    .assert_eq(&without_date(asked));
    let sent =
        exchange(server.address, &request(POST, &[&origin, "Content-Type: application/json"], gzip(SMALL)));
    expect![[r#"
        HTTP/1.1 204 No Content
        access-control-allow-origin: https://shop.example
        access-control-allow-credentials: true
        vary: Origin
        cache-control: no-store
        x-content-type-options: nosniff
        connection: close
    "#]]
    .assert_eq(&without_date(sent));
    let explained = exchange(server.address, &request("GET /v1/traces HTTP/1.1", &[&origin], ""));
    expect![[r#"
        HTTP/1.1 200 OK
        content-type: text/plain; charset=utf-8
        access-control-allow-origin: https://shop.example
        access-control-allow-credentials: true
        vary: Origin
        cache-control: no-store
        x-content-type-options: nosniff
        connection: close
        content-length: 80

        This is proflens collect. It takes traces of the JS Self-Profiling API by POST."#]]
    .assert_eq(&without_date(explained));
    assert_eq!(kept(folder.path())[0]["trace"], serde_json::from_str::<serde_json::Value>(SMALL).unwrap());
}
