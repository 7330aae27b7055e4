//! libFuzzer around the laws of one target. `cargo xtask fuzz` builds it with the flags that make it see what code an
//! input reaches.

#![no_main]
#![allow(unsafe_code, reason = "libFuzzer is C++, and calls functions of fixed names")]

use std::sync::LazyLock;

use fuzz::{Target, chosen};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static TARGET: LazyLock<&'static Target> = LazyLock::new(chosen);

fuzz_target!(init: report_panics(), |bytes: &[u8]| (TARGET.check)(bytes));

/// Reports every panic as a finding, even one that is caught. Only panics of the parser are not reported: they cost the
/// outline of one text, and the parser is not part of this project.
fn report_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.location().is_none_or(|it| !it.file().contains("oxc_")) {
            report(panic);
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
