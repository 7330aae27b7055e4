//! Names, sources and paths chosen by somebody else: they are shown, and do nothing to a terminal, a build server, a comment or a
//! picture; and output that goes nowhere is an error.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};
use tests::{Client, Folder, proflens};

/// Names that JavaScript allows for methods.
const NAMES: [&str; 14] = [
    "a\x1b]0;title\x07b",
    "c1 \u{9b}31m",
    "right \u{202e}left",
    "isolate \u{2066}x\u{2069}",
    "invisible \u{200b}\u{3164}\u{e0041}",
    "##[error]github",
    "##vso[task.complete]azure",
    "``@everyone ![i](https://e.example/x.png) [c](https://e.example) ``",
    "`",
    "| a | b |",
    "a\\|b",
    "<img src=x> &#64;here www.e.example #12",
    "a;b &lt; 12",
    "kernel_[k]",
];

/// A trace whose name ends a line and begins a command.
const TRACE: &str = "t\x1b]0;title\x07\n::error::\u{202e}x.cpuprofile";

/// Where functions ran that the workspace does not have.
const ELSEWHERE: &str = "https://e.example/@everyone/#12\n::error::\x1b[2J.js";

/// A workspace, and traces of it in the folders `before` and `after`.
fn hostile() -> Folder {
    let folder = Folder::new();
    let mut source = "const o = {\n".to_owned();
    let mut nodes = vec![node(1, "(root)", "", [-1, -1], &(2..2 + 2 * NAMES.len()).collect::<Vec<_>>())];
    for (line, name) in (1..).zip(NAMES) {
        let literal = format!("\"{}\"", name.replace('\\', "\\\\"));
        let column = literal.encode_utf16().count() as i32;
        source += &format!("{literal}() {{}},\n");
        nodes.push(node(nodes.len() + 1, name, &folder.uri("ws/a.js"), [line, column], &[]));
        nodes.push(node(nodes.len() + 1, name, ELSEWHERE, [line, 0], &[]));
    }
    folder
        .write("ws/a.js", source + "};\n`\n::error::of the source\n\x1b]0;title\x07 \u{202e}##[error]x`;\n");
    for (side, times) in [("before", 3), ("after", 9)] {
        for run in 0..3 {
            let samples: Vec<_> = (2..=nodes.len()).flat_map(|id| vec![id; times + run]).collect();
            let deltas = vec![1000; samples.len()];
            let end = 1000 * samples.len();
            let trace = json!({ "nodes": nodes, "startTime": 0, "endTime": end, "samples": samples, "timeDeltas": deltas });
            folder.write(&format!("{side}/{run}{TRACE}"), trace.to_string());
        }
    }
    folder
}

fn node(id: usize, name: &str, url: &str, [line, column]: [i32; 2], children: &[usize]) -> Value {
    let frame = json!({ "functionName": name, "scriptId": id.to_string(), "url": url, "lineNumber": line, "columnNumber": column });
    json!({ "id": id, "callFrame": frame, "children": children, "hitCount": 1 })
}

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(proflens());
    command.args(arguments).current_dir(folder.path().join("ws")).env_remove("NO_COLOR");
    command
}

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn stdout(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8(run(folder, arguments).stdout).unwrap()
}

/// Characters in a text that are invisible, or that change its direction.
fn is_hidden(char: &char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\t'))
        || matches!(char, '\u{202e}' | '\u{2066}' | '\u{2069}' | '\u{200b}' | '\u{3164}' | '\u{e0041}')
}

