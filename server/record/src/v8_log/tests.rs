//! A log as written by Node 20, shortened a little by hand, and what is made of others.

use std::fmt::Write as _;

use expect_test::expect;

use super::*;

const LOG: &str = r"v8-version,11,3,244,8,-node.38,0
script-source,7,node:internal/x,secret
script-source,81,/srv/a.cjs,const f = (o) => o.x;\nfunction g(o) { return f(o) + o\x2C o.y; }\n
code-creation,Builtin,2,1000,0x100,612,Abort
code-creation,JS,10,1001,0x1000,5,f /srv/a.cjs:1:11,0xf0,~
code-source-info,0x1000,81,10,20,C0O18C4O19,,
code-creation,JS,10,1002,0x2000,9,g /srv/a.cjs:2:11,0xf8,~
code-source-info,0x2000,81,32,63,C0O41,,
LoadIC,0x1000,1003,1,20,0,1,0x2307,x,,
LoadIC,0x1000,1004,1,20,P,N,0x2307,x,,
code-move,0x1000,0x1800
sfi-move,0xf0,0xe0
LoadIC,0x1804,1005,1,20,N,N,0x2307,x,,
KeyedLoadIC,0x2004,1006,2,32,1,N,0x2307,last,,
KeyedLoadIC,0x9000,1006,2,32,1,N,0x2307,last,,
code-creation,JS,13,1007,0x7000,612,g /srv/a.cjs:2:11,0xf8,*
code-source-info,0x7000,81,32,63,C0O41C3O18I0,F0O48,S0xe0
code-deopt,1008,612,0x7000,-1,55,deopt-eager,</srv/a.cjs:2:33>,not a Smi
code-deopt,1008,612,0x7000,0,19,deopt-eager,</srv/a.cjs:1:20> inlined at </srv/a.cjs:2:26>,wrong map
code-deopt,1009,612,0x7000,0,19,deopt-eager,</srv/a.cjs:1:20> inlined at </srv/a.cjs:2:26>,wrong map
code-deopt,1009,612,0x7000,-1,55,deopt-lazy,</srv/a.cjs:2:33>,(unknown)
code-creation,JS,13,1010,0x7000,612,g /srv/a.cjs:2:11,0xf8,*
code-source-info,0x7000,81,32,63,C0O41C3O18I0,F0O48,S0xe0
code-deopt,1010,612,0x7000,-1,32,dependency-change,</srv/a.cjs:2:11>,initial-map
code-deopt,1011,612,0x7000,-1,55,deopt-lazy,</srv/a.cjs:2:33>,(unknown)
code-deopt,1011,612,0x7000,-1,55,deopt-eager,</srv/a.cjs:2:33>,prepare for on stack replacement (OSR)
code-creation,JS,13,1007,0x7000,612,g /srv/a.cjs:2:11,0xf8,*
code-deopt,odd
feedback-vector,1,2,3
code-deopt,1012,612,0x70";

fn drawn(log: &str) -> String {
    let deopts = match read_log(log.as_bytes(), |url| !url.starts_with("node:")) {
        Ok(deopts) => deopts,
        Err(problem) => return format!("{problem}\n"),
    };
    let mut text = String::new();
    for script in Deopts::sum([deopts.clone()]).scripts {
        writeln!(text, "{} optimized {:?}", script.url, script.optimized).unwrap();
        for Deopt { at, kind, reason, count } in &script.deopts {
            writeln!(text, "  {at} {}: {reason} {count}", kind.name()).unwrap();
        }
        for MegamorphicSite { at, property } in &script.megamorphic {
            writeln!(text, "  {at} megamorphic {property:?}").unwrap();
        }
    }
    deopts.problems.iter().for_each(|problem| writeln!(text, "! {}", problem.clause()).unwrap());
    text
}

#[test]
fn a_log() {
    expect![[r#"
        /srv/a.cjs optimized [10, 32]
          19 eager: wrong map 2
          32 dependency: initial-map 1
          55 eager: not a Smi 1
          19 megamorphic "x"
          53 megamorphic ""
        ! lines that V8 logs otherwise in the versions that were tried: 1; they were left out
    "#]]
    .assert_eq(&drawn(LOG));
}

#[test]
fn other_logs() {
    let all = ["", "v8-version,9,4,1\n", "v8-version,15,0,1\n", "code-creation,JS\n", "v8-version,13,6,1\n"];
    expect![[r#"
        the log of V8 9.4 was not read, as it was not tried. Use Node 18, 20, 22, 24, 26.
        the log of V8 15.0 was not read, as it was not tried. Use Node 18, 20, 22, 24, 26.
        what V8 logged does not begin with its version. Use Node 18, 20, 22, 24, 26.
    "#]]
    .assert_eq(&all.map(drawn).concat());
}
