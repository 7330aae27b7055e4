//! A share is one number wherever it is read: for recordings of several threads, each surface of the editor and of the shell says
//! what part of the base a function's time is, and all of them give the same share and time in the same words.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::{Value, json};
use tests::{Client, Folder, proflens, root};

use crate::drawn::{self, Thread};
use crate::flame::Flame;

/// Two threads with functions in common.
const SHARED: &[Thread] = &[
    (7, "CrRendererMain", "main 7, main>work 11, main>work>parse 3, main>load 2"),
    (7, "DedicatedWorker thread", "work 19, work>parse 8, load>unzip 6"),
];
/// What only one of them ran is hot in it, and little of all.
const UNEVEN: &[Thread] = &[
    (7, "CrRendererMain", "main 2, main>load 17, - 41"),
    (7, "DedicatedWorker thread", "work>parse 470, work 13, (garbage collector) 29"),
];
/// One thread waits all the time, another most of it.
const IDLE: &[Thread] = &[
    (7, "CrRendererMain", "- 90, main 5, main>work 9, - 100"),
    (7, "DedicatedWorker thread", "load 1, - 203"),
    (7, "ThreadPoolForegroundWorker", "- 204"),
];
/// Functions that call themselves have a larger total than self time, and count once.
const RECURSIVE: &[Thread] = &[
    (
        7,
        "CrRendererMain",
        "main>work>parse 3, main>work>parse>parse 5, main>work>parse>parse>parse 2, main 7",
    ),
    (7, "DedicatedWorker thread", "parse>parse 13, parse>load>parse 4, (program) 9, - 12"),
];
/// More than a page: another process, with functions in common.
const PAGES: &[Thread] = &[
    (7, "CrRendererMain", "main 60, main>work 41, - 17"),
    (7, "DedicatedWorker thread", "work>parse 23"),
    (9, "CrRendererMain", "main 6, main>load 31"),
    (9, "DedicatedWorker thread", "load>unzip 8"),
];
/// So little that percentages are small.
const SMALL: &[Thread] = &[
    (7, "CrRendererMain", "main 1, main>work 2, (program) 2900"),
    (7, "DedicatedWorker thread", "parse 997, load 3, load>unzip 1"),
];

/// Names that contain what separates the parts of our own texts.
const NAMED: &[Thread] = &[
    (7, "CrRendererMain", "main 5, main>schemas 7"),
    (7, "worker · schemas.test.ts", "schemas 31, schemas>work 3"),
];

/// The trace, whose name says its format, the threads, and the options of `report`, each of which has its setting or command in the
/// editor.
const DRAWN: [(&str, &[Thread], &str); 24] = [
    ("chrome.json", SHARED, ""),
    ("chrome.json", UNEVEN, ""),
    ("chrome.json", UNEVEN, "--base all"),
    ("chrome.json", PAGES, ""),
    ("chrome.json", PAGES, "--thread 1 --thread 2 --thread 3 --thread 4"),
    ("chrome.json", RECURSIVE, "--between 4ms 12ms"),
    ("speedscope.json", SHARED, "--thread 2"),
    ("speedscope.json", IDLE, "--base all"),
    ("speedscope.json", SMALL, ""),
    ("speedscope.json", RECURSIVE, "--focus parse"),
    ("firefox.json", SHARED, ""),
    ("firefox.json", IDLE, ""),
    ("firefox.json", IDLE, "--base all"),
    ("firefox.json", UNEVEN, "--thread 1 --base all"),
    ("perf.txt", UNEVEN, ""),
    ("perf.txt", RECURSIVE, ""),
    ("sentry.json", SHARED, ""),
    ("sentry.json", UNEVEN, "--base all"),
    ("sessions.ndjson", UNEVEN, ""),
    ("sessions.ndjson", SMALL, "--base all"),
    ("chrome.json", NAMED, ""),
    ("firefox.json", NAMED, "--thread schemas"),
    ("processes", PAGES, ""),
    ("processes", RECURSIVE, "--base all"),
];

