//! What a thread did according to a Chrome trace, event by event: what began and ended between its samples.

use std::sync::Arc;

use crate::model::{Position, RenderingKind};

/// Something that a thread did, with a start and an end, in nanoseconds on the clock of the trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadEvent {
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The node of the sample that was taken for it, if it is style or layout; [`NO_SAMPLE`] if none was.
    pub(crate) sample: u32,
    pub(crate) kind: EventKind,
}

pub(crate) const NO_SAMPLE: u32 = u32::MAX;

/// A task that takes longer than this, in nanoseconds, is a long one (W3C Long Tasks, section 2.1).
const LONG_TASK: i64 = 50_000_000;

impl ThreadEvent {
    /// Whether it is a task of more than 50 ms.
    pub(crate) fn is_long_task(&self) -> bool {
        self.kind == EventKind::Task && self.end.saturating_sub(self.start) > LONG_TASK
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A task of the thread's event loop.
    Task,
    /// JavaScript runs directly below it: calls of a function, calls by the engine, microtasks from promises.
    Script,
    /// Style and layout: work without JavaScript.
    Rendering(RenderingKind),
    /// Anything else, whose time nobody asks for.
    #[default]
    Other,
}

impl EventKind {
    /// The kind of a Chrome trace event: what DevTools treats as a task, and as an event that runs JavaScript.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "RunTask" | "ThreadControllerImpl::RunTask" | "TaskQueueManager::ProcessTaskFromWorkQueue" => {
                Self::Task
            }
            "UpdateLayoutTree" => Self::Rendering(RenderingKind::Style),
            "Layout" => Self::Rendering(RenderingKind::Layout),
            "FunctionCall" | "EvaluateScript" | "EventDispatch" | "RunMicrotasks" => Self::Script,
            _ if name.starts_with("v8") || name.starts_with("V8") => Self::Script,
            _ => Self::Other,
        }
    }
}

/// What a Chrome trace has about a thread besides its samples.
pub(crate) struct ThreadEvents {
    /// When the profile began, in nanoseconds: the first distance of its timeline is relative to this.
    pub(crate) start: i64,
    /// In order of their start, longer ones first. The samples that were taken for them are node ids, and indices once those are known.
    pub(crate) events: Vec<ThreadEvent>,
    /// Where functions asked for style and layout, by the starts of these events, in order.
    pub(crate) sites: Vec<(i64, CallSite)>,
}

/// Where a function asked for style or layout: the innermost frame of the stack in the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// The name of the function.
    pub(crate) name: Arc<str>,
    /// The url of its script.
    pub(crate) url: Arc<str>,
    /// The position in the script.
    pub(crate) at: Position,
}

impl ThreadEvents {
    /// Where a function was when an event began.
    pub(super) fn site(&self, start: i64) -> Option<&CallSite> {
        let (begun, site) = self.sites.get(self.sites.partition_point(|it| it.0 < start))?;
        (*begun == start).then_some(site)
    }
}
