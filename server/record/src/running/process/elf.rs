//! Recognises Node by what its program exports. An executable or library can come from anybody, so every number in it is checked before
//! it is used. Only what Node uses on Linux is read: ELF of 64 bits, little-endian
//! (<https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html>).

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Node's inspector in C++, `node::inspector::Agent::…`, whose methods every Node since 16 exports for its addons. Bun and Deno export
/// Node-API (`napi_…`), and end at the signal.
const INSPECTOR: &[u8] = b"\0_ZN4node9inspector5Agent";
/// The tables of symbols and of their names; those of Node have 2 MB and 8 MB.
const MAX_TABLE: u64 = 64 << 20;
/// The kind of section that has symbols for other programs (`SHT_DYNSYM`).
const DYNAMIC_SYMBOLS: u32 = 11;
const SECTION_BYTES: u64 = 64;
const SYMBOL_BYTES: usize = 24;

/// Whether a program, or a library, has Node's inspector.
pub(super) fn has_nodes_inspector(file: File) -> bool {
    is_in(&file).unwrap_or(false)
}

fn is_in(file: &File) -> Option<bool> {
    if !file.metadata().ok()?.is_file() {
        return Some(false);
    }
    let head = bytes(file, 0, 64)?;
    // Magic number, 64 bits, little-endian.
    if head.get(..6)? != b"\x7fELF\x02\x01" {
        return Some(false);
    }
    let (sections, count) = (u64_at(&head, 0x28)?, u64::from(u16_at(&head, 0x3c)?));
    for number in 0..count {
        let symbols = section(file, sections, number)?;
        if u32_at(&symbols, 4)? == DYNAMIC_SYMBOLS {
            let names = section(file, sections, u32_at(&symbols, 0x28)?.into())?;
            return Some(exports(&table(file, &symbols)?, &table(file, &names)?));
        }
    }
    Some(false)
}

/// What a file says about the section with a number, where `sections` is the place of the first.
fn section(file: &File, sections: u64, number: u64) -> Option<Vec<u8>> {
    bytes(file, sections.checked_add(number.checked_mul(SECTION_BYTES)?)?, SECTION_BYTES)
}

/// The content of a section.
fn table(file: &File, section: &[u8]) -> Option<Vec<u8>> {
    bytes(file, u64_at(section, 0x18)?, u64_at(section, 0x20)?)
}

/// Whether one of the symbols has such a name and is defined here: an addon also has the names of what it uses.
fn exports(symbols: &[u8], names: &[u8]) -> bool {
    let first_names: Vec<usize> =
        memchr::memmem::find_iter(names, INSPECTOR).map(|found| found + 1).collect();
    symbols.chunks_exact(SYMBOL_BYTES).any(|symbol| {
        let name = u32_at(symbol, 0).and_then(|name| usize::try_from(name).ok());
        // Section 0 is not a section.
        name.is_some_and(|name| first_names.binary_search(&name).is_ok()) && u16_at(symbol, 6) != Some(0)
    })
}

fn bytes(file: &File, offset: u64, length: u64) -> Option<Vec<u8>> {
    // Nothing outside the file is read as a table.
    let ends = offset.checked_add(length)?;
    if length > MAX_TABLE || ends > file.metadata().ok()?.len() {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_where_it_is_defined() {
        let names = b"\0_ZN4node9inspector5Agent4StopEv\0my_ZN4node9inspector5Agent\0napi_create_function\0";
        let symbol = |name: u32, section: u16| {
            let mut symbol = [0; SYMBOL_BYTES];
            symbol[..4].copy_from_slice(&name.to_le_bytes());
            symbol[6..8].copy_from_slice(&section.to_le_bytes());
            symbol
        };
        let asked = [(1, 13), (1, 0), (35, 13), (60, 13), (u32::MAX, 13)];
        let found = asked.map(|(name, section)| exports(&symbol(name, section), names));
        assert_eq!(found, [true, false, false, false, false]);
    }

    #[test]
    fn a_broken_program_is_none() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = std::env::temp_dir().join(format!("proflens-elf-{}", std::process::id()));
        let head = &own[..64];
        let with = |at: usize, value: u8| {
            let mut broken = own.clone();
            broken[at..at + 8].fill(value);
            broken
        };
        for broken in [
            &b""[..],
            b"#!/bin/sh\n",
            head,
            &with(0x28, 0xff),
            &with(0x3c, 0xff),
            &own[..own.len() / 2],
            &own,
        ] {
            std::fs::write(&file, broken).unwrap();
            assert!(!has_nodes_inspector(File::open(&file).unwrap()));
        }
        std::fs::remove_file(&file).unwrap();
        assert!(!has_nodes_inspector(File::open("/").unwrap()));
    }
}
