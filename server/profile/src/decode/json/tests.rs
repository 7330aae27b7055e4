//! Compares with serde_json: random documents, read through windows of every size and in pieces of every size.

use std::io::{self, Read};

use serde_json::{Map, Value, json};

use super::number::Number;
use super::reader::WINDOW;
use super::*;
use crate::decode::error::{DecodeError, Result};

/// Returns at most this many bytes at once.
struct Pieces<'t>(&'t [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(self.1).min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// A small generator (PCG), so that failures are reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn document(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(1000)),
            3 => json!(-(self.below(1 << 33) as i64) * self.below(1 << 25) as i64),
            4 => json!(self.below(1 << 40) as f64 / 1024.0),
            5 | 6 => json!(self.text()),
            7 => (0..self.below(12)).map(|_| json!(self.below(100_000_000_000))).collect(),
            8 => (0..self.below(6)).map(|_| self.document(depth - 1)).collect(),
            _ => Value::Object(
                (0..self.below(6)).map(|_| (self.text(), self.document(depth - 1))).collect::<Map<_, _>>(),
            ),
        }
    }

    fn text(&mut self) -> String {
        const LETTERS: [char; 12] =
            ['a', 'b', '"', '\\', '/', '\n', '\u{1}', '}', ']', 'é', '\u{2028}', '💩'];
        (0..self.below(20)).map(|_| LETTERS[self.below(12) as usize]).collect()
    }
}

/// Builds the value that serde_json builds. Only tests recurse for this.
fn value(json: &mut Json) -> Result<Value> {
    Ok(match json.kind()? {
        Kind::String => json!(json.string(str::to_owned)?),
        Kind::Array => {
            let mut items = Vec::new();
            json.enter_array()?;
            while json.next_item()? {
                items.push(value(json)?);
            }
            Value::Array(items)
        }
        Kind::Object => {
            let mut members = Map::new();
            json.enter_object()?;
            while let Some(key) = json.next_key()? {
                members.insert(String::from_utf8_lossy(key.bytes()).into_owned(), value(json)?);
            }
            Value::Object(members)
        }
        Kind::Other => match json.token()? {
            b't' | b'f' | b'n' => {
                let (start, end) = json.hold_word()?;
                serde_json::from_slice(&json.window[start..end])
                    .map_err(|_| DecodeError::Truncated { offset: json.offset() })?
            }
            _ => match json.number()? {
                Some(Number::Integer(number)) => json!(number),
                number => json!(number.map(Number::as_f64)),
            },
        },
    })
}

/// Long keys come without their name, since nobody asks for them.
fn without_long_keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_long_keys).collect(),
        Value::Object(members) => {
            let short = |key: &String| if key.len() > 31 { String::new() } else { key.clone() };
            Value::Object(members.iter().map(|(key, value)| (short(key), without_long_keys(value))).collect())
        }
        other => other.clone(),
    }
}

fn read<R>(text: &[u8], piece: usize, window: usize, take: impl FnOnce(&mut Json) -> R) -> R {
    take(&mut Json::with_window(&mut Pieces(text, piece), window))
}

#[test]
fn reads_what_serde_json_reads() {
    let mut random = Random(7);
    for round in 0..300 {
        let document = random.document(4);
        let expected = without_long_keys(&document);
        let plain = serde_json::to_vec(&document).expect("values can be written");
        let pretty = serde_json::to_vec_pretty(&document).expect("values can be written");
        for text in [plain, pretty] {
            let splits: Vec<usize> =
                if round < 60 { (1..=text.len().min(80)).collect() } else { vec![1, 3, 64, 4096] };
            for split in splits {
                for (piece, window) in [(split, 1), (usize::MAX, split), (split, 4096)] {
                    let got = read(&text, piece, window, value).expect("valid JSON");
                    assert_eq!(
                        got,
                        expected,
                        "{} in pieces of {piece}, {window}",
                        String::from_utf8_lossy(&text)
                    );
                    let skipped = read(&text, piece, window, |json| json.skip().and_then(|()| json.at_end()));
                    assert!(skipped.expect("valid JSON"), "{}", String::from_utf8_lossy(&text));
                }
            }
        }
    }
}

#[test]
fn objects_are_found_whole() {
    let mut random = Random(11);
    for _ in 0..100 {
        let objects: Vec<String> = (0..20)
            .map(|_| Value::Object(Map::from_iter([(random.text(), random.document(3))])).to_string())
            .collect();
        let text = format!("[{}]", objects.join(" ,"));
        for (piece, window) in [(1000, 4096), (7, 300), (1, 64)] {
            read(text.as_bytes(), piece, window, |json| {
                json.enter_array().unwrap();
                for object in &objects {
                    assert!(json.next_item().unwrap());
                    let fits = object.len() <= window;
                    let whole = json.peek_object().unwrap();
                    assert_eq!(whole, fits.then_some(object.as_bytes()), "{text} through {window} bytes");
                    json.skip().unwrap();
                }
                assert!(!json.next_item().unwrap());
            });
        }
    }
}

