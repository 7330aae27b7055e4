//! The kind of a value and the key of a member, before anything of the value was read.

/// The kind of the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    /// A number, `true`, `false`, `null`, or a word that JSON does not know, such as `NaN`.
    Other,
}

/// How an array begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Items {
    /// It is not an array.
    NoArray,
    /// It is empty.
    None,
    /// It begins with an item of this kind.
    Begin(Kind),
}

impl Kind {
    /// The kind of a value that begins with this byte; `None` if there is none.
    pub(super) fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b'}' | b']' | b',' | b':' => return None,
            _ => Self::Other,
        })
    }
}

/// The key of an object's member. For keys of more than 31 bytes, [`Key::bytes`] is empty: nobody asks for those.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub(super) bytes: [u8; 31],
    pub(super) len: u8,
}

impl Key {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) fn new(text: &[u8]) -> Self {
        let mut key = Self { bytes: [0; 31], len: 0 };
        if let Some(bytes) = key.bytes.get_mut(..text.len()) {
            bytes.copy_from_slice(text);
            key.len = text.len() as u8;
        }
        key
    }
}
