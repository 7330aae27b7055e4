//! Pages that force style and layout, in a real browser: the same events and times as in DevTools' own trace engine, each on the function
//! that forced it.

use std::process::Command;

use serde_json::Value;
use tests::{Folder, root};

use crate::outcome::{record, recordings, report, said};
use crate::page::serve;
use crate::runners::packages;

/// A page: its script, what else is served beside it, the tags that load the script, and which functions force what: their name and place,
/// then what they ask for and the line.
struct Page {
    name: &'static str,
    script: &'static str,
    others: &'static [(&'static str, &'static str)],
    tags: &'static str,
    forcing: &'static [&'static str],
}

const SCRIPT: &str = "<script src=app.js></script>";

const PAGES: [Page; 11] = [
    Page {
        name: "sizes in loops",
        script: "const boxes = [...document.querySelectorAll('p')];
function widen(box, by) {
  box.style.width = by + 'px';
  return box.offsetWidth;
}
const heights = (list) => list.map((box, at) => {
  box.style.height = at % 7 + 'px';
  return box.getBoundingClientRect().height;
});
for (let at = 0; at < 100; at++) widen(boxes[at % 50], at);
heights(boxes);
",
        others: &[],
        tags: SCRIPT,
        forcing: &["widen app.js:2: offsetWidth 4", "map callback app.js:6: getBoundingClientRect 8"],
    },
    Page {
        name: "computed styles, of classes",
        script: "class Theme {
  get colour() {
    return getComputedStyle(document.body).color;
  }
  width(box) {
    return getComputedStyle(box).width;
  }
}
const theme = new Theme();
for (const box of document.querySelectorAll('p')) {
  document.body.classList.toggle('on');
  void theme.colour;
  box.classList.toggle('wide');
  theme.width(box);
}
",
        others: &[],
        tags: "<style>.on { color: red } .wide { width: 90px }</style><script src=app.js></script>",
        forcing: &["get colour app.js:2: color 3", "width app.js:5: width 6"],
    },
    Page {
        name: "scrolling, asynchronously",
        script: "async function tour(boxes) {
  for (const box of boxes) {
    await null;
    box.style.paddingTop = '3px';
    box.scrollIntoView();
    at(box);
  }
}
function at(box) {
  box.style.paddingLeft = '3px';
  return document.elementFromPoint(5, 5);
}
setTimeout(() => tour(document.querySelectorAll('p')));
",
        others: &[],
        tags: SCRIPT,
        forcing: &["tour app.js:1: scrollIntoView 5", "at app.js:9: elementFromPoint 11"],
    },
    Page {
        name: "texts, of generators",
        script: "function* texts() {
  for (const box of document.querySelectorAll('p')) {
    box.append('!');
    yield box.innerText;
  }
}
[...texts()];
",
        others: &[],
        tags: SCRIPT,
        forcing: &["texts app.js:1: innerText 4"],
    },
    Page {
        name: "focus",
        script: "const take = function (input) {
  input.style.width = Math.random() * 90 + 'px';
  input.focus();
};
requestAnimationFrame(() => {
  for (let at = 0; at < 20; at++) document.querySelectorAll('input').forEach(take);
});
",
        others: &[],
        tags: "<input><input><script src=app.js></script>",
        forcing: &["take app.js:1: focus 3"],
    },
    Page {
        name: "components that write and read by turns",
        script: "const { port1, port2 } = new MessageChannel();
const queue = [];
port1.onmessage = () => {
  while (queue.length) queue.shift()();
};
class Row {
  constructor(box) {
    this.box = box;
  }
  setState(state) {
    queue.push(() => this.commit(state));
    port2.postMessage(null);
  }
  commit(state) {
    this.box.firstChild.data = 'row ' + state;
    this.didUpdate();
  }
  didUpdate() {
    const { width } = this.box.getBoundingClientRect();
    this.box.style.height = (width % 30) + 10 + 'px';
    effect(() => this.box.scrollHeight);
  }
}
function effect(run) {
  return run();
}
for (const box of document.querySelectorAll('p')) new Row(box).setState(7);
",
        others: &[],
        tags: SCRIPT,
        forcing: &[
            "didUpdate app.js:18: getBoundingClientRect 19",
            "effect callback app.js:21: scrollHeight 21",
        ],
    },
    Page {
        name: "minified, with a source map",
        // What esbuild makes of app.ts.
        script: r#"(()=>{var m=(t,e)=>()=>{try{return e||t((e={exports:{}}).exports,e),e.exports}catch(r){throw e=0,r}};var h=m(()=>{var s=class{constructor(e){this.boxes=e}boxes;cache=[];measureAll(e){return this.boxes.reduce((r,n)=>r+this.measureOne(n,e),0)}measureOne(e,r){e.style.width=70+r+"px";let n=e.offsetWidth;return this.cache.push({el:e,width:n}),n}},c=(t,e)=>(t.style.height=e+"px",t.clientHeight),u=[...document.querySelectorAll("p")],i=new s(u);for(let t=0;t<3;t++)i.measureAll(t),u.forEach(e=>c(e,t+20))});h();})();
//# sourceMappingURL=app.js.map
"#,
        others: &[
            (
                "/app.js.map",
                r#"{"version":3,"sources":["app.ts"],"mappings":"qGAAA,IAAAA,EAAAC,EAAA,KACA,IAAMC,EAAN,KAAe,CAEb,YAA6BC,EAAsB,CAAtB,WAAAA,CAAuB,CAAvB,MADrB,MAAiB,CAAC,EAE1B,WAAWC,EAAuB,CAChC,OAAO,KAAK,MAAM,OAAO,CAACC,EAAKC,IAAOD,EAAM,KAAK,WAAWC,EAAIF,CAAK,EAAG,CAAC,CAC3E,CACQ,WAAWE,EAAiBF,EAAuB,CACzDE,EAAG,MAAM,MAAQ,GAAKF,EAAQ,KAC9B,IAAMG,EAAgBD,EAAG,YACzB,YAAK,MAAM,KAAK,CAAE,GAAAA,EAAI,MAAAC,CAAM,CAAC,EACtBA,CACT,CACF,EACMC,EAAW,CAACF,EAAiBF,KACjCE,EAAG,MAAM,OAASF,EAAQ,KACnBE,EAAG,cAENH,EAAQ,CAAC,GAAG,SAAS,iBAAiB,GAAG,CAAC,EAC1CM,EAAW,IAAIP,EAASC,CAAK,EACnC,QAASC,EAAQ,EAAGA,EAAQ,EAAGA,IAC7BK,EAAS,WAAWL,CAAK,EACzBD,EAAM,QAASO,GAAQF,EAASE,EAAKN,EAAQ,EAAE,CAAC","names":["require_app","__commonJSMin","Measurer","boxes","round","sum","el","width","heightOf","measurer","box"]}"#,
            ),
            (
                "/app.ts",
                "interface Sized { el: HTMLElement; width: number }
class Measurer {
  private cache: Sized[] = [];
  constructor(private readonly boxes: HTMLElement[]) {}
  measureAll(round: number): number {
    return this.boxes.reduce((sum, el) => sum + this.measureOne(el, round), 0);
  }
  private measureOne(el: HTMLElement, round: number): number {
    el.style.width = 70 + round + 'px';
    const width: number = el.offsetWidth;
    this.cache.push({ el, width });
    return width;
  }
}
const heightOf = (el: HTMLElement, round: number): number => {
  el.style.height = round + 'px';
  return el.clientHeight;
};
const boxes = [...document.querySelectorAll('p')];
const measurer = new Measurer(boxes);
for (let round = 0; round < 3; round++) {
  measurer.measureAll(round);
  boxes.forEach((box) => heightOf(box, round + 20));
}
",
            ),
        ],
        tags: SCRIPT,
        forcing: &["measureOne app.ts:8: offsetWidth 10", "heightOf app.ts:15: clientHeight 17"],
    },
    Page {
        name: "an inline script",
        script: "",
        others: &[],
        tags: "<script>
  void document.body.offsetTop;
  function grow(box) { box.style.width = '5px'; return box.offsetLeft; }
  document.querySelectorAll('p').forEach(grow);
</script>",
        forcing: &["grow index.html:3: offsetLeft 3", "(top level) index.html:2: offsetTop 2"],
    },
    Page {
        name: "modules and observers",
        script: "import width from './width.js';
let times = 0;
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    target.style.paddingTop = ++times % 7 + 'px';
    void target.offsetTop;
  }
});
const boxes = [...document.querySelectorAll('p')];
for (const box of boxes.slice(0, 5)) observer.observe(box);
boxes.slice(0, 12).sort((a, b) => width(a) - width(b));
",
        others: &[(
            "/width.js",
            "export default function (box) {
  box.style.width = Math.random() * 90 + 'px';
  return box.offsetWidth;
}
",
        )],
        tags: "<script type=module src=app.js></script>",
        forcing: &["default width.js:1: offsetWidth 3", "ResizeObserver callback app.js:3: offsetTop 6"],
    },
    Page {
        name: "code that other code made",
        script: r#"const read = new Function('box', "box.style.width = Math.random() * 90 + 'px';\nreturn box.offsetWidth;");
function outer(box) {
  read(box);
  box.style.margin = Math.random() * 9 + 'px';
  return box.offsetTop;
}
document.querySelectorAll('p').forEach(outer);
"#,
        others: &[],
        tags: SCRIPT,
        forcing: &["outer app.js:2: offsetTop 5", "(anonymous) null: null null"],
    },
    Page {
        name: "a worker, a frame and containers",
        script: "const worker = new Worker('worker.js');
const [box] = document.querySelectorAll('p');
function place({ data: width }) {
  box.style.width = width + 'px';
  answer(box.offsetWidth + frames[0].measure());
}
function answer(width) {
  worker.postMessage(width);
}
worker.onmessage = place;
onload = () => answer(0);
",
        others: &[
            (
                "/worker.js",
                "let times = 0;
onmessage = ({ data: width }) => {
  for (const end = performance.now() + 2; performance.now() < end;);
  if (++times < 40) postMessage(60 + width % 40);
};
",
            ),
            (
                "/frame.html",
                "<div id=d>frame</div><script>
function measure() { d.style.width = Math.random() * 90 + 'px'; return d.offsetWidth; }
</script>",
            ),
        ],
        tags: "<style>body { container-type: inline-size } @container (min-width: 80px) { p { color: red } }</style>
<iframe src=frame.html></iframe><script src=app.js></script>",
        forcing: &["place app.js:3: offsetWidth 5", "measure frame.html:2: offsetWidth 2"],
    },
];