/// The same for what was recorded: the workspace in the repository and the trace.
const RECORDED: [(&str, &str, &str); 6] = [
    ("examples/primes", "tests/traces/chrome-trace/primes-chromium156.json.gz", ""),
    (
        "examples/primes",
        "tests/traces/chrome-trace/primes-chromium156.json.gz",
        "--thread 1 --thread 2 --thread 3",
    ),
    (
        "examples/primes",
        "tests/traces/chrome-trace/primes-chromium156.json.gz",
        "--base all --focus genPrimes",
    ),
    ("tests/workspaces/orders", "tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz", ""),
    (
        "tests/workspaces/orders",
        "tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz",
        "--base all",
    ),
    (
        "tests/workspaces/orders",
        "tests/traces/chrome-trace/orders-enhanced-chromium156.json.gz",
        "--thread 2",
    ),
];

#[test]
fn drawn_recordings_have_one_share_for_a_function() {
    for (trace, threads, options) in DRAWN {
        let folder = drawn::workspace();
        drawn::write(&folder, trace, threads);
        compare(&folder, trace, options);
    }
}

#[test]
fn recordings_of_browsers_have_one_share_for_a_function() {
    for (workspace, trace, options) in RECORDED {
        let folder = Folder::copy_of(workspace);
        compare(&folder, root().join(trace).to_str().unwrap(), options);
    }
}

/// If all of a function's time has one caller, is in one file or on one line, that is the function's time, and reads like it.
#[test]
fn an_amount_is_written_in_one_way() {
    let (workspace, trace, _) = RECORDED[3];
    let folder = Folder::copy_of(workspace);
    let mut editor = Editor::open(&folder, root().join(trace).to_str().unwrap(), &[]);
    let mut answers = vec![editor.client.request("proflens/status", json!({}))];
    for group in ["function", "file", "folder"] {
        answers.push(editor.client.request("proflens/hottest", json!({ "group": group })));
    }
    answers.extend(editor.of_documents("proflens/documentCosts").into_iter().map(|it| it.1));
    for it in editor.hottest.as_array().unwrap() {
        answers.push(execute(&mut editor.client, "proflens.showCallers", json!([it["function"]])));
        for direction in ["callers", "callees"] {
            let params = json!({ "function": it["function"], "direction": direction });
            answers.push(editor.client.request("proflens/callTree", params));
        }
    }
    let mut texts = BTreeMap::<u64, BTreeSet<String>>::new();
    answers.iter().for_each(|it| amounts(it, &mut texts));
    assert!(texts.len() > 50, "{texts:?}");
    texts.retain(|_, texts| texts.len() > 1);
    assert_eq!(texts, BTreeMap::new());
}

/// Adds the texts of all amounts in an answer, by their nanoseconds.
fn amounts(answer: &Value, texts: &mut BTreeMap<u64, BTreeSet<String>>) {
    match answer {
        Value::Object(members) => {
            if let (Some(nanos), Some(text)) = (answer["ns"].as_u64(), answer["text"].as_str()) {
                texts.entry(nanos).or_default().insert(text.to_owned());
            }
            members.values().for_each(|it| amounts(it, texts));
        }
        Value::Array(items) => items.iter().for_each(|it| amounts(it, texts)),
        _ => {}
    }
}

/// Compares what each surface says of a recording.
fn compare(folder: &Folder, trace: &str, options: &str) {
    let options: Vec<&str> = options.split_whitespace().collect();
    let report = |format: &str| report(folder, trace, &options, format);
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let table = table(&report("table"));
    let expected = expected(&json, &table);
    let of_shell = [
        Said { surface: "JSON", kind: Kind::Exact, rows: exact_rows(&json["functions"], place) },
        Said { surface: "table", kind: Kind::Words, rows: table },
        Said { surface: "Markdown", kind: Kind::Words, rows: markdown(&report("markdown")) },
    ];
    let of_editor = Editor::open(folder, trace, &options).says();
    for Said { surface, kind, mut rows } in of_shell.into_iter().chain(of_editor) {
        let wanted = |it: &&Expected| it.is_worth_a_hint || !matches!(surface, "hints" | "lenses");
        let text = |it: &Expected| match kind {
            Kind::Exact => it.exact.clone(),
            Kind::Words => it.words.clone(),
            Kind::Percent => it.percent.clone(),
        };
        let mut expected: Vec<String> = expected.iter().filter(wanted).map(text).collect();
        rows.sort();
        expected.sort();
        assert_eq!(rows, expected, "{surface} of {trace} {options:?}");
    }
}

/// What a surface says of each function, in any order.
struct Said {
    surface: &'static str,
    kind: Kind,
    rows: Vec<String>,
}

