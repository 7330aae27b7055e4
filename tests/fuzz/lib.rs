//! What holds for any input: one file for each target, whose first sentence says what it asserts.
//!
//! `cargo xtask fuzz` searches for inputs that break it, guided by the code that they reach; `corpus.rs` is a test that
//! replays those that were kept.

#[path = "../../server/profile/tests/fuzz/damage.rs"]
mod damage;
mod draw;
mod targets;

use damage::{Random, damage};
use targets::{
    beacons, deopts, edits, inspector, locate, maps, markup, messages, outline, parquet, parts, rereads,
    settings, traces, wasm,
};

/// A set of laws.
pub struct Target {
    /// Its name for `cargo xtask fuzz`, its corpus and its dictionary.
    pub name: &'static str,
    /// Asserts the laws for an input.
    pub check: fn(&[u8]),
    /// Whether inputs are JSON, which has damage of its own kind.
    pub is_json: bool,
}

impl Target {
    /// An input with damage that keeps it JSON; `None` if libFuzzer should mutate it this time.
    pub fn damaged(&self, bytes: &[u8], seed: u32) -> Option<Vec<u8>> {
        let mut random = Random(seed.into());
        (self.is_json && random.below(2) == 0).then(|| {
            let mut damaged = bytes.to_vec();
            damage(&mut damaged, bytes, &mut random);
            damaged
        })
    }
}

/// All of them.
pub const TARGETS: [Target; 15] = [
    Target { name: "beacons", check: beacons::check, is_json: true },
    Target { name: "deopts", check: deopts::check, is_json: false },
    Target { name: "edits", check: edits::check, is_json: false },
    Target { name: "inspector", check: inspector::check, is_json: true },
    Target { name: "locate", check: locate::check, is_json: false },
    Target { name: "maps", check: maps::check, is_json: true },
    Target { name: "markup", check: markup::check, is_json: false },
    Target { name: "messages", check: messages::check, is_json: true },
    Target { name: "outline", check: outline::check, is_json: false },
    Target { name: "parquet", check: parquet::check, is_json: false },
    Target { name: "parts", check: parts::check, is_json: false },
    Target { name: "rereads", check: rereads::check, is_json: false },
    Target { name: "settings", check: settings::check, is_json: true },
    Target { name: "traces", check: traces::check, is_json: true },
    Target { name: "wasm", check: wasm::check, is_json: false },
];

/// The target that `FUZZ_TARGET` names: all targets are in one program, because they share most of its code.
///
/// # Panics
/// If `FUZZ_TARGET` names none.
pub fn chosen() -> &'static Target {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|it| it.name).collect();
    TARGETS.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("FUZZ_TARGET is one of {names:?}"))
}
