//! From a drawing to a recording and documents, and the laws that hold for every drawing.
//!
//! [`check`] compares all hints of all files with those drawn, and [`load`] proves on the way what must be true of
//! any recording: that no time is lost, that a function counts once a stack, that callers and callees add up, and
//! that costs of parts are parts of costs. The proof adds up the drawn columns anew, in the plainest way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::{Amount, Cost, OffStack, Position, Profile, ProfileBuilder, StackId, Thread, Weight};
use source::{Encoding, LineCol, LineEnds, LineIndex};
use testkit::{Annotation, Drawing, DrawnFile, DrawnFrame, DrawnSample, DrawnTrace};
use text_size::{TextRange, TextSize};

use crate::views::{self, Base, HintsConfig, LensesConfig, Threshold, Unit};
use crate::{
    Call, Confidence, DefinitionKey, Document, FilePath, Files, Freshness, Ledger, LoadSettings,
    LocateSettings, MeasuredAt, Other, Recording, Summary, Threads, summarize, symbolicate,
};

/// What a drawing becomes.
pub(crate) struct World {
    /// The sum of its traces.
    pub(crate) recording: Recording,
    /// The newest version of each file.
    pub(crate) documents: BTreeMap<String, Document>,
    drawing: Drawing,
}

/// Checks that the hints of all files are exactly those drawn as `^^^^ label`, under the name of the function, or
/// under its first character where it has no name. What is not fresh or not exact says so behind the label: `, moved`.
/// Of a file that is edited the last version is checked.
pub(crate) fn check(drawing: &str) {
    check_with(drawing, &everything());
}

/// The same with a threshold.
pub(crate) fn check_with(drawing: &str, threshold: &Threshold) {
    let world = load(drawing);
    let (mut drawn, mut shown) = (Vec::new(), Vec::new());
    for (path, document) in &world.documents {
        drawn.extend(world.newest(path).annotations.iter().map(|it| line(document, it)));
        let mut hints = world.hints(path, threshold);
        hints.sort();
        shown.extend(hints.iter().map(|it| line(document, it)));
    }
    assert_eq!(shown, drawn, "shown is left, drawn is right");
}

/// Loads a drawing and proves the laws for it.
pub(crate) fn load(drawing: &str) -> World {
    let drawing = Drawing::parse(drawing);
    let files = DrawnFiles::new(&drawing.files);
    let locate = LocateSettings::default();
    let settings = LoadSettings { locate: &locate, maps: Some(&|_| true), recorded: None };
    let mut recordings: Vec<Recording> = Vec::new();
    for trace in &drawing.traces {
        let recording =
            crate::load(&trace.name, &profile(trace, &drawing.files, 1), Threads::Main, &files, &settings);
        prove_ledger(&recording.summary, trace);
        prove_costs(&recording.summary, trace, &drawing.files);
        let halves = profile(trace, &drawing.files, 2);
        let symbols = symbolicate(&halves, &files, &settings);
        let half = |it: usize| summarize(&halves, &halves.threads[it..=it], &symbols);
        prove_sum(half(0), half(1), &recording.summary);
        recordings.push(recording);
    }
    let recording = if recordings.len() == 1 { recordings.remove(0) } else { Recording::sum(recordings) };
    let mut documents: BTreeMap<String, Document> = BTreeMap::new();
    for file in &drawing.files {
        documents.insert(file.path.clone(), Document::new(FilePath::new(&file.path), 1, file.text.as_str()));
    }
    for edit in &drawing.edits {
        let next = edited(&documents[&edit.path], &edit.text);
        documents.insert(edit.path.clone(), next);
    }
    World { recording, documents, drawing }
}

/// Shows everything that was measured.
pub(crate) fn everything() -> Threshold {
    Threshold { percent: 0.0, base: Base::Active }
}

impl World {
    /// The document that has `$0`, and its place there.
    pub(crate) fn cursor(&self) -> (&Document, TextSize) {
        let mut all = self.documents.iter().filter_map(|(path, it)| Some((it, self.newest(path).marker(0)?)));
        let (document, at) = all.next().expect("a drawing with a `$0`");
        (document, TextSize::new(at as u32))
    }

