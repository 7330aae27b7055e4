//! Reads what a WebAssembly module says about its functions: where the code of each begins, and its name.
//!
//! <https://webassembly.github.io/spec/core/binary/modules.html> describes the sections, and its appendix on custom
//! sections the one with the names. Everything else is skipped. A module may be any file in a folder: anything that does
//! not fit yields no functions, or no names.

use std::str;

/// No engine accepts a module with more (<https://webassembly.github.io/spec/js-api/#limits>).
const MAX_FUNCTIONS: usize = 1_000_000;
/// Longer names are left out.
const MAX_NAME_BYTES: usize = 10_000;

const CUSTOM_SECTION: u8 = 0;
const IMPORT_SECTION: u8 = 2;
const CODE_SECTION: u8 = 10;
/// The subsection of the name section with the names of functions.
const FUNCTION_NAMES: u8 = 1;

/// The functions of a module. Imported functions have the first numbers and no code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WasmModule<'m> {
    imported: usize,
    /// How many bytes the custom sections before the code have, which tools remove together with the names.
    pub custom_before_code: usize,
    /// The start of each function with code, in order of their numbers.
    starts: Vec<usize>,
    /// By number, in order.
    names: Vec<(u32, &'m str)>,
}

impl<'m> WasmModule<'m> {
    /// Reads a file; `None` if it is not a module, or is damaged in its imports or its code. A module that is cut off
    /// only has what comes before the cut.
    pub fn read(file: &'m [u8]) -> Option<Self> {
        let mut bytes = Bytes { file, at: 0 };
        if bytes.take(8)? != b"\0asm\x01\0\0\0" {
            return None;
        }
        let mut module = Self::default();
        loop {
            let before = bytes.at;
            let Some(id) = bytes.byte() else { break };
            let size = bytes.number()?;
            let Some(mut section) = bytes.part(size) else { break };
            match id {
                CUSTOM_SECTION => {
                    let is_before_code = module.starts.is_empty();
                    module.custom_before_code += if is_before_code { bytes.at - before } else { 0 };
                    if module.names.is_empty() && section.text() == Some("name") {
                        module.names = function_names(section);
                    }
                }
                IMPORT_SECTION => module.imported = imported_functions(section)?,
                CODE_SECTION if module.starts.is_empty() => module.starts = code_starts(section)?,
                _ => {}
            }
        }
        Some(module)
    }

    /// Where the code of a function begins, as an offset in the file: at the declarations of its local variables.
    pub fn start(&self, function: u32) -> Option<usize> {
        self.starts.get((function as usize).checked_sub(self.imported)?).copied()
    }

    /// The name of a function in the module.
    pub fn name(&self, function: u32) -> Option<&'m str> {
        let at = self.names.binary_search_by_key(&function, |it| it.0).ok()?;
        Some(self.names[at].1)
    }
}

/// How many of the imports are functions.
fn imported_functions(mut section: Bytes) -> Option<usize> {
    let mut functions = 0;
    for _ in 0..section.number()? {
        section.sized()?;
        section.sized()?;
        match section.byte()? {
            0 => {
                section.number()?;
                functions += 1;
            }
            1 => {
                section.value_type()?;
                section.limits()?;
            }
            2 => section.limits()?,
            3 => {
                section.value_type()?;
                section.byte()?;
            }
            4 => {
                section.byte()?;
                section.number()?;
            }
            _ => return None,
        }
    }
    Some(functions)
}

/// Where the code of each function begins.
fn code_starts(mut section: Bytes) -> Option<Vec<usize>> {
    let count = section.number()? as usize;
    let mut starts = Vec::new();
    for _ in 0..count.min(MAX_FUNCTIONS) {
        let size = section.number()?;
        starts.push(section.at);
        section.part(size)?;
    }
    Some(starts)
}

/// The names of functions, as far as they can be read.
fn function_names<'m>(mut section: Bytes<'m>) -> Vec<(u32, &'m str)> {
    let mut names = Vec::new();
    while let Some(id) = section.byte() {
        let Some(mut part) = section.number().and_then(|size| section.part(size)) else { break };
        if id == FUNCTION_NAMES {
            let count = part.number().unwrap_or(0) as usize;
            let named = (0..count.min(MAX_FUNCTIONS)).map_while(|_| Some((part.number()?, part.sized()?)));
            let named = named.filter(|(_, name)| !name.is_empty() && name.len() <= MAX_NAME_BYTES);
            names =
                named.filter_map(|(function, name)| Some((function, str::from_utf8(name).ok()?))).collect();
            break;
        }
    }
    names.sort_by_key(|it| it.0);
    names.dedup_by_key(|it| it.0);
    names
}

