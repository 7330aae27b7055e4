//! What only Windows does with commands: `npx` and `npm` are batch files, drives are in every address, and statuses have 32 bits.

use tests::Folder;

use crate::ended::ended;
use crate::recorded::{ending, record, recordings, report};

const WORK: &str = "exports.work = (turns) => { let sum = 0; for (let i = 0; i < turns; i++) sum += Math.sqrt(i % 1e4); return sum; };\n";

/// What was recorded of functions called `work`: their files and lines.
fn places_of_work(folder: &Folder) -> Vec<String> {
    let mut places = Vec::new();
    for recording in recordings(folder.path()) {
        let report = report(folder.path(), &recording);
        let functions = report["functions"].as_array().unwrap().iter();
        let work = functions.filter(|function| function["name"] == "work");
        places.extend(work.map(|it| format!("{}:{}", it["file"].as_str().unwrap(), it["line"])));
    }
    places
}

#[test]
fn commands_keep_their_arguments_and_their_status() {
    let script = r#"{ "scripts": { "start": "node main.cjs \"a b\" 50%" } }"#;
    let main = "require('./src/work.cjs').work(4e7); console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 300;\n";
    let rows: [(&[&str], &str); 4] = [
        (&["node", "main.cjs", "a b", "50%", "\"q\""], r#"["a b","50%","\"q\""]"#),
        (&["npm", "--silent", "run", "start"], r#"["a b","50%"]"#),
        (&["npm.cmd", "--silent", "start"], r#"["a b","50%"]"#),
        (&["cmd", "/C", "node main.cjs x"], r#"["x"]"#),
    ];
    for (command, arguments) in rows {
        let folder = Folder::new();
        folder.write("src/work.cjs", WORK);
        folder.write("main.cjs", main);
        folder.write("package.json", script);
        let output = ended(record(folder.path(), &[], command), &[]).unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.lines().any(|line| line == arguments), "{command:?}: {said}");
        assert_eq!(ending(output.status), "300", "{command:?}");
        assert_eq!(places_of_work(&folder), ["src/work.cjs:1"], "{command:?}");
    }
}
