//! What V8 logs of a program, however damaged: what is read of it is read again from a recording, nothing is told more often than it was
//! logged, and only lines of the files that ran are told.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::deopts::place_deopts;
use analysis::files::{FilePath, Files};
use analysis::locate::LocateSettings;
use analysis::symbolicate::LoadSettings;
use profile::decode::decode;
use profile::model::Deopts;
use record::head::Head;
use record::trace::{OtherRuns, write_trace};
use record::v8_log::read_log;
use record::v8_profile::{CallFrame, Node, Thread, V8Profile};

/// Reads a log, writes what it tells into a recording, and finds the definitions of that in the files that ran.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(read) = read_log(bytes, |url| !url.is_empty()) else { return };
    let deopts = Deopts::sum([read]);
    let logged = bytes.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"code-deopt,")).count();
    let times: u64 = deopts.scripts.iter().flat_map(|script| &script.deopts).map(|deopt| deopt.count).sum();
    assert!(times <= logged as u64, "{times} times are told of {logged}");
    if !deopts.is_empty() {
        assert_eq!(read_again(&deopts), deopts);
    }

    let files = Ran::of(&deopts);
    let settings = LoadSettings { locate: &LocateSettings::default(), maps: Some(&|_| true), recorded: None };
    let placed = place_deopts(&deopts, &files, &settings);
    assert!(placed.times() <= times, "{} times are on definitions, of {times}", placed.times());
    for (key, definition) in &placed.definitions {
        let text = files.texts.get(&key.file).unwrap_or_else(|| panic!("{} did not run", key.file));
        let lines = 1 + text.bytes().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
        let of_deopts = definition.deopts.keys().map(|site| site.line);
        let of_accesses = definition.megamorphic.iter().map(|access| access.line);
        let last = of_deopts.chain(of_accesses).flatten().max();
        assert!(
            last.is_none_or(|last| (last as usize) < lines),
            "{last:?} of {}, of {lines} lines",
            key.file
        );
    }
}

/// What is in the recording of a program that ran for a millisecond.
fn read_again(deopts: &Deopts) -> Deopts {
    let root = Node {
        id: 1,
        call_frame: CallFrame {
            function_name: "(root)".to_owned(),
            script_id: "0".to_owned(),
            url: String::new(),
            line_number: -1,
            column_number: -1,
        },
        children: Vec::new(),
        position_ticks: Vec::new(),
    };
    let profile = V8Profile {
        nodes: vec![root],
        end_time: 1000,
        samples: vec![1],
        time_deltas: vec![1000],
        ..V8Profile::default()
    };
    let thread = Thread { name: "node".to_owned(), profile, scripts: Vec::new(), marks: Vec::new() };
    let others = OtherRuns { deopts: Some(deopts), counts: None };
    let mut trace = Vec::new();
    write_trace(&[thread], others, &Head::default(), &mut trace).expect("memory can be written");
    let profile = decode(&mut &*trace, "", &()).expect("a recording can be read");
    Deopts::clone(&profile.deopts.expect("it has what was logged"))
}

/// The files that ran, as they are.
struct Ran {
    folders: [FilePath; 1],
    texts: BTreeMap<FilePath, Box<str>>,
}

impl Ran {
    fn of(deopts: &Deopts) -> Self {
        let folders = [FilePath::new("/srv")];
        let scripts = deopts.scripts.iter().filter_map(|script| {
            let file = FilePath::new(script.url.strip_prefix("file://").unwrap_or(&script.url));
            file.relative_to(&folders[0])?;
            Some((file, script.script.text.clone()?))
        });
        Self { texts: scripts.collect(), folders }
    }
}

impl Files for Ran {
    fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.texts.keys().cloned().collect()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        self.texts.get(file).map(|text| text.as_bytes().into())
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        self.texts.contains_key(file).then(|| file.clone())
    }
}
