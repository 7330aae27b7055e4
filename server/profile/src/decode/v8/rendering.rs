//! Finds which style and layout computations of a thread its functions forced, and which function forced each.
//!
//! The rule is that of DevTools (`WarningsHandler` and `isJSInvocationEvent` of `front_end/models/trace`): a computation
//! within an event that runs JavaScript was forced. DevTools only warns about tasks in which that took 30 ms; here, all are
//! counted. V8 takes a sample for each such event, whose stack is the one that waited. So a computation that the stack of a
//! function waited for was also forced if the event around it is missing because recording ended before the function did.

use rustc_hash::FxHashMap;

use super::events::{CallSite, EventKind, NO_SAMPLE, ThreadEvent, ThreadEvents};
use super::tree::NodeTree;
use crate::builder::ProfileBuilder;
use crate::model::{Amount, AskedFor, ForcedRendering, FunctionId, Position, RenderingKind, StackId};

/// What the functions of a thread forced, in order of time. Starts are on the clock of the trace, relative to the first sample.
pub(super) fn forced(
    thread: &ThreadEvents,
    first_sample: i64,
    tree: &NodeTree,
    builder: &mut ProfileBuilder,
) -> Vec<ForcedRendering> {
    let mut all = Vec::new();
    let mut by_name = None;
    // The ends of the enclosing events that run JavaScript.
    let mut open: Vec<i64> = Vec::new();
    for event in &thread.events {
        while open.last().is_some_and(|&end| end <= event.start) {
            open.pop();
        }
        match event.kind {
            EventKind::Script => open.push(event.end),
            EventKind::Rendering(kind) => {
                let site = thread.site(event.start);
                let sampled = (event.sample != NO_SAMPLE).then(|| stack_of(event, tree, builder)).flatten();
                let stack = sampled.or_else(|| {
                    let functions = by_name.get_or_insert_with(|| Functions::new(builder));
                    Some(builder.stack(None, functions.of(site?)?))
                });
                if stack.is_some() || !open.is_empty() {
                    all.push(rendering(event, kind, first_sample, stack, site, builder));
                }
            }
            EventKind::Task | EventKind::Other => {}
        }
    }
    all
}

fn rendering(
    event: &ThreadEvent,
    kind: RenderingKind,
    first_sample: i64,
    stack: Option<StackId>,
    site: Option<&CallSite>,
    builder: &ProfileBuilder,
) -> ForcedRendering {
    let length = |from: i64, to: i64| Amount(to.saturating_sub(from).max(0).unsigned_abs());
    let url = stack.map(|it| builder.resource_of(builder.tables().stacks.function[it.0 as usize]));
    // A frame of another script does not tell where this function was.
    let site = site.filter(|site| url.is_some_and(|url| url.unwrap_or_default() == &*site.url));
    ForcedRendering {
        kind,
        start: length(first_sample, event.start),
        duration: length(event.start, event.end),
        stack,
        at: site.map(|it| it.at),
        asked_for: AskedFor::AtPlace,
    }
}

/// The stack that was sampled for an event, up to its innermost script function.
fn stack_of(event: &ThreadEvent, tree: &NodeTree, builder: &ProfileBuilder) -> Option<StackId> {
    let stacks = &builder.tables().stacks;
    let mut stack = tree.at(event.sample).stack()?;
    while !builder.is_script(stacks.function[stack.0 as usize]) {
        stack = stacks.caller(stack)?;
    }
    Some(stack)
}

/// The named script functions that were sampled, for versions of Chrome that take no sample for such events.
struct Functions {
    /// Where each begins.
    by_name: FxHashMap<NameInScript, Vec<(Position, FunctionId)>>,
}

/// The url of a script, and the name of a function in it.
type NameInScript = (Box<str>, Box<str>);

impl Functions {
    fn new(builder: &ProfileBuilder) -> Self {
        let profile = builder.tables();
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (function, id) in profile.functions.iter().zip(0..).map(|(it, id)| (it, FunctionId(id))) {
            let (name, url) = (profile.name(id), profile.resource(id));
            if let (Some(url), Some(start), false) = (url, function.defined_at, name.is_empty()) {
                by_name.entry((url.into(), name.into())).or_default().push((start, id));
            }
        }
        by_name.values_mut().for_each(|it| it.sort_unstable());
        Self { by_name }
    }

    /// Among the functions with that name, the last one that begins before a place in it.
    fn of(&self, site: &CallSite) -> Option<FunctionId> {
        let all = self.by_name.get(&((&*site.url).into(), (&*site.name).into()))?;
        let before = all.partition_point(|it| it.0 <= site.at);
        Some(all[before.checked_sub(1)?].1)
    }
}
