//! Reads a V8 profile: nodes with their call frames, samples and times. `super::thread` describes what they mean.
//!
//! Nodes name their children or their parents by id, or are nested (`head`), as in Chrome before 2016 and in profiles of
//! allocations. Lines and columns are 0-based, except in `positionTicks`, in `$vscode` and in the old form with `head`;
//! -1 means none. Times are microseconds.

use rustc_hash::{FxHashMap, FxHashSet};

use super::call_frame::{CallFrame, NO_FRAME};
use super::events::ThreadEvents;
use super::ids::{NONE, NodeIds, plain_id};
use super::sample_places::SamplePlaces;
use super::script_ids::ScriptIds;
use super::vscode::{self, FilePlace};
use crate::builder::ProfileBuilder;
use crate::decode::error::Result;
use crate::decode::json::{FastReader, Items, Json, Kind, Number, index_of};
use crate::model::FunctionId;
use crate::timeline::Timeline;

/// At most this many texts of call frames are kept, of at most this length: 16 MB in all.
const MAX_SEEN_FRAMES: usize = 1 << 15;
const MAX_FRAME_LENGTH: usize = 512;

/// The part of a profile read so far.
#[derive(Default)]
pub(crate) struct V8Profile {
    pub(crate) nodes: Vec<Node>,
    /// NodeIds of the children of all nodes; see [`Node::children`].
    pub(crate) children: Vec<u32>,
    pub(crate) ticks: Vec<NodeTick>,
    /// Node index and index into `vscode`.
    pub(crate) locations: Vec<(u32, u32)>,
    pub(crate) vscode: Vec<Vec<FilePlace>>,
    /// A node id for each sample.
    pub(crate) samples: Vec<u32>,
    /// In a trace: where each sample was.
    pub(crate) places: SamplePlaces,
    pub(crate) time_deltas: Timeline,
    /// The absolute times of the old form, as distances.
    pub(crate) timestamps: Timeline,
    /// Microseconds in the new form, seconds in the old one.
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The start in nanoseconds on the clock of the trace, which the first distance of its times is relative to.
    pub(crate) began: Option<i64>,
    pub(crate) title: String,
    /// In a trace: the number of the process; see [`crate::model::Thread::process`].
    pub(crate) process: u32,
    /// In a trace: what else it has about the thread.
    pub(crate) thread_events: Option<ThreadEvents>,
    /// In the old form: nodes are nested, and their parents are known by index.
    pub(crate) nested: bool,
    /// Whether these are sampled allocations, whose nodes are nested, too.
    pub(crate) is_heap: bool,
    /// Nodes and the bytes that they allocated, if any.
    pub(crate) sizes: Vec<(u32, f64)>,
    /// For allocations: functions whose scripts V8 had forgotten.
    pub(crate) forgotten: FxHashSet<FunctionId>,
    /// Whether any node has a call frame; otherwise this is another kind of graph.
    has_frames: bool,
    has_no_nodes: bool,
    /// Texts of call frames and the functions in them.
    seen_frames: FxHashMap<Box<[u8]>, FunctionId>,
    /// The scripts that functions were in, by V8's ids; only where the trace may hold their texts.
    pub(crate) script_ids: Option<ScriptIds>,
    pub(crate) ids: NodeIds,
}

pub(crate) struct Node {
    pub(crate) id: u32,
    pub(crate) function: FunctionId,
    /// An id; in the old form an index.
    pub(crate) parent: u32,
    pub(crate) hits: u32,
    /// Where its children begin; they end where those of the next node begin.
    pub(crate) children: usize,
}

pub(crate) struct NodeTick {
    pub(crate) node: u32,
    pub(crate) line: u32,
    pub(crate) ticks: u32,
}

/// A nested node that is being read: its call frame is spread over its members, or is one of them.
struct OpenNode {
    index: usize,
    frame: CallFrame,
    function: Option<FunctionId>,
}

impl OpenNode {
    fn new(index: usize) -> Self {
        Self { index, frame: NO_FRAME, function: None }
    }
}

impl V8Profile {
    /// Whether these are the parts of a profile, possibly one without samples.
    pub(crate) fn is_profile(&self) -> bool {
        self.has_frames || (self.has_no_nodes && self.time_deltas.len() > 0)
    }

