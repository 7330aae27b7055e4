//! `node --prof`: ticks, the states of the engine, and broken data.

use expect_test::expect;

use super::costs;

fn log(ticks: &str) -> String {
    format!(
        r#"{{"code":[{{"name":"node::Start","type":"CPP"}},
        {{"name":" file:///srv/app.js:1:1","type":"JS","kind":"Unopt","func":0,"tm":1,"source":{{"script":8}}}},
        {{"name":"*work file:///srv/app.js:3:14","type":"JS","kind":"Opt","func":1,"tm":1}},
        {{"name":"evaluated :1:20","type":"JS","kind":"Opt","func":1,"tm":1}}],
        "functions":[{{"name":"work","codes":[2]}}],"ticks":[{ticks}],"scripts":[]}}"#
    )
}

fn tick(time: u32, state: u32, stack: &str) -> String {
    format!(r#"{{"tm":{time},"vm":{state},"s":[{stack}]}}"#)
}

#[test]
fn a_tick_stands_for_the_time_until_the_next() {
    let ticks = [
        tick(1000, 0, "2,17,1,4,0,9"),
        tick(1100, 1, "0,1,2,17,1,4"),
        tick(1400, 6, "0,9"),
        tick(1300, 8, "0,9"),
        tick(1500, 0, "-1,7"),
        tick(1600, 1, ""),
        tick(1700, 0, "3,9,99,1,1,5"),
    ];
    expect![[r#"
        node::Start 100/400
        (anonymous) 0/416666ns
        work 100/300
        evaluated 116666ns/116666ns
        (garbage collector) 200/200
        Idle: 100
        Program: 100
        GarbageCollector: 100"#]]
    .assert_eq(&costs(&log(&ticks.join(","))).join("\n"));
}

#[test]
fn what_is_broken_costs_itself() {
    let odd = r#"{"tm":"x","vm":null,"s":7},null,{"s":[2]},{"tm":5,"s":["2",1,2.5]}"#;
    let said = ["", odd, &tick(1, 0, "2,1")].map(|ticks| costs(&log(ticks)).join("; "));
    expect![[r#"
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy.
        work 7500ns/7500ns; Program: 0
        work 0/0; ! its samples span no time"#]].assert_eq(&said.join("\n"));
}
