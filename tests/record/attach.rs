//! A server that is already running.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;
use tests::{Folder, proflens};

use crate::outcome::{functions, record, recordings, report, said};
use crate::recorded::eventually;

/// Answers each request after some work, and works in a worker all the time.
const SERVER: &str = "const http = require('http');
const { Worker, isMainThread } = require('worker_threads');
function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
function answer(request, response) {
  spin(5);
  response.end('fine');
}
function work() {
  spin(10);
}
if (isMainThread) {
  new Worker(__filename);
  const server = http.createServer(answer).listen(0, '127.0.0.1', () => console.log(server.address().port));
  setInterval(() => http.get({ port: server.address().port }, (it) => it.resume()), 20);
} else {
  setInterval(work, 20);
}
";

/// Ends some rounds after somebody has attached.
const SHORT: &str = "function work() {
  let sum = 0;
  for (let i = 0; i < 8e6; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}
const inspector = require('inspector');
let rounds = 60;
const timer = setInterval(() => {
  work();
  if (inspector.url() && --rounds === 0) clearInterval(timer);
}, 40);
console.log('works');
";

/// Node opens its inspector on one port, so that one process at a time can be asked to.
static PORT: Mutex<()> = Mutex::new(());

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(folder: &Folder, flags: &[&str]) -> Self {
        folder.write("server.js", SERVER);
        let mut node = Command::new("node");
        node.args(flags).arg("server.js").current_dir(folder.path());
        let mut child = node.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { port: line.trim().parse().unwrap(), child }
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Whether it answers.
    fn answers(&self) -> bool {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.ends_with("fine")
    }

    /// Whether V8's profiler, which has a thread of its own, is running in it.
    fn is_sampled(&self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        let names = threads.map(|it| fs::read_to_string(it.unwrap().path().join("comm")).unwrap_or_default());
        names.into_iter().any(|name| name.trim() == "v8:ProfEvntProc")
    }

    /// On how many ports it listens: its own, and that of an inspector.
    fn ports(&self) -> usize {
        let listening = std::fs::read_to_string(format!("/proc/{}/net/tcp", self.pid())).unwrap();
        let sockets: Vec<String> = std::fs::read_dir(format!("/proc/{}/fd", self.pid()))
            .unwrap()
            .filter_map(|it| Some(std::fs::read_link(it.ok()?.path()).ok()?.to_string_lossy().into_owned()))
            .collect();
        let own = |line: &&str| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            columns[3] == "0A" && sockets.contains(&format!("socket:[{}]", columns[9]))
        };
        listening.lines().skip(1).filter(own).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const FUNCTIONS: [&str; 3] = ["answer server.js:7", "spin server.js:3", "work server.js:11"];

#[test]
fn a_process_is_recorded_by_its_number_and_left_as_it_was() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    for _ in 0..3 {
        let output = record(&folder, &["--attach", &server.pid(), "--duration", "1s"]);
        assert!(output.status.success(), "{:?}", said(&output));
        assert!(server.answers());
    }
    assert_eq!(server.ports(), 1, "no inspector is left open");
    for recording in recordings(&folder) {
        let functions = functions(&folder, &recording);
        let named: Vec<_> = functions.iter().filter(|it| FUNCTIONS.contains(&it.as_str())).collect();
        assert_eq!(named, FUNCTIONS);
    }
    assert_eq!(recordings(&folder).len(), 3);
    let report = report(folder.path(), &[&format!(".proflens/recordings/{}", recordings(&folder)[0])]);
    assert_eq!(report["traces"][0]["threads"], 2);
}

#[test]
fn a_process_lives_however_often_it_is_recorded() {
    let _port = PORT.lock();
    let folder = Folder::new();
    // It closes its inspector at once, which crashes Node if the recorder says goodbye meanwhile.
    folder.write("idle.js", "setInterval(() => {}, 1000); require('fs').writeFileSync('ready', '');");
    let mut child = Command::new("node").arg("idle.js").current_dir(folder.path()).spawn().unwrap();
    eventually("its start", || folder.path().join("ready").exists().then_some(()));
    let pid = child.id().to_string();
    let recorded = (0..25)
        .take_while(|_| record(&folder, &["--attach", &pid, "--duration", "10ms"]).status.success())
        .count();
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((recorded, ended), (25, None));
}

#[test]
fn an_inspector_that_is_open_stays_open() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &["--inspect=127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(server.child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap();
    let address = url.trim_start_matches("ws://").split('/').next().unwrap();
    for what in [address, url] {
        let output = record(&folder, &["--attach", what, "--duration", "500ms"]);
        assert!(output.status.success(), "{:?}", said(&output));
    }
    assert_eq!(recordings(&folder).len(), 2);
    assert_eq!(server.ports(), 2);
    assert!(server.answers());
}

