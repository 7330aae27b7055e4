//! Finds names for WebAssembly functions that ran without any, from a module of the workspace.
//!
//! Engines know functions by the names in the module. A stripped module has none: its functions are `wasm-function[12]`. But
//! engines do know the offset at which the code of each function begins. It is the same in the unstripped module, whose names
//! come after the code, or smaller by the size of other custom sections that came before the code and were stripped too. So
//! the file in which all functions that were seen begin at those offsets is that module, wherever it lies.
//!
//! ```text
//! trace: app.wasm                    build/app.wasm               other.wasm
//! wasm-function[2] at 71             2 churn at 71                2 fill at 71
//! wasm-function[3] at 103            3 run at 103                 3 draw at 98
//!                                    this is it
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use profile::model::{Function, FunctionId, Profile};
use profile::rename::with_names;
use rustc_hash::FxHashMap;
use source::wasm::WasmModule;

use crate::bars::{Evidence, SAME_MODULE};
use crate::files::{FilePath, Files};

/// At most this many files and this many bytes are read; files with the name of the module come first.
const MAX_FILES: usize = 256;
const MAX_BYTES: usize = 512 << 20;

/// A module of the trace whose functions get names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedModule {
    /// What the trace calls it.
    pub resource: String,
    /// The file that has the names.
    pub file: FilePath,
    /// The names.
    pub names: Vec<(FunctionId, String)>,
}

/// A function that the engine only knows by its number.
struct Numbered {
    function: FunctionId,
    number: u32,
    /// Where its code begins, as an offset in the module.
    start: usize,
}

/// Names WebAssembly functions of a profile that have no name; returns the same profile if no file has any names.
pub fn with_names_of_modules(profile: &Arc<Profile>, files: &dyn Files) -> Arc<Profile> {
    let modules = named_modules(profile, files);
    if modules.is_empty() {
        return Arc::clone(profile);
    }
    let names = modules.iter().flat_map(|it| &it.names);
    Arc::new(with_names(profile, names.map(|(function, name)| (*function, name.as_str()))))
}

/// The modules of a trace for which a file has names. If files disagree on them, nothing tells which one ran.
pub fn named_modules(profile: &Profile, files: &dyn Files) -> Vec<NamedModule> {
    let numbered = numbered(profile);
    if numbered.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Vec<NamedModule>> = vec![Vec::new(); numbered.len()];
    let mut bytes = 0;
    for file in candidates(&numbered, files) {
        let Some(content) = files.read(&file).filter(|_| bytes < MAX_BYTES) else { continue };
        bytes += content.len();
        let Some(module) = WasmModule::read(&content) else { continue };
        for ((resource, functions), found) in numbered.iter().zip(&mut found) {
            let names = names_in(&module, functions);
            if !names.is_empty() {
                found.push(NamedModule { resource: (*resource).to_owned(), file: file.clone(), names });
            }
        }
    }
    found.into_iter().filter_map(only).collect()
}

/// The only file with names for a module, or any of them if all have the same names.
fn only(found: Vec<NamedModule>) -> Option<NamedModule> {
    let is_agreed = found.windows(2).all(|pair| pair[0].names == pair[1].names);
    found.into_iter().next().filter(|_| is_agreed)
}

/// Functions without names by their modules, in the order of the trace.
fn numbered(profile: &Profile) -> Vec<(&str, Vec<Numbered>)> {
    let mut modules: Vec<(&str, Vec<Numbered>)> = Vec::new();
    let mut module_of: FxHashMap<&str, usize> = FxHashMap::default();
    for (function, about) in (0..).map(FunctionId).zip(&profile.functions) {
        let place = number(profile.name(function)).zip(start(about)).zip(profile.resource(function));
        let Some(((number, start), resource)) = place else { continue };
        let module = *module_of.entry(resource).or_insert_with(|| {
            modules.push((resource, Vec::new()));
            modules.len() - 1
        });
        modules[module].1.push(Numbered { function, number, start });
    }
    modules
}

