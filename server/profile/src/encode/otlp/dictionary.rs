//! The dictionary of an OTLP file: everything that its samples refer to, each once.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::encode::names::{frames, from_one, place_from_one, shown_name};
use crate::encode::protobuf::Message;
use crate::encode::texts::TextTable;
use crate::model::{FunctionId, FunctionKind, OffStack, PlaceId, Profile, StackId};

/// A table of messages; the first one stands for nothing.
struct Table {
    ids: FxHashMap<Message, u64>,
    rows: Vec<Message>,
}

impl Table {
    fn new() -> Self {
        let ids = FxHashMap::from_iter([(Message::default(), 0)]);
        Self { ids, rows: vec![Message::default()] }
    }

    fn id(&mut self, row: Message) -> u64 {
        let next = self.rows.len() as u64;
        *self.ids.entry(row).or_insert_with_key(|row| {
            self.rows.push(row.clone());
            next
        })
    }
}

/// Collects the dictionary of a profile.
pub(super) struct OtlpDictionary<'p> {
    profile: &'p Profile,
    texts: TextTable<'p>,
    functions: Table,
    locations: Table,
    stacks: Table,
    attributes: Table,
    links: Table,
    /// By function and the line and column that ran.
    location_of: FxHashMap<(FunctionId, u64, u64), u64>,
}

impl<'p> OtlpDictionary<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let mut texts = TextTable::default();
        texts.id("");
        let (functions, locations, stacks) = (Table::new(), Table::new(), Table::new());
        let (attributes, links, location_of) = (Table::new(), Table::new(), FxHashMap::default());
        Self { profile, texts, functions, locations, stacks, attributes, links, location_of }
    }

    /// A `ValueType`.
    pub(super) fn value_type(&mut self, (kind, unit): (&'static str, &'static str)) -> Message {
        let mut message = Message::default();
        message.number(1, self.texts.id(kind));
        message.number(2, self.texts.id(unit));
        message
    }

    /// The index of an attribute whose value is a text.
    pub(super) fn text_attribute(&mut self, key: &str, text: &str) -> u64 {
        let mut value = Message::default();
        value.bytes(1, text.as_bytes());
        self.attribute(key, &value)
    }

    fn attribute(&mut self, key: &str, value: &Message) -> u64 {
        let mut attribute = Message::default();
        attribute.number(1, self.texts.id(key.to_owned()));
        attribute.bytes(2, &value.0);
        self.attributes.id(attribute)
    }

    /// The indices of the attributes of a set of labels, and the index of its link to a span.
    pub(super) fn labels(&mut self, set: u32) -> (Vec<u64>, u64) {
        let (mut attributes, mut ids) = (Vec::new(), [None, None]);
        let profile = self.profile;
        for &(key, value) in profile.label_sets.get(set as usize).into_iter().flatten() {
            let (key, value) = (profile.strings.get(key), profile.strings.get(value));
            match key {
                "trace_id" => ids[0] = bytes_of(value, 16),
                "span_id" => ids[1] = bytes_of(value, 8),
                _ => {}
            }
            attributes.push((key, value));
        }
        let mut link = 0;
        if let [Some(trace), Some(span)] = ids {
            let mut message = Message::default();
            message.bytes(1, &trace);
            message.bytes(2, &span);
            link = self.links.id(message);
            attributes.retain(|it| !matches!(it.0, "trace_id" | "span_id"));
        }
        (attributes.into_iter().map(|(key, value)| self.text_attribute(key, value)).collect(), link)
    }

    /// The index of a stack whose innermost function was at this place; time on no stack is a stack with a single frame.
    pub(super) fn stack(&mut self, on: Result<StackId, OffStack>, place: Option<PlaceId>) -> u64 {
        let mut path = Vec::new();
        match on {
            Ok(stack) => {
                let profile = self.profile;
                let mut seen = None;
                for function in frames(profile, stack) {
                    // If the trace knows places of callers, the place of a function leads to them.
                    let at = match path.is_empty() {
                        true => place,
                        false => seen.and_then(|it| profile.places.caller_in(it, function)),
                    };
                    seen = at.or(seen);
                    path.push(self.location(function, at));
                }
            }
            Err(why) => path.push(self.off_stack(why)),
        }
        let mut stack = Message::default();
        stack.numbers(1, &path);
        self.stacks.id(stack)
    }

    fn location(&mut self, function: FunctionId, at: Option<PlaceId>) -> u64 {
        let profile = self.profile;
        let (line, column) = at.map_or((0, 0), |it| {
            let place = profile.places.get(it);
            (from_one(place.line), from_one(place.column))
        });
        if let Some(&known) = self.location_of.get(&(function, line, column)) {
            return known;
        }
        let found = profile.functions[function.0 as usize];
        let (start_line, start_column) = place_from_one(found.defined_at);
        let file = profile.resource(function).unwrap_or_default();
        let index = self.function(shown_name(profile, function), file, start_line);
        let mut attributes = Vec::new();
        if found.kind != FunctionKind::Script {
            attributes.push(self.text_attribute("profile.frame.type", "native"));
        }
        if start_column > 0 {
            let mut value = Message::default();
            value.number(3, start_column);
            attributes.push(self.attribute("proflens.start_column", &value));
        }
        let known = self.add_location((index, line, column), &attributes);
        self.location_of.insert((function, line, column), known);
        known
    }

    fn off_stack(&mut self, why: OffStack) -> u64 {
        let index = self.function(why.frame(), "", 0);
        self.add_location((index, 0, 0), &[])
    }

    fn function(&mut self, name: &'p str, file: &'p str, start_line: u64) -> u64 {
        let mut function = Message::default();
        function.number(1, self.texts.id(name));
        function.number(3, self.texts.id(file));
        function.number(4, start_line);
        self.functions.id(function)
    }

    fn add_location(&mut self, (function, line, column): (u64, u64, u64), attributes: &[u64]) -> u64 {
        let (mut location, mut of_line) = (Message::default(), Message::default());
        of_line.number(1, function);
        of_line.number(2, line);
        of_line.number(3, column);
        location.bytes(3, &of_line.0);
        if !attributes.is_empty() {
            location.numbers(4, attributes);
        }
        self.locations.id(location)
    }

    /// Writes the dictionary as its field of the file.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let mut dictionary = Message::default();
        dictionary.bytes(1, b"");
        let tables = [(2, self.locations), (3, self.functions), (6, self.attributes), (7, self.stacks)];
        for (field, table) in tables {
            table.rows.iter().for_each(|row| dictionary.bytes(field, &row.0));
        }
        // Readers may expect ids to have their full length.
        let mut no_link = Message::default();
        no_link.bytes(1, &[0; 16]);
        no_link.bytes(2, &[0; 8]);
        let links = std::iter::once(&no_link).chain(&self.links.rows[1..]);
        links.for_each(|row| dictionary.bytes(4, &row.0));
        self.texts.in_order().for_each(|text| dictionary.bytes(5, text.as_bytes()));
        let mut file = Message::default();
        file.bytes(2, &dictionary.0);
        out.write_all(&file.0)
    }
}

/// The bytes of an id in hexadecimal digits, if it has the right length.
fn bytes_of(id: &str, length: usize) -> Option<Vec<u8>> {
    let is_id = id.len() == 2 * length && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = is_id.then_some(id)?.as_bytes().chunks(2);
    digits.map(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok()).collect()
}