#[test]
fn plain_values_are_skipped_whole() {
    let mut random = Random(12);
    for _ in 0..300 {
        let value = random.document(4).to_string();
        let text = format!("{value},{value}");
        assert_eq!(FastReader::new(text.as_bytes()).value(), Some(value.as_bytes()));
        for length in 0..value.len() {
            assert_eq!(FastReader::new(&text.as_bytes()[..length]).value(), None, "{value} cut at {length}");
        }
    }
}

#[test]
fn every_prefix_of_a_document_is_truncated() {
    let text = br#" {"a": [1, -2.5e3, "x\u0041\\", {"b": null}], "long": "text with \"quotes\""} "#;
    for length in 0..text.len() - 1 {
        for window in [1, 8, 4096] {
            let error = read(&text[..length], 3, window, |json| value(json).expect_err("cut off"));
            assert!(
                matches!(error, DecodeError::Truncated { offset } if offset == length as u64),
                "{length}: {error:?}"
            );
        }
    }
}

#[test]
fn says_where_the_json_is_wrong() {
    let rows: [(&str, u64, &str); 6] = [
        (r#"{"a" 1}"#, 5, "a colon"),
        (r#"{"a":1 "b":2}"#, 7, "a comma or a closing bracket"),
        (r#"{a:1}"#, 1, "a key"),
        (r#"[1 2]"#, 3, "a comma or a closing bracket"),
        (r#"{"a":,}"#, 5, "a value"),
        (r#"[1}"#, 2, "a comma or a closing bracket"),
    ];
    for (text, at, what) in rows {
        match read(text.as_bytes(), 100, 100, value) {
            Err(DecodeError::Syntax { offset, expected }) => {
                assert_eq!((offset, expected), (at, what), "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn odd_numbers_are_none() {
    let text = br#"[1,"2",3.5,null,NaN,-Infinity,1e400,{},[4],true,"x",-7,00012,9223372036854775808,1.0]"#;
    for window in [1, 16, 4096] {
        let mut numbers = Vec::new();
        read(text, 5, window, |json| {
            json.enter_array()?;
            json.numbers(|number| numbers.push(number.map(Number::as_f64)))
        })
        .expect("an array");
        let none = None;
        let expected = [
            Some(1.0),
            Some(2.0),
            Some(3.5),
            none,
            none,
            none,
            none,
            none,
            none,
            none,
            none,
            Some(-7.0),
            Some(12.0),
            Some(9223372036854775808.0),
            Some(1.0),
        ];
        assert_eq!(numbers, expected);
    }
}

#[test]
fn plain_integers_of_every_length() {
    let numbers: Vec<i64> = (0..19)
        .flat_map(|digits| [1, -1].map(|sign| sign * 1234567890123456789 / 10i64.pow(digits)))
        .collect();
    let text = serde_json::to_vec(&numbers).expect("numbers can be written");
    for window in 1..64 {
        let mut got = Vec::new();
        read(&text, 1000, window, |json| {
            json.enter_array()?;
            json.numbers(|number| got.push(number))
        })
        .expect("an array");
        assert_eq!(got, numbers.iter().map(|&number| Some(Number::Integer(number))).collect::<Vec<_>>());
    }
}

#[test]
fn plain_rows_stop_at_what_differs() {
    let text = br#"[{"a":1,"b":2},{"a":30,"b":-4},{"a":5, "b":6},{"a":7,"b":8}]"#;
    read(text, 100, 100, |json| {
        json.enter_array()?;
        let mut rows = Vec::new();
        let mut row = |item: &mut FastReader| item.row([b"{\"a\":", b",\"b\":"]).map(|row| rows.push(row));
        json.fast_items(&mut row);
        assert!(json.next_item()?);
        json.skip()?;
        json.fast_items(&mut row);
        assert_eq!(rows, [[1, 2], [30, -4], [7, 8]]);
        assert!(!json.next_item()?);
        json.at_end()
    })
    .expect("an array");
}

#[test]
fn plain_lists_and_members_are_whole_or_nothing() {
    let text = br#"[[1,2,3],{"a":4,"b":[5]},[6,7 ]]"#;
    read(text, 100, 100, |json| {
        json.enter_array()?;
        let mut numbers = Vec::new();
        let mut list = |item: &mut FastReader| item.items(|item| item.integer().map(|it| numbers.push(it)));
        json.fast_items(&mut list);
        json.fast_items(|item| {
            item.members(|item| match item.takes(b"\"a\":") {
                true => item.integer().map(drop),
                false => item.takes(b"\"b\":").then(|| list(item)).flatten(),
            })
        });
        json.fast_items(&mut list);
        assert_eq!(numbers, [1, 2, 3, 5, 6]);
        assert!(json.next_item()?);
        json.skip()?;
        assert!(!json.next_item()?);
        json.at_end()
    })
    .expect("an array");
}

#[test]
fn plain_items_are_text_in_the_window() {
    let text = br#"["one","t\u0077o","three" ,"four"]"#;
    read(text, 100, 100, |json| {
        json.enter_array()?;
        let mut words = Vec::new();
        loop {
            json.fast_items(|item| {
                words.push(item.string()?.to_owned());
                Some(())
            });
            if !json.next_item()? {
                break;
            }
            words.extend(json.string(str::to_uppercase)?);
        }
        assert_eq!(words, ["one", "TWO", "three", "FOUR"]);
        json.at_end()
    })
    .expect("an array");
}

/// The short path is taken for what clocks give, and never has a different result from the long one.
#[test]
fn plain_millionths_are_those_of_floats() {
    let plain = |text: &str| {
        // If the window ends soon, the long path is taken.
        let text = format!("{text}]        ");
        let mut plain = FastReader::new(text.as_bytes());
        let number = plain.millionths()?;
        assert_eq!(plain.left(), 9);
        Some(number)
    };
    let rows = [
        ("0", Some(0)),
        ("17", Some(17_000_000)),
        ("5000.1", Some(5_000_100_000)),
        ("1234.699999988079", Some(1_234_700_000)),
        ("1234.100000023842", Some(1_234_100_000)),
        ("12345678.123456", Some(12_345_678_123_456)),
        ("0.00000061", Some(1)),
        ("0.99999999", Some(1_000_000)),
        ("0.0000005", None),
        ("0.0000004", None),
        ("281474977", None),
        ("99999999999999999999", None),
        ("-1", None),
        ("1e3", None),
        ("1.5e3", None),
        ("1.", None),
        (".5", None),
        ("1.5.5", None),
        ("", None),
        ("null", None),
    ];
    for (text, expected) in rows {
        assert_eq!(plain(text), expected, "{text}");
    }
    let mut random = Random(5);
    for _ in 0..200_000 {
        let size = random.below(29);
        let whole = random.below(1 << size);
        let decimals = random.below(100_000_000) * 1_000_000_000 + random.below(1_000_000_000);
        let text = format!("{whole}.{:.*}", 1 + random.below(17) as usize, format!("{decimals:017}"));
        let Some(number) = plain(&text) else { continue };
        let float: f64 = text.parse().expect("a number");
        assert_eq!(number, (float * 1e6).round() as i64, "{text}");
    }
}

#[test]
fn broken_text_is_replaced() {
    let rows: [(&[u8], &str); 5] = [
        (b"\"al\xff\xfe\x80pha\"", "al\u{fffd}\u{fffd}\u{fffd}pha"),
        (br#""\ud83d\udca9""#, "💩"),
        (br#""\ud83d!""#, "\u{fffd}!"),
        (br#""\udca9""#, "\u{fffd}"),
        (br#""\x\u12""#, "\\x\u{fffd}12"),
    ];
    for (text, expected) in rows {
        assert_eq!(
            read(text, 3, 2, |json| json.string(str::to_owned)).expect("a string"),
            Some(expected.to_owned())
        );
    }
}

#[test]
fn json_in_a_string_is_the_same_json() {
    let mut random = Random(3);
    for _ in 0..100 {
        let document = random.document(3);
        let inner = serde_json::to_string(&document).expect("values can be written");
        let outer = serde_json::to_vec(&json!([inner, 7])).expect("values can be written");
        for (piece, window) in [(1, 1), (5, 16), (usize::MAX, 40), (usize::MAX, 4096)] {
            read(&outer, piece, window, |json| {
                json.enter_array()?;
                json.next_item()?;
                let mut text = json.string_source();
                assert_eq!(value(&mut Json::with_window(&mut text, 8))?, without_long_keys(&document));
                text.finish()?;
                assert!(json.next_item()?);
                assert_eq!(json.number()?, Some(Number::Integer(7)));
                Ok::<_, DecodeError>(())
            })
            .expect("valid JSON");
        }
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    read(deep.as_bytes(), usize::MAX, WINDOW, |json| json.skip()).expect("deep, but valid");
    let error = read("[".repeat(2_000_000).as_bytes(), usize::MAX, WINDOW, |json| json.skip());
    assert!(matches!(error, Err(DecodeError::TooDeep)));
}
