//! Collapsed stacks: names, places, and texts that are not stacks.

use expect_test::expect;

use super::costs;
use crate::decode::decode;
use crate::model::FunctionId;

const STACKS: &str = "# made by hand
~main /srv/app.js:1:1;*work /srv/app.js:3:14;sort 12
~main /srv/app.js:1:1;~work /srv/app.js:3:14 3

a line of something else
main;v8::internal::Heap 1
";

#[test]
fn counts_are_shown_as_milliseconds() {
    expect![[r#"
        main 0/15000
        work 3000/15000
        sort 12000/12000
        main 0/1000
        v8::internal::Heap 1000/1000
        ! it counts samples and does not say how long one is
        ! 1 line holds no stack"#]]
    .assert_eq(&costs(STACKS).join("\n"));
    assert_eq!(costs(&STACKS.replace('\n', "\r\n")), costs(STACKS));
    let utf16: Vec<u8> = format!("\u{feff}{STACKS}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let profile = decode(&mut &*utf16, "trace.json", &()).expect("a profile");
    assert_eq!(super::shown(&profile), costs(STACKS));
}

#[test]
fn places_count_from_one() {
    let profile = decode(&mut STACKS.as_bytes(), "", &()).expect("a profile");
    let functions = profile.functions.iter().enumerate().map(|(number, it)| {
        let id = FunctionId(number as u32);
        let place = it.defined_at.map(|it| (it.line, it.column));
        format!("{} {:?} {place:?} {:?}", profile.name(id), profile.resource(id), it.kind)
    });
    expect![[r#"
        main Some("/srv/app.js") Some((0, Some(0))) Script
        work Some("/srv/app.js") Some((2, Some(13))) Script
        sort None None Native
        main None None Native
        v8::internal::Heap None None Native"#]]
    .assert_eq(&functions.collect::<Vec<_>>().join("\n"));
}

#[test]
fn other_texts_are_none() {
    let texts = [
        "const x = 5",
        "a;b 1\nsome\nother\nlines",
        "a;b 99999999999999999999",
        "a;b 18446744073709551615\na;b 7",
        ";;; 1",
        "; 1\nx",
    ];
    let said = texts.map(|text| costs(text).join("; "));
    expect![[r#"
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        a 0/7000; b 7000/7000; ! it counts samples and does not say how long one is; ! 1 line holds no stack
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
        trace.json is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace."#]].assert_eq(&said.join("\n"));
}