    /// Moves a piece of a profile to the end of `whole`. Texts and ids stay known for the next piece of the same trace.
    pub(crate) fn move_to(&mut self, whole: &mut V8Profile) {
        let (nodes, children) = (whole.nodes.len() as u32, whole.children.len());
        let moved = self.nodes.drain(..).map(|node| Node { children: children + node.children, ..node });
        whole.nodes.extend(moved);
        whole.children.append(&mut self.children);
        whole.ticks.extend(self.ticks.drain(..).map(|tick| NodeTick { node: nodes + tick.node, ..tick }));
        whole.samples.append(&mut self.samples);
        whole.time_deltas.append(&mut self.time_deltas);
        (whole.start, whole.end) = (self.start, self.end);
        self.clear();
    }

    /// Clears everything except for texts and ids.
    pub(crate) fn clear(&mut self) {
        let (seen_frames, ids) = (std::mem::take(&mut self.seen_frames), std::mem::take(&mut self.ids));
        *self = Self { seen_frames, ids, script_ids: self.script_ids.take(), ..Self::default() };
    }

    pub(crate) fn read_nodes(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        match json.peek_items()? {
            Items::Begin(Kind::Object) => {}
            Items::None => self.has_no_nodes = true,
            Items::NoArray | Items::Begin(_) => return json.skip(), // from a heap snapshot
        }
        json.enter_array()?;
        loop {
            json.fast_items(|item| self.plain_node(item));
            if !json.next_item()? {
                return Ok(());
            }
            self.read_node(json, builder)?;
        }
    }

    /// Reads the nested nodes of Chrome before 2016 and of old node modules, and those of sampled allocations. They may
    /// be nested as deep as a stack.
    pub(crate) fn read_head(&mut self, json: &mut Json, builder: &mut ProfileBuilder) -> Result<()> {
        if !json.enter_object()? {
            return Ok(());
        }
        self.nested = true;
        let mut open = vec![OpenNode::new(self.add_node(NONE))];
        while let Some(OpenNode { index, frame, function }) = open.last_mut() {
            let index = *index;
            let Some(key) = json.next_key()? else {
                self.nodes[index].function = function.unwrap_or_else(|| frame.function(1, builder));
                open.pop();
                if let Some(&OpenNode { index: parent, .. }) = open.last() {
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

    pub(crate) fn read_samples(&mut self, json: &mut Json) -> Result<()> {
        if !json.enter_array()? {
            return Ok(());
        }
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

    pub(crate) fn read_vscode(&mut self, json: &mut Json) -> Result<()> {
        vscode::read(json, &mut self.vscode)
    }

    /// Takes a node as V8 writes it, if its call frame has the same text as an earlier one.
    fn plain_node(&mut self, item: &mut FastReader) -> Option<()> {
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

    /// Most call frames have the same text as an earlier one, so these are looked up before they are read.
    fn read_call_frame(
        &mut self,
        json: &mut Json,
        builder: &mut ProfileBuilder,
    ) -> Result<Option<FunctionId>> {
        let mut text = None;
        if let Some(peek) = json.peek() {
            let length = peek.len();
            if let Some(&function) = self.seen_frames.get(peek) {
                json.skip_peeked(length);
                return Ok(Some(function));
            }
            text = (self.seen_frames.len() < MAX_SEEN_FRAMES && length < MAX_FRAME_LENGTH)
                .then(|| peek.to_vec());
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
        // Nested nodes with a call frame belong to allocations.
        let forgotten = if self.nested { frame.forgotten(builder) } else { None };
        self.forgotten.extend(forgotten);
        let mut function = forgotten.unwrap_or_else(|| frame.function(0, builder));
        if let Some(ids) = &mut self.script_ids {
            if let Some((maker, Some(script))) = frame.made_by {
                ids.add_maker(maker, script);
            }
            function = frame.script.map_or(function, |script| ids.copy(function, script, builder));
        }
        if let Some(text) = text.filter(|text| start + text.len() as u64 == json.offset()) {
            self.seen_frames.insert(text.into(), function);
        }
        Ok(Some(function))
    }

    /// Reads a member that nodes of both forms have.
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
            self.ticks.push(NodeTick { node, line: line - 1, ticks });
        }
    }

    fn add_node(&mut self, parent: u32) -> usize {
        let children = self.children.len();
        self.nodes.push(Node { id: NONE, function: FunctionId(0), parent, hits: 0, children });
        self.nodes.len() - 1
    }

    /// In the list of children of the old form: enters the next child, or leaves the list.
    fn enter_next_child(&mut self, json: &mut Json, parent: usize, open: &mut Vec<OpenNode>) -> Result<()> {
        while json.next_item()? {
            if json.enter_object()? {
                open.push(OpenNode::new(self.add_node(parent as u32)));
                return Ok(());
            }
        }
        Ok(())
    }
}

fn nanos(micros: f64) -> i64 {
    (micros * 1000.0).round() as i64
}
