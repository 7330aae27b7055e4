//! What a recording by `proflens record` says about itself.

use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::model::Checkout;

const SHA1: &str = "0123456789abcdef0123456789abcdef01234567";

/// A profile with this head, before and after the rest.
fn with(head: &str) -> Profile {
    let rest = r#""nodes":[{"id":1,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":0,"columnNumber":1}}],
        "startTime":0,"endTime":2000,"samples":[1,1],"timeDeltas":[500,1000]"#;
    let [first, last] =
        [format!(r#"{{"proflens":{head},{rest}}}"#), format!(r#"{{{rest},"proflens":{head}}}"#)]
            .map(|it| decode(&mut it.as_bytes(), "trace.json", &()).unwrap());
    assert_eq!((first.checkout.as_ref(), first.recorded), (last.checkout.as_ref(), last.recorded), "{head}");
    assert_eq!(first.threads[0].samples, 2, "{head}");
    assert_eq!(first.problems, [], "{head}");
    first
}

#[test]
fn the_commit_and_the_time_of_a_recording() {
    let checkout = |clean| Some(Checkout { commit: SHA1.into(), clean });
    let rows = [
        (
            format!(
                r#"{{"time":1700000000123,"name":"a.js","commit":"{SHA1}","branch":"main","tree":"clean"}}"#
            ),
            checkout(Some(true)),
        ),
        (format!(r#"{{"tree":"changed","commit":"{SHA1}","time":1700000000123}}"#), checkout(Some(false))),
        (format!(r#"{{"time":1700000000123,"commit":"{SHA1}"}}"#), checkout(None)),
        (
            format!(r#"{{"time":1700000000123,"commit":"{SHA1}","tree":"of a later version"}}"#),
            checkout(None),
        ),
        (format!(r#"{{"time":1700000000123,"commit":"{}","tree":"clean"}}"#, &SHA1[1..]), None),
        (r#"{"time":1700000000123}"#.into(), None),
    ];
    for (head, expected) in rows {
        let profile = with(&head);
        assert_eq!(profile.checkout, expected, "{head}");
        assert_eq!(profile.recorded, Some(UNIX_EPOCH + Duration::from_millis(1_700_000_000_123)), "{head}");
    }
    for head in [
        "7",
        "null",
        "[]",
        "{}",
        r#"{"time":-5,"commit":9}"#,
        r#"{"time":"now","tree":{}}"#,
        "{\"time\":1e300}",
    ] {
        let profile = with(head);
        assert_eq!((profile.checkout, profile.recorded), (None, None), "{head}");
    }
}
