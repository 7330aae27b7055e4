//! A thread in order of time, as stretches: neighbouring samples with the same stack are one stretch. If a recording has more than can be
//! drawn or sent, stretches shorter than a step are merged with their neighbours.

/// Time on one stack without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The stack.
    pub(crate) stack: u32,
    /// Nanoseconds between the end of the stretch before and its start; for the first stretch, since the start of its thread.
    pub(crate) gap: u64,
    /// How long it took, in nanoseconds.
    pub(crate) time: u64,
}

/// Turns samples into stretches. Each sample is given by its start since that of the thread, its stack and its time. Overlapping samples
/// are put one after the other, so that none gets narrower than its time. With a step, shorter stretches are put together until they are
/// that long; they are drawn as the one in the middle of them, so that what is drawn is in proportion.
pub(crate) fn stretches(
    samples: impl Iterator<Item = (i64, u32, u64)>,
    step: u64,
) -> impl Iterator<Item = Stretch> {
    let same = SameStack { samples, open: None, end: 0 };
    Steps { stretches: same, step, short: Vec::new(), next: None }
}

/// Neighbours with the same stack.
struct SameStack<S> {
    samples: S,
    open: Option<Stretch>,
    /// Where the open stretch ends.
    end: i64,
}

impl<S: Iterator<Item = (i64, u32, u64)>> Iterator for SameStack<S> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        for (start, stack, time) in self.samples.by_ref().filter(|(_, _, time)| *time > 0) {
            let gap = start.saturating_sub(self.end).max(0);
            self.end = self.end.saturating_add(gap).saturating_add_unsigned(time);
            match &mut self.open {
                Some(stretch) if stretch.stack == stack && gap == 0 => stretch.time += time,
                open => {
                    let done = open.replace(Stretch { stack, gap: gap.unsigned_abs(), time });
                    if done.is_some() {
                        return done;
                    }
                }
            }
        }
        self.open.take()
    }
}

/// Stretches that are too short to be seen, put together.
struct Steps<R> {
    stretches: R,
    step: u64,
    short: Vec<Stretch>,
    next: Option<Stretch>,
}

impl<R: Iterator<Item = Stretch>> Iterator for Steps<R> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let mut length = 0;
        while length < self.step {
            let Some(stretch) = self.stretches.next() else { break };
            if stretch.time >= self.step || stretch.gap >= self.step {
                // A stretch that can be seen, and a gap, stay where they are.
                let Some(merged) = self.merged() else { return Some(stretch) };
                if stretch.time >= self.step {
                    self.next = Some(stretch);
                } else {
                    self.short.push(stretch);
                }
                return Some(merged);
            }
            length += stretch.gap + stretch.time;
            self.short.push(stretch);
        }
        if self.step == 0 { self.stretches.next() } else { self.merged() }
    }
}

impl<R> Steps<R> {
    /// The stretch that stands for the short ones: their time, after all their gaps.
    fn merged(&mut self) -> Option<Stretch> {
        let (gap, time) =
            self.short.iter().fold((0, 0), |(gap, time), stretch| (gap + stretch.gap, time + stretch.time));
        let mut before = 0;
        let middle = self.short.iter().find(|stretch| {
            before += stretch.time;
            before * 2 >= time
        });
        let stack = middle?.stack;
        self.short.clear();
        Some(Stretch { stack, gap, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples as letters, each a stack for as long as the letter is repeated; `.` is a gap.
    fn drawn(drawing: &str, step: u64) -> String {
        let samples = drawing.chars().enumerate().filter(|it| it.1 != '.');
        let samples = samples.map(|(start, stack)| (start as i64, stack as u32, 1));
        let stretches = stretches(samples, step).map(|it| {
            let stack = char::from_u32(it.stack).expect("a letter").to_string();
            ".".repeat(it.gap as usize) + &stack.repeat(it.time as usize)
        });
        stretches.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn drawings() {
        let rows = [
            ("", 0, ""),
            ("aabb", 0, "aa|bb"),
            ("aa..ab", 0, "aa|..a|b"),
            ("..a", 0, "..a"),
            ("ababccccdab", 4, "bbbb|cccc|aaa"),
            ("abcdef", 3, "bbb|eee"),
            ("ab.......c", 4, "aa|.......c"),
            ("a.b.c.d", 4, "..bbb|.d"),
        ];
        for (drawing, step, expected) in rows {
            assert_eq!(drawn(drawing, step), expected, "{drawing} in steps of {step}");
        }
    }

    #[test]
    fn samples_that_overlap_stand_one_behind_the_other() {
        let all: Vec<Stretch> = stretches([(0, 1, 10), (5, 2, 10), (30, 1, 5)].into_iter(), 0).collect();
        let stretch = |stack, gap, time| Stretch { stack, gap, time };
        assert_eq!(all, [stretch(1, 0, 10), stretch(2, 0, 10), stretch(1, 10, 5)]);
    }
}
