//! libFuzzer around the laws of one target. `cargo xtask fuzz` builds it with the flags that make it see what code an
//! input reaches.

#![no_main]
#![allow(unsafe_code, reason = "libFuzzer is C++, and calls functions of fixed names")]

use std::sync::LazyLock;

use fuzz::{Target, chosen};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static TARGET: LazyLock<&'static Target> = LazyLock::new(chosen);

fuzz_target!(init: tell_of_panics(), |bytes: &[u8]| (TARGET.check)(bytes));

/// Any panic is a finding, also one that is caught somewhere; but for those of the parser, which are not ours to mend
/// and cost the outline of one text.
fn tell_of_panics() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.location().is_none_or(|it| !it.file().contains("oxc_")) {
            tell(panic);
        }
    }));
}

fuzz_mutator!(|bytes: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match TARGET.damaged(&bytes[..size], seed) {
        Some(damaged) => {
            let size = damaged.len().min(max_size);
            bytes[..size].copy_from_slice(&damaged[..size]);
            size
        }
        None => fuzzer_mutate(bytes, size, max_size),
    }
});
