//! Replays the inputs that were kept, as an ordinary test wherever the project builds.

use std::fs;
use std::path::{Path, PathBuf};

use fuzz::TARGETS;
use tests::read_inputs;

#[test]
fn kept_inputs() {
    for target in TARGETS {
        let file = corpus().join(target.name);
        let inputs = read_inputs(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (number, input) in inputs.iter().enumerate() {
            if let Err(panic) = std::panic::catch_unwind(|| (target.check)(input)) {
                let kept = std::env::temp_dir().join(format!("fuzz-{}-{number}", target.name));
                fs::write(&kept, input).expect("a folder for temporary files");
                eprintln!("with input {number} of {}: {}", target.name, kept.display());
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// `cargo xtask fuzz` takes the names of the targets from here.
#[test]
fn each_target_has_a_corpus_and_words() {
    let names = |folder: PathBuf| {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let names = entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.map(|it| it.trim_end_matches(".dict").to_owned()).collect();
        names.sort();
        names
    };
    let targets = TARGETS.map(|it| it.name);
    assert_eq!(names(corpus()), targets);
    assert_eq!(names(corpus().with_file_name("dictionaries")), targets);
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
