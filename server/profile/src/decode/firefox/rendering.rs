//! Style and layout that functions forced. The markers of both only tell what had changed before. But they lie within a
//! marker of the flush that computed them, and that has the stack that waited for it:
//!
//! ```text
//! DoFlushPendingNotifications  |..............................|   get HTMLElement.offsetHeight < measure < run
//! Styles                        |.........|                       set CSSStyleProperties.paddingLeft < widen < run
//! Reflow (sync)                            |..................|
//! ```
//!
//! A flush without a script on its stack belongs to a frame, which nobody waited for. A stack tells the line of a call.
//! For a property that is read or set, which records nothing, it is the line of the previous call.

use std::cmp::Reverse;

use super::stacks::{KeptStacks, Waiting};
use crate::builder::ProfileBuilder;
use crate::model::{Amount, AskedFor, ForcedRendering, FunctionId, RenderingKind};

/// A flush of pending changes.
struct Flush {
    span: (i64, i64),
    /// The row of its stack.
    stack: u32,
}

/// What was computed on a thread, on the clock of the session, in nanoseconds.
#[derive(Default)]
pub(super) struct RenderingMarkers {
    computed: Vec<(RenderingKind, (i64, i64))>,
    flushes: Vec<Flush>,
}

impl RenderingMarkers {
    pub(super) fn computed(&mut self, kind: RenderingKind, span: (i64, i64)) {
        self.computed.push((kind, span));
    }

    pub(super) fn flushed(&mut self, span: (i64, i64), stack: u32) {
        self.flushes.push(Flush { span, stack });
    }

    /// What functions forced, in order of time. Starts are on the clock of the session, relative to the first sample.
    pub(super) fn forced(
        mut self,
        first_sample: i64,
        stacks: &mut KeptStacks<'_>,
        builder: &mut ProfileBuilder,
    ) -> Vec<ForcedRendering> {
        self.computed.sort_by_key(|it| it.1);
        self.flushes.sort_by_key(|flush| (flush.span.0, Reverse(flush.span.1)));
        let mut flushes = self.flushes.iter().peekable();
        let mut open: Vec<&Flush> = Vec::new();
        let mut all = Vec::new();
        for (kind, (start, end)) in self.computed {
            while let Some(flush) = flushes.next_if(|flush| flush.span.0 <= start) {
                open.push(flush);
            }
            while open.pop_if(|flush| flush.span.1 <= start).is_some() {}
            let around = open.last().filter(|flush| end <= flush.span.1);
            let Some(waiting) = around.and_then(|flush| stacks.waiting(flush.stack, builder)) else {
                continue;
            };
            let Waiting { stack, at, called } = waiting;
            let (asked_for, is_call) = called.map_or((AskedFor::Unknown, false), |it| asked_for(it, builder));
            all.push(ForcedRendering {
                kind,
                start: length(first_sample, start),
                duration: length(start, end),
                stack: Some(stack),
                at: at.filter(|_| is_call),
                asked_for,
            });
        }
        all
    }
}

fn length(from: i64, to: i64) -> Amount {
    Amount(to.saturating_sub(from).max(0).unsigned_abs())
}

/// What a function of the browser asks for, such as `offsetHeight` for `get HTMLElement.offsetHeight`, and whether that is a call.
fn asked_for(function: FunctionId, builder: &mut ProfileBuilder) -> (AskedFor, bool) {
    let name = builder.tables().name(function);
    let is_call = !name.starts_with("get ") && !name.starts_with("set ");
    match name.rsplit_once('.').map(|(_, member)| member.to_owned()) {
        Some(member) if !member.is_empty() => (AskedFor::Named(builder.string(&member)), is_call),
        _ => (AskedFor::Unknown, false),
    }
}
