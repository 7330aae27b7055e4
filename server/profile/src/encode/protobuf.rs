//! Writes protobuf messages for pprof and OTLP.
//!
//! <https://protobuf.dev/programming-guides/encoding/>. Fields that are zero are left out, since readers take a missing field for zero.

/// The fields of a message, as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Message(pub(super) Vec<u8>);

impl Message {
    /// A number.
    pub(super) fn number(&mut self, field: u64, number: u64) {
        if number > 0 {
            self.oneof_number(field, number);
        }
    }

    /// A number in a field that is one of several: it is written even if it is 0.
    pub(super) fn oneof_number(&mut self, field: u64, number: u64) {
        self.varint(field << 3);
        self.varint(number);
    }

    /// A text, or a message as bytes.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Numbers, packed.
    pub(super) fn numbers(&mut self, field: u64, numbers: &[u64]) {
        let mut packed = Self::default();
        numbers.iter().for_each(|&number| packed.varint(number));
        self.bytes(field, &packed.0);
    }

    /// Eight-byte numbers, packed; nothing if there are none.
    pub(super) fn fixed_numbers(&mut self, field: u64, numbers: &[u64]) {
        if !numbers.is_empty() {
            let packed: Vec<u8> = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
            self.bytes(field, &packed);
        }
    }

    /// An eight-byte number.
    pub(super) fn fixed_number(&mut self, field: u64, number: u64) {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}