    /// The key of a definition by its path, which must be of one file only.
    pub(crate) fn key(&self, path: &str) -> &DefinitionKey {
        let mut keys = self.recording.summary.definitions.keys().filter(|it| &*it.path == path);
        let key = keys.next().unwrap_or_else(|| panic!("`{path}` was not measured"));
        assert!(keys.next().is_none(), "`{path}` is in several files");
        key
    }

    /// All hints of a file at the ranges where drawings draw them.
    fn hints(&self, path: &str, threshold: &Threshold) -> Vec<Annotation> {
        let document = &self.documents[path];
        let config = HintsConfig { format: views::HINT.into(), unit: Unit::Time, threshold: *threshold };
        let whole = TextRange::up_to(TextSize::of(&*document.text));
        let hints = views::hints(&self.recording, document, whole, &config);
        let lenses = LensesConfig { format: views::LENS.into(), unit: Unit::Time, threshold: *threshold };
        let lenses = views::lenses(&self.recording, document, &lenses);
        let sorted = |mut keys: Vec<DefinitionKey>| {
            keys.sort();
            keys
        };
        assert_eq!(
            sorted(hints.iter().map(|it| it.key.clone()).collect()),
            sorted(lenses.iter().map(|it| it.key.clone()).collect()),
            "hints and lenses stand at the same functions"
        );
        let costs = views::document_costs(&self.recording, document, threshold.base).functions;
        let annotation = |it: views::Hint| {
            let cost =
                costs.iter().find(|cost| cost.key == it.key).expect("a function with a hint has a cost");
            let mut text = it.label;
            if cost.freshness != Freshness::Fresh {
                text += &format!(", {}", cost.freshness.name());
            }
            if cost.confidence != Confidence::Exact {
                text += &format!(", {}", cost.confidence.name());
            }
            Annotation { range: drawn_range(document, cost.selection), text }
        };
        hints.into_iter().map(annotation).collect()
    }

    fn newest(&self, path: &str) -> &DrawnFile {
        let edits = self.drawing.edits.iter().rev().find(|it| it.path == path);
        edits.or_else(|| self.drawing.file(path)).expect("a document is drawn")
    }
}

/// Where a drawing can put its carets: under the first character of what has no name, and `//<` at a line's start.
fn drawn_range(document: &Document, selection: TextRange) -> (usize, usize) {
    let (start, end) = (usize::from(selection.start()), usize::from(selection.end()));
    let column = document.lines().line_col(&document.text, selection.start(), Encoding::Utf8).column;
    if start == end && column > 1 { (start, start + 1) } else { (start, end) }
}

/// A line of the lists that [`check`] compares.
fn line(document: &Document, it: &Annotation) -> String {
    let start = document.lines().line_col(&document.text, TextSize::new(it.range.0 as u32), Encoding::Utf16);
    let text = &document.text[it.range.0..it.range.1];
    format!("{}:{}:{} `{text}` {}", document.file, start.line + 1, start.column + 1, it.text)
}

/// The next version, as editors send it that do not say what was changed.
fn edited(document: &Document, text: &str) -> Document {
    // An editor asks between two edits; what is derived then is carried along.
    document.outline();
    let whole = TextRange::up_to(TextSize::of(&*document.text));
    document.edited(document.version + 1, [text], |_, _, text| (whole, text.to_owned()))
}

/// The files of a drawing, in a workspace folder that is the root.
struct DrawnFiles {
    folders: [FilePath; 1],
    texts: BTreeMap<FilePath, Arc<[u8]>>,
}

impl DrawnFiles {
    fn new(files: &[DrawnFile]) -> Self {
        let text = |it: &DrawnFile| (FilePath::new(&it.path), Arc::from(it.text.as_bytes()));
        Self { folders: [FilePath::new("/")], texts: files.iter().map(text).collect() }
    }
}

