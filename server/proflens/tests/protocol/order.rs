//! Bursts of edits, requests and cancellations: each answer is that of a strictly sequential server.

use serde_json::{Value, json};

use crate::toy;

#[test]
fn every_answer_of_a_burst_is_the_sequential_one() {
    for seed in 1..=8 {
        burst(seed);
    }
}

fn burst(seed: u32) {
    let (mut client, _) = toy::start();
    let mut dice = Dice(seed);
    let mut text = String::new();
    let mut expected = Vec::new();
    for version in 0..400 {
        match dice.roll(10) {
            0..5 => {
                let new = format!("{version};");
                text += &new;
                let document = json!({ "uri": "file:///a.ts", "version": version });
                let change = json!({ "textDocument": document, "contentChanges": [{ "text": new }] });
                client.notify("textDocument/didChange", change);
            }
            5..9 => expected.push((client.request("toy/text", Value::Null), text.clone(), false)),
            _ => {
                let back = dice.roll(3) as usize;
                if let Some((id, _, cancelled)) = expected.iter_mut().rev().nth(back) {
                    *cancelled = true;
                    client.cancel(*id);
                }
            }
        }
    }
    for (id, text, cancelled) in expected {
        let answer = client.answer(id);
        if cancelled && answer.get("error").is_some() {
            assert_eq!(answer["error"]["code"], -32800, "{answer}");
        } else {
            assert_eq!(answer["result"], text, "seed {seed}, request {id}");
        }
    }
    client.finish();
}

/// A small generator of numbers that are the same in every run (xorshift32, G. Marsaglia, 2003).
struct Dice(u32);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % sides
    }
}