#[test]
fn a_process_that_ends_meanwhile_is_recorded_until_then() {
    let _port = PORT.lock();
    let folder = Folder::new();
    folder.write("short.js", SHORT);
    let mut node = Command::new("node");
    let mut child = node.arg("short.js").current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let output = record(&folder, &["--attach", &child.id().to_string()]);
    assert!(output.status.success(), "{:?}", said(&output));
    assert!(child.wait().unwrap().success());
    let functions = functions(&folder, &recordings(&folder)[0]);
    assert!(functions.contains(&"work short.js:1".to_owned()), "{functions:?}");
}

#[test]
fn what_cannot_be_attached_to_is_said_in_a_sentence() {
    let folder = Folder::new();
    let mut other = Command::new("sleep").arg("30").spawn().unwrap();
    let other_pid = other.id().to_string();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = format!("127.0.0.1:{free}");
    let asked = ["4194304", &other_pid, "example.org:9229", "nothing", &closed];
    let sentences: Vec<String> = asked
        .iter()
        .map(|it| {
            let output = record(&folder, &["--attach", it]);
            assert_eq!(output.status.code(), Some(1));
            said(&output).join("|").replace(&other_pid, "PID").replace(&closed, "HOST:PORT")
        })
        .collect();
    assert!(other.try_wait().unwrap().is_none(), "a program that is not Node gets no signal");
    other.kill().unwrap();
    other.wait().unwrap();
    expect_test::expect![[r#"
        There is no process 4194304.
        Process PID is sleep, not Node. If it is Node inside, start it with --inspect=0, and give the address that it prints.
        example.org is not this machine. Open a tunnel to it (ssh -L), or say --allow-remote.
        nothing is neither the number of a process nor HOST:PORT nor an address that begins with ws://.
        http://HOST:PORT/ does not answer as an inspector: io: Connection refused (os error 111). Start the program with --inspect, or the browser with --remote-debugging-port."#]].assert_eq(&sentences.join("\n"));
    assert_eq!(recordings(&folder), [""; 0]);
}

/// A program that waits, and has said so.
fn waiting(folder: &Folder, command: &[&str], before: &str) -> Child {
    folder.write("wait.js", format!("{before}\nsetInterval(() => {{}}, 1000);\nconsole.log('waits');\n"));
    let mut program = Command::new(command[0]);
    program.args(&command[1..]).arg("wait.js").current_dir(folder.path());
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "waits\n");
    child
}

/// The result of attaching to a process: the status, the last sentence, and whether the process lives on.
fn attached_to(folder: &Folder, child: &mut Child) -> String {
    let process = child.id().to_string();
    let output = record(folder, &["--attach", &process, "--duration", "200ms"]);
    let of_process = |line: &String| line.contains(&process) && !line.starts_with("Recorded");
    let last = said(&output).into_iter().rfind(of_process).unwrap_or_default();
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    format!("{:?} {ended:?} {}", output.status.code(), last.replace(&process, "PID"))
}

#[test]
fn a_signal_goes_only_to_node_that_waits_for_it() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let sleep = String::from_utf8(Command::new("which").arg("sleep").output().unwrap().stdout).unwrap();
    let mut ends = Vec::new();
    for name in ["node_exporter", "node", "electron-helper"] {
        fs::copy(sleep.trim(), folder.path().join(name)).unwrap();
        let mut child = Command::new(folder.path().join(name)).arg("600").spawn().unwrap();
        ends.push(attached_to(&folder, &mut child));
    }
    let programs = [
        "process.on('SIGUSR1', () => process.exit(7));",
        "process.once('SIGTERM', () => {}); process.on('SIGUSR1', () => process.exit(7)); process.on('SIGHUP', () => {});",
        "process.on('SIGUSR1', () => {}); process.removeAllListeners('SIGUSR1'); process.on('SIGTERM', () => {});",
        "require('child_process').spawn('sleep', ['600']).unref();",
    ];
    for before in programs {
        ends.push(attached_to(&folder, &mut waiting(&folder, &["node"], before)));
    }
    expect_test::expect![[r#"
        Some(1) None Process PID is node_exporter, not Node. If it is Node inside, start it with --inspect=0, and give the address that it prints.
        Some(1) None Process PID is node, not Node. If it is Node inside, start it with --inspect=0, and give the address that it prints.
        Some(1) None Process PID is electron-helper, not Node. If it is Node inside, start it with --inspect=0, and give the address that it prints.
        Some(1) None Process PID has a listener of its own for SIGUSR1, by which Node is asked for its inspector, so it gets none. Start it with --inspect=0, and give the address that it prints.
        Some(1) None Process PID has a listener of its own for SIGUSR1, by which Node is asked for its inspector, so it gets none. Start it with --inspect=0, and give the address that it prints.
        Some(1) None Process PID is Node, and does not open its inspector when it is asked (--disable-sigusr1, or it has not started yet). Start it with --inspect=0, and give the address that it prints.
        Some(0) None "#]].assert_eq(&ends.join("\n"));
}

#[test]
fn a_process_in_another_network_is_left_alone() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let other = Folder::new();
    // There is another program behind the same port here.
    let mut here = waiting(&other, &["node", "--inspect=127.0.0.1:9229"], "");
    let mut there = waiting(&folder, &["unshare", "--net", "node"], "");
    let end = attached_to(&folder, &mut there);
    let is_open = TcpStream::connect(("127.0.0.1", 9229)).is_ok();
    here.kill().unwrap();
    here.wait().unwrap();
    assert!(is_open, "the inspector of the other program stays open");
    expect_test::expect!["Some(1) None Process PID is in another network namespace, such as a container, whose ports are not those of this machine. Run proflens in there (docker exec, nsenter), or start it with --inspect=0.0.0.0, publish that port on 127.0.0.1, and give HOST:PORT."].assert_eq(&end);
}

#[test]
fn a_process_knows_itself_by_another_number() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let mut around = waiting(&folder, &["unshare", "--pid", "--fork", "--kill-child", "node"], "");
    let children = format!("/proc/{0}/task/{0}/children", around.id());
    let inside = fs::read_to_string(children).unwrap().trim().to_owned();
    let output = record(&folder, &["--attach", &inside, "--duration", "200ms"]);
    around.kill().unwrap();
    around.wait().unwrap();
    assert!(output.status.success(), "{:?}", said(&output));
}

