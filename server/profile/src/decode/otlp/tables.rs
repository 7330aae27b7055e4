//! The tables of an OTLP file as in the file: numbers that refer to each other, not yet checked.

/// A file.
#[derive(Default)]
pub(super) struct OtlpTables {
    pub(super) dictionary: Dictionary,
    pub(super) resources: Vec<Attributes>,
    /// The names of scopes, which are the programs that made the recording.
    pub(super) scopes: Vec<String>,
    pub(super) profiles: Vec<OtlpProfile>,
    /// Whether there is anything that only the forms before opentelemetry-proto 1.8 have.
    pub(super) is_old: bool,
    /// Whether fields were found by name, not by number.
    pub(super) is_named: bool,
}

/// What all profiles of a file share.
#[derive(Default)]
pub(super) struct Dictionary {
    pub(super) mappings: Vec<u32>,
    pub(super) locations: Vec<Location>,
    /// The lines of all locations, concatenated.
    pub(super) lines: Vec<Line>,
    /// The attribute indices of all locations, concatenated.
    pub(super) of_locations: Vec<u32>,
    pub(super) functions: Vec<OtlpFunction>,
    /// Ids of a trace and a span, in hexadecimal digits.
    pub(super) links: Vec<[String; 2]>,
    pub(super) texts: Vec<String>,
    pub(super) attributes: Vec<(u32, AttributeValue)>,
    /// Where each stack ends in `stacked`.
    pub(super) stacks: Vec<usize>,
    /// The location indices of all stacks, concatenated; innermost first.
    pub(super) stacked: Vec<u32>,
    pub(super) has_stacks: bool,
}

/// A place in a program; in several functions if calls were inlined.
#[derive(Default)]
pub(super) struct Location {
    pub(super) mapping: u32,
    pub(super) address: u64,
    /// Where its lines and its attributes end in the dictionary's.
    pub(super) ends: (usize, usize),
}

#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    pub(super) function: u32,
    pub(super) line: u64,
    pub(super) column: u64,
}

#[derive(Clone, Copy, Default)]
pub(super) struct OtlpFunction {
    pub(super) name: u32,
    pub(super) system_name: u32,
    pub(super) file: u32,
    pub(super) start_line: u64,
}

/// Keys and values that are not in the dictionary.
pub(super) type Attributes = Vec<(AttributeKey, AttributeValue)>;

/// A key as text, or as an index into the texts.
#[derive(Clone, Debug, Default)]
pub(super) struct AttributeKey {
    pub(super) text: String,
    pub(super) index: u32,
}

/// The value of an attribute. Lists and maps have no text and are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum AttributeValue {
    #[default]
    None,
    Text(String),
    /// An index into the texts.
    Index(u32),
}

/// A profile of one kind of value.
#[derive(Default)]
pub(super) struct OtlpProfile {
    pub(super) resource: usize,
    pub(super) scope: usize,
    /// The texts of type and unit.
    pub(super) sample_type: (u32, u32),
    pub(super) period_type: (u32, u32),
    pub(super) period: i64,
    /// In nanoseconds since 1970; 0 if not known.
    pub(super) time: u64,
    pub(super) samples: Samples,
}

/// Samples in columns. Only at the end is it known which field is which; see [`layout`](super::layout).
#[derive(Default)]
pub(super) struct Samples {
    pub(super) stacks: Vec<u32>,
    /// The numbers of fields 2 to 5 of all samples, concatenated.
    pub(super) fields: [Vec<u64>; 4],
    /// Where the numbers of each sample end.
    pub(super) ends: Vec<[usize; 4]>,
}

impl Samples {
    /// The numbers of a field of a sample, counted from field 2.
    pub(super) fn field(&self, sample: usize, field: usize) -> &[u64] {
        let start = sample.checked_sub(1).map_or(0, |before| self.ends[before][field]);
        &self.fields[field][start..self.ends[sample][field]]
    }

    /// Ends a sample whose numbers were added.
    pub(super) fn end(&mut self, stack: u32) {
        self.stacks.push(stack);
        self.ends.push(self.fields.each_ref().map(Vec::len));
    }
}

impl Dictionary {
    /// A text; empty if there is none.
    pub(super) fn text(&self, index: u32) -> &str {
        self.texts.get(index as usize).map_or("", String::as_str)
    }

    /// The text of a value.
    pub(super) fn value<'t>(&'t self, value: &'t AttributeValue) -> Option<&'t str> {
        match value {
            AttributeValue::None => None,
            AttributeValue::Text(text) => Some(text),
            AttributeValue::Index(index) => Some(self.text(*index)),
        }
    }

    /// The key and the value of an attribute.
    pub(super) fn attribute(&self, index: u32) -> Option<(&str, &str)> {
        let (key, value) = self.attributes.get(index as usize)?;
        let key = self.text(*key);
        self.value(value).filter(|_| !key.is_empty()).map(|value| (key, value))
    }

    /// The lines and the attributes of a location.
    pub(super) fn location(&self, index: u32) -> Option<(&Location, &[Line], &[u32])> {
        let location = self.locations.get(index as usize)?;
        let start = (index as usize).checked_sub(1).map_or((0, 0), |before| self.locations[before].ends);
        let (lines, attributes) = location.ends;
        Some((location, &self.lines[start.0..lines], &self.of_locations[start.1..attributes]))
    }

    /// The locations of a stack.
    pub(super) fn stack(&self, index: usize) -> Option<&[u32]> {
        let end = *self.stacks.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.stacks[before]);
        Some(&self.stacked[start..end])
    }
}

/// An index as tables have it; if it is too large, one that no table has.
pub(super) fn index(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
