//! The stacks of an OTLP file. Each is made once, since many samples share it.

use rustc_hash::FxHashMap;

use super::tables::{Dictionary, Line, Location};
use crate::builder::ProfileBuilder;
use crate::decode::conventions::named;
use crate::model::{FunctionId, OffStack, PlaceId, Position, SeenPlace, StackId, Unit};

/// Frames of inlined calls beyond this number are left out. A location may have many lines and be on many stacks, so a
/// small file could have more frames than fit into memory.
const MAX_INLINED: usize = 1 << 24;

/// The attribute with the kind of code that runs in a frame (<https://opentelemetry.io/docs/specs/semconv/general/profiles/>).
const FRAME_TYPE: &str = "profile.frame.type";
/// JavaScript of V8.
const V8: &str = "v8js";
/// The column at which a function is defined, from 1, as written by `proflens convert`: OTLP only has the line.
const START_COLUMN: &str = "proflens.start_column";

/// The outer frames of a stack up to a location. What many stacks share is made only once.
#[derive(Clone, Copy, Default)]
struct OuterFrames {
    stack: Option<StackId>,
    place: Option<PlaceId>,
    has_script: bool,
    /// The number of its frames that refer to nothing.
    lost: u32,
}

/// A stack in the profile.
#[derive(Clone, Copy)]
pub(super) struct KnownStack {
    pub(super) on: Result<StackId, OffStack>,
    pub(super) place: Option<PlaceId>,
    /// Whether it has JavaScript on it, according to its frames.
    pub(super) has_script: bool,
}

#[derive(Clone, Copy)]
struct OtlpFrame {
    function: FunctionId,
    line: Option<u32>,
    column: Option<u32>,
    is_script: bool,
}

/// Makes stacks.
pub(super) struct OtlpStacks<'t> {
    dictionary: &'t Dictionary,
    unit: Unit,
    /// The frames of all locations seen so far, concatenated.
    frames: Vec<OtlpFrame>,
    frames_of: Vec<Option<(usize, usize)>>,
    stacks: Vec<Option<KnownStack>>,
    /// Each once; the first one has no frames.
    outer: Vec<OuterFrames>,
    /// The outer frames extended by a location, by the outer frames and that location.
    outer_ids: FxHashMap<(u32, u32), u32>,
    /// The locations of the last stack, outermost first, each with the outer frames that end there.
    path: Vec<(u32, u32)>,
    inlined: usize,
    /// The number of frames that refer to nothing.
    pub(super) lost: u64,
    /// The number of the first column: the eBPF profiler counts from 0, contrary to the definition.
    first_column: u64,
}

impl<'t> OtlpStacks<'t> {
    /// `scopes` are the programs that made the recording.
    pub(super) fn new(dictionary: &'t Dictionary, unit: Unit, scopes: &[String]) -> Self {
        let counts_from_zero = scopes.iter().any(|it| it.contains("ebpf-profiler"));
        Self {
            dictionary,
            unit,
            frames: Vec::new(),
            frames_of: vec![None; dictionary.locations.len()],
            stacks: vec![None; dictionary.stacks.len()],
            outer: vec![OuterFrames::default()],
            outer_ids: FxHashMap::default(),
            path: Vec::new(),
            inlined: 0,
            lost: 0,
            first_column: u64::from(!counts_from_zero),
        }
    }

    /// Makes stacks in the order of the file, where neighbours have most in common; in the order of samples, they may not.
    pub(super) fn make_all(&mut self, wanted: impl Iterator<Item = u32>, builder: &mut ProfileBuilder) {
        let mut is_wanted = vec![false; self.stacks.len()];
        for index in wanted {
            if let Some(it) = is_wanted.get_mut(index as usize) {
                *it = true;
            }
        }
        for (index, _) in (0..).zip(is_wanted).filter(|it| it.1) {
            self.get(index, builder);
        }
    }

    /// A stack by its index.
    pub(super) fn get(&mut self, index: u32, builder: &mut ProfileBuilder) -> KnownStack {
        if let Some(Some(known)) = self.stacks.get(index as usize) {
            return *known;
        }
        let made = self.make(index, builder);
        if let Some(known) = self.stacks.get_mut(index as usize) {
            *known = Some(made);
        }
        made
    }

