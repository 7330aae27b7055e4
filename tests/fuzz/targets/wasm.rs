//! A file that may be a module of WebAssembly, however broken: functions begin in it, one behind the other, and names are texts of it.

use source::wasm::WasmModule;

/// So many functions are asked about.
const ASKED: u32 = 10_000;

/// Reads it, asks about all functions that it may have, and reads what is left of it when its end is missing.
pub(crate) fn check(bytes: &[u8]) {
    let Some(module) = WasmModule::read(bytes) else { return };
    let starts: Vec<usize> = (0..ASKED).filter_map(|it| module.start(it)).collect();
    assert!(starts.is_sorted_by(|a, b| a < b), "code begins behind that of the function before");
    assert!(starts.iter().all(|it| *it <= bytes.len()), "code is in the file");
    for name in (0..ASKED).filter_map(|it| module.name(it)) {
        let place = (name.as_ptr() as usize).checked_sub(bytes.as_ptr() as usize);
        assert!(
            !name.is_empty() && place.is_some_and(|it| it + name.len() <= bytes.len()),
            "names are texts of it"
        );
    }
    if let Some(cut) = WasmModule::read(&bytes[..bytes.len() - bytes.len() / 4]) {
        let of_cut: Vec<usize> = (0..ASKED).filter_map(|it| cut.start(it)).collect();
        assert!(of_cut.is_empty() || of_cut == starts, "all code or none");
    }
}
