//! What V8's compiler did in another run, as stored in a recording.

use crate::decode::decode;
use crate::model::{Deopt, DeoptKind, DeoptScript, Deopts, MegamorphicSite, Script};
use crate::problem::Problem;

const PROFILE: &str = r#""nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":0,"columnNumber":1}}],
    "startTime":0,"endTime":2000,"samples":[1,1],"timeDeltas":[500,1000]"#;

/// What is read from a trace with this member.
fn read(member: &str) -> Deopts {
    let texts = [
        format!(r#"{{{PROFILE},"proflensDeopts":{member}}}"#),
        format!(r#"{{"proflensDeopts":{member},{PROFILE}}}"#),
    ];
    let [behind, before] = texts.map(|text| {
        let profile = decode(&mut text.as_bytes(), "trace.json", &()).unwrap();
        assert_eq!((profile.threads.len(), profile.threads[0].samples), (1, 2));
        Deopts::clone(profile.deopts.as_deref().unwrap())
    });
    assert_eq!(behind, before);
    behind
}

#[test]
fn a_recording_holds_what_was_logged_in_another_run() {
    let member = r#"{"scripts":[{"url":"a.js","source":"text","sourceMapUrl":"a.js.map","compiled":[9,0],"optimized":[9],
        "deopts":[{"at":7,"kind":"lazy","reason":"wrong map","count":2},{"at":7,"kind":"lazy","reason":"wrong map","count":3}],
        "megamorphic":[{"at":8,"property":"x"}]}],
        "problems":[{"what":"a thread is missing","hint":"so is its log"}]}"#;
    let script = DeoptScript {
        url: "a.js".to_owned(),
        script: Script { text: Some("text".into()), map_url: Some("a.js.map".into()), ..Script::default() },
        compiled: vec![0, 9],
        optimized: vec![9],
        deopts: vec![Deopt { at: 7, kind: DeoptKind::Lazy, reason: "wrong map".into(), count: 5 }],
        megamorphic: vec![MegamorphicSite { at: 8, property: "x".into() }],
    };
    let problems = vec![Problem::new("a thread is missing", "so is its log")];
    assert_eq!(read(member), Deopts { scripts: vec![script], problems });
}

#[test]
fn what_is_odd_is_left_out() {
    let members = [
        "7",
        "[]",
        r#"{"scripts":7,"problems":7}"#,
        r#"{"scripts":[7,{"url":7},{"deopts":[{"at":1,"kind":"eager","reason":"x","count":1}]}]}"#,
    ];
    for member in members {
        assert_eq!(read(member), Deopts::default(), "{member}");
    }
    let lists = r#"{"scripts":[{"url":"a.js","compiled":[-1,"x",null],"optimized":7,"megamorphic":[{"at":-1},[]],
        "deopts":[7,{},{"at":1,"kind":"new","reason":"x","count":1},{"at":1,"kind":"eager","reason":"x","count":-1}]}]}"#;
    let script = DeoptScript { url: "a.js".to_owned(), ..DeoptScript::default() };
    assert_eq!(read(lists), Deopts { scripts: vec![script], problems: Vec::new() });
}