#[derive(Clone, Copy)]
enum Kind {
    /// `work app.js:2 0.1234 0.5678`: self and total as parts of the base.
    Exact,
    /// `work app.js:2 12.3 ms (12 %) 56.8 ms (57 %)`
    Words,
    /// `work app.js:2 12 % 57 %`
    Percent,
}

/// What all of them have to say about a function.
struct Expected {
    exact: String,
    words: String,
    percent: String,
    is_worth_a_hint: bool,
}

/// Times divided by the base, from the times in JSON. How well a time is known is not in there: the words for times are those of
/// the table.
fn expected(report: &Value, table: &[String]) -> Vec<Expected> {
    let ledger = |name: &str| nanos(&report["ledger"][name]);
    let outside = if report["base"] == "all" { 0.0 } else { ledger("idleNs") + ledger("noStackNs") };
    let base = ledger("totalNs") - outside;
    let functions = report["functions"].as_array().unwrap();
    assert!(functions.len() > 1 && functions.len() == table.len(), "{table:?}");
    let function = |(rank, (function, row)): (usize, (&Value, &String))| {
        let place = place(function);
        let shares = ["selfNs", "totalNs"].map(|time| nanos(&function[time]) / base);
        let [own, all] = shares.map(percent);
        let times: Vec<&str> = row.strip_prefix(&place).unwrap().split(['(', ')']).map(str::trim).collect();
        Expected {
            exact: exact(&place, shares),
            words: format!("{place} {} ({own}) {} ({all})", times[0], times[2]),
            percent: format!("{place} {own} {all}"),
            is_worth_a_hint: rank < 10 || function["totalSamples"].as_u64() > Some(1),
        }
    };
    functions.iter().zip(table).enumerate().map(function).collect()
}

fn nanos(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// A share with two significant digits; what lies between two numbers is rounded up.
fn percent(share: f64) -> String {
    let rounded: f64 = format!("{:.1e}", share * (100.0 + 1e-9)).parse().unwrap();
    if rounded > 0.0 && rounded < 0.01 { "<0.01 %".to_owned() } else { format!("{rounded} %") }
}

fn exact(place: &str, [own, all]: [f64; 2]) -> String {
    format!("{place} {own:.12} {all:.12}")
}

/// The shares in JSON, wherever its functions are.
fn exact_rows(functions: &Value, place: impl Fn(&Value) -> String) -> Vec<String> {
    let shares = |it: &Value| ["selfShare", "totalShare"].map(|share| it[share].as_f64().unwrap());
    functions.as_array().unwrap().iter().map(|it| exact(&place(it), shares(it))).collect()
}

/// Where a function in JSON is.
fn place(it: &Value) -> String {
    format!("{} {}:{}", it["name"].as_str().unwrap(), it["file"].as_str().unwrap(), it["line"])
}

fn report(folder: &Folder, trace: &str, options: &[&str], format: &str) -> String {
    let output = Command::new(proflens())
        .args(["report", trace, "--limit", "0", "--format", format])
        .args(options)
        .env("NO_COLOR", "1")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of the table: time, share, time, share, samples, name, place.
fn table(report: &str) -> Vec<String> {
    let head = report.lines().next().unwrap();
    // Everything before them is ASCII.
    let [name_at, place_at] = ["Function", "Where"].map(|column| head.find(column).unwrap());
    let row = |line: &str| {
        let line: Vec<char> = line.chars().collect();
        let [name, place] =
            [&line[name_at..place_at], &line[place_at..]].map(|it| it.iter().collect::<String>());
        let (name, place) = (name.trim(), place.rsplit_once(':').unwrap().0);
        let costs: String = line[..name_at].iter().collect();
        let cells: Vec<&str> = costs.split_whitespace().collect();
        let [own, all] =
            [0, 4].map(|at| format!("{} ({})", cells[at..at + 2].join(" "), cells[at + 2..at + 4].join(" ")));
        format!("{name} {place} {own} {all}")
    };
    report.lines().skip(1).take_while(|it| !it.is_empty()).map(row).collect()
}

/// The same for Markdown.
fn markdown(report: &str) -> Vec<String> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(|it| it.trim().trim_matches('`')).collect();
        let [.., name, place, _] = cells[..] else { panic!("{line} is no row") };
        format!("{name} {place} {} ({}) {} ({})", cells[1], cells[2], cells[3], cells[4])
    };
    report.lines().skip(2).take_while(|it| it.starts_with('|')).map(row).collect()
}

