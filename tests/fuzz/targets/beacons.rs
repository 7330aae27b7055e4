//! Anything that pages may send, and lines of files that are ingested: what a collector keeps is one line, which it would keep again
//! and whose dimensions and times a fleet accepts; and a session has exactly its time.

use collect::line_of_body;
use fleet::envelope::Envelope;
use fleet::names::Names;
use fleet::session::sessions;
use profile::decode::decode;
use serde_json::Value;

/// The largest body here, in bytes.
const MAX_BODY: u64 = 1 << 20;
/// What a line has besides its trace: 16 dimensions with names of 64 bytes and texts of 512, each character in up to six bytes.
const MAX_ENVELOPE: usize = 16 * 6 * (64 + 512) + 1000;

/// The first byte says whether the rest is announced as gzip.
pub(crate) fn check(bytes: &[u8]) {
    let (first, body) = bytes.split_first().unwrap_or((&0, &[]));
    if let Ok(line) = line_of_body(body.to_vec(), first % 4 == 1, MAX_BODY) {
        assert_eq!(line.iter().position(|it| *it == b'\n'), Some(line.len() - 1), "it is one line");
        assert!(line.len() <= MAX_BODY as usize + MAX_ENVELOPE, "it is not larger than what was sent");
        let value: Value = serde_json::from_slice(&line).expect("every reader of JSON reads it");
        assert!(value["trace"].is_object() && value["receivedAt"].is_string());
        let line = &line[..line.len() - 1];
        assert_eq!(
            line_of_body(line.to_vec(), false, MAX_BODY * 2).map(drop),
            Ok(()),
            "what is kept is a trace"
        );
        let envelope = Envelope::of(line);
        assert!(envelope.wrong.is_empty(), "what a collector lets in, a lake has room for");
        assert!(envelope.date().is_some());
        ingested(line);
    }
    bytes.split(|it| *it == b'\n').for_each(ingested);
}

/// A line as `proflens-fleet ingest` reads it.
fn ingested(line: &[u8]) {
    let envelope = Envelope::of(line);
    let day = envelope.date();
    assert!(day.is_none_or(|it| fleet::tables::is_date(&it)), "a day is the name of a folder");
    let it = &envelope.dimensions;
    let texts = [&it.page, &it.device, &it.country, &it.user, &envelope.release];
    assert!(texts.into_iter().flatten().all(|it| it.len() <= 512), "texts have a bound");
    let Ok(profile) = decode(&mut &*line, "", &()) else { return };
    if profile.format != "self-profiling" {
        return;
    }
    let mut names = Names::default();
    let rows = sessions("1", &profile, &mut names, 7, 0).expect("ids are hashes");
    for session in rows {
        let all: u64 = session.rows().map(|(_, weight)| weight.time.0).sum();
        assert_eq!(all, session.total, "no time is lost");
        assert!(session.active() <= session.total);
        assert!(session.stacks.is_sorted_by(|a, b| a.0 < b.0), "each stack once");
    }
    assert!(names.functions().iter().all(|it| it.name.len() <= 1000), "names have a bound");
}
