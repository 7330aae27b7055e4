//! How long it takes to resolve every function of a large bundle: `cargo bench -p source --bench map`, or with
//! after `--` the path of a bundle that has its map beside it. Without one, a map of some 50 MB is made up.

#![allow(clippy::print_stdout, missing_docs, reason = "a bench talks, and has no one who reads its types")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use source::language::Language;
use source::large_stack::outline;
use source::map::{Query, SourceMap};
use source::text::{Encoding, LineCol, LineEnds, LineIndex, text_of};

const ROUNDS: u32 = 10;

/// Functions of the made-up bundle.
const FUNCTIONS: u32 = 75_000;

fn main() {
    // `cargo bench` adds an option of its own.
    let path = std::env::args().skip(1).find(|it| !it.starts_with("--"));
    let (map, queries) = path.map_or_else(made_up, |it| recorded(&it));
    let mut best = [Duration::MAX; 2];
    let mut found = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let parsed = SourceMap::parse(&map).expect("the map is one");
        best[0] = best[0].min(start.elapsed());
        let resolved = parsed.resolve(&queries);
        best[1] = best[1].min(start.elapsed());
        found = (0..queries.len()).filter(|&it| resolved.before(it).is_some()).count();
    }
    let size = map.len() as f64 / 1e6;
    println!("{size:.1} MB, {} functions, {found} found", queries.len());
    println!("tables {:?}, all {:?} (best of {ROUNDS})", best[0], best[1]);
}

fn recorded(path: &str) -> (String, Vec<Query>) {
    let code = text_of(&std::fs::read(path).expect("the bundle can be read"));
    let map = std::fs::read_to_string(format!("{path}.map")).expect("the bundle has a map");
    let outline = outline(&code, Language::JavaScript).expect("the bundle is JavaScript");
    let lines = LineIndex::new(&code, LineEnds::Engine);
    let place = |offset| lines.line_col(&code, offset, Encoding::Utf16);
    let headers = outline.definitions.iter().map(|it| it.header);
    let mut queries: Vec<Query> =
        headers.map(|it| Query { at: place(it.start()), end: place(it.end()), limit: 3 }).collect();
    queries.sort_unstable();
    (map, queries)
}

/// One line, thirty segments a function, and contents that make up for most of the size.
fn made_up() -> (String, Vec<Query>) {
    let mut mappings = String::new();
    let mut queries = Vec::new();
    for function in 0..FUNCTIONS {
        let column = function * 30 * 4;
        let place = |column| LineCol { line: 0, column };
        queries.push(Query { at: place(column), end: place(column + 12), limit: 3 });
        mappings.push_str("IAAA,ICAGA,IAAI,IAAK,IAAA,IAEO,IAAIA,IAAG,IADT,IAAMC,");
        mappings.push_str(&"IAAK,IAAI,IACA,IAAG,IAAOD,IAAI,IAAA,IAAK,IAAE,IADD,".repeat(2));
    }
    mappings.pop();
    let line = "  const value = list[index] ?? \\\"none\\\";\\n".repeat(500);
    let mut sources = String::new();
    let mut contents = String::new();
    for source in 0..FUNCTIONS + 1_000 {
        let comma = if source == 0 { "" } else { "," };
        let _ = write!(sources, "{comma}\"src/{source}.ts\"");
        let _ =
            write!(contents, "{comma}{}", if source < 1_600 { format!("\"{line}\"") } else { "null".into() });
    }
    let map = format!(
        "{{\"version\":3,\"sources\":[{sources}],\"sourcesContent\":[{contents}],\"names\":[\"a\",\"b\",\"c\"],\
         \"mappings\":\"{mappings}\"}}"
    );
    (map, queries)
}