/// A part of a file, read from its start.
#[derive(Clone, Copy)]
struct Bytes<'m> {
    /// The file, up to the end of the part.
    file: &'m [u8],
    at: usize,
}

impl<'m> Bytes<'m> {
    fn take(&mut self, count: usize) -> Option<&'m [u8]> {
        let taken = self.file.get(self.at..)?.get(..count)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// The next bytes as a part of their own.
    fn part(&mut self, size: u32) -> Option<Bytes<'m>> {
        let at = self.at;
        self.take(size as usize)?;
        Some(Bytes { file: &self.file[..self.at], at })
    }

    /// A number of at most 32 bits, in LEB128.
    fn number(&mut self) -> Option<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).ok();
            }
        }
        None
    }

    /// Skips a number of any size.
    fn skip_number(&mut self) -> Option<()> {
        for _ in 0..10 {
            if self.byte()? & 0x80 == 0 {
                return Some(());
            }
        }
        None
    }

    /// Bytes preceded by their length.
    fn sized(&mut self) -> Option<&'m [u8]> {
        let size = self.number()?;
        self.take(size as usize)
    }

    fn text(&mut self) -> Option<&'m str> {
        str::from_utf8(self.sized()?).ok()
    }

    /// Skips a value type, which for a reference may name a type.
    fn value_type(&mut self) -> Option<()> {
        if let 0x63 | 0x64 = self.byte()? { self.skip_number() } else { Some(()) }
    }

    /// Skips the limits of a memory or a table.
    fn limits(&mut self) -> Option<()> {
        let flags = self.byte()?;
        self.skip_number()?;
        if flags & 1 != 0 {
            self.skip_number()?;
        }
        if flags & 8 != 0 { self.skip_number() } else { Some(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(id: u8, bytes: &[u8]) -> Vec<u8> {
        [&[id, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    fn module(sections: &[Vec<u8>]) -> Vec<u8> {
        [b"\0asm\x01\0\0\0", &*sections.concat()].concat()
    }

    /// Functions, a table, memories of all kinds, a constant of a type with a number, and a tag.
    const IMPORTS: [&[u8]; 9] = [
        b"\x08",
        b"\x01m\x01a\0\x05",
        b"\x01m\x01b\x01\x70\0\x01",
        b"\x01m\x01c\x02\x01\x01\x80\x80\x04",
        b"\x01m\x01d\x02\x05\x80\x80\x80\x80\x80\x01\x80\x80\x80\x80\x80\x01",
        b"\x01m\x01e\x02\x08\x01\x00",
        b"\x01m\x01f\x03\x63\x80\x01\0",
        b"\x01m\x01g\x04\0\x02",
        b"\x01m\x01h\0\x07",
    ];

    #[test]
    fn imported_functions_have_the_first_numbers() {
        let code = section(10, b"\x02\x02\0\x0b\x03\0\x01\x0b");
        let names = section(0, b"\x04name\x00\x02\x01m\x01\x0b\x03\x02\x02ab\x03\x01c\x00\x01i");
        let file = module(&[section(0, b"\x01x"), section(2, &IMPORTS.concat()), code, names]);
        let read = WasmModule::read(&file).unwrap();
        let code_at = file.windows(4).position(|it| it == [2, 2, 0, 0x0b]).unwrap();
        let about = |function| (read.start(function).map(|it| it - code_at), read.name(function));
        assert_eq!(
            [0, 1, 2, 3, 4].map(about),
            [(None, Some("i")), (None, None), (Some(2), Some("ab")), (Some(5), Some("c")), (None, None)]
        );
        assert_eq!(read.custom_before_code, 4);
    }

    #[test]
    fn what_is_damaged_has_no_functions_or_no_names() {
        let code = || section(10, b"\x01\x02\0\x0b");
        let rows = [
            (b"\0asm\x0d\0\x01\0".to_vec(), None),
            (b"\0asm\x01".to_vec(), None),
            (module(&[]), Some(None)),
            (module(&[section(2, b"\x01\x01m\x01a\x09"), code()]), None),
            (module(&[section(10, b"\x02\x02\0\x0b")]), None),
            (module(&[b"\x0a\x90\x01\x01".to_vec()]), Some(None)),
            (module(&[code(), section(0, b"\x04name\x01\x03\x01\0\x05")]), Some(Some(12))),
            (module(&[code(), section(0, b"\x04name\x01\x04\x01\0\x01\xff")]), Some(Some(12))),
            (module(&[code(), section(0, b"\x04name\x01\xff\xff\xff\xff\x7f")]), Some(Some(12))),
        ];
        for (file, start) in rows {
            let read = WasmModule::read(&file);
            assert_eq!(read.as_ref().map(|it| it.start(0)), start, "{file:x?}");
            assert_eq!(read.and_then(|it| it.name(0)), None, "{file:x?}");
        }
    }
}
