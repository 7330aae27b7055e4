//! What is shown compared with what was measured before, as an editor sees it: recordings of a program whose changes are known
//! (tests/workspaces/shop).

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde_json::{Value, json};
use tests::{Client, Folder, proflens, root};

/// An editor with the program and its recordings, none of which is shown yet.
struct Shop {
    folder: Folder,
    client: Client,
}

impl Shop {
    fn open() -> Self {
        Self::open_in_an_editor(json!({ "proflens": { "ui": true } }))
    }

    fn open_in_an_editor(experimental: Value) -> Self {
        let folder = Folder::copy_of("tests/workspaces/shop");
        let now = SystemTime::now();
        for (side, hours) in [("before", 48), ("after", 24)] {
            for run in 1..=4 {
                let file = folder.path().join(format!("{side}/{run}.cpuprofile.gz"));
                let written = now - Duration::from_secs(3600 * (hours - run));
                File::options().append(true).open(file).unwrap().set_modified(written).unwrap();
            }
        }
        let refreshing = json!({ "inlayHint": { "refreshSupport": true } });
        let capabilities = json!({ "workspace": refreshing, "experimental": experimental });
        let mut client = Client::open(proflens(), folder.path(), capabilities);
        client.did_open(folder.path(), "shop.js");
        client.hear("workspace/inlayHint/refresh");
        Self { folder, client }
    }

    fn command(&mut self, name: &str, argument: &Value) -> Value {
        let params = json!({ "command": format!("proflens.{name}"), "arguments": [argument] });
        self.client.request("workspace/executeCommand", params)
    }

    fn load(&mut self, trace: &str) {
        let uri = self.folder.uri(trace);
        let loaded = self.command("loadTrace", &json!(uri));
        assert_eq!(loaded["state"], "loaded", "{loaded}");
    }

    fn compare_with(&mut self, before: &str) -> Value {
        let path = self.folder.path().join(before);
        self.command("compareWith", &json!({ "before": [path] }))
    }

    fn comparison(&mut self) -> Value {
        self.client.request("proflens/status", json!({}))["comparison"].take()
    }

    /// The labels of all hints, with their lines.
    fn hints(&mut self) -> Vec<String> {
        let range =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1000, "character": 0 } });
        let params = json!({ "textDocument": { "uri": self.folder.uri("shop.js") }, "range": range });
        let hints = self.client.request("textDocument/inlayHint", params);
        let hints = hints.as_array().unwrap().iter();
        hints.map(|it| format!("{}: {}", it["position"]["line"], it["label"].as_str().unwrap())).collect()
    }

    /// The last message to the user, which is one sentence.
    fn told(&mut self) -> String {
        let told = self.client.hear("window/showMessage")["params"]["message"].as_str().unwrap().to_owned();
        self.client.heard.retain(|it| it["method"] != "window/showMessage");
        told.replace(&self.folder.path().display().to_string(), "FOLDER")
    }
}

