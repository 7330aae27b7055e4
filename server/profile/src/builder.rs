//! The only way to make a [`Profile`]: its tables have no duplicates, and callers come before their callees.

mod counts;
mod facts;
mod labels;
mod markers;
mod populations;
mod scripts;
mod ticks;
mod units;
mod used_functions;
mod without_file;

use std::cmp::Reverse;
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use self::labels::LabelSets;
use self::markers::{PendingMarker, PendingMarkers, put_on_axis, since};
use self::scripts::{add_texts_of_counts, find_scripts_of_threads, keep_scripts};
use self::ticks::summed_ticks;
use self::used_functions::NewNumbers;
use crate::model::{
    Checkout, Function, FunctionId, FunctionKind, KnownPlace, Label, MarkerKind, OffStack, PlaceId,
    PlaceTable, PlaceTicks, Position, Profile, ResourceId, SampleLog, Script, SeenPlace, StackId, Stacks,
    StringId, Thread, Weight,
};
use crate::problem::{Problem, count};

/// Collects a profile. Threads are built one after the other and share all tables.
#[derive(Debug, Default)]
pub struct ProfileBuilder {
    profile: Profile,
    resources: FxHashMap<StringId, ResourceId>,
    functions: FxHashMap<Function, FunctionId>,
    stacks: FxHashMap<(Option<StackId>, FunctionId), StackId>,
    label_sets: LabelSets,
    /// Time of the current thread; each stack once.
    on_stack: Vec<(StackId, Weight)>,
    /// The index of each stack in `on_stack`, if it is there; otherwise any number.
    index_of: Vec<u32>,
    off_stack: [Weight; OffStack::ALL.len()],
    in_order: SampleLog,
    places: PlaceTable,
    /// The ticks of the current thread.
    ticks: Vec<PlaceTicks>,
    /// How likely each thread is the main one.
    importance: Vec<u64>,
    /// When the first sample of each thread was taken, on the clock of the trace.
    starts: Vec<Option<i64>>,
    /// When the first sample of the current thread was taken.
    start: Option<i64>,
    /// Markers of all sessions, whose axes are known once all threads are.
    markers: PendingMarkers,
    /// The processes of threads, by the trace's names.
    processes: FxHashMap<String, u32>,
}

impl ProfileBuilder {
    /// Creates an empty profile. `format` is the display name; see [`Profile::format`].
    pub fn new(format: &'static str) -> Self {
        Self { profile: Profile { format, ..Profile::default() }, ..Self::default() }
    }

    /// Changes the format's name.
    pub fn format(&mut self, format: &'static str) {
        self.profile.format = format;
    }

    /// The id of a name.
    pub fn string(&mut self, text: &str) -> StringId {
        self.profile.strings.intern(text)
    }

    /// The id of a url or path, exactly as the trace writes it.
    pub fn resource(&mut self, url: &str) -> ResourceId {
        let string = self.string(url);
        let resources = &mut self.profile.resources;
        *self.resources.entry(string).or_insert_with(|| {
            resources.push(string);
            ResourceId(id_of(resources.len()))
        })
    }

    /// The id of a function. Its kind follows from the rest: `(garbage collector)` without a resource is the collector. A
    /// function without a resource is native if its name is in parentheses, if it has no position, or if it has a name
    /// and the position 0:0 (which V8 writes for some builtins).
    pub fn function(
        &mut self,
        name: StringId,
        resource: Option<ResourceId>,
        defined_at: Option<Position>,
    ) -> FunctionId {
        let kind = self.kind(name, resource, defined_at);
        self.add_function(Function { name, resource, defined_at, kind, made_by: None })
    }

    fn add_function(&mut self, function: Function) -> FunctionId {
        let functions = &mut self.profile.functions;
        *self.functions.entry(function).or_insert_with(|| {
            functions.push(function);
            FunctionId(id_of(functions.len()))
        })
    }

    /// The id of a function that is the same in all that is known of it, in another text.
    pub(crate) fn copy_function(&mut self, function: FunctionId) -> FunctionId {
        let functions = &mut self.profile.functions;
        functions.push(functions[function.0 as usize]);
        FunctionId(id_of(functions.len()))
    }

    /// The id of the garbage collector's function.
    pub fn garbage_collector(&mut self) -> FunctionId {
        let name = self.string(GARBAGE_COLLECTOR);
        self.function(name, None, None)
    }

