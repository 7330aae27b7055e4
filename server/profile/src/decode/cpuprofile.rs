//! V8's `.cpuprofile`: `Profiler.Profile` of the DevTools protocol, as Chrome, node, deno and bun write it.
//!
//! <https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile>. Lines and columns are 0-based,
//! except in `positionTicks`, in `$vscode` and in the old form with `head`; -1 means none. Times are microseconds.
//! Here the text is only read; what the samples mean is in [`super::v8`].

use rustc_hash::{FxHashMap, FxHashSet};

use super::json::{Json, Kind, Number, Plain, index_of};
use super::{DecodeError, v8};
use crate::builder::ProfileBuilder;
use crate::weigh::Timeline;
use crate::{FunctionId, Position, ResourceId, StringId};

/// No node id.
pub(super) const NONE: u32 = u32::MAX;
/// Ids below stand for themselves, others are numbered from here on.
const ODD_IDS: u32 = 1 << 31;

/// So many texts of call frames are kept, none longer: at most 16 MB.
const MOST_SEEN_FRAMES: usize = 1 << 15;
const LONGEST_SEEN_FRAME: usize = 512;

type Result<T> = std::result::Result<T, DecodeError>;

/// What was read of a profile.
#[derive(Default)]
pub(crate) struct Parts {
    pub(super) nodes: Vec<Node>,
    /// Ids of children of all nodes, see [`Node::children`].
    pub(super) children: Vec<u32>,
    pub(super) ticks: Vec<Tick>,
    /// Node index and index into `vscode`.
    pub(super) locations: Vec<(u32, u32)>,
    pub(super) vscode: Vec<Vec<(String, Position)>>,
    /// A node id for each sample.
    pub(super) samples: Vec<u32>,
    pub(super) time_deltas: Timeline,
    /// The absolute times of the old form, as distances.
    pub(super) timestamps: Timeline,
    /// Microseconds in the new form, seconds in the old one.
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) title: String,
    /// Of a trace: what else it holds of the thread.
    pub(super) recorded: Option<v8::Recorded>,
    /// Of the old form: nested nodes, whose parents are known by index.
    pub(super) nested: bool,
    /// Whether these are sampled allocations: nested nodes, too.
    pub(super) is_heap: bool,
    /// By node: the bytes that it allocated, where it did.
    pub(super) sizes: Vec<(u32, f64)>,
    /// Whether a node has a call frame: else this is a graph of another kind.
    has_frames: bool,
    has_no_nodes: bool,
    /// Texts of call frames, and what they are.
    seen_frames: FxHashMap<Box<[u8]>, FunctionId>,
    /// The scripts that functions were in, by V8's ids; only where the trace may hold their texts.
    pub(super) script_ids: Option<FxHashSet<(FunctionId, u32)>>,
    pub(super) ids: Ids,
}

pub(super) struct Node {
    pub(super) id: u32,
    pub(super) function: FunctionId,
    /// An id; in the old form an index.
    pub(super) parent: u32,
    pub(super) hits: u32,
    /// Where its children begin; they end where those of the next node begin.
    pub(super) children: usize,
}

pub(super) struct Tick {
    pub(super) node: u32,
    pub(super) line: u32,
    pub(super) ticks: u32,
}

/// Node ids may be any number. Nearly all are small and whole.
#[derive(Default)]
pub(super) struct Ids {
    odd: FxHashMap<(bool, u64), u32>,
}

impl Ids {
    #[inline]
    pub(super) fn id(&mut self, number: Option<Number>) -> u32 {
        let odd = match number {
            None => return NONE,
            Some(Number::Integer(value)) if (0..i64::from(ODD_IDS)).contains(&value) => return value as u32,
            Some(Number::Integer(value)) => (false, value as u64),
            Some(Number::Float(value)) if value.fract() == 0.0 && value.abs() < 9e15 => {
                return self.id(Some(Number::Integer(value as i64)));
            }
            Some(Number::Float(value)) => (true, value.to_bits()),
        };
        let next = ODD_IDS + self.odd.len() as u32;
        *self.odd.entry(odd).or_insert(next)
    }
}

/// An id that stands for itself.
fn plain_id(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&id| id < ODD_IDS)
}

struct Frame {
    name: StringId,
    url: Option<ResourceId>,
    line: i64,
    column: i64,
    script: Option<u32>,
}

const NO_FRAME: Frame = Frame { name: StringId(0), url: None, line: -1, column: -1, script: None };