/// A client that shows the recording.
struct Editor {
    client: Client,
    /// The rows of the list of functions.
    hottest: Value,
    /// The open documents: all that a row is in.
    uris: Vec<String>,
}

impl Editor {
    /// With the settings, and after the commands, that do what the options of `report` do.
    fn open(folder: &Folder, trace: &str, options: &[&str]) -> Self {
        let uri = tests::uri(&folder.path().join(trace));
        let mut client = Client::open(proflens(), folder.path(), json!({}));
        let mut settings = json!({ "autoLoad": false, "threshold": 0 });
        let (mut threads, mut commands) = (Vec::new(), Vec::new());
        let mut options = options.iter();
        let mut next = || options.next().copied();
        while let Some(option) = next() {
            let value = next().unwrap();
            match option {
                "--base" => settings["base"] = json!(value),
                "--thread" => threads.push(value),
                "--focus" => commands.push(("proflens.focus", json!({ "function": value, "how": "below" }))),
                "--between" => commands.push(("proflens.window", json!({ "from": value, "to": next() }))),
                _ => panic!("the editor has nothing for {option}"),
            }
        }
        client.notify("workspace/didChangeConfiguration", json!({ "settings": { "proflens": settings } }));
        execute(&mut client, "proflens.loadTrace", json!([uri]));
        if !threads.is_empty() {
            execute(&mut client, "proflens.selectTrace", json!([uri, threads]));
        }
        for (command, argument) in commands {
            execute(&mut client, command, json!([argument]));
        }
        let hottest = client.request("proflens/hottest", json!({}))["items"].take();
        let text =
            |it: &Value| (it["uri"].as_str().unwrap().to_owned(), folder.read(it["path"].as_str().unwrap()));
        let texts: BTreeMap<String, String> = rows(&hottest).map(text).collect();
        for (uri, text) in &texts {
            let document = json!({ "uri": uri, "languageId": "javascript", "version": 1, "text": text });
            client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        }
        Self { client, hottest, uris: texts.into_keys().collect() }
    }

    /// What it shows of all functions.
    fn says(mut self) -> Vec<Said> {
        let mut said = Vec::new();
        let mut say = |surface, kind, rows| said.push(Said { surface, kind, rows });
        say("list", Kind::Exact, exact_rows(&self.hottest, listed));
        let words = |it: &Value| format!("{} {} {}", listed(it), in_full(&it["self"]), in_full(&it["total"]));
        say("list", Kind::Words, rows(&self.hottest).map(words).collect());
        say("symbols", Kind::Words, self.symbols());
        let trees = self.call_trees();
        let shares = |it: &Value| ["endsShare", "share"].map(|share| nanos(&it[share]));
        say("call trees", Kind::Exact, trees.iter().map(|(place, it)| exact(place, shares(it))).collect());
        let words = |(place, it): &(String, Value)| {
            format!("{place} {} {}", in_full(&it["ends"]), in_full(&it["total"]))
        };
        say("call trees", Kind::Words, trees.iter().map(words).collect());
        say("hovers", Kind::Percent, self.hovers());
        say("flame graph", Kind::Exact, self.flame_graph());
        say("costs of documents", Kind::Exact, self.document_costs());
        say("lenses", Kind::Words, self.lenses());
        execute(&mut self.client, "proflens.cycleUnit", json!(["percent"]));
        say("hints", Kind::Percent, self.hints());
        said
    }