    fn make(&mut self, index: u32, builder: &mut ProfileBuilder) -> KnownStack {
        let none = OffStack::without_stack(self.unit);
        let Some(locations) = self.dictionary.stack(index as usize) else {
            self.lost += 1;
            return KnownStack { on: Err(none), place: None, has_script: false };
        };
        // Neighbours share most of their outer frames.
        let common = self.path.iter().zip(locations.iter().rev()).take_while(|(known, it)| known.0 == **it);
        let common = common.count();
        self.path.truncate(common);
        let mut outer = self.path.last().map_or(0, |it| it.1);
        for &location in locations.iter().rev().skip(common) {
            let next = self.outer.len() as u32;
            let found = *self.outer_ids.entry((outer, location)).or_insert(next);
            if found == next {
                let made = self.add_location(self.outer[outer as usize], location, builder);
                self.outer.push(made);
            }
            outer = found;
            self.path.push((location, outer));
        }
        let OuterFrames { stack, place, has_script, lost } = self.outer[outer as usize];
        self.lost += u64::from(lost);
        KnownStack { on: stack.map_or(Err(none), |stack| builder.meaning(stack)), place, has_script }
    }

    /// Puts the frames of a location on top of outer ones.
    fn add_location(
        &mut self,
        outer: OuterFrames,
        location: u32,
        builder: &mut ProfileBuilder,
    ) -> OuterFrames {
        let Some((start, end)) = self.frames_of(location, builder) else {
            return OuterFrames { lost: outer.lost + 1, ..outer };
        };
        let more = end.saturating_sub(start + 1);
        let end = if self.inlined + more > MAX_INLINED { end.min(start + 1) } else { end };
        self.inlined += end.saturating_sub(start + 1);
        let mut made = outer;
        for &OtlpFrame { function, line, column, is_script } in &self.frames[start..end] {
            made.stack = Some(builder.stack(made.stack, function));
            made.place = builder.place(SeenPlace { function, line, column, caller: made.place });
            made.has_script |= is_script;
        }
        made
    }

    /// Whether there were more frames of inlined calls than are read.
    pub(super) fn has_left_out(&self) -> bool {
        self.inlined >= MAX_INLINED
    }

    /// Where the frames of a location are, outermost first.
    fn frames_of(&mut self, location: u32, builder: &mut ProfileBuilder) -> Option<(usize, usize)> {
        let known = *self.frames_of.get(location as usize)?;
        if known.is_some() || location == 0 {
            return known; // the first entry of each table stands for nothing
        }
        let start = self.frames.len();
        let (row, lines, attributes) = self.dictionary.location(location)?;
        let of_key = |wanted: &str| {
            let all = attributes.iter().filter_map(|&it| self.dictionary.attribute(it));
            all.into_iter().find(|it| it.0 == wanted).map(|it| it.1)
        };
        let (kind, start_column) = (of_key(FRAME_TYPE), of_key(START_COLUMN).and_then(|it| it.parse().ok()));
        if lines.is_empty() {
            let name = builder.string(&name_of_native(row, self.dictionary));
            let function = builder.function(name, None, None);
            self.frames.push(OtlpFrame { function, line: None, column: None, is_script: kind == Some(V8) });
        }
        for line in lines.iter().rev() {
            let frame = self.frame(line, kind, start_column, builder);
            self.frames.push(frame);
        }
        let known = (start, self.frames.len());
        self.frames_of[location as usize] = Some(known);
        Some(known)
    }

    fn frame(
        &self,
        line: &Line,
        kind: Option<&str>,
        start_column: Option<u64>,
        builder: &mut ProfileBuilder,
    ) -> OtlpFrame {
        let dictionary = self.dictionary;
        let function = dictionary.functions.get(line.function as usize).copied().unwrap_or_default();
        let name = match dictionary.text(function.name) {
            "" => dictionary.text(function.system_name),
            name => name,
        };
        let name = builder.string(named(name));
        // Files of native code and of other languages are not scripts.
        let is_other = kind.is_some_and(|kind| kind != V8);
        let file = Some(dictionary.text(function.file)).filter(|file| !is_other && !file.is_empty());
        let file = file.map(|file| builder.resource(file));
        let from = |number: u64, first: u64| u32::try_from(number.checked_sub(first)?).ok();
        let defined_at = from(function.start_line, 1)
            .filter(|_| !is_other)
            .map(|line| Position { line, column: start_column.and_then(|it| from(it, 1)) });
        let function = builder.function(name, file, defined_at);
        let at = from(line.line, 1);
        let column = at.and_then(|_| from(line.column, self.first_column));
        OtlpFrame {
            function,
            line: at,
            column,
            is_script: kind == Some(V8) || (kind.is_none() && file.is_some()),
        }
    }
}

/// The name for code without a known function: its binary, or otherwise its address.
fn name_of_native(location: &Location, dictionary: &Dictionary) -> String {
    let binary = dictionary.mappings.get(location.mapping as usize).map_or("", |&it| dictionary.text(it));
    match binary.rsplit('/').next().unwrap_or_default() {
        "" => format!("{:#x}", location.address),
        name => name.to_owned(),
    }
}
