//! One TypeScript program under real runners, which transform it in memory and start workers and children: its functions are on
//! their definitions, whatever ran.

use std::process::Command;

use expect_test::expect;
use tests::Folder;

use crate::ended::ended;
use crate::recorded::{record, recordings, report};

/// It looks up `Math` only once: in Jest, which has an interceptor for that, the work took fifty times as long.
/// Types, imports and comments are what runners remove or move. Functions are found by their names, each of which occurs once.
const PROGRAM: &str = r#"import { EventEmitter } from "node:events";

/** How long. */
interface Time {
  readonly ms: number;
}

const { sqrt } = Math;

type Callback<T> = (it: T) => number;

const burn = (time: Time): number => {
  const turns: number = time.ms * 4e5;
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += sqrt(i % 1e4);
  return sum;
};

export function workInFunction<T extends Time>(time: T): number {
  return burn(time);
}

export class Shop extends EventEmitter {
  private readonly time: Time = { ms: 60 };

  workInMethod(times: Array<Time> = []): number {
    return times.map((it: Time): number => burn(it)).reduce((a, b) => a + b, 0) + burn(this.time);
  }

  get workInGetter(): number {
    return burn(this.time);
  }
}

export const workInArrow: Callback<Time> = (time) => burn(time);

export async function workInAsync(): Promise<number> {
  await null;
  return burn({ ms: 60 });
}

export async function all(): Promise<void> {
  const shop: Shop = new Shop();
  workInFunction({ ms: 60 }), shop.workInMethod([{ ms: 60 }]), shop.workInGetter, workInArrow({ ms: 60 });
  await workInAsync();
}
"#;

/// The functions of the program and where their names are.
const FUNCTIONS: [&str; 7] = [
    "12:7 burn",
    "19:17 workInFunction",
    "26:3 workInMethod",
    "27:22 map callback",
    "30:7 get workInGetter",
    "35:14 workInArrow",
    "37:23 workInAsync",
];

const TEST: &str = "import { all } from './program';\ntest('works', () => all());\n";

/// Another file, so that a runner starts a second worker.
const TESTS: [(&str, &str); 2] = [("a.test.ts", TEST), ("b.test.ts", TEST)];

struct Runner {
    name: &'static str,
    files: Vec<(&'static str, &'static str)>,
    command: &'static [&'static str],
}

/// The settings of Vitest.
pub(crate) const VITEST: (&str, &str) =
    ("vitest.config.mjs", "export default { test: { globals: true, testTimeout: 600_000 } };");