    /// The answers to a request about each open document.
    fn of_documents(&mut self, method: &str) -> Vec<(String, Value)> {
        let range =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 10_000, "character": 0 } });
        let ask = |uri: &String| {
            let params = json!({ "textDocument": { "uri": uri }, "range": range });
            (uri.clone(), self.client.request(method, params))
        };
        self.uris.iter().map(ask).collect()
    }

    /// The function in the list for which this holds.
    fn listed(&self, is_it: impl Fn(&Value) -> bool) -> String {
        let mut found = rows(&self.hottest).filter(|it| is_it(it));
        let place = listed(found.next().expect("a function of the list"));
        assert!(found.next().is_none(), "more than one is {place}");
        place
    }

    /// The function that a hint or a lens belongs to, by its path in the document.
    fn of_item(&self, uri: &str, item: &Value) -> String {
        self.listed(|it| it["uri"] == uri && it["function"]["path"] == item["data"][1])
    }

    fn hints(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        for (uri, hints) in self.of_documents("textDocument/inlayHint") {
            for hint in hints.as_array().unwrap() {
                let label = hint["label"].as_str().unwrap().trim_matches(['(', ')', '~']);
                // A self time of nothing is not shown.
                let (own, all) = label.split_once(" self · ").unwrap_or(("0%", label));
                let all = all.strip_suffix(" total").unwrap();
                said.push(format!("{} {own} {all}", self.of_item(&uri, hint)).replace('%', " %"));
            }
        }
        said
    }

    fn lenses(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        for (uri, lenses) in self.of_documents("textDocument/codeLens") {
            for lens in lenses.as_array().unwrap() {
                let place = self.of_item(&uri, lens);
                let lens = self.client.request("codeLens/resolve", lens.clone());
                let title = lens["command"]["title"].as_str().unwrap();
                let costs = title.split_once("Self ").unwrap().1.rsplit_once(" · ").unwrap().0;
                said.push(format!("{place} {}", costs.replace(" · Total", "")));
            }
        }
        said
    }

    fn document_costs(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        for (uri, costs) in self.of_documents("proflens/documentCosts") {
            said.extend(exact_rows(&costs["functions"], |it| {
                self.listed(|listed| listed["uri"] == uri && listed["selectionRange"] == it["selectionRange"])
            }));
        }
        said
    }

    fn hovers(&mut self) -> Vec<String> {
        let hover = |it: &Value| {
            let at = &it["selectionRange"]["start"];
            let params = json!({ "textDocument": { "uri": it["uri"] }, "position": at });
            let hover = self.client.request("textDocument/hover", params);
            let text = hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover of {it}"));
            let share = |row: &str| {
                let row = text.lines().find(|it| it.starts_with(row)).unwrap();
                row.split('|').nth(3).unwrap().trim().to_owned()
            };
            format!("{} {} {}", listed(it), share("| Self"), share("| Total"))
        };
        rows(&self.hottest).map(hover).collect()
    }

    /// The root of the tree of what each function calls.
    fn call_trees(&mut self) -> Vec<(String, Value)> {
        let tree = |it: &Value| {
            let params = json!({ "function": it["function"], "direction": "callees" });
            (listed(it), self.client.request("proflens/callTree", params))
        };
        rows(&self.hottest).map(tree).collect()
    }

    fn symbols(&mut self) -> Vec<String> {
        let mut ask = |query: &str| {
            let symbols = self.client.request("workspace/symbol", json!({ "query": query }));
            let row = |it: &Value| {
                let (amount, path) = it["containerName"].as_str().unwrap().split_once(") ").unwrap();
                let line = it["location"]["range"]["start"]["line"].as_u64().unwrap() + 1;
                (format!("{} {path}:{line}", it["name"].as_str().unwrap()), format!("{amount})"))
            };
            symbols.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
        };
        let (mut own, mut all) = (ask("#self"), ask("#hot"));
        // Functions with one name may begin on one line; ordered by cost, they have the same order in neither.
        own.sort();
        all.sort();
        own.iter().zip(&all).map(|(own, all)| format!("{} {} {}", own.0, own.1, all.1)).collect()
    }

    fn flame_graph(&mut self) -> Vec<String> {
        let page = self.client.request("proflens/flamePage", json!({ "editor": "/open" }));
        let flame = Flame::read(page["html"].as_str().unwrap());
        let [active, idle] = flame.ledger();
        let base = if flame.header["base"] == "all" { active + idle } else { active } as f64;
        let costs =
            flame.costs().into_iter().map(|(place, it)| (place.rsplit_once(':').unwrap().0.to_owned(), it));
        let listed: Vec<String> = rows(&self.hottest).map(listed).collect();
        costs
            .filter(|(place, _)| listed.contains(place))
            .map(|(place, [own, all, ..])| exact(&place, [own, all].map(|it| it as f64 / base)))
            .collect()
    }
}

fn execute(client: &mut Client, command: &str, arguments: Value) -> Value {
    client.request("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
}

fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().unwrap().iter()
}

/// Where a row of the list is.
fn listed(it: &Value) -> String {
    let line = it["selectionRange"]["start"]["line"].as_u64().unwrap() + 1;
    format!("{} {}:{line}", it["name"].as_str().unwrap(), it["path"].as_str().unwrap())
}

/// An amount and what is written beside it.
fn in_full(amount: &Value) -> String {
    format!("{} ({})", amount["text"].as_str().unwrap(), amount["beside"].as_str().unwrap())
}
