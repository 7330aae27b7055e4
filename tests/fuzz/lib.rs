//! What holds for any input: one file a target, which says in its first sentence what it asserts.
//!
//! `cargo xtask fuzz` looks for inputs that break it, guided by the code that they reach; `corpus.rs` is a test that
//! replays those that were kept.

#[path = "../../server/profile/tests/fuzz/damage.rs"]
mod damage;
mod draw;
mod targets;

use damage::{Random, damage};
use targets::{edits, locate, maps, markup, messages, outline, settings, traces};

/// A set of laws.
pub struct Target {
    /// How `cargo xtask fuzz`, its corpus and its dictionary call it.
    pub name: &'static str,
    /// Asserts the laws for an input.
    pub check: fn(&[u8]),
    /// Whether inputs are JSON, which comes with damage of its own kind.
    pub is_json: bool,
}

impl Target {
    /// An input with damage that only who knows JSON thinks of; `None` if it is better changed blindly this time.
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
pub const TARGETS: [Target; 8] = [
    Target { name: "edits", check: edits::check, is_json: false },
    Target { name: "locate", check: locate::check, is_json: false },
    Target { name: "maps", check: maps::check, is_json: true },
    Target { name: "markup", check: markup::check, is_json: false },
    Target { name: "messages", check: messages::check, is_json: true },
    Target { name: "outline", check: outline::check, is_json: false },
    Target { name: "settings", check: settings::check, is_json: true },
    Target { name: "traces", check: traces::check, is_json: true },
];

/// The target that the environment names: they share one program, as they share most of what must be built for it.
///
/// # Panics
/// If `FUZZ_TARGET` names none.
pub fn chosen() -> &'static Target {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|it| it.name).collect();
    TARGETS.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("FUZZ_TARGET is one of {names:?}"))
}
