//! Threads as drawings: events, samples, and the calls that follow from them.
//!
//! A column is 10 ms. `[--]` is an event from its bracket to its bracket, `!` one without length. Below `samples` each
//! column is a stack, the outermost function on top, `?` is no function. Behind the name of an event stands the stack
//! that was recorded with it. A call goes from its letter to the next letter or to its `|`; a letter alone has no length.
//! Rows without a colon are titles.
//! An upper case letter is a function of the same name and line as the lower case one, at another column.

use super::*;
use crate::builder::ProfileBuilder;
use crate::model::Position;

const COLUMN: i64 = 10_000_000;

struct Drawn {
    profile: Profile,
    samples: Vec<(i64, u32)>,
    events: Vec<ThreadEvent>,
    seen: Vec<Seen>,
    expected: Vec<String>,
}

fn draw(text: &str) -> Drawn {
    let mut builder = ProfileBuilder::new("");
    let mut stack = |path: &[char]| {
        let mut caller = None;
        for letter in path {
            if *letter == '?' {
                return Seen::NoFunction;
            }
            let name = builder.string(&letter.to_lowercase().to_string());
            let column = u32::from(letter.is_uppercase());
            let at = Position { line: 0, column: Some(column) };
            let function = builder.function(name, None, Some(at));
            caller = Some(builder.stack(caller, function));
        }
        caller.map_or(Seen::NoFunction, Seen::Stack)
    };
    let (mut samples, mut events, mut seen, mut expected) = (vec![], vec![], vec![], vec![]);
    let (mut looks, mut section) = (Vec::<Vec<char>>::new(), "");
    for (label, cells) in text.lines().filter_map(|row| row.split_once(": ")) {
        let label = label.trim();
        section = if label.is_empty() { section } else { label };
        let place = |mark: char| Some(cells.find(mark)? as i64 * COLUMN);
        match section {
            "samples" => {
                for (column, letter) in cells.chars().enumerate().filter(|(_, letter)| *letter != ' ') {
                    looks.resize(looks.len().max(column + 1), Vec::new());
                    looks[column].push(letter);
                }
            }
            "calls" => expected.push(cells.trim_end().to_owned()),
            _ => {
                let (name, recorded) = label.split_once(' ').unwrap_or((label, ""));
                let sample = if recorded.is_empty() {
                    NO_SAMPLE
                } else {
                    seen.push(stack(&recorded.chars().collect::<Vec<_>>()));
                    seen.len() as u32 - 1
                };
                let start = place('[').or(place('!')).expect("an event begins");
                let end = place(']').unwrap_or(start);
                events.push(ThreadEvent { start, end, sample, kind: EventKind::of(name) });
            }
        }
    }
    for (column, path) in looks.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        samples.push((column as i64 * COLUMN, seen.len() as u32));
        seen.push(stack(path));
    }
    events.sort_by_key(|event| (event.start, std::cmp::Reverse(event.end)));
    Drawn { profile: builder.finish(), samples, events, seen, expected }
}

impl Drawn {
    fn seen(&self, sample: u32) -> Option<Seen> {
        self.seen.get(sample as usize).copied()
    }