#[test]
fn no_proxy_is_asked_for_what_is_on_this_machine() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut record = Command::new(proflens());
    record.args(["record", "--duration", "200ms", "--attach", &server.pid()]).current_dir(folder.path());
    for variable in ["http_proxy", "HTTP_PROXY", "ALL_PROXY"] {
        record.env(variable, "http://127.0.0.1:9");
    }
    let output = record.output().unwrap();
    assert!(output.status.success(), "{:?}", said(&output));
    assert_eq!(server.ports(), 1);
}

#[test]
fn a_process_that_takes_coverage_keeps_it() {
    let folder = Folder::new();
    let mut server = Server::start(&folder, &["--inspect=127.0.0.1:0", "--experimental-test-coverage"]);
    let mut line = String::new();
    BufReader::new(server.child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap().to_owned();
    let by_url = record(&folder, &["--attach", &url, "--duration", "200ms"]);
    let work =
        "function work(x) { return x ? 1 : 2; }\nwork(1);\nprocess.on('SIGTERM', () => process.exit());";
    let mut child = waiting(&folder, &["env", "NODE_V8_COVERAGE=coverage", "node"], work);
    let process = child.id().to_string();
    let by_number = record(&folder, &["--attach", &process, "--duration", "200ms"]);
    assert!(Command::new("kill").arg(&process).status().unwrap().success());
    child.wait().unwrap();
    let file = fs::read_dir(folder.path().join("coverage")).unwrap().next().unwrap().unwrap().path();
    let coverage: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let scripts = coverage["result"].as_array().unwrap();
    let own = scripts.iter().find(|it| it["url"].as_str().unwrap().ends_with("/wait.js")).unwrap();
    let work = own["functions"].as_array().unwrap().iter().find(|it| it["functionName"] == "work").unwrap();
    assert_eq!((&work["isBlockCoverage"], work["ranges"].as_array().unwrap().len()), (&Value::Bool(true), 2));
    let sentences = [by_url, by_number].map(|output| {
        assert_eq!(output.status.code(), Some(1));
        let last = said(&output).pop().unwrap();
        last.replace(&url, "URL")
            .replace(&process, "PID")
            .replace(&folder.path().display().to_string(), "FOLDER")
    });
    expect_test::expect![[r#"
        URL takes coverage (--experimental-test-coverage), which V8 loses when a recording ends. It was left as it is; run it without coverage to record it.
        Process PID takes coverage (NODE_V8_COVERAGE=coverage), which V8 loses when a recording ends. It was left as it is; run it without coverage to record it."#]].assert_eq(&sentences.join("\n"));
}

#[test]
fn an_inspector_that_was_opened_is_closed_even_if_the_recorder_is_killed() {
    let _port = PORT.lock();
    let folder = Folder::new();
    let server = Server::start(&folder, &[]);
    let mut record = Command::new(proflens());
    record.args(["record", "--attach", &server.pid()]).current_dir(folder.path());
    let mut record = record.stderr(Stdio::piped()).spawn().unwrap();
    let begins = BufReader::new(record.stderr.as_mut().unwrap()).lines().map(Result::unwrap);
    assert!(begins.into_iter().any(|line| line.starts_with("Recording")));
    eventually("a sampler", || server.is_sampled().then_some(()));
    record.kill().unwrap();
    record.wait().unwrap();
    assert_eq!(server.ports(), 2);
    eventually("the end of the inspector", || (server.ports() == 1).then_some(()));
    assert!(server.answers());
}
