//! pprof's protobuf: time or bytes by stack, with the lines that ran if the trace has them.
//!
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>. Stacks begin with the innermost frame, lines count
//! from 1, and fields may come in any order: texts are written last, once all are known. There is no field for columns.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::names::{frames, place_from_one, shown_name, thread_name};
use super::protobuf::Message;
use super::texts::TextTable;
use crate::model::{FunctionId, OffStack, Profile, StackId, Thread, Unit, Weight, summed};

pub(super) fn write(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer { profile, texts: TextTable::default(), line_ids: FxHashMap::default(), out };
    writer.texts.id("");
    // The names that Node's pprof module uses.
    let (counted, measured, unit) = match profile.unit {
        Unit::Time => ("samples", "wall", "nanoseconds"),
        Unit::Bytes => ("objects", "space", "bytes"),
    };
    for (kind, unit) in [(counted, "count"), (measured, unit)] {
        let value_type = writer.value_type(kind, unit);
        writer.message(1, &value_type)?;
    }
    let period_type = writer.value_type(measured, unit);
    writer.message(11, &period_type)?;
    let interval = threads.iter().max_by_key(|it| it.samples).and_then(|it| it.interval);
    let timed = threads.iter().filter(|_| profile.unit == Unit::Time);
    let duration = timed.map(|it| it.duration).max().unwrap_or_default();
    let default_type = writer.texts.id(measured);
    let mut facts = Message::default();
    facts.number(10, duration.0);
    facts.number(12, interval.unwrap_or_default().0);
    facts.number(14, default_type);
    writer.out.write_all(&facts.0)?;
    writer.functions()?;
    for index in 0..threads.len() {
        writer.thread(threads, index)?;
    }
    for text in writer.texts.in_order() {
        let mut head = Message::default();
        head.bytes(6, text.as_bytes());
        writer.out.write_all(&head.0)?;
    }
    Ok(())
}

struct Writer<'p> {
    profile: &'p Profile,
    texts: TextTable<'p>,
    /// Locations of functions that were seen on a line, from 1; those without a line have the number of the function.
    line_ids: FxHashMap<(FunctionId, u32), u64>,
    out: &'p mut dyn Write,
}

/// A stack, the line that ran, and the number of a set of labels.
type LabelledRow = (Result<StackId, OffStack>, Option<u32>, u32);

impl<'p> Writer<'p> {
    /// Writes every function, and one for each kind of time on no stack, each with the location without a known line.
    fn functions(&mut self) -> io::Result<()> {
        let profile = self.profile;
        for id in (0..profile.functions.len() as u32).map(FunctionId) {
            let (name, file) = (shown_name(profile, id), profile.resource(id).unwrap_or_default());
            let (line, _) = place_from_one(profile.functions[id.0 as usize].defined_at);
            self.function(function_id(id), name, file, line)?;
        }
        for why in OffStack::ALL {
            self.function(self.off_stack_id(why), why.frame(), "", 0)?;
        }
        Ok(())
    }

