//! A server that runs already.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use tests::Folder;

use crate::outcome::{functions, record, recordings, report, said};

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
    folder.write("idle.js", "setInterval(() => {}, 1000);");
    let mut child = Command::new("node").arg("idle.js").current_dir(folder.path()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
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
    folder.write(
        "short.js",
        "function work() {\n  const end = Date.now() + 20;\n  while (Date.now() < end);\n}\nconst timer = setInterval(work, 40);\nsetTimeout(() => clearInterval(timer), 4000);\n",
    );
    let mut child = Command::new("node").arg("short.js").current_dir(folder.path()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
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
