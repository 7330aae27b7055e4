//! Damage that traces and other JSON may have: bytes lost, doubled or changed, and values that nobody expects.

/// Damages one place, in some cases with parts of another text.
pub(crate) fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const BYTES: &[u8] = b"{}[],:\"\\ \n0-.eEtn\0\xff\xc3\x80;\x08";
    const VALUES: &[&str] = &[
        "-1",
        "0",
        "1e308",
        "-0.5",
        "4294967295",
        "4294967296",
        "9007199254740993",
        "18446744073709551616",
        "1234567.8949999",
        "null",
        "true",
        "NaN",
        "\"7\"",
        "[]",
        "{}",
        "[[1],{\"a\":2}]",
        " 3",
        "3 ",
    ];
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len() as u64) as usize;
    let near = (at + random.below(300) as usize).min(bytes.len());
    match random.below(9) {
        0 => bytes[at] = *random.one_of(BYTES),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes.insert(at, *random.one_of(BYTES)),
        3 => drop(bytes.drain(at..near)),
        4 => {
            let copy = bytes[at..near].to_vec();
            let to = random.below(bytes.len() as u64) as usize;
            bytes.splice(to..to, copy);
        }
        5 => {
            let from = random.below(other.len() as u64) as usize;
            let to = (from + random.below(300) as usize).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        6 => bytes.truncate(at),
        // Another number, here or further on.
        _ => {
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(is_digit).map(|it| at + it) else { return };
            let length = bytes[start..].iter().position(|it| !is_digit(it));
            let end = length.map_or(bytes.len(), |it| start + it);
            bytes.splice(start..end, random.one_of(VALUES).bytes());
        }
    }
}

/// Numbers that follow from a seed; neighbours have nothing in common (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }

    /// One of several.
    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}