    /// The calls, drawn.
    fn calls(&self) -> Vec<String> {
        let mut calls = Vec::new();
        let samples = self.samples.iter().copied();
        let seen = |sample| self.seen(sample);
        each_call(&self.profile, StackId(0), samples, &self.events, seen, |call| calls.push(call));
        calls.sort_by_key(|call| (call.start, call.depth));
        let mut rows: Vec<Vec<char>> = Vec::new();
        for call in calls {
            let [start, end] = [call.start, call.end].map(|time| (time / COLUMN) as usize);
            rows.resize(rows.len().max(call.depth + 1), Vec::new());
            let row = &mut rows[call.depth];
            row.resize(row.len().max(end + 1), ' ');
            row[start] = self.profile.name(call.function).chars().next().expect("a letter");
            if end > start {
                row[start + 1..end].fill('-');
                row[end] = '|';
            }
        }
        rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    /// `a 3 calls, 20 ms, tasks [0]`, by function.
    fn table(&self) -> Vec<String> {
        let samples = self.samples.iter().copied();
        let calls = calls(&self.profile, StackId(0), samples, &self.events, |sample| self.seen(sample));
        let row = |(function, it): &(FunctionId, Calls)| {
            let name = self.profile.name(*function);
            format!("{name} {} of {} ms in {:?}", it.number, it.longest.0 / 1_000_000, it.long_tasks)
        };
        calls.iter().map(row).collect()
    }
}

#[track_caller]
fn check(drawings: &[&str]) {
    for drawing in drawings {
        let drawn = draw(drawing);
        assert_eq!(drawn.calls(), drawn.expected, "{drawing}");
    }
}

/// What DevTools itself holds to (`SamplesIntegrator.test.ts`).
#[test]
fn as_in_devtools() {
    check(&[
        // Calls end with the event that ran them.
        "
        FunctionCall       : [----------------------]
        samples            :     a    a    a    a
                           :               b    b
        calls              :     a------------------|
                           :               b--------|
        ",
        // Without one they end with the last sample.
        "
        samples            :     a    a    a    a
                           :               b    b
        calls              :     a--------------|
                           :               b----|
        ",
        // What ran before an event began does not run in it.
        "
        FunctionCall       :             [-----------]
        samples            :     a    a    b    b
        calls              :     a-------| b---------|
        ",
        // Any event of V8 runs JavaScript; those below it that are over change nothing.
        "
        EvaluateScript     : [----------------------]
        v8.run             :  [---------------------]
        V8.ParseFunction   :   []
        samples            :     a    a    b    b
        calls              :     a---------b--------|
        ",
        // A stack that was recorded with an event holds from then on.
        "
        EvaluateScript     : [----------------------]
        v8.run             :  [---------------------]
        TimeStamp fcd      :                 !
        samples            :     f    f    f    f
                           :     b    b    b    c
                           :                    d
        calls              :     f------------------|
                           :     b-----------c------|
                           :                 d------|
        ",
        // Microtasks start anew, though the script around them is not over.
        "
        RunTask            : [---------------]
        EvaluateScript     : [---------------]
        RunMicrotasks      :         [----------------]
        samples            :    a  a   a  a
                           :           b  b
        calls              :    a----| a--------------|
                           :           b--------------|
        ",
        // Nothing that V8 does by itself is a call.
        "
        samples            :  ?  a  ?  ?  b
        calls              :     a--|     b
        ",
    ]);
}

#[test]
fn calls_end() {
    check(&[
        "
        with their task, though the next one begins with the same function
        RunTask            : [-----------]
        FunctionCall       : [-----------]
        RunTask            :              [----------]
        FunctionCall       :              [----------]
        samples            :     a    a    a    a
                           :     b    b    b    b
        calls              :     a-------| a---------|
                           :     b-------| b---------|
        ",
        "
        at the first sample that does not see them
        FunctionCall       : [----------------------]
        samples            :     a    a    ?    a
                           :     b    c
        calls              :     a---------|    a---|
                           :     b----c----|
        ",
        "
        not before an event that began within them, whatever is seen there
        FunctionCall       : [----------------------]
        V8.GC_SCAVENGER    :       [-------]
        samples            :    a    c   ?     a
                           :    b
        calls              :    a-------------------|
                           :    b--------------|
        ",
        "
        with their task, though what began in it goes on
        RunTask            : [--------]
        v8.run             :    [---------------]
        RunTask            :            [----]
        FunctionCall       :             [---]
        samples            :     a  a      b  c
        calls              :     a------|  b-|c-|
        ",
    ]);
}

#[test]
fn calls_go_on() {
    check(&[
        "
        over events that begin no task
        FunctionCall       : [--------------------]
        Layout             :       [--]
        Layout             :            !
        samples            :    a    a    a    a
        calls              :    a-----------------|
        ",
        "
        over samples below an event that runs no function
        FunctionCall       : [--------------------]
        Layout             :      [------]
        samples            :    a   b  ?   a
        calls              :    a-----------------|
        ",
        "
        for functions of one name and line, which DevTools takes for one
        samples            :    a    A    a    b
        calls              :    a--------------b
        ",
    ]);
}

#[test]
fn functions_run_below_any_event_where_nothing_announced_them() {
    check(&["
        Layout             : [-------]
        Layout             :            [---------]
        samples            :   a   b  c     d  e
        calls              :   a---b-|c-|   d--e--|
        "]);
}

#[test]
fn recursion_is_a_call_each() {
    let drawn = draw(
        "
        FunctionCall       : [--------------------]
        samples            :   a   a   a   a   b
                           :       a   a   b   a
                           :           a
        calls              :   a---------------b--|
                           :       a-------b---a--|
                           :           a---|
        ",
    );
    assert_eq!(drawn.calls(), drawn.expected);
    assert_eq!(drawn.table(), ["a 4 of 160 ms in []", "b 2 of 40 ms in []"]);
}

#[test]
fn long_tasks_count_once() {
    let drawn = draw(
        "
        RunTask            : [----------]
        FunctionCall       :  [---------]
        RunTask            :              [----]
        FunctionCall       :               [---]
        RunTask            :                    [-----------]
        RunTask            :                     [--------]
        FunctionCall       :                     [--------]
        samples            :    a b a b       c       a  b
        calls              :    a-b-a-b-|     c|      a--b|
        ",
    );
    assert_eq!(drawn.calls(), drawn.expected);
    assert_eq!(drawn.table(), ["a 3 of 30 ms in [0, 1]", "b 3 of 20 ms in [0, 1]", "c 1 of 10 ms in []"]);
}
