//! The numbers of Firefox profiles are those of the Firefox Profiler itself, to the sample.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use profile::decode::decode;
use profile::model::{FunctionId, FunctionKind, OffStack, Profile};
use profile::scope::Selection;
use profile::tally::tally;

/// Self and total samples of each function of the main thread, and the samples of none: `name|url|line|column self total`, with
/// positions from 1.
fn javascript_view(profile: &Profile) -> Vec<String> {
    let thread = &profile.threads[0];
    let keys: Vec<u32> = (0..profile.functions.len() as u32).collect();
    let costs = tally(&Selection::sum(profile, [thread]), &keys, keys.len() as u32).costs;
    let mut of_function: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (id, cost) in (0..).map(FunctionId).zip(&costs).filter(|(_, cost)| cost.total_samples > 0) {
        let function = profile.functions[id.0 as usize];
        let url = profile.resource(id).unwrap_or_default();
        // The profiler calls the code outside of all functions so.
        let is_script = function.kind == FunctionKind::Script;
        let name = match profile.name(id) {
            "" if is_script => format!("(root scope) {url}"),
            name => name.to_owned(),
        };
        let number = |it: Option<u32>| it.map_or("-".to_owned(), |it| (it + 1).to_string());
        let line = number(function.defined_at.map(|at| at.line));
        let column = number(function.defined_at.and_then(|at| at.column));
        let sum = of_function.entry(format!("{name}|{url}|{line}|{column}")).or_default();
        sum.0 += cost.self_samples;
        sum.1 += cost.total_samples;
    }
    let off = |why| thread.off_stack.get(&why).map_or(0, |it| it.samples);
    let head = format!("none {} native {}", off(OffStack::Idle), off(OffStack::Native));
    let lines = of_function.into_iter().map(|(name, (own, total))| format!("{name} {own} {total}"));
    std::iter::once(head).chain(lines).collect()
}

/// `tests/firefox-profiler/zoo.txt` was written by the functions of `@firefox-devtools/profiler-cli` 0.10.0 that read a profile
/// (any version, made 75) and filter its stacks for the view "JavaScript"; a sample of the category Idle has no stack there.
#[test]
fn self_and_total_are_those_of_the_firefox_profiler() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let truth =
        fs::read_to_string(root.join("tests/firefox-profiler/zoo.txt")).expect("what the profiler says");
    // An event handler in HTML is on no line there, and without a position here.
    let truth = truth.replace("|0|1 ", "|-|- ");
    let truth: Vec<&str> = truth.lines().collect();
    for name in ["zoo-gecko-firefox153.json.gz", "zoo-processed75.json.gz", "zoo-processed75.jslb.gz"] {
        let path = root.join("../../tests/traces/firefox").join(name);
        let mut file = fs::File::open(path).expect("a recorded trace");
        let profile = decode(&mut file, "", &()).expect("a profile");
        assert_eq!(profile.problems, [], "{name}");
        let said = javascript_view(&profile);
        let without = |all: &[&str], others: &[&str]| -> Vec<String> {
            all.iter().filter(|line| !others.contains(line)).map(|line| (*line).to_owned()).collect()
        };
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let differ = (without(&said, &truth), without(&truth, &said));
        assert_eq!(differ, (vec![], vec![]), "{name}");
        assert_eq!(said.len(), truth.len(), "{name}");
    }
}