impl Files for DrawnFiles {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.texts.keys().cloned().collect()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        self.texts.get(file).cloned()
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.texts.contains_key(file).then(|| file.clone())
    }
}

/// A drawn trace as a decoder would give it, its samples dealt out to so many threads. `?gc` is the collector; a
/// column of only `?program`, `?nostack` or `?unsampled` is time of that kind; an empty one is idle.
fn profile(trace: &DrawnTrace, files: &[DrawnFile], threads: usize) -> Profile {
    let mut builder = ProfileBuilder::new("drawing");
    for thread in 0..threads {
        let samples: Vec<&DrawnSample> = trace.samples.iter().skip(thread).step_by(threads).collect();
        for sample in &samples {
            let spent = Weight { time: Amount(sample.ns), samples: 1 };
            match off_stack(sample) {
                Some(off) => builder.spend_off_stack(off, spent),
                None => {
                    let stack = stack(&mut builder, sample, files);
                    builder.spend(stack, spent);
                }
            }
        }
        builder.end_thread(Thread {
            samples: samples.len() as u64,
            duration: samples.iter().map(|it| Amount(it.ns)).sum(),
            interval: Some(Amount(1_000_000)),
            ..Thread::default()
        });
    }
    builder.finish()
}

fn stack(builder: &mut ProfileBuilder, sample: &DrawnSample, files: &[DrawnFile]) -> StackId {
    let mut stack = None;
    for frame in &sample.frames {
        let name = builder.string(&frame.name);
        let function = match position(frame, files) {
            None if frame.name == "gc" => builder.garbage_collector(),
            None => builder.function(name, None, None),
            Some((resource, position)) => {
                let resource = builder.resource(&resource);
                builder.function(name, Some(resource), position)
            }
        };
        stack = Some(builder.stack(stack, function));
    }
    stack.expect("a column without frames is idle")
}

fn off_stack(sample: &DrawnSample) -> Option<OffStack> {
    match &sample.frames[..] {
        [] => Some(OffStack::Idle),
        [DrawnFrame { name, place: None }] => match name.as_str() {
            "program" => Some(OffStack::Program),
            "nostack" => Some(OffStack::NoStack),
            "unsampled" => Some(OffStack::Unsampled),
            _ => None,
        },
        _ => None,
    }
}

/// The resource and position of a frame, as the engine would give it.
fn position(frame: &DrawnFrame, files: &[DrawnFile]) -> Option<(String, Option<Position>)> {
    let place = frame.place.as_ref()?;
    let position = place.at.as_ref().map(|(path, offset)| {
        let text = &files.iter().find(|it| it.path == *path).expect("markers are of drawn files").text;
        let lines = LineIndex::new(text, LineEnds::Engine);
        let LineCol { line, column } = lines.line_col(text, TextSize::new(*offset as u32), Encoding::Utf16);
        Position { line, column: Some(column) }
    });
    Some((place.resource.clone(), position))
}

fn whole(trace: &DrawnTrace) -> Amount {
    trace.samples.iter().map(|it| Amount(it.ns)).sum()
}

/// Law: no time is lost.
fn prove_ledger(summary: &Summary, trace: &DrawnTrace) {
    let Ledger { total, placed, idle, no_stack, unplaced, .. } = &summary.ledger;
    let mut parts = Weight::default();
    for part in [placed, idle, no_stack].into_iter().chain(unplaced.values().map(|it| &it.spent)) {
        parts += *part;
    }
    assert_eq!(*total, parts, "the ledger adds up");
    assert_eq!(
        *total,
        Weight { time: whole(trace), samples: trace.samples.len() as u64 },
        "and to all samples"
    );
    let mut own = Weight::default();
    for measured in summary.definitions.values() {
        own += Weight { time: measured.cost.self_time, samples: measured.cost.self_samples };
    }
    assert_eq!(*placed, own, "what is placed is the self time of all definitions");
}

