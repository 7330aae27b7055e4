//! Runs a command under `proflens record` when something is wrong, and sums up the result in a few lines.

#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};

use tests::{Folder, state_of};

use crate::recorded::{ending, record};

/// A program that says that it ran.
pub(crate) const RAN: &str = "console.log('ran')";

/// How a run ended, what the program said, and what was said about it; without the table, times and numbers.
pub(crate) fn told(folder: &Folder, output: &Output) -> String {
    let masked = |line: &str| {
        let line = line.replace(&*state_of(folder.path()).to_string_lossy(), "STATE");
        let line = line.replace(&*folder.path().to_string_lossy(), "FOLDER");
        let words = line.split(['/', ' ']).zip(line.matches(['/', ' ']).chain([""]));
        let is_name = |word: &str| word.len() > 15 && word.bytes().any(|byte| byte.is_ascii_digit());
        let is_number =
            |word: &str| word.strip_suffix(')').is_some_and(|number| number.parse::<u32>().is_ok());
        let masked = |word: &str| match word {
            name if is_name(name) => "N".to_owned(),
            number if is_number(number) => "N)".to_owned(),
            word => word.to_owned(),
        };
        words.map(|(word, end)| masked(word) + end).collect()
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_table = |line: &str| line.starts_with("Besides, ") || line.contains(" active time lies on ");
    // Of a program that ends at once there may be a single sample.
    let is_chance = |line: &str| line.contains(" its samples span no time");
    let is_said = |line: &&str| {
        !is_table(line)
            && !is_chance(line)
            && (line.contains(". ") || line.starts_with("Note: ") || line.ends_with('.'))
    };
    let lines: Vec<String> = stderr.lines().filter(is_said).map(masked).collect();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut told = format!("{} {stdout:?}\n", ending(output.status));
    lines.iter().for_each(|line| told += &format!("    {line}\n"));
    told
}

pub(crate) fn run(folder: &Folder, options: &[&str], command: &[&str]) -> Output {
    record(folder.path(), options, command).output().unwrap()
}

pub(crate) fn kill(signal: &str, process: &str) {
    // A process that has just ended needs none.
    Command::new("kill").args([signal, process]).stderr(Stdio::null()).status().unwrap();
}