/// The number in `wasm-function[12]`.
fn number(name: &str) -> Option<u32> {
    name.strip_prefix("wasm-function[")?.strip_suffix(']')?.parse().ok()
}

/// Where code begins. V8 reports it as a column of the first line, Firefox instead of a line; both count from 1.
fn start(function: &Function) -> Option<usize> {
    let at = function.defined_at?;
    Some(match at.column {
        Some(column) => column as usize,
        None => at.line as usize + 1,
    })
}

/// Files that may be one of the modules, likeliest first.
fn candidates(modules: &[(&str, Vec<Numbered>)], files: &dyn Files) -> Vec<FilePath> {
    let list = files.list();
    let mut all: Vec<(bool, &FilePath)> = list
        .iter()
        .filter(|file| file.name().ends_with(".wasm"))
        .map(|file| (!modules.iter().any(|(resource, _)| resource.contains(file.name())), file))
        .collect();
    all.sort_by_key(|it| it.0);
    all.into_iter().take(MAX_FILES).map(|it| it.1.clone()).collect()
}

/// The names that a module has for these functions, if it is the module that they ran in.
fn names_in(module: &WasmModule, functions: &[Numbered]) -> Vec<(FunctionId, String)> {
    let seen: BTreeSet<(u32, usize)> = functions.iter().map(|it| (it.number, it.start)).collect();
    let is_theirs = [0, module.custom_before_code].into_iter().any(|taken_away| {
        let agree = seen.iter().map(|&(number, start)| module.start(number) == Some(start + taken_away));
        SAME_MODULE.is_met(Evidence::of(agree))
    });
    let named = functions.iter().filter(|_| is_theirs);
    named.filter_map(|it| Some((it.function, module.name(it.number)?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use profile::decode::decode;
    use profile::model::{FunctionKind, Position, StringId};

    use super::*;
    use crate::fixtures::files::FixtureFiles;

    /// A module that imports a function and has one function for each text. Its code has as many bytes as the text is
    /// long, and its name is the text, unless the text consists of dots.
    fn module(functions: &[&str]) -> String {
        let sized = |text: &str| format!("{}{text}", char::from(u8::try_from(text.len()).unwrap()));
        let number = |it: usize| char::from(u8::try_from(it).unwrap());
        let section = |id: char, text: String| format!("{id}{}", sized(&text));
        let code: String = functions.iter().map(|it| sized(it)).collect();
        let names: Vec<String> = (1..)
            .zip(functions)
            .filter(|(_, name)| !name.starts_with('.'))
            .map(|(at, name)| format!("{}{}", number(at), sized(name)))
            .collect();
        let names = section('\u{1}', format!("{}{}", number(names.len()), names.concat()));
        format!(
            "\0asm\u{1}\0\0\0{}{}{}",
            section('\u{2}', format!("\u{1}{}{}\0\0", sized("env"), sized("tick"))),
            section('\u{a}', format!("{}{code}", number(functions.len()))),
            section('\0', format!("{}{names}", sized("name"))),
        )
    }

    /// The functions of a Self-Profiling trace with one sample, and the file from which they got their names.
    fn shown(frames: &[(&str, &str, usize)], files: &[(&str, String)]) -> (Vec<String>, Vec<String>) {
        let resources: Vec<String> = frames.iter().map(|it| format!("{:?}", it.1)).collect();
        let number = |(at, (name, _, start)): (usize, &(&str, &str, usize))| {
            format!(r#"{{"name":"{name}","resourceId":{at},"line":1,"column":{}}}"#, start + 1)
        };
        let shown: Vec<String> = frames.iter().enumerate().map(number).collect();
        let stacks = (0..frames.len()).map(|at| format!(r#"{{"frameId":{at}}}"#)).collect::<Vec<_>>();
        let trace = format!(
            r#"{{"frames":[{}],"resources":[{}],"stacks":[{}],"samples":[{{"timestamp":0,"stackId":0}}]}}"#,
            shown.join(","),
            resources.join(","),
            stacks.join(",")
        );
        let profile = Arc::new(decode(&mut trace.as_bytes(), "", &()).unwrap());
        let files = FixtureFiles::of(files.iter().map(|(path, text)| (*path, text.as_str())));
        let named = with_names_of_modules(&profile, &files);
        let names = (0..named.functions.len() as u32).map(|it| named.name(FunctionId(it)).to_owned());
        let from =
            named_modules(&profile, &files).into_iter().map(|it| format!("{}: {}", it.resource, it.file));
        (names.collect(), from.collect())
    }

    const URL: &str = "http://localhost/app.wasm";
    /// `churn` and `run` of the module below, as an engine reports them.
    const SEEN: [(&str, &str, usize); 2] = [("wasm-function[2]", URL, 30), ("wasm-function[3]", URL, 36)];

    #[test]
    fn names_are_those_of_the_module_in_which_all_functions_begin_there() {
        let ours = || module(&["mix", "churn", "run"]);
        let stripped = || module(&["...", ".....", "..."]);
        let other_build = || module(&["mixed", "churn", "run"]);
        let other_names = || module(&["mix", "store", "run"]);
        let rows = [
            vec![("/dist/app.wasm", stripped()), ("/build/named.wasm", ours()), ("/old.wasm", other_build())],
            vec![("/dist/app.wasm", stripped())],
            vec![("/build/app.wasm", other_build())],
            vec![("/a.wasm", ours()), ("/b.wasm", ours())],
            vec![("/a.wasm", ours()), ("/b.wasm", other_names())],
            vec![("/a.wasm", ours()), ("/app.wasm", module(&["...", "churn", "run"]))],
            vec![("/a.wasm", module(&["mix", ".....", "run"]))],
            vec![("/a.wasm", ours().replacen("\0asm\u{1}\0\0\0", "\0asm\u{1}\0\0\0\0\u{5}\u{4}meta", 1))],
            vec![("/a.js", ours())],
        ];
        let said = rows.iter().map(|files| {
            let (names, from) = shown(&SEEN, files);
            [names, from].concat().join(" ")
        });
        expect![[r#"
            churn run http://localhost/app.wasm: /build/named.wasm
            wasm-function[2] wasm-function[3]
            wasm-function[2] wasm-function[3]
            churn run http://localhost/app.wasm: /a.wasm
            wasm-function[2] wasm-function[3]
            churn run http://localhost/app.wasm: /app.wasm
            wasm-function[2] run http://localhost/app.wasm: /a.wasm
            churn run http://localhost/app.wasm: /a.wasm
            wasm-function[2] wasm-function[3]"#]]
        .assert_eq(&said.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn one_function_proves_nothing_and_places_and_names_of_others_stay() {
        let files = [("/a.wasm", module(&["mix", "churn", "run"]))];
        assert_eq!(shown(&SEEN[..1], &files).0, ["wasm-function[2]"]);
        let twice = [SEEN[0], ("wasm-function[2]", URL, 36)];
        assert_eq!(shown(&twice, &files).0, ["wasm-function[2]", "wasm-function[2]"]);
        let [with_name, elsewhere] = [("load", URL, 0), ("wasm-function[1]", "http://localhost/b.wasm", 26)];
        assert_eq!(
            shown(&[SEEN[0], with_name, elsewhere, SEEN[1]], &files).0,
            ["churn", "load", "wasm-function[1]", "run"]
        );
    }

    #[test]
    fn engines_say_in_different_ways_where_code_begins() {
        let about = |line, column| Function {
            name: StringId(0),
            resource: None,
            defined_at: Some(Position { line, column }),
            kind: FunctionKind::Script,
            made_by: None,
        };
        assert_eq!(start(&about(0, Some(103))), Some(103), "V8");
        assert_eq!(start(&about(102, None)), Some(103), "Firefox");
    }
}
