//! `perf script`: heads of all kinds, V8's symbols of all versions, and texts that are neither.

use expect_test::expect;

use super::costs;
use crate::decode::decode;
use crate::model::FunctionId;

const CLOCK: &str = "# captured on a day
node 7 1.000000:   10101010 cpu-clock: 
\t7f1a JS:*work file:///srv/app.js:3:14+0xdc (/tmp/perf-7.map)
\t7f1b JS:~ file:///srv/app.js:1:1+0xdc (/tmp/perf-7.map)
\t  17 node::Start(int, char**)+0x154 (/usr/bin/node)

node 7/8 [001] 1.010000:   10000000 task-clock:u: 
\tffffffff81407e30 __rcu_read_unlock+0x0 ([kernel.kallsyms])
  memory.c:12

bash 9 1.020000:   10000000 cpu-clock: 
\t  17 main (/usr/bin/bash)

node 7 1.020000:   9000000 cpu-clock: 
\t7f1b Script:~ file:///srv/app.js:1:1+0xdc (/tmp/perf-7.map)
\t  17 node::Start(int, char**)+0x154 (/usr/bin/node)
";

#[test]
fn clocks_count_nanoseconds() {
    expect![[r#"
        work 10101010ns/10101010ns
        (anonymous) 9000/19101010ns
        node::Start(int, char**) 0/19101010ns
        |
        __rcu_read_unlock 10000/10000
        ! 1 thread is of processes that ran no JavaScript"#]]
    .assert_eq(&costs(CLOCK).join("\n"));
    assert_eq!(costs(&CLOCK.replace('\n', "\r\n")), costs(CLOCK));
    let utf16: Vec<u8> = format!("\u{feff}{CLOCK}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let profile = decode(&mut &*utf16, "trace.json", &()).expect("a profile");
    assert_eq!(super::shown(&profile), costs(CLOCK));
}

#[test]
fn other_events_count_samples() {
    let text = CLOCK.replace("cpu-clock", "cycles");
    expect![[r#"
        work 20000/20000
        (anonymous) 20000/40000
        node::Start(int, char**) 0/40000
        |
        __rcu_read_unlock 10000/10000
        ! 1 thread is of processes that ran no JavaScript
        ! it counts `cycles` and does not say how long a sample is"#]]
    .assert_eq(&costs(&text).join("\n"));
}

#[test]
fn symbols_of_all_ages() {
    let symbols = [
        "JS:*work /srv/my app.js:3:14",
        "JS:^get name C:\\app.js:3:14",
        "JS:+Legacy.quoted-name app.js:3:14",
        "JS:* file:///srv/app.js:5:9",
        "LazyCompile:~work /srv/app.js:3",
        "LazyCompile:~ /srv/app.js:3",
        "Function:~work /srv/app.js:3:14",
        "Script:~ /srv/app.js:1:1",
        "Eval:~ :1:1",
        "JS:*evaluated :1:20",
        "JS:wasm-function[0]-0-liftoff",
        "JS:wasm-function[0]-0-turbofan",
        "JS:o*'hot /srv/app.js:7:1",
        "RegExp:(\\d+)",
        "Builtin:ArrayPrototypeSort",
        "Function::Call(int)",
        "[unknown]",
    ];
    let frames: String = symbols.iter().map(|it| format!("\t7f {it}+0x1f (/tmp/perf-7.map)\n")).collect();
    let text = format!("node 7 1.000000: 1 cpu-clock: \n{frames}\n");
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let functions = profile.functions.iter().enumerate().map(|(number, it)| {
        let id = FunctionId(number as u32);
        let place = it.defined_at.map(|it| (it.line, it.column));
        format!("{} {:?} {place:?} {:?}", profile.name(id), profile.resource(id), it.kind)
    });
    let functions: Vec<String> = functions.collect();
    expect![[r#"
        work Some("/srv/my app.js") Some((2, Some(13))) Script
        get name Some("C:\\app.js") Some((2, Some(13))) Script
        Legacy.quoted-name Some("app.js") Some((2, Some(13))) Script
         Some("file:///srv/app.js") Some((4, Some(8))) Script
        work Some("/srv/app.js") Some((2, None)) Script
         Some("/srv/app.js") Some((2, None)) Script
        work Some("/srv/app.js") Some((2, Some(13))) Script
         Some("/srv/app.js") Some((0, Some(0))) Script
         None Some((0, Some(0))) Script
        evaluated None Some((0, Some(19))) Script
        wasm-function[0] None None Native
        hot Some("/srv/app.js") Some((6, Some(0))) Script
        RegExp:(\d+) None None Native
        Builtin:ArrayPrototypeSort None None Native
        Function::Call(int) None None Native
        [unknown] None None Native"#]]
    .assert_eq(&functions.join("\n"));
}

#[test]
fn what_is_none() {
    let native = "node 7 1.000000: 1 cpu-clock: \n\t17 main (/usr/bin/node)\n\n";
    let other = "node 7 1.000000: 1 cpu-clock: \nfunction work() {\nreturn 1\n}\n";
    let said = [native, other, "node 7 1.000000: 1 cpu-clock:", "# captured on a day\n"]
        .map(|text| costs(text).join("; "));
    expect![[r#"
        trace.json is not a profile that Proflens reads: its samples name no JavaScript. Run perf on node --perf-basic-prof --interpreted-frames-native-stack.
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        trace.json is not a profile that Proflens reads: its samples name no JavaScript. Run perf on node --perf-basic-prof --interpreted-frames-native-stack.
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace."#]].assert_eq(&said.join("\n"));
}