    /// The id of the stack in which `caller` called `function`; an outermost function has no caller.
    pub fn stack(&mut self, caller: Option<StackId>, function: FunctionId) -> StackId {
        if let Some(&stack) = self.stacks.get(&(caller, function)) {
            return stack;
        }
        let stack = self.new_stack(caller, function);
        self.stacks.insert((caller, function), stack);
        stack
    }

    /// Adds a stack without checking whether it is known, for tables that have each stack only once.
    /// [`ProfileBuilder::stack`] does not find it. A duplicate stack takes more memory, but changes nothing else.
    pub(crate) fn new_stack(&mut self, caller: Option<StackId>, function: FunctionId) -> StackId {
        let stacks = &mut self.profile.stacks;
        stacks.push(caller, function);
        StackId(id_of(stacks.function.len()))
    }

    /// Adds a whole table, whose callers are stacks of the table itself. Returns the number of its first stack.
    pub(crate) fn new_stacks(
        &mut self,
        functions: Vec<FunctionId>,
        callers: impl Iterator<Item = Option<StackId>>,
    ) -> u32 {
        let stacks = &mut self.profile.stacks;
        let first = stacks.function.len() as u32;
        if first == 0 {
            *stacks = Stacks::of(functions, callers);
        } else {
            for (function, caller) in functions.into_iter().zip(callers) {
                stacks.push(caller.map(|it| StackId(first + it.0)), function);
            }
        }
        first
    }

    /// The id of a place; `None` if nothing is known about it.
    pub fn place(&mut self, place: SeenPlace) -> Option<PlaceId> {
        self.places.id(place)
    }

    /// Adds time on a stack of the current thread.
    #[inline]
    pub fn add_on_stack(&mut self, stack: StackId, weight: Weight) {
        self.add_at(stack, None, weight);
    }

    /// Adds time on a stack of the current thread whose top function was at this place.
    #[inline]
    pub fn add_at(&mut self, stack: StackId, place: Option<PlaceId>, weight: Weight) {
        self.in_order.push_at(Ok(stack), weight, place.map_or(0, |it| self.places.number(it)));
        let index = stack.0 as usize;
        if index >= self.index_of.len() {
            self.index_of.resize(self.profile.stacks.function.len().max(index + 1), 0);
        }
        let at = &mut self.index_of[index];
        match self.on_stack.get_mut(*at as usize) {
            Some((known, sum)) if *known == stack => *sum += weight,
            _ => {
                *at = self.on_stack.len() as u32;
                self.on_stack.push((stack, weight));
            }
        }
    }

    /// Adds time of the current thread that belongs to no stack.
    pub fn add_off_stack(&mut self, why: OffStack, weight: Weight) {
        self.in_order.push(Err(why), weight);
        self.off_stack[why as usize] += weight;
    }

    /// Adds time on a stack or on none.
    pub(crate) fn add_sample(&mut self, on: Result<StackId, OffStack>, weight: Weight) {
        self.add_sample_at(on, None, weight);
    }

    /// Adds time on a stack or on none; on a stack, its top function was at this place.
    pub(crate) fn add_sample_at(
        &mut self,
        on: Result<StackId, OffStack>,
        place: Option<PlaceId>,
        weight: Weight,
    ) {
        match on {
            Ok(stack) => self.add_at(stack, place, weight),
            Err(why) => self.add_off_stack(why, weight),
        }
    }

    /// What a stack means in a format that writes everything as frames. `(idle)` on top is idle time; V8's other pseudo
    /// functions have their meaning only if they are the only frame.
    pub(crate) fn meaning(&self, stack: StackId) -> Result<StackId, OffStack> {
        let function = self.profile.functions[self.profile.stacks.function[stack.0 as usize].0 as usize];
        let name = self.profile.strings.get(function.name);
        if function.resource.is_some() || !name.starts_with('(') {
            return Ok(stack);
        }
        let alone = self.profile.stacks.caller(stack).is_none();
        let why = OffStack::ALL.into_iter().find(|why| why.frame() == name);
        why.filter(|&why| alone || why == OffStack::Idle).map_or(Ok(stack), Err)
    }

    /// The number of the process with this name.
    pub(crate) fn process(&mut self, name: &str) -> u32 {
        let next = self.processes.len() as u32;
        *self.processes.entry(name.to_owned()).or_insert(next)
    }

