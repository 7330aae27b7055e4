//! Long traces, which two threads read: the result equals that for the same events in a short trace.

use crate::decode::decode;

const NODES: &str = r#"{"id":1,"callFrame":{"functionName":"(root)","scriptId":0}},
    {"id":2,"parent":1,"callFrame":{"functionName":"outer","scriptId":7,"url":"a.js","lineNumber":0,"columnNumber":5}},
    {"id":3,"parent":2,"callFrame":{"functionName":"inner","scriptId":7,"url":"a.js","lineNumber":9,"columnNumber":2}}"#;

/// Longer than the blocks of the threads and the window of the reader.
const LONG: usize = 1 << 20;

fn profile_begins() -> String {
    r#"{"args":{"data":{"startTime":1}},"id":"0x1","name":"Profile","ph":"P","pid":1,"tid":1,"ts":10}"#
        .to_owned()
}

fn chunk(nodes: &str, samples: &str, time: u32) -> String {
    format!(
        r#"{{"args":{{"data":{{"cpuProfile":{{"nodes":[{nodes}],"samples":[{samples}],"trace_ids":{{"70":2}}}},"lines":[11,12,12],"timeDeltas":[100,100,100]}}}},"id":"0x1","name":"ProfileChunk","ph":"P","pid":1,"tid":9,"ts":{time}}}"#
    )
}

fn task(name: &str, time: u32) -> String {
    format!(
        r#"{{"args":{{"data":{{"a":"}}{{"}}}},"dur":50,"name":"{name}","ph":"X","pid":1,"tid":1,"ts":{time}}}"#
    )
}

fn layout(time: u32) -> String {
    format!(
        r#"{{"args":{{"beginData":{{"sampleTraceId":70,"stackTrace":[{{"functionName":"inner","scriptId":"7","url":"a.js","lineNumber":10,"columnNumber":3}}]}}}},"dur":20,"name":"Layout","ph":"X","pid":1,"tid":1,"ts":{time}}}"#
    )
}

/// An event that is too long to be handed over.
fn long_event() -> String {
    format!(r#"{{"args":{{"snapshot":"{}"}},"name":"Screenshot","ph":"O"}}"#, "x".repeat(LONG))
}

/// Everything that is read from events, or what is wrong with them; long events follow some of them.
fn read(events: &[String], long_after: &[usize]) -> String {
    let with_long = events.iter().enumerate().flat_map(|(index, event)| {
        let long = long_after.contains(&index).then(long_event);
        [event.clone()].into_iter().chain(long)
    });
    let text = format!("[{}]", with_long.collect::<Vec<_>>().join(",\n"));
    match decode(&mut text.as_bytes(), "trace.json", &()) {
        Ok(profile) => format!("{profile:?}"),
        Err(error) => error.to_string(),
    }
}

/// A message without the place that it names, and that place.
fn place_in(message: &str) -> (String, Option<usize>) {
    let Some((before, after)) = message.split_once(" at byte ") else { return (message.to_owned(), None) };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (format!("{before}{}", &after[digits..]), after[..digits].parse().ok())
}

#[test]
fn two_threads_read_what_one_does() {
    let mut events = vec![profile_begins(), chunk(NODES, "2,3,3", 20)];
    for time in 1..1000 {
        let later = 100 + time * 60;
        events.push(task(if time % 3 == 0 { "FunctionCall" } else { "RunTask" }, later));
        // An event for the other thread, between and within tasks.
        events.push(if time % 7 == 0 { layout(later + 5) } else { chunk("", "3,2,3", later) });
        // Written as no program does: for the careful reader.
        events.push(task("RunTask", later + 55).replace(':', ": "));
    }
    events.push(
        r#"{"args":{"name":"CrRendererMain"},"name":"thread_name","ph":"M","pid":1,"tid":1,"ts":0}"#
            .to_owned(),
    );
    assert!(events.concat().len() < LONG);
    let short = read(&events, &[]);
    assert!(short.contains("CrRendererMain") && short.contains("Layout"), "{}", &short[..2000]);
    for long in [&[0][..], &[0, 500], &[1, 2, 3, 5000]] {
        assert_eq!(read(&events, long), short, "{long:?}");
    }
}

#[test]
fn what_is_whole_before_damage_is_read() {
    let whole = [profile_begins(), chunk(NODES, "2,3,3", 20), task("RunTask", 30), chunk("", "2,2,2", 40)];
    let more = [task("RunTask", 50), chunk("", "3,3,3", 60)];
    let broken = [
        chunk("", "3 3,3", 50),
        "{\"name\":\"Profile\",}".to_owned(),
        "!".to_owned(),
        "{\"name\":".to_owned(),
    ];
    for broken in broken {
        let events: Vec<String> = [&whole[..], std::slice::from_ref(&broken), &more].concat();
        let (short, place) = place_in(&read(&events, &[]));
        let place_in_long = place.map(|place| place + long_event().len() + ",\n".len());
        assert_eq!(place_in(&read(&events, &[0])), (short, place_in_long), "{broken}");
    }
}