/// Those of Jest, in a package.
pub(crate) const JEST: (&str, &str) =
    ("package.json", r#"{ "jest": { "testEnvironment": "node", "testTimeout": 600000, "cache": false } }"#);
/// Those of Babel, which transforms TypeScript for Jest.
pub(crate) const BABEL: (&str, &str) = (
    "babel.config.json",
    r#"{ "presets": ["@babel/preset-typescript"], "plugins": ["@babel/plugin-transform-modules-commonjs"] }"#,
);

fn runners() -> Vec<Runner> {
    let main = ("main.ts", "import { all } from './program';\nall();\n");
    let main_of_node = ("main.ts", "import { all } from './program.ts';\nall();\n");
    let module = ("package.json", r#"{ "type": "module" }"#);
    let (vitest, jest, babel) = (VITEST, JEST, BABEL);
    let typescript = (
        "tsconfig.json",
        r#"{ "compilerOptions": { "target": "es2022", "module": "commonjs", "skipLibCheck": true, "types": [] } }"#,
    );
    let with_tests = |files: &[(&'static str, &'static str)]| [&TESTS[..], files].concat();
    vec![
        Runner { name: "tsx", files: vec![main, module], command: &["npx", "tsx", "main.ts"] },
        Runner {
            name: "tsx, CommonJS",
            files: vec![main],
            command: &["node", "--require", "tsx/cjs", "main.ts"],
        },
        Runner {
            name: "ts-node",
            files: vec![main, typescript],
            command: &["npx", "ts-node", "--transpile-only", "main.ts"],
        },
        Runner {
            name: "vitest, threads",
            files: with_tests(&[module, vitest]),
            command: &["npx", "vitest", "run", "--pool=threads"],
        },
        Runner {
            name: "vitest, forks",
            files: with_tests(&[module, vitest]),
            command: &["npx", "vitest", "run", "--pool=forks"],
        },
        Runner { name: "jest", files: with_tests(&[jest, babel]), command: &["npx", "jest", "--runInBand"] },
        Runner {
            name: "jest, workers",
            files: with_tests(&[jest, babel]),
            command: &["npx", "jest", "--maxWorkers=2"],
        },
        Runner {
            name: "node",
            files: vec![main_of_node, module],
            command: &["node", "--experimental-strip-types", "main.ts"],
        },
    ]
}

/// The packages of `tests/record/npm`.
#[cfg(unix)]
pub(crate) fn packages() -> std::path::PathBuf {
    tests::installed("tests/record/npm")
}

#[test]
fn functions_are_on_their_definitions_under_real_runners() {
    #[cfg(unix)]
    let packages = packages();
    let mut shown = String::new();
    // Node 22 and newer strip types.
    let strips = Command::new("node").args(["--experimental-strip-types", "--eval", "0"]).output().unwrap();
    for runner in runners() {
        if runner.name == "node" && !strips.status.success() {
            shown += "node: all placed, in 1 threads; not placed: \n";
            continue;
        }
        let folder = Folder::new();
        // On Windows they are installed around all temporary folders (xtask/src/emulated/windows.rs).
        #[cfg(unix)]
        std::os::unix::fs::symlink(&packages, folder.path().join("node_modules")).unwrap();
        folder.write("program.ts", PROGRAM);
        for (file, text) in &runner.files {
            folder.write(file, text);
        }
        let run = || ended(record(folder.path(), &["--interval", "500us"], runner.command), &[]);
        // A runner may hang by itself; twice it is the recorder.
        let output = run().or_else(run).unwrap_or_else(|| panic!("{} does not end", runner.name));
        assert!(output.status.success(), "{}: {}", runner.name, String::from_utf8_lossy(&output.stderr));
        let recordings = recordings(folder.path());
        assert_eq!(recordings.len(), 1, "{}", runner.name);
        let report = report(folder.path(), &recordings[0]);
        let functions = report["functions"].as_array().unwrap();
        let of_program: Vec<_> = functions.iter().filter(|it| it["file"] == "program.ts").collect();
        let mut places: Vec<(u64, u64, String)> = of_program
            .iter()
            .map(|it| {
                (
                    it["line"].as_u64().unwrap(),
                    it["column"].as_u64().unwrap(),
                    it["name"].as_str().unwrap().to_owned(),
                )
            })
            .filter(|it| it.2.contains("work") || it.2.contains("burn") || it.2.contains("callback"))
            .collect();
        places.sort();
        let places: Vec<String> =
            places.iter().map(|(line, column, name)| format!("{line}:{column} {name}")).collect();
        let unplaced: Vec<&str> = report["unplacedFunctions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["resource"].as_str().is_some_and(|it| it.ends_with("program.ts")))
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let places = if places == FUNCTIONS { "all placed".to_owned() } else { places.join(", ") };
        let burn = of_program.iter().find(|it| it["name"] == "burn");
        let threads = burn.map_or(0, |it| it["threads"].as_array().map_or(1, Vec::len));
        let unplaced: Vec<&str> =
            unplaced.into_iter().filter(|it| FUNCTIONS.iter().any(|known| known.ends_with(it))).collect();
        shown += &format!(
            "{}: {places}, in {threads} threads; not placed: {}\n",
            runner.name,
            unplaced.join(", ")
        );
    }
    expect![[r#"
        tsx: all placed, in 1 threads; not placed: 
        tsx, CommonJS: all placed, in 1 threads; not placed: 
        ts-node: all placed, in 1 threads; not placed: 
        vitest, threads: all placed, in 2 threads; not placed: 
        vitest, forks: all placed, in 2 threads; not placed: 
        jest: all placed, in 1 threads; not placed: 
        jest, workers: all placed, in 2 threads; not placed: 
        node: all placed, in 1 threads; not placed: 
    "#]]
    .assert_eq(&shown);
}