    /// Sets when the first sample of the current thread was taken, in nanoseconds on the clock of the trace. Its samples
    /// are then in order of time.
    pub(crate) fn thread_starts_at(&mut self, nanos: i64) {
        self.start = Some(nanos);
    }

    /// Sets when the next sample was taken, in nanoseconds since the first of its thread. Without this, it is where the last one ends.
    pub(crate) fn next_sample_at(&mut self, nanos: i64) {
        self.in_order.next_at(nanos);
    }

    /// The number of a set of labels.
    pub(crate) fn labels(&mut self, labels: Vec<Label>) -> u32 {
        self.label_sets.number(&mut self.profile.label_sets, labels)
    }

    /// Sets the labels of the next sample; without this, it has none.
    pub(crate) fn next_sample_has(&mut self, labels: u32) {
        self.in_order.next_has(labels);
    }

    /// Adds a marker of a process to the session of the current thread. Its start and end are in nanoseconds on the clock of the trace.
    pub(crate) fn marker(
        &mut self,
        name: StringId,
        kind: MarkerKind,
        process: u32,
        (start, end): (i64, i64),
    ) {
        let thread = self.threads();
        self.markers.add(PendingMarker { name, kind, process, thread, start, end });
    }

    /// Ends the current thread. Only name, samples, duration and interval of `thread` have to be given.
    pub fn end_thread(&mut self, thread: Thread) {
        self.importance.push(0);
        let start = self.start.take();
        self.starts.push(start);
        let on_stack = self.in_order_of_stacks().into_iter().collect();
        let off_stack = std::mem::take(&mut self.off_stack);
        let off_stack = OffStack::ALL
            .into_iter()
            .zip(off_stack)
            .filter(|(_, weight)| *weight != Weight::default())
            .collect();
        let mut in_order = std::mem::take(&mut self.in_order);
        in_order.shrink();
        let mut ticks = std::mem::take(&mut self.ticks);
        // Places given by the samples themselves are better.
        if in_order.has_places() {
            ticks.clear();
        }
        let ticks = summed_ticks(ticks, &self.places);
        self.profile.threads.push(Thread { on_stack, off_stack, in_order, ticks, ..thread });
    }

    /// Sets how likely the last ended thread is the main one of its session: the highest number wins.
    pub(crate) fn thread_is_important(&mut self, importance: u64) {
        if let Some(last) = self.importance.last_mut() {
            *last = importance;
        }
    }

    /// Marks the last ended thread as another profile of an earlier one.
    pub(crate) fn thread_repeats(&mut self) {
        if let Some(thread) = self.profile.threads.last_mut() {
            thread.repeats = true;
        }
    }

    /// Ends a session: the threads from the `first`-th on were recorded side by side. The most important one is the main
    /// thread and goes first; the others keep their order.
    pub fn end_session(&mut self, first: usize) {
        let (before, threads) = self.profile.threads.split_at_mut(first);
        let importance = &mut self.importance[first..];
        let Some(main) = (0..threads.len()).max_by_key(|&it| (importance[it], Reverse(it))) else { return };
        threads[..=main].rotate_right(1);
        importance[..=main].rotate_right(1);
        let session = before.last().map_or(0, |it| it.session + 1);
        threads.iter_mut().for_each(|it| it.session = session);
        self.starts[first..=first + main].rotate_right(1);
        let starts = &self.starts[first..];
        let origin = starts.iter().flatten().min().copied().unwrap_or_default();
        for (thread, start) in threads.iter_mut().zip(starts) {
            thread.start = start.map(|it| since(origin, it));
            put_on_axis(thread);
        }
    }

    /// Records how often the top function of a stack was seen at a place on the current thread; ticks of the same stack and place add up.
    pub fn place_ticks(&mut self, stack: StackId, place: PlaceId, ticks: u32) {
        self.ticks.push(PlaceTicks { stack, place, ticks });
    }

    /// Records a place that the producer of the trace knew.
    pub fn known_place(&mut self, place: KnownPlace) {
        self.profile.known_places.push(place);
    }

    /// Adds what the trace holds of a script.
    pub fn script(&mut self, script: Script) -> u32 {
        self.profile.scripts.push(script);
        id_of(self.profile.scripts.len())
    }

    /// Records that a function was in a script. Call once per function.
    pub fn in_script(&mut self, function: FunctionId, script: u32) {
        self.profile.script_of.push((function, script));
    }