impl Frame {
    /// Reads a member of a call frame; `false` if it is none, with its value still to be read.
    fn member(&mut self, key: &[u8], json: &mut Json, builder: &mut ProfileBuilder) -> Result<bool> {
        match key {
            b"functionName" => self.name = json.string(|name| builder.string(name))?.unwrap_or_default(),
            b"url" => {
                self.url = json.string(|url| (!url.is_empty()).then(|| builder.resource(url)))?.flatten();
            }
            b"lineNumber" => self.line = whole(json.number()?).unwrap_or(-1),
            b"columnNumber" => self.column = whole(json.number()?).unwrap_or(-1),
            b"scriptId" => self.script = json.index()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `base` is what the first line and column are called.
    fn function(&self, base: i64, builder: &mut ProfileBuilder) -> FunctionId {
        let zero_based = |number: i64| u32::try_from(number - base).ok();
        let position = zero_based(self.line).map(|line| Position { line, column: zero_based(self.column) });
        builder.function(self.name, self.url, position)
    }
}

/// A nested node that is being read: its call frame stands in itself, or in one of its members.
struct Open {
    index: usize,
    frame: Frame,
    function: Option<FunctionId>,
}

impl Open {
    fn new(index: usize) -> Self {
        Self { index, frame: NO_FRAME, function: None }
    }
}

impl Parts {
    /// Whether these are the parts of a profile, perhaps one without samples.
    pub(crate) fn is_profile(&self) -> bool {
        self.has_frames || (self.has_no_nodes && self.time_deltas.len() > 0)
    }

    /// Moves what was read of a piece of a profile to the end of `whole`. Texts and ids stay known, for the next piece
    /// of the same trace.
    pub(super) fn move_to(&mut self, whole: &mut Parts) {
        let (nodes, children) = (whole.nodes.len() as u32, whole.children.len());
        let moved = self.nodes.drain(..).map(|node| Node { children: children + node.children, ..node });
        whole.nodes.extend(moved);
        whole.children.append(&mut self.children);
        whole.ticks.extend(self.ticks.drain(..).map(|tick| Tick { node: nodes + tick.node, ..tick }));
        whole.samples.append(&mut self.samples);
        whole.time_deltas.append(&mut self.time_deltas);
        (whole.start, whole.end) = (self.start, self.end);
        self.clear();
    }

    /// Forgets what was read, except for texts and ids.
    pub(super) fn clear(&mut self) {
        let (seen_frames, ids) = (std::mem::take(&mut self.seen_frames), std::mem::take(&mut self.ids));
        *self = Self { seen_frames, ids, script_ids: self.script_ids.take(), ..Self::default() };
    }

    pub(crate) fn read_nodes(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        match json.first_item()? {
            None => self.has_no_nodes = true,
            Some(Kind::Object) => {}
            Some(Kind::Other | Kind::String | Kind::Array) => return json.skip_items(), // a heap snapshot's
        }
        loop {
            json.plain_items(|item| self.plain_node(item));
            if !json.next_item()? {
                return Ok(());
            }
            self.read_node(json, builder)?;
        }
    }

    /// The nested nodes of Chrome before 2016 and of old node modules, and those of sampled allocations. They may nest as
    /// deep as a stack can.
    pub(crate) fn read_head(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        self.nested = true;
        let mut open = vec![Open::new(self.add_node(NONE))];
        while let Some(Open { index, frame, function }) = open.last_mut() {
            let index = *index;
            let Some(key) = json.next_key()? else {
                self.nodes[index].function = function.unwrap_or_else(|| frame.function(1, builder));
                open.pop();
                if let Some(&Open { index: parent, .. }) = open.last() {
                    self.enter_next_child(json, parent, &mut open)?;
                }
                continue;
            };
            match key.bytes() {
                b"children" => {
                    if json.enter_array()? {
                        self.enter_next_child(json, index, &mut open)?;
                    }
                }
                b"callFrame" => *function = self.read_call_frame(json, builder)?,
                b"selfSize" => {
                    self.is_heap = true;
                    if let Some(bytes) = json.number()?.map(Number::as_f64).filter(|&bytes| bytes > 0.0) {
                        self.sizes.push((index as u32, bytes));
                    }
                }
                bytes => {
                    if frame.member(bytes, json, builder)? {
                        self.has_frames = true;
                    } else {
                        self.read_member(index, bytes, json)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads an array that was entered.
    pub(crate) fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        let Self { samples, ids, .. } = self;
        json.numbers(|number| samples.push(ids.id(number)))
    }

    pub(crate) fn read_time_deltas(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        let deltas = &mut self.time_deltas;
        json.numbers(|number| match number {
            Some(Number::Integer(micros)) => deltas.push_micros(micros),
            Some(Number::Float(micros)) => deltas.push_nanos(nanos(micros)),
            None => deltas.push_micros(0),
        })
    }

    pub(crate) fn read_timestamps(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
        let (timestamps, mut before) = (&mut self.timestamps, None);
        json.numbers(|number| {
            let time = match number {
                Some(Number::Integer(micros)) => micros.saturating_mul(1000),
                Some(Number::Float(micros)) => nanos(micros),
                None => before.unwrap_or(0),
            };
            timestamps.push(time.saturating_sub(before.unwrap_or(time)));
            before = Some(time);
        })
    }

    pub(crate) fn read_start(&mut self, json: &mut Json) -> Result<()> {
        self.start = json.number()?.map_or(0.0, Number::as_f64);
        Ok(())
    }

    pub(crate) fn read_end(&mut self, json: &mut Json) -> Result<()> {
        self.end = json.number()?.map_or(0.0, Number::as_f64);
        Ok(())
    }

    pub(crate) fn read_title(&mut self, json: &mut Json) -> Result<()> {
        self.title = json.string(str::to_owned)?.unwrap_or_default();
        Ok(())
    }

    /// Places that vscode-js-debug looked up while the program ran. Those without a file on the disk are left out.
    pub(crate) fn read_vscode(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        while let Some(key) = json.next_key()? {
            if key.bytes() != b"locations" {
                json.skip()?;
            } else if json.enter_array()? {
                while json.next_item()? {
                    let places = read_places(json)?;
                    self.vscode.push(places);
                }
            }
        }
        Ok(())
    }

    /// A node as V8 writes it, if its call frame is the same text as one before.
    fn plain_node(&mut self, item: &mut Plain) -> Option<()> {
        let (children, ticks) = (self.children.len(), self.ticks.len());
        let mut node = Node { id: NONE, function: FunctionId(0), parent: NONE, hits: 0, children };
        let mut has_frame = false;
        let read = item.members(|item| {
            if item.takes(b"\"id\":") {
                node.id = plain_id(item.integer()?)?;
            } else if item.takes(b"\"callFrame\":") {
                node.function = *self.seen_frames.get(item.braces()?)?;
                has_frame = true;
            } else if item.takes(b"\"hitCount\":") {
                node.hits = index_of(item.integer()?).unwrap_or(0);
            } else if item.takes(b"\"children\":") {
                item.items(|item| plain_id(item.integer()?).map(|id| self.children.push(id)))?;
            } else if item.takes(b"\"positionTicks\":") {
                let node = self.nodes.len() as u32;
                item.items(|item| {
                    let [line, ticks] = item.row([b"{\"line\":", b",\"ticks\":"])?;
                    self.add_tick(node, index_of(line), index_of(ticks));
                    Some(())
                })?;
            } else if item.takes(b"\"parent\":") {
                node.parent = plain_id(item.integer()?)?;
            } else {
                return None;
            }
            Some(())
        });
        if read.is_none() || !has_frame {
            self.children.truncate(children);
            self.ticks.truncate(ticks);
            return None;
        }
        self.nodes.push(node);
        Some(())
    }

    fn read_node(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        let index = self.add_node(NONE);
        let mut function = None;
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"callFrame" => function = self.read_call_frame(json, builder)?,
                b"children" => {
                    if json.enter_array()? {
                        let Self { children, ids, .. } = self;
                        json.numbers(|number| children.push(ids.id(number)))?;
                    }
                }
                bytes => self.read_member(index, bytes, json)?,
            }
        }
        self.nodes[index].function = function.unwrap_or_else(|| NO_FRAME.function(0, builder));
        Ok(())
    }

    /// Most call frames are the same text as one before, so these are looked up before they are read.
    fn read_call_frame(
        &mut self,
        json: &mut Json,
        builder: &mut ProfileBuilder,
    ) -> Result<Option<FunctionId>> {
        let mut text = None;
        if let Some(glimpse) = json.glimpse() {
            let length = glimpse.len();
            if let Some(&function) = self.seen_frames.get(glimpse) {
                json.skip_glimpsed(length);
                return Ok(Some(function));
            }
            text = (self.seen_frames.len() < MOST_SEEN_FRAMES && length < LONGEST_SEEN_FRAME)
                .then(|| glimpse.to_vec());
        }
        let start = json.offset();
        if !json.enter_object()? {
            return Ok(None);
        }
        self.has_frames = true;
        let mut frame = NO_FRAME;
        while let Some(key) = json.next_key()? {
            if !frame.member(key.bytes(), json, builder)? {
                json.skip()?;
            }
        }
        let function = frame.function(0, builder);
        if let (Some(ids), Some(script)) = (&mut self.script_ids, frame.script) {
            ids.insert((function, script));
        }
        if let Some(text) = text.filter(|text| start + text.len() as u64 == json.offset()) {
            self.seen_frames.insert(text.into(), function);
        }
        Ok(Some(function))
    }

    /// What nodes of both forms have.
    fn read_member(&mut self, index: usize, key: &[u8], json: &mut Json) -> Result<()> {
        match key {
            b"id" => self.nodes[index].id = self.ids.id(json.number()?),
            b"parent" if !self.nested => self.nodes[index].parent = self.ids.id(json.number()?),
            b"hitCount" => self.nodes[index].hits = json.index()?.unwrap_or(0),
            b"locationId" => {
                if let Some(location) = json.index()? {
                    self.locations.push((index as u32, location));
                }
            }
            b"positionTicks" => {
                if json.enter_array()? {
                    while json.next_item()? {
                        self.read_tick(index as u32, json)?;
                    }
                }
            }
            _ => json.skip()?,
        }
        Ok(())
    }

    fn read_tick(&mut self, node: u32, json: &mut Json) -> Result<()> {
        let (mut line, mut ticks) = (None, None);
        if json.enter_object()? {
            while let Some(key) = json.next_key()? {
                match key.bytes() {
                    b"line" => line = json.index()?,
                    b"ticks" => ticks = json.index()?,
                    _ => json.skip()?,
                }
            }
        }
        self.add_tick(node, line, ticks);
        Ok(())
    }

    fn add_tick(&mut self, node: u32, line: Option<u32>, ticks: Option<u32>) {
        if let (Some(line @ 1..), Some(ticks @ 1..)) = (line, ticks) {
            self.ticks.push(Tick { node, line: line - 1, ticks });
        }
    }

    fn add_node(&mut self, parent: u32) -> usize {
        let children = self.children.len();
        self.nodes.push(Node { id: NONE, function: FunctionId(0), parent, hits: 0, children });
        self.nodes.len() - 1
    }

    /// In the old form's list of children: enters the next one, or leaves the list.
    fn enter_next_child(&mut self, json: &mut Json, parent: usize, open: &mut Vec<Open>) -> Result<()> {
        while json.next_item()? {
            if json.enter_object()? {
                open.push(Open::new(self.add_node(parent as u32)));
                return Ok(());
            }
        }
        Ok(())
    }
}

/// One entry of `$vscode.locations`: the places that one call frame may be shown at.
fn read_places(json: &mut Json) -> Result<Vec<(String, Position)>> {
    let mut places = Vec::new();
    if !json.enter_object()? {
        return Ok(places);
    }
    while let Some(key) = json.next_key()? {
        if key.bytes() != b"locations" {
            json.skip()?;
        } else if json.enter_array()? {
            while json.next_item()? {
                places.extend(read_place(json)?);
            }
        }
    }
    Ok(places)
}

/// `{lineNumber, columnNumber, source: {path, sourceReference}}`, 1-based; a reference other than 0 is no file.
fn read_place(json: &mut Json) -> Result<Option<(String, Position)>> {
    let (mut line, mut column, mut path, mut on_disk) = (None, None, None, true);
    if json.enter_object()? {
        while let Some(key) = json.next_key()? {
            match key.bytes() {
                b"lineNumber" => line = json.index()?,
                b"columnNumber" => column = json.index()?,
                b"source" if json.kind()? == Kind::Object => {
                    json.enter_object()?;
                    while let Some(key) = json.next_key()? {
                        match key.bytes() {
                            b"path" => path = json.string(str::to_owned)?,
                            b"sourceReference" => {
                                on_disk = json.number()?.is_none_or(|number| number.as_f64() == 0.0)
                            }
                            _ => json.skip()?,
                        }
                    }
                }
                _ => json.skip()?,
            }
        }
    }
    let path = path.filter(|path| on_disk && !path.is_empty());
    let line = line.and_then(|line| line.checked_sub(1));
    let column = column.and_then(|column| column.checked_sub(1));
    Ok(path.zip(line).map(|(path, line)| (path, Position { line, column })))
}

fn whole(number: Option<Number>) -> Option<i64> {
    match number? {
        Number::Integer(value) => Some(value.clamp(-1 << 40, 1 << 40)),
        Number::Float(value) => (value.fract() == 0.0).then_some(value.clamp(-1e12, 1e12) as i64),
    }
}

fn nanos(micros: f64) -> i64 {
    (micros * 1000.0).round() as i64
}
