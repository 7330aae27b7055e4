//! Sampled allocations: only self sizes count, and the number of samples.

use expect_test::expect;

use super::costs;
use crate::decode::decode;
use crate::model::{FunctionId, FunctionKind, Unit};

fn node(id: u32, name: &str, size: &str, children: &[String]) -> String {
    let url = if name.starts_with('(') { "" } else { "file:///a.js" };
    let [at, script] = if url.is_empty() { [-1, 0] } else { [4, 1] };
    format!(
        r#"{{"callFrame":{{"functionName":"{name}","scriptId":"{script}","url":"{url}","lineNumber":{at},"columnNumber":{at}}},"selfSize":{size},"id":{id},"children":[{}]}}"#,
        children.join(",")
    )
}

fn tree() -> String {
    let recursion = node(4, "work", "30", &[node(5, "work", "4000", &[])]);
    let main = node(3, "main", "0", &[recursion, node(7, "free", "0", &[])]);
    node(1, "(root)", "5", &[node(2, "(V8 API)", "100", &[]), main])
}

#[test]
fn nodes_and_their_samples() {
    let samples = |nodes: &[u32]| {
        let rows: Vec<String> =
            nodes.iter().map(|node| format!(r#"{{"size":9,"nodeId":{node},"ordinal":1}}"#)).collect();
        format!("[{}]", rows.join(","))
    };
    let tree = tree();
    let files = [
        format!(r#"{{"head":{tree},"samples":{}}}"#, samples(&[2, 5, 5, 4, 2, 5])),
        // Keys in another order, in a wrapper, and a sample of a node that does not exist.
        format!(r#"{{"result":{{"profile":{{"samples":{},"head":{tree}}}}}}}"#, samples(&[5, 99, 5, 2])),
        format!(r#"{{"head":{tree}}}"#),
        format!(r#"{{"head":{tree},"samples":[]}}"#),
        format!(
            r#"{{"head":{}}}"#,
            node(1, "(root)", "0", &[node(2, "a", "null", &[node(3, "b", "-7", &[])])])
        ),
        format!(r#"{{"head":{}}}"#, node(1, "(root)", "0", &[node(2, "a", "\"12\"", &[]), "null".into()])),
        r#"{"head":{"selfSize":1e300,"callFrame":{}}}"#.into(),
    ];
    let said: Vec<String> = files.iter().map(|file| costs(file).join("; ")).collect();
    expect![[r#"
        (V8 API) 100B/100B; main 0B/4030B; work 4030B/4030B; Native: 5B
        (V8 API) 100B/100B; main 0B/4030B; work 4030B/4030B; Native: 5B; Unknown: 0B
        (V8 API) 100B/100B; main 0B/4030B; work 4030B/4030B; Native: 5B
        (V8 API) 100B/100B; main 0B/4030B; work 4030B/4030B; Native: 5B
        trace.json is not a profile that Proflens reads: it is a profile without samples. Record for longer, and while the program is busy.
        a 12B/12B
        (anonymous) 9007199254740992B/9007199254740992B"#]].assert_eq(&said.join("\n"));
}

#[test]
fn how_many_samples() {
    let profile = |text: &str| decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let (tree, sample) = (tree(), r#"{"size":9,"nodeId":5,"ordinal":1}"#);
    let listed = profile(&format!(r#"{{"head":{tree},"samples":[{sample},{sample}]}}"#));
    let not_listed = profile(&format!(r#"{{"head":{tree}}}"#));
    let said = [listed, not_listed].map(|it| (it.format, it.unit, it.threads[0].samples));
    assert_eq!(said, [("heapprofile", Unit::Bytes, 5), ("heapprofile", Unit::Bytes, 4)]);
}

/// Node 20 writes such frames for a CommonJS module that is gone.
#[test]
fn functions_of_forgotten_scripts_are_no_native_code() {
    let forgotten = node(2, "keeps", "64", &[]).replace("file:///a.js", "").replace(":4", ":-1");
    let native = node(3, "(V8 API)", "8", &[]);
    let text = format!(r#"{{"head":{}}}"#, node(1, "(root)", "0", &[forgotten, native]));
    let profile = decode(&mut text.as_bytes(), "", &()).expect("a profile");
    let functions = profile.functions.iter().zip(0..);
    let functions = functions.map(|(it, id)| (profile.name(FunctionId(id)), it.kind));
    assert_eq!(
        functions.collect::<Vec<_>>(),
        [("keeps", FunctionKind::Script), ("(V8 API)", FunctionKind::Native)]
    );
    let problems: Vec<String> = profile.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "1 function is known by name only: V8 had forgotten the scripts when it wrote the profile. Record with proflens record --heap, which notes the files of all scripts."
        ]
    );
}

#[test]
fn bytes_and_times_have_no_sum() {
    let time = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},{"id":2,"callFrame":{"functionName":"timed","url":"a.js"}}],"samples":[2,2],"timeDeltas":[1000,1000]}"#;
    let heap = format!(r#"{{"head":{}}}"#, node(1, "(root)", "0", &[node(2, "a", "7", &[])]));
    let said = [format!("{heap}\n{heap}"), format!("{heap}\n{time}\n{heap}"), format!("[{time},{heap}]")]
        .map(|text| costs(&text).join("; "));
    expect![[r#"
        a 7B/7B; |; a 7B/7B
        timed 2000/2000; ! 2 threads count allocated bytes
        timed 2000/2000; ! 1 thread counts allocated bytes"#]]
    .assert_eq(&said.join("\n"));
}