#[test]
fn forced_style_and_layout_are_those_of_devtools() {
    packages();
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for page in &PAGES {
        let Recorded { mut sites, mut devtools } = recorded(page);
        sites.sort();
        devtools.sort_unstable();
        let mut forcing: Vec<&str> = page.forcing.to_vec();
        forcing.sort_unstable();
        let (names, mut numbers): (Vec<String>, Vec<[u64; 4]>) = sites.into_iter().unzip();
        numbers.sort_unstable();
        all.push((page.name, names, numbers));
        expected.push((page.name, forcing.into_iter().map(str::to_owned).collect(), devtools));
    }
    assert_eq!(all, expected);
}

/// What a recording of a page has.
struct Recorded {
    /// Each place at which a function forced something: the number of layouts, their time in microseconds, and the same of style.
    sites: Vec<(String, [u64; 4])>,
    /// The same numbers, as DevTools has them.
    devtools: Vec<[u64; 4]>,
}

fn recorded(page: &Page) -> Recorded {
    let folder = Folder::new();
    let boxes = "<p>box</p>".repeat(50);
    let html = format!("<!doctype html><title>Page</title>{boxes}{}", page.tags);
    folder.write("index.html", &html);
    let mut files = vec![("/", "text/html", html)];
    for (path, text) in page.others.iter().copied().chain([("/app.js", page.script)]) {
        let kind = if path.ends_with(".html") { "text/html" } else { "text/javascript" };
        files.push((path, kind, text.to_owned()));
        // A bundle is not in its workspace.
        if !(path == "/app.js" && page.script.contains("sourceMappingURL")) && !text.is_empty() {
            folder.write(&path[1..], text);
        }
    }
    let url = format!("http://127.0.0.1:{}/", serve(files));
    let output = record(&folder, &["--page", &url, "--headless", "--duration", "2s"]);
    assert!(output.status.success(), "{}: {:?}", page.name, said(&output));
    let recording = format!(".proflens/recordings/{}", recordings(&folder)[0]);

    let engine = root().join("tests/record/npm/forced.mjs");
    let output = Command::new("node").arg(engine).arg(folder.path().join(&recording)).output().unwrap();
    let devtools: Vec<(String, [u64; 4])> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let report = report(folder.path(), &[&recording]);
    let functions = report["rendering"]["functions"].as_array().unwrap();
    let sites = functions.iter().flat_map(|function| {
        let title = match function["file"].as_str() {
            Some(file) => format!("{} {file}:{}", text(&function["name"]), function["line"]),
            None => format!("{} null", text(&function["name"])),
        };
        let sites = function["forced"]["sites"].as_array().unwrap();
        sites.iter().map(move |site| {
            let row = format!("{title}: {} {}", text(&site["askedFor"]), site["line"]);
            let micros = |key: &str| site[key].as_u64().unwrap() / 1000;
            let numbers = [&site["layouts"], &site["styles"]].map(|it| it.as_u64().unwrap());
            (row, [numbers[0], micros("layoutNs"), numbers[1], micros("styleNs")])
        })
    });
    Recorded { sites: sites.collect(), devtools: devtools.into_iter().map(|site| site.1).collect() }
}

fn text(value: &Value) -> &str {
    match value.as_str() {
        Some("") => "(anonymous)",
        text => text.unwrap_or("null"),
    }
}
