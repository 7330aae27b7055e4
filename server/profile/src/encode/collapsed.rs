//! Collapsed stacks: one stack per line, outermost frame first, with its time in microseconds or its bytes.
//!
//! <https://github.com/brendangregg/FlameGraph>. The format has no unit. Frames are named as 0x does, `work src/app.ts:3:14`,
//! from 1; 0 means no place. For a trace that itself counted samples, the numbers are the same counts again.

use std::io::{self, Write};

use super::names::{frames, place_from_one, shown_name, thread_name};
use crate::model::{FunctionId, Profile, Thread, Unit};
use crate::timeline::{COUNTED, Rounded};

pub(super) fn write(profile: &Profile, threads: &[Thread], out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = (0..profile.functions.len() as u32)
        .map(|function| clean(&frame(profile, FunctionId(function))))
        .collect();
    let unit = match profile.unit {
        Unit::Bytes => 1,
        Unit::Time if profile.format == "collapsed" => COUNTED.0,
        Unit::Time => 1000,
    };
    for (index, thread) in threads.iter().enumerate() {
        let mut rounded = Rounded::new(unit);
        for sample in thread.sums() {
            let number = rounded.next(sample.weight.time);
            if number == 0 {
                continue; // less than the format can express
            }
            if threads.len() > 1 {
                write!(out, "{};", clean(&thread_name(threads, index)))?;
            }
            match sample.on {
                Ok(stack) => {
                    let path: Vec<&str> =
                        frames(profile, stack).map(|it| names[it.0 as usize].as_str()).collect();
                    for name in path.iter().skip(1).rev() {
                        write!(out, "{name};")?;
                    }
                    writeln!(out, "{} {number}", path[0])?;
                }
                Err(why) => writeln!(out, "{} {number}", why.frame())?,
            }
        }
    }
    Ok(())
}

fn frame(profile: &Profile, function: FunctionId) -> String {
    let name = shown_name(profile, function);
    let Some(file) = profile.resource(function) else { return name.to_owned() };
    let (line, column) = place_from_one(profile.functions[function.0 as usize].defined_at);
    // A file that ends like a place needs the column: `http://localhost:3000:5:0`.
    let ends_like_a_place =
        file.rsplit_once(':').is_some_and(|it| it.1.bytes().all(|it| it.is_ascii_digit()));
    if column == 0 && !ends_like_a_place {
        format!("{name} {file}:{line}")
    } else {
        format!("{name} {file}:{line}:{column}")
    }
}

/// Removes the separators of frames and lines.
fn clean(text: &str) -> String {
    text.chars()
        .map(|it| {
            if it == ';' {
                ':'
            } else if it.is_control() {
                ' '
            } else {
                it
            }
        })
        .collect()
}