/// Law: a function counts once a stack, for itself on top; its callers are those of its outermost frame and its
/// callees those of its innermost one, so that both add up to it.
fn prove_costs(summary: &Summary, trace: &DrawnTrace, files: &[DrawnFile]) {
    let mut keys: BTreeMap<&MeasuredAt, &DefinitionKey> = BTreeMap::new();
    for (key, measured) in &summary.definitions {
        keys.extend(measured.measured_at.iter().map(|it| (it, key)));
    }
    let key_of = |frame: &DrawnFrame| {
        let (resource, position) = position(frame, files)?;
        keys.get(&MeasuredAt { resource: resource.into(), position }).copied()
    };
    let mut expected: BTreeMap<&DefinitionKey, Plain> = BTreeMap::new();
    for sample in &trace.samples {
        let spent = Weight { time: Amount(sample.ns), samples: 1 };
        let stack: Vec<Option<&DefinitionKey>> = sample.frames.iter().map(key_of).collect();
        for &key in stack.iter().flatten().collect::<BTreeSet<_>>() {
            let is_key = |it: &Option<&DefinitionKey>| *it == Some(key);
            let outermost = stack.iter().position(is_key).expect("it is on the stack");
            let innermost = stack.iter().rposition(is_key).expect("it is on the stack");
            let plain = expected.entry(key).or_default();
            plain.total += spent;
            let caller = outermost.checked_sub(1).map_or(End::Entry, |it| End::of(stack[it]));
            *plain.callers.entry(caller).or_default() += spent;
            match stack.get(innermost + 1) {
                Some(&callee) => *plain.callees.entry(End::of(callee)).or_default() += spent,
                None => plain.own += spent,
            }
        }
    }
    for (key, it) in &summary.definitions {
        let Cost { self_time, total_time, self_samples, total_samples } = it.cost;
        let measured = Plain {
            own: Weight { time: self_time, samples: self_samples },
            total: Weight { time: total_time, samples: total_samples },
            callers: ends(&it.callers),
            callees: ends(&it.callees),
        };
        assert_eq!(Some(measured), expected.remove(key), "{key:?}: self, total, callers and callees");
        assert!(total_time <= summary.ledger.base(false), "{key:?}: no total exceeds the base");
    }
    assert!(expected.is_empty(), "every definition on a stack has a cost: {expected:?}");
}

/// What a definition cost, added up in the plainest way.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    own: Weight,
    total: Weight,
    callers: BTreeMap<End, Weight>,
    callees: BTreeMap<End, Weight>,
}

/// A caller or callee, those without a definition all in one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Entry,
    Definition(DefinitionKey),
    Unplaced,
}

impl End {
    fn of(key: Option<&DefinitionKey>) -> Self {
        key.map_or(Self::Unplaced, |it| Self::Definition(it.clone()))
    }
}

fn ends(calls: &[Call]) -> BTreeMap<End, Weight> {
    let mut ends = BTreeMap::new();
    for call in calls {
        let end = match &*call.other {
            Other::Entry => End::Entry,
            Other::Definition(key) => End::Definition(key.clone()),
            Other::Unplaced(_) => End::Unplaced,
        };
        *ends.entry(end).or_default() += call.spent;
    }
    ends
}

/// Law: the summary of two parts together is the sum of their summaries.
fn prove_sum(left: Summary, right: Summary, both: &Summary) {
    let mut sum = left;
    sum += right;
    assert_eq!(sum.ledger, both.ledger, "ledgers add up");
    let costs = |it: &Summary| {
        let calls = |calls: &[Call]| calls.iter().map(|it| ((*it.other).clone(), it.spent)).collect();
        let row = |(key, it): (&DefinitionKey, &crate::Measured)| {
            let callers: BTreeMap<_, _> = calls(&it.callers);
            let callees: BTreeMap<_, _> = calls(&it.callees);
            (key.clone(), (it.cost, callers, callees))
        };
        it.definitions.iter().map(row).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(costs(&sum), costs(both), "costs add up");
    assert_eq!(sum.unplaced, both.unplaced, "and so do those of functions that were not placed");
}