    fn function(&mut self, id: u64, name: &'p str, file: &'p str, line: u64) -> io::Result<()> {
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, self.texts.id(name));
        function.number(3, self.texts.id(name));
        function.number(4, self.texts.id(file));
        function.number(5, line);
        self.message(5, &function)?;
        self.location(id, id, 0)
    }

    fn location(&mut self, id: u64, function: u64, line: u64) -> io::Result<()> {
        let (mut location, mut of_line) = (Message::default(), Message::default());
        of_line.number(1, function);
        of_line.number(2, line);
        location.number(1, id);
        location.bytes(4, &of_line.0);
        self.message(4, &location)
    }

    fn thread(&mut self, threads: &[Thread], index: usize) -> io::Result<()> {
        let profile = self.profile;
        let mut of_thread = Vec::new();
        if threads.len() > 1 {
            of_thread.push(self.label("thread", thread_name(threads, index)));
        }
        if !profile.label_sets.is_empty() && !threads[index].in_order.is_empty() {
            return self.labelled(&threads[index], &of_thread);
        }
        let mut on_line: Vec<((StackId, u32), Weight)> = Vec::new();
        threads[index].self_places(&profile.stacks, &profile.places, |stack, place, weight| {
            on_line.extend(profile.places.get(place).line.map(|line| ((stack, line), weight)));
        });
        let on_line = summed(on_line);
        let mut on_line = on_line.iter().peekable();
        for sample in threads[index].sums() {
            match sample.on {
                Ok(stack) => {
                    let mut path: Vec<u64> = frames(profile, stack).map(function_id).collect();
                    let (without, function) = (path[0], profile.stacks.function[stack.0 as usize]);
                    let mut rest = sample.weight;
                    while let Some(&((_, line), weight)) = on_line.next_if(|it| it.0.0 == stack) {
                        path[0] = self.location_on_line(function, line)?;
                        self.sample(&path, weight, &of_thread)?;
                        rest.time = rest.time - weight.time;
                        rest.samples = rest.samples.saturating_sub(weight.samples);
                    }
                    path[0] = without;
                    if rest != Weight::default() || sample.weight == Weight::default() {
                        self.sample(&path, rest, &of_thread)?;
                    }
                }
                Err(why) => self.sample(&[self.off_stack_id(why)], sample.weight, &of_thread)?,
            }
        }
        Ok(())
    }

    /// Writes the samples of a thread by stack, line and labels.
    fn labelled(&mut self, thread: &Thread, of_thread: &[Message]) -> io::Result<()> {
        let profile = self.profile;
        let log = &thread.in_order;
        let mut sums: FxHashMap<_, usize> = FxHashMap::default();
        let mut rows: Vec<(LabelledRow, Weight)> = Vec::new();
        for ((_, sample, place), labels) in log.with_times_and_places().zip(log.labels()) {
            let function = sample.on.ok().map(|it| profile.stacks.function[it.0 as usize]);
            let place = function.and_then(|it| profile.places.of_function(it, place));
            let key = (sample.on, place.and_then(|it| profile.places.get(it).line), labels);
            let row = *sums.entry(key).or_insert(rows.len());
            match rows.get_mut(row) {
                Some(row) => row.1 += sample.weight,
                None => rows.push((key, sample.weight)),
            }
        }
        for ((on, line, set), weight) in rows {
            let mut path: Vec<u64> = match on {
                Ok(stack) => frames(profile, stack).map(function_id).collect(),
                Err(why) => vec![self.off_stack_id(why)],
            };
            if let (Ok(stack), Some(line)) = (on, line) {
                path[0] = self.location_on_line(profile.stacks.function[stack.0 as usize], line)?;
            }
            let mut labels = of_thread.to_vec();
            for &(key, value) in profile.label_sets.get(set as usize).into_iter().flatten() {
                let (key, value) = (profile.strings.get(key), profile.strings.get(value));
                labels.push(self.label(key, value.to_owned()));
            }
            self.sample(&path, weight, &labels)?;
        }
        Ok(())
    }

    fn label(&mut self, key: &'p str, value: String) -> Message {
        let mut label = Message::default();
        label.number(1, self.texts.id(key));
        label.number(2, self.texts.id(value));
        label
    }

    fn sample(&mut self, path: &[u64], weight: Weight, labels: &[Message]) -> io::Result<()> {
        let mut sample = Message::default();
        sample.numbers(1, path);
        sample.numbers(2, &[weight.samples, weight.time.0]);
        labels.iter().for_each(|label| sample.bytes(3, &label.0));
        self.message(2, &sample)
    }

    fn location_on_line(&mut self, function: FunctionId, line: u32) -> io::Result<u64> {
        let next = self.off_stack_id(OffStack::Unknown) + 1 + self.line_ids.len() as u64;
        let id = *self.line_ids.entry((function, line)).or_insert(next);
        if id == next {
            self.location(id, function_id(function), u64::from(line) + 1)?;
        }
        Ok(id)
    }

    fn off_stack_id(&self, why: OffStack) -> u64 {
        self.profile.functions.len() as u64 + 1 + why as u64
    }

    fn value_type(&mut self, kind: &'static str, unit: &'static str) -> Message {
        let mut message = Message::default();
        message.number(1, self.texts.id(kind));
        message.number(2, self.texts.id(unit));
        message
    }

    /// Writes a message as a field of the profile.
    fn message(&mut self, field: u64, message: &Message) -> io::Result<()> {
        let mut head = Message::default();
        head.bytes(field, &message.0);
        self.out.write_all(&head.0)
    }
}

/// The id of a function, and of its location without a line; ids are never 0.
fn function_id(function: FunctionId) -> u64 {
    u64::from(function.0) + 1
}