    /// The url or path of a function's script.
    pub fn resource_of(&self, function: FunctionId) -> Option<&str> {
        self.profile.resource(function)
    }

    /// Sets the commit from which the program was recorded.
    pub fn checkout(&mut self, checkout: Checkout) {
        self.profile.checkout = Some(checkout);
    }

    /// Sets when the program was recorded, if known.
    pub fn recorded_at(&mut self, time: Option<SystemTime>) {
        self.profile.recorded = time;
    }

    /// Reports something odd in the trace.
    pub fn problem(&mut self, what: String, hint: &str) {
        self.profile.problems.push(Problem { what, place: String::new(), hint: hint.to_owned() });
    }

    /// The number of threads ended so far.
    pub fn threads(&self) -> usize {
        self.profile.threads.len()
    }

    /// Whether a function belongs to a script.
    pub(crate) fn is_script(&self, function: FunctionId) -> bool {
        self.profile.functions[function.0 as usize].kind == FunctionKind::Script
    }

    /// What has been collected so far.
    pub(crate) fn tables(&self) -> &Profile {
        &self.profile
    }

    /// Whether a function has this name and no resource.
    pub(crate) fn is_pseudo(&self, function: FunctionId, name: &str) -> bool {
        let function = self.profile.functions[function.0 as usize];
        function.resource.is_none() && self.profile.strings.get(function.name) == name
    }

    /// Returns the profile. Functions that are on no stack and made none that is, such as V8's `(root)`, are left out. So
    /// are threads that count bytes if others measured time: the two have no sum.
    pub fn finish(mut self) -> Profile {
        let lost = self.markers.place(&mut self.profile, &self.starts);
        if let Some(what) = units::choose(&mut self.profile) {
            self.problem(what, "such threads were left out, the others measured time");
        }
        if let Some(what) = populations::choose(&mut self.profile) {
            self.problem(what, "only the first slice was read; open the others by themselves");
        }
        if lost > 0 {
            let what = format!("it has {} too many to keep", count(lost as u64, "marker", "markers"));
            self.problem(what, "the first of each kind are known by name");
        }
        let mut profile = self.profile;
        let new = NewNumbers::of_used(&profile);
        new.apply(&mut profile);
        keep_scripts(&mut profile);
        add_texts_of_counts(&mut profile);
        profile.markers.sort_by_key(|it| (it.session, it.start, it.duration, it.kind));
        find_scripts_of_threads(&mut profile);
        profile.places = self.places.finish(profile.functions.len(), &new.numbers);
        profile
    }

    /// Takes the time of the current thread. If many stacks have time, all stacks are walked instead of sorting.
    fn in_order_of_stacks(&mut self) -> Vec<(StackId, Weight)> {
        let mut on_stack = std::mem::take(&mut self.on_stack);
        if on_stack.is_sorted_by_key(|&(stack, _)| stack) || on_stack.len() < self.index_of.len() / 16 {
            on_stack.sort_unstable_by_key(|&(stack, _)| stack);
            on_stack.shrink_to_fit();
            return on_stack;
        }
        let mut sorted = Vec::with_capacity(on_stack.len());
        let known = self.index_of.iter().zip(0..).filter_map(|(&at, stack)| {
            on_stack.get(at as usize).filter(|(known, _)| *known == StackId(stack))
        });
        sorted.extend(known);
        sorted
    }

    fn kind(
        &self,
        name: StringId,
        resource: Option<ResourceId>,
        defined_at: Option<Position>,
    ) -> FunctionKind {
        if resource.is_some() {
            return FunctionKind::Script;
        }
        let name = self.profile.strings.get(name);
        if name == GARBAGE_COLLECTOR {
            return FunctionKind::GarbageCollector;
        }
        let nowhere = match defined_at {
            None => true,
            Some(position) => position == Position { line: 0, column: Some(0) } && !name.is_empty(),
        };
        if nowhere || (name.starts_with('(') && name.ends_with(')')) {
            FunctionKind::Native
        } else {
            FunctionKind::Script
        }
    }
}

/// V8's name for its garbage collector.
pub(crate) const GARBAGE_COLLECTOR: &str = "(garbage collector)";

/// The id of the last row of a table of this length.
fn id_of(rows: usize) -> u32 {
    u32::try_from(rows - 1).expect("fewer than 2^32 rows fit in memory")
}