/// The rows of a list by difference.
fn rows(list: &Value) -> Vec<String> {
    let row = |it: &Value| {
        let change = &it["change"];
        let line = it["selectionRange"]["start"]["line"].as_u64();
        let texts = ["which", "before", "after", "text", "words"].map(|it| change[it].as_str().unwrap());
        format!("{} {line:?}: {}", it["name"].as_str().unwrap(), texts.join(", "))
    };
    list["items"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn what_changed_is_at_each_function() {
    let mut shop = Shop::open();
    shop.load("after");
    let answer = shop.compare_with("before");
    let document = json!({ "uri": shop.folder.uri("shop.js") });
    let mut shown = shop.hints().iter().map(|it| format!("hint {it}\n")).collect::<String>();
    for lens in
        shop.client.request("textDocument/codeLens", json!({ "textDocument": document })).as_array().unwrap()
    {
        let lens = shop.client.request("codeLens/resolve", lens.clone());
        shown += &format!("lens {} {}\n", lens["range"]["start"]["line"], lens["command"]["title"]);
    }
    let costs = shop.client.request("proflens/documentCosts", json!({ "textDocument": document }));
    for it in costs["functions"].as_array().unwrap() {
        let change = &it["change"];
        shown += &format!("cost {} {} {}\n", it["name"], change["verdict"], change["text"]);
    }
    for (line, character) in [(3, 12), (13, 12)] {
        let at = json!({ "line": line, "character": character });
        let hover =
            shop.client.request("textDocument/hover", json!({ "textDocument": document, "position": at }));
        let text = hover["contents"]["value"].as_str().unwrap();
        shown += text.split("\n---\n").next().unwrap();
    }
    expect![[r#"
        hint 13: 145ms ▲×2.9
        hint 19: 43.4ms ▼58%
        hint 25: 57.2ms new
        lens 13 "50.4 ms → 145 ms (×2.9, slower, p = 0.013)"
        lens 19 "104 ms → 43.4 ms (−58 %, faster, p = 0.037)"
        lens 25 "0 ms → 57.2 ms (new, p = 0.032)"
        cost "(top level)" "unsure" "−52 %"
        cost "spin" "unsure" "+5.4 %"
        cost "parse" "unsure" "−60 %"
        cost "price" "regression" "▲×2.9"
        cost "render" "improvement" "▼58 %"
        cost "payByCard" "new" "new"
        cost "sell" "unsure" "×2.2"
        |       | Before |  After | Change | Interval (95 %) |
        |:------|-------:|-------:|-------:|----------------:|
        | Self  | 203 ms | 214 ms | +5.4 % |  −20 % to +39 % |
        | Total | 203 ms | 214 ms | +5.4 % |  −20 % to +39 % |

        There is **not enough data** to tell whether it changed · against before · 4 runs before, 4 runs after, judged by how much the runs of each side differ
        |       |  Before |  After | Change | Interval (95 %) |
        |:------|--------:|-------:|-------:|----------------:|
        | Self  | 50.4 ms | 145 ms |   ×2.9 |   +86 % to ×4.5 |
        | Total | 50.4 ms | 145 ms |   ×2.9 |   +85 % to ×4.5 |

        **Slower** (p = 0.013) · against before · 4 runs before, 4 runs after, judged by how much the runs of each side differ
    "#]].assert_eq(&shown);
    assert_eq!(shop.comparison(), answer);
    let before = shop.folder.path().join("before");
    assert_eq!(answer["beforePaths"], json!([before]));
    expect![[r#"
        "before"
        4 of 4, "runs": "+13 %" "unsure", 1 slower, 1 faster, 4 unsure
        Active time: 443 ms before, 501 ms after (+13 %), −14 % to +50 %, not enough data.
        4 runs before, 4 runs after: judged by how much the runs of each side differ.
        Of 8 functions: 1 slower, 1 faster, 1 new, 1 gone.
    "#]]
    .assert_eq(&format!(
        "{}\n{} of {}, {}: {} {}, {} slower, {} faster, {} unsure\n{}\n",
        answer["title"],
        answer["afterRuns"],
        answer["beforeRuns"],
        answer["method"],
        answer["active"]["text"],
        answer["active"]["verdict"],
        answer["slower"],
        answer["faster"],
        answer["unsure"],
        answer["sentence"].as_str().unwrap()
    ));
}

#[test]
fn lists_are_in_the_order_of_the_difference() {
    let mut shop = Shop::open();
    shop.load("after");
    let by =
        |shop: &mut Shop, by: &str| shop.client.request("proflens/hottest", json!({ "by": by, "limit": 7 }));
    assert_eq!(by(&mut shop, "difference"), by(&mut shop, "self"), "nothing is compared yet");
    shop.compare_with("before");
    expect![[r#"
        price Some(13): self, 50.4 ms, 145 ms, ▲×2.9, slower
        render Some(19): self, 104 ms, 43.4 ms, ▼58 %, faster
        payByCard Some(25): self, 0 ms, 57.2 ms, new, new
        payInCash Some(31): self, 42.1 ms, 0 ms, gone, gone
        spin Some(3): self, 203 ms, 214 ms, +5.4 %, not enough data
        parse Some(9): self, 7.83 ms, 3.16 ms, −60 %, not enough data
        sell Some(37): self, 2.85 ms, 6.28 ms, ×2.2, not enough data"#]]
    .assert_eq(&rows(&by(&mut shop, "difference")).join("\n"));
    let filtered = json!({ "by": "difference", "filter": "PAYIN" });
    assert_eq!(rows(&shop.client.request("proflens/hottest", filtered)).len(), 1);
    assert_eq!(by(&mut shop, "self")["items"][0]["change"], Value::Null);
}

#[test]
fn one_run_against_the_one_before_is_no_proof() {
    let mut shop = Shop::open();
    shop.load("after/3.cpuprofile.gz");
    let answer = shop.command("compareWith", &json!({ "before": "previous" }));
    assert_eq!((&answer["title"], &answer["method"]), (&json!("3.cpuprofile.gz"), &json!("sampling")));
    let before = shop.folder.path().join("before/3.cpuprofile.gz");
    assert_eq!(answer["beforePaths"], json!([before]), "that of the same name, not the newest");
    assert_eq!((&answer["slower"], &answer["faster"]), (&json!(0), &json!(0)));
    assert_eq!((&answer["maybeSlower"], &answer["maybeFaster"]), (&json!(1), &json!(3)));
    expect![[r#"
        3: 172ms ▼32%?
        9: 180ms ▼32%?
        13: 152ms ▲×2.3?
        19: 20.2ms ▼85%?
        25: 73.9ms new"#]]
    .assert_eq(&shop.hints().join("\n"));

    // Runs that may differ by as much without a cause say nothing.
    let settings = json!({ "proflens": { "compare": { "noise": 60 }, "autoLoad": false } });
    shop.client.heard.clear();
    shop.client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    shop.client.hear("workspace/inlayHint/refresh");
    shop.command("compareWith", &json!({ "before": "previous" }));
    assert_eq!(shop.hints(), ["25: 73.9ms new"]);
    shop.load("before/1.cpuprofile.gz");
    shop.command("compareWith", &json!({ "before": "previous" }));
    assert_eq!(
        shop.told(),
        "There is no trace before before/1.cpuprofile.gz in this workspace. Name the file or folder to compare it with."
    );
}

#[test]
fn a_comparison_goes_on_until_it_is_stopped() {
    let mut shop = Shop::open();
    shop.load("after");
    let costs = shop.hints();
    shop.compare_with("before");
    let changes = shop.hints();
    assert_ne!(changes, costs);

    // Another trace is compared with the same one.
    shop.load("after/2.cpuprofile.gz");
    let comparison = shop.comparison();
    assert_eq!((&comparison["beforeRuns"], &comparison["afterRuns"]), (&json!(4), &json!(1)));
    assert_eq!(comparison["method"], "one-against-many");

    // A part of both sides.
    shop.load("after");
    assert_eq!(shop.hints(), changes);
    shop.command("focus", &json!({ "how": "below", "function": "price" }));
    assert_eq!(shop.hints().len(), 1, "{:?}", shop.hints());
    shop.command("clearScope", &Value::Null);
    assert_eq!(shop.hints(), changes);

    shop.command("stopComparing", &Value::Null);
    assert_eq!((shop.hints(), shop.comparison()), (costs, Value::Null));
    shop.compare_with("before");
    shop.command("unloadTrace", &Value::Null);
    shop.load("after");
    assert_eq!(shop.comparison(), Value::Null);
}

#[test]
fn what_cannot_be_compared_is_told_in_a_sentence() {
    let mut shop = Shop::open();
    shop.command("unloadTrace", &Value::Null);
    shop.compare_with("before");
    assert_eq!(shop.told(), "No trace is loaded that could be compared. Load one first.");
    shop.load("after");
    shop.folder.write("broken.cpuprofile", "{ \"nodes\": ");
    let heap = root().join("tests/traces/heapprofile/heap-node20.heapprofile.gz");
    shop.folder.write("heap.heapprofile.gz", std::fs::read(heap).unwrap());
    let mut told = String::new();
    for before in ["gone.cpuprofile", "broken.cpuprofile", "heap.heapprofile.gz", "after", "shop.js"] {
        assert_eq!(shop.compare_with(before), Value::Null);
        told += &(shop.told() + "\n");
    }
    expect![[r#"
        gone.cpuprofile cannot be read: there is no such file. Check the path and its permissions.
        broken.cpuprofile is not a profile that Proflens reads: it looks truncated, it ends at byte 11 in the middle of its JSON. Copy or record it again.
        heap.heapprofile.gz counts allocated bytes and after/1.cpuprofile.gz measures time: they cannot be compared. Name traces of the same kind.
        after is what is shown, and a trace compared with itself tells nothing. Name another one.
        shop.js is not a profile that Proflens reads: it is not JSON. Open a .cpuprofile or a JS Self-Profiling trace.
    "#]].assert_eq(&told);

    // What was compared before stays.
    shop.compare_with("before");
    assert_eq!(shop.compare_with("gone.cpuprofile"), Value::Null);
    assert_eq!(shop.comparison()["title"], "before");
    shop.told();
    shop.load("before");
    assert_eq!(
        shop.told(),
        "Nothing is compared any more: before is what is shown, and a trace compared with itself tells nothing. Name another one."
    );
    assert_eq!(shop.comparison(), Value::Null);
}

#[test]
fn editors_without_a_client_of_ours_are_told_what_came_out() {
    let mut shop = Shop::open_in_an_editor(Value::Null);
    shop.load("after");
    shop.compare_with("before");
    expect![[r#"
        Against before:
        Active time: 443 ms before, 501 ms after (+13 %), −14 % to +50 %, not enough data.
        4 runs before, 4 runs after: judged by how much the runs of each side differ.
        Of 8 functions: 1 slower, 1 faster, 1 new, 1 gone."#]]
    .assert_eq(&shop.told());
}

/// Runs a program in the folder of the shop; `work` are the arguments of `shop.js`.
fn run(folder: &Folder, program: &Path, arguments: &str) {
    let status = Command::new(program)
        .args(arguments.split_whitespace())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{} {arguments}", program.display());
}

#[test]
fn recordings_are_found_by_their_commit_and_by_their_command() {
    let mut shop = Shop::open();
    let git = Path::new("git");
    let mut recorded = Vec::new();
    run(&shop.folder, git, "init --quiet");
    for work in ["2 2 2 2 2", "2 9 2 2 2"] {
        shop.folder.write("work.txt", work);
        run(&shop.folder, git, "add .");
        run(&shop.folder, git, "-c user.name=x -c user.email=x@example.com commit --quiet --message x");
        run(&shop.folder, proflens(), &format!("record --repeat 3 -- node shop.js {work}"));
        let folders = std::fs::read_dir(shop.folder.path().join(".proflens/recordings")).unwrap();
        let folders = folders.map(|it| it.unwrap().path()).filter(|it| it.is_dir());
        let new: Vec<_> = folders.filter(|it| !recorded.contains(it)).collect();
        assert_eq!(new.len(), 1, "{new:?}");
        recorded.extend(new);
    }
    let after = recorded[1].strip_prefix(shop.folder.path()).unwrap().display().to_string();
    shop.load(&after);
    let by_commit = shop.command("compareWith", &json!({ "rev": "HEAD~1" }));
    let runs = |it: &Value| (it["beforeRuns"].clone(), it["afterRuns"].clone(), it["method"].clone());
    assert_eq!(
        (&by_commit["title"], runs(&by_commit)),
        (&json!("HEAD~1"), (json!(3), json!(3), json!("runs")))
    );
    let previous = shop.command("compareWith", &json!({ "before": "previous" }));
    assert_eq!(previous["beforePaths"], json!([recorded[0]]));
    assert_eq!(runs(&previous), runs(&by_commit));

    shop.command("compareWith", &json!({ "rev": "nowhere" }));
    assert_eq!(
        shop.told(),
        "nowhere is no commit, branch or tag of this clone: check its name, or fetch it with git fetch."
    );
    run(
        &shop.folder,
        git,
        "-c user.name=x -c user.email=x@example.com commit --quiet --allow-empty --message x",
    );
    shop.command("compareWith", &json!({ "rev": "HEAD" }));
    let told = shop.told();
    assert!(told.starts_with("There is no recording of commit "), "{told}");
    assert_eq!(runs(&shop.comparison()), runs(&by_commit), "what was compared before stays");
}

#[test]
fn the_flame_graph_is_one_of_differences_while_it_is_compared() {
    let mut shop = Shop::open();
    shop.load("after");
    let page = |shop: &mut Shop| {
        shop.client.request("proflens/flamePage", json!({ "editor": "/open" }))["html"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let [title, compared] = ["<title>4 traces</title>", "<title>4 traces compared with before</title>"];
    assert!(page(&mut shop).contains(title));
    shop.compare_with("before");
    assert!(page(&mut shop).contains(compared));
    shop.command("stopComparing", &json!(null));
    assert!(page(&mut shop).contains(title));
}