/// What a terminal or a build server obeys in a text.
fn obeyed(text: &str) -> Vec<String> {
    let hidden = text.chars().filter(is_hidden).map(|char| format!("{char:?}"));
    let is_command =
        |line: &&str| line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[");
    hidden.chain(text.lines().filter(is_command).map(str::to_owned)).collect()
}

#[test]
fn what_is_printed_is_only_read() {
    let folder = hostile();
    let trace = &format!("../before/0{TRACE}");
    let none = &format!("{trace}.none");
    let commands: &[&[&str]] = &[
        &["report", "--all", trace, "../before"],
        &["report", "--format", "json", "--all", trace],
        &["report", "--format", "markdown", "../before"],
        &["report", "--thread", "x\n::error::", trace],
        &["report", none, none],
        &["report", "--workspace", none, trace],
        &["report", "--map", "x\n::error::\u{202e}", trace],
        &["report", "--wrong\n::error::\x1b[2J"],
        &["report", "--by", "\u{202e}\n::error::", trace],
        &["annotate", "--trace", trace, "--", "a.js"],
        &["annotate", "--lines", "--trace", trace, "--", "a.js", "../ws/a.js", "none\n::error::"],
        &["compare", "--before", "../before", "--after", "../after"],
        &["compare", "--format", "json", "--before", "../before", "--after", "../after"],
        &["compare", "--format", "markdown", "--before", "../before", "--after", "../after"],
        &["compare", "--before", none, "--after", trace],
        &["compare", "--before", trace, "--after", trace],
        &["compare", "--before", "../before", "--after", "../after", "--fail-on-regression", "10%"],
        &["compare", "--before-rev", "x\n::error::\x1b[2J"],
        &["doctor", trace],
        &["doctor", "--format", "json", trace],
        &["flame", trace],
        &["flame", trace, "-o", "x\n::error::\u{202e}.svg"],
        &["flame", trace, "-o", "none\n::error::\u{202e}/x.svg"],
        &["convert", trace, "--to", "cpuprofile", "-o", "none\n::error::/\u{202e}"],
        &["convert", trace, "-o", "x\n::error::\u{202e}"],
    ];
    let mut found = Vec::new();
    for &arguments in commands {
        let output = run(&folder, arguments);
        assert!(!(output.stdout.is_empty() && output.stderr.is_empty()), "{arguments:?} prints nothing");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            found.extend(obeyed(&text).into_iter().map(|it| format!("{arguments:?}: {it}")));
        }
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn what_is_hidden_is_exact_in_json_and_marked_in_tables() {
    let folder = hostile();
    let report = stdout(&folder, &["report", "--limit", "0", "--format", "json", "--all", "../before"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let names = |list: &str| {
        let mut names: Vec<_> =
            report[list].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        names
    };
    let mut expected = NAMES.to_vec();
    expected.sort_unstable();
    assert_eq!(names("unplacedFunctions"), expected);
    assert_eq!(names("functions").len(), NAMES.len(), "all are placed");
    let table = stdout(&folder, &["report", "--all", "../before"]);
    for shown in ["a�]0;title�b", "right �left", "invisible ���", "# #[error]github", "isolate �x�"]
    {
        assert!(table.contains(shown), "{shown}: {table}");
    }
}

/// The parts of a Markdown text that are not text: code, HTML, and where links lead; and the text that a site would
/// turn into a link.
fn read_markdown(markdown: &str) -> (Vec<String>, Vec<String>) {
    let (mut code, mut live, mut text) = (Vec::new(), Vec::new(), String::new());
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Code(it) => code.push(it.into_string()),
            Event::Text(it) => text += &it,
            Event::Html(it) | Event::InlineHtml(it) => {
                let is_ours = |tag: &str| {
                    ["<details>", "<summary>", "</details>", "</summary>"]
                        .iter()
                        .any(|ours| tag.starts_with(ours))
                };
                live.extend((!is_ours(it.trim())).then(|| it.into_string()));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                live.push(dest_url.into_string())
            }
            Event::Start(
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Heading { .. } | Tag::CodeBlock(_),
            ) => {
                live.push(format!("{event:?}"));
            }
            Event::End(_) => text.push('\n'),
            _ => {}
        }
    }
    let links = ["https://", "www.", "@everyone", "@here", "#12"];
    live.extend(links.iter().filter(|link| text.contains(**link)).map(|link| format!("{link} in {text}")));
    (code, live)
}

#[test]
fn markdown_shows_names_as_code_and_makes_no_links() {
    let folder = hostile();
    let report = ["report", "--limit", "0", "--by", "self"];
    let json: Value =
        serde_json::from_str(&stdout(&folder, &[&report[..], &["--format", "json", "../before"]].concat()))
            .unwrap();
    let hidden = |char: char| obeyed(&char.to_string()).len() == 1;
    let shown = |name: &Value| {
        let name = name.as_str().unwrap().replace(hidden, "\u{FFFD}");
        name.replace("##[", "# #[").replace("##vso[", "# #vso[")
    };
    let names: Vec<_> = json["functions"].as_array().unwrap().iter().map(|it| shown(&it["name"])).collect();
    let markdown = stdout(&folder, &[&report[..], &["--format", "markdown", "../before"]].concat());
    let (code, live) = read_markdown(&markdown);
    assert_eq!(live, [""; 0], "{markdown}");
    let code: Vec<_> = code.into_iter().filter(|it| !it.starts_with("a.js:")).collect();
    assert_eq!(code, names, "{markdown}");
    assert!(
        markdown.contains("https&#8203;://e.example/@&#8203;everyone/"),
        "the address is there as text: {markdown}"
    );

    let compare =
        ["compare", "--limit", "0", "--format", "markdown", "--before", "../before", "--after", "../after"];
    let markdown = stdout(&folder, &compare);
    let (code, live) = read_markdown(&markdown);
    assert_eq!(live, ["Start(Strong)"], "of our own: {markdown}");
    let names: Vec<_> = names.iter().filter(|name| !code.contains(name)).collect();
    assert_eq!(names, [""; 0], "{markdown}");

    let base = "https://h.example/a) <b> | @everyone";
    let markdown = stdout(&folder, &[&compare[..], &["--link-base", base]].concat());
    let (_, live) = read_markdown(&markdown);
    let is_link =
        |link: &&String| link.starts_with("https://h.example/a%29%20%3Cb%3E%20%7C%20@everyone/a.js#L");
    assert_eq!((live.len(), live.iter().filter(is_link).count()), (NAMES.len() + 1, NAMES.len()), "{live:?}");
}

/// The titles of all frames of a picture.
fn titles(picture: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let is_character = |char: char| matches!(char, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    assert_eq!(picture.chars().filter(|char| !is_character(*char)).collect::<String>(), "", "XML 1.0, 2.2");
    let (mut reader, mut titles, mut inside) = (quick_xml::Reader::from_str(picture), Vec::new(), false);
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return titles,
            Event::Start(tag) if tag.name().as_ref() == b"title" => {
                inside = true;
                titles.push(String::new());
            }
            Event::End(_) => inside = false,
            Event::Text(text) if inside => *titles.last_mut().unwrap() += &text.decode().unwrap(),
            Event::GeneralRef(name) if inside => {
                let name = name.decode().unwrap();
                *titles.last_mut().unwrap() += quick_xml::escape::resolve_predefined_entity(&name).unwrap();
            }
            _ => {}
        }
    }
}

#[test]
fn a_picture_is_xml_with_the_names_as_they_are() {
    let folder = hostile();
    let frame =
        |id: usize, name: &str, children: &[usize]| node(id, name, "http://h/a.js", [id as i32, 0], children);
    let names = [
        "a;b 12",
        "x &lt; y",
        "kernel_[k]",
        "# 1",
        "12",
        "\u{fdd0};\u{fdd1} \u{ffff}",
        "a\x00\x0b\u{fffe}b",
        "<b>\"'&amp;",
    ];
    let mut nodes = vec![node(1, "(root)", "", [-1, -1], &(2..2 + names.len()).collect::<Vec<_>>())];
    nodes.extend((2..).zip(names).map(|(id, name)| frame(id, name, &[])));
    let samples: Vec<_> = (2..2 + names.len()).collect();
    let deltas = vec![1000; samples.len()];
    let trace = |samples: &[usize]| {
        json!({ "nodes": nodes, "startTime": 0, "endTime": 1000 * samples.len(), "samples": samples, "timeDeltas": deltas }).to_string()
    };
    folder.write("ws/t.cpuprofile", trace(&samples));
    run(&folder, &["flame", "t.cpuprofile", "-o", "t.svg"]);
    let shown: Vec<String> = titles(&folder.read("ws/t.svg"))
        .into_iter()
        .filter_map(|title| Some(title.rsplit_once(" (")?.0.to_owned()))
        .collect();
    let mut expected: Vec<String> = names
        .iter()
        .map(|name| name.replace(['\u{fdd0}', '\u{fdd1}', '\u{ffff}', '\0', '\x0b', '\u{fffe}'], "\u{FFFD}"))
        .collect();
    expected.push("all".to_owned());
    let sorted = |mut all: Vec<String>| {
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(shown), sorted(expected));

    for arguments in [
        &["flame", "../after", "-o", "t.svg"][..],
        &["flame", "../after", "--before", "../before", "-o", "t.svg"],
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let titles = titles(&folder.read("ws/t.svg"));
        assert!(titles.iter().any(|title| title.contains("a;b &lt; 12")), "{titles:?}");
    }
}

#[test]
fn what_the_editor_shows_and_logs_is_one_line() {
    let folder = Folder::new();
    let name = "x\n99:99:99.999 error: forged \u{202e}\x1b[2J.json";
    folder.write(name, "{\"snapshot\":{\"meta\":{}},\"nodes\":[],\"edges\":[],\"strings\":[]}");
    let log = folder.path().join("proflens.log");
    let mut client = Client::start(proflens(), &["lsp", "--log", log.to_str().unwrap()]);
    client.request("initialize", json!({ "capabilities": {}, "rootUri": folder.uri("") }));
    client.notify("initialized", json!({}));
    client.ask(
        "workspace/executeCommand",
        json!({ "command": "proflens.loadTrace", "arguments": [folder.uri(name)] }),
    );
    let message = client.hear("window/showMessage")["params"]["message"].as_str().unwrap().to_owned();
    let ended = client.close();
    let shown = "x�99:99:99.999 error: forged ��[2J.json";
    assert!(message.contains(shown) && obeyed(&message).is_empty(), "{message}");
    let log = folder.read("proflens.log");
    assert!(log.contains(shown), "{log}");
    assert_eq!(obeyed(&(log.clone() + &ended.log)), [""; 0]);
    let forged: Vec<_> = log.lines().filter(|line| line.starts_with("99:")).collect();
    assert_eq!(forged, [""; 0]);
}

/// The name of code that a function made, which may be any text.
const MADE: &str = "made\n::error::\x1b[2J[c](command:x) `<b>*i*` | \u{202e}";

/// Each of the workspace's functions has called code that it has made, and so has one from elsewhere.
fn made(folder: &Folder) -> Value {
    let mut nodes = Vec::new();
    let frames = (1..).zip(NAMES).map(|(line, name)| (name, folder.uri("ws/a.js"), line));
    for (name, url, line) in frames.chain([(MADE, ELSEWHERE.to_owned(), 1)]) {
        let literal = format!("\"{}\"", name.replace('\\', "\\\\"));
        let column = literal.encode_utf16().count() as i32;
        let maker = node(nodes.len() + 2, name, &url, [line, column], &[nodes.len() + 3]);
        let mut code = node(nodes.len() + 3, MADE, "", [0, 0], &[]);
        code["callFrame"]["madeBy"] = maker["callFrame"].clone();
        nodes.extend([maker, code]);
    }
    let samples: Vec<usize> = (2..nodes.len() + 2).collect();
    let makers: Vec<usize> = samples.iter().copied().step_by(2).collect();
    nodes.insert(0, node(1, "(root)", "", [-1, -1], &makers));
    let deltas = vec![1000; samples.len()];
    json!({ "nodes": nodes, "startTime": 0, "endTime": 1000 * samples.len(), "samples": samples, "timeDeltas": deltas })
}

#[test]
fn who_made_code_is_only_read() {
    let folder = hostile();
    folder.write("made.cpuprofile", made(&folder).to_string());
    let trace = "../made.cpuprofile";
    let json = stdout(&folder, &["report", "--all", "--limit", "0", "--format", "json", trace]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let by_code = json["unplacedFunctions"].as_array().unwrap().iter().filter(|it| it["name"] == MADE);
    assert_eq!(by_code.count(), NAMES.len() + 2, "those that were made, and one that made some");
    for arguments in
        [&["report", "--all", "--limit", "0", trace][..], &["report", "--all", "--format", "markdown", trace]]
    {
        let text = stdout(&folder, arguments);
        assert!(text.contains("code made by "), "{arguments:?}: {text}");
        assert_eq!(obeyed(&text), [""; 0], "{arguments:?}");
        if arguments.contains(&"markdown") {
            assert_eq!(read_markdown(&text).1, [""; 0], "{text}");
        }
    }
}

/// The texts of an answer that an editor draws, each in a line. What names a function or a file stays exact, and so do the addresses of
/// the ledger, from which a path is mapped; it is drawn by its rows.
fn drawn(answer: &Value, texts: &mut Vec<String>) {
    match answer {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|it| drawn(it, texts)),
        Value::Object(members) => {
            let members =
                members.iter().filter(|it| !matches!(it.0.as_str(), "uri" | "function" | "unplaced"));
            members.for_each(|it| drawn(it.1, texts));
        }
        _ => {}
    }
}

#[test]
fn what_an_editor_draws_is_only_read() {
    let folder = hostile();
    let trace = folder.write("made.cpuprofile", made(&folder).to_string());
    let mut client = Client::open(proflens(), &folder.path().join("ws"), json!({}));
    client.did_open(&folder.path().join("ws"), "a.js");
    let execute = |client: &mut Client, command: &str, argument: Value| {
        client.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    };
    execute(&mut client, "proflens.loadTrace", json!(tests::uri(&trace)));
    let list = client.request("proflens/hottest", json!({}));
    let functions = list["items"].as_array().unwrap().clone();
    assert_eq!(functions.len(), NAMES.len());
    let symbols = client.request("workspace/symbol", json!({ "query": "#self" }));
    let mut answers = vec![list, symbols, execute(&mut client, "proflens.showLedger", Value::Null)];
    let mut hovers = Vec::new();
    for row in &functions {
        answers.push(execute(&mut client, "proflens.showCallers", row["function"].clone()));
        for direction in ["callers", "callees"] {
            let params = json!({ "function": row["function"], "direction": direction });
            answers.push(client.request("proflens/callTree", params));
        }
        let at = json!({ "textDocument": { "uri": row["uri"] }, "position": row["selectionRange"]["start"] });
        hovers
            .push(client.request("textDocument/hover", at)["contents"]["value"].as_str().unwrap().to_owned());
    }
    let mut texts = Vec::new();
    answers.iter().for_each(|it| drawn(it, &mut texts));
    assert!(texts.iter().any(|it| it.starts_with("code made by ")), "{texts:#?}");
    texts.retain(|it| it.contains(|char| char == '\n' || is_hidden(&char)));
    assert_eq!(texts, [""; 0]);

    let own = [folder.uri("ws/a.js"), "Start(Strong)".to_owned()];
    for hover in hovers {
        assert_eq!(obeyed(&hover), [""; 0]);
        let (_, live) = read_markdown(&hover);
        let is_own = |it: &&String| own.iter().any(|own| it.starts_with(own)) || it.contains(" in ");
        assert_eq!(live.iter().filter(|it| !is_own(it)).collect::<Vec<_>>(), [""; 0], "{hover}");
    }
}

/// Each command that prints, in a folder where it succeeds.
#[cfg(target_os = "linux")]
const PRINTING: [&[&str]; 12] = [
    &["--help"],
    &["--version"],
    &["report", "--help"],
    &["report", "t.cpuprofile"],
    &["report", "--format", "json", "t.cpuprofile"],
    &["report", "--format", "markdown", "t.cpuprofile"],
    &["annotate", "--trace", "t.cpuprofile", "--", "a.js"],
    &["compare", "t.cpuprofile", "--", "u.cpuprofile"],
    &["compare", "--format", "json", "t.cpuprofile", "--", "u.cpuprofile"],
    &["doctor", "t.cpuprofile"],
    &["flame", "t.cpuprofile"],
    &["convert", "--to", "collapsed", "t.cpuprofile"],
];

#[cfg(target_os = "linux")]
fn printing() -> Folder {
    let folder = hostile();
    for (name, from) in [("t", "before"), ("u", "after")] {
        let trace = folder.read(&format!("{from}/0{TRACE}"));
        folder.write(&format!("ws/{name}.cpuprofile"), trace);
    }
    folder
}

#[cfg(target_os = "linux")]
fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = printing();
    let why = "No space left on device (os error 28)";
    for arguments in PRINTING {
        assert_eq!(run(&folder, arguments).status.code(), Some(0), "{arguments:?}");
        let output = command(&folder, arguments).stdout(full()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert_eq!(said.matches(why).count(), 1, "{arguments:?}: {said}");
    }
    for link in ["full.svg", "full.html", "full.cpuprofile"] {
        std::os::unix::fs::symlink("/dev/full", folder.path().join("ws").join(link)).unwrap();
        let name = if link.ends_with("cpuprofile") { "convert" } else { "flame" };
        let output = run(&folder, &[name, "t.cpuprofile", "-o", link]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{link}: {said}");
        assert!(said.contains(&format!("{link} cannot be written: {why}.")), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_gone_is_no_error() {
    let folder = printing();
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&folder, arguments).stdout(writer).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), said.contains("cannot be written")),
            (Some(0), false),
            "{arguments:?}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_error_that_nobody_can_read_is_still_a_status() {
    let folder = printing();
    for (arguments, status) in [
        (&["report", "none"][..], 1),
        (&["report", "--wrong"], 2),
        (&["convert", "t.cpuprofile", "-o", "x"], 2),
    ] {
        for stdout in [full(), File::options().write(true).open("/dev/null").unwrap()] {
            let ended = command(&folder, arguments).stdout(stdout).stderr(full()).status().unwrap();
            assert_eq!(ended.code(), Some(status), "{arguments:?}");
        }
    }
}

/// A picture that is written without a name gets a name that the folder's owner may have taken.
#[cfg(unix)]
#[test]
fn a_link_in_the_folder_is_not_written_through() {
    let folder = hostile();
    folder.write("ws/t.cpuprofile", folder.read(&format!("before/0{TRACE}")));
    let mine = folder.write("mine", "mine");
    std::os::unix::fs::symlink(mine, folder.path().join("ws/t.flame.html")).unwrap();
    assert_eq!(run(&folder, &["flame", "t.cpuprofile"]).status.code(), Some(0));
    assert_eq!(folder.read("mine"), "mine");
    assert!(Path::new(&folder.path().join("ws/t.flame.html")).metadata().unwrap().len() > 1000);
}
