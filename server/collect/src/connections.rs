//! The listening socket, its connections, and how a collector ends.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use profile::problem::Problem;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::places::{Pace, Place, Places};
use crate::quota::{Memory, Rate};
use crate::service::{Shared, answer};
use crate::settings::{CollectError, Settings};
use crate::store::{Say, Store};
use crate::writer::{Received, Writer};

/// How many connections may be open at once; beyond that a new one makes an old one give way.
const MAX_CONNECTIONS: usize = 512;
/// How many more connections wait in the system to be accepted; one that is turned away tries again a second later.
const WAITING: u32 = 4096;
/// The memory for what is on its way to the disk, in bytes; it is at least that of four bodies of the largest size.
const MEMORY: u64 = 64 << 20;
/// The most bytes that the head of a request may have, and the most headers.
const MAX_HEAD: usize = 32 << 10;
const MAX_HEADERS: usize = 64;
/// How often connections are checked for having been silent for too long.
const LOOK: Duration = Duration::from_millis(250);
/// How long a connection may stay open, whatever it is used for.
const MAX_LIFE: Duration = Duration::from_secs(300);
/// How long requests in progress may take once their connection has to end.
const GRACE: Duration = Duration::from_secs(5);

/// A collector that listens.
pub struct Collector {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    writing: JoinHandle<Received>,
    end: End,
}

impl Collector {
    /// Opens the folder and listens; `say` receives what the user should know, at any time.
    ///
    /// # Errors
    /// If the folder cannot be written or is taken, or the address cannot be listened on.
    pub fn start(
        settings: Settings,
        say: impl Fn(&Problem) + Send + Sync + 'static,
    ) -> Result<Self, CollectError> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(threads) // the pool on which traces are checked
            .enable_all()
            .build()
            .map_err(CollectError::System)?;
        let say: Say = Arc::new(say);
        let listener = runtime
            .block_on(async { listen(settings.listen) })
            .map_err(|error| CollectError::Listen(settings.listen, error))?;
        let address = listener.local_addr().map_err(CollectError::System)?;
        // This starts before anyone can know that it listens; otherwise an early signal would lose what was received.
        let end = runtime.block_on(async { End::heard() }).map_err(CollectError::System)?;
        let store = Store::open(&settings, say)?;
        let (writer, writing) = Writer::start(store).map_err(CollectError::System)?;
        let shared = Arc::new(Shared {
            origins: settings.origins,
            max_body: settings.max_body,
            memory: Memory::new(MEMORY.max(settings.max_body.saturating_mul(4))),
            rate: Rate::new(settings.rate),
            writer,
            places: Places::new(MAX_CONNECTIONS),
        });
        Ok(Self { runtime, listener, address, shared, writing, end })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Receives until the process is asked to end (Ctrl-C, SIGTERM); then closes every file.
    pub fn run(self) -> Received {
        let Self { runtime, listener, shared, writing, mut end, .. } = self;
        let (stop, stopping) = watch::channel(false);
        let places = Arc::clone(&shared.places);
        runtime.block_on(async {
            tokio::spawn(send_silent_away(Arc::clone(&shared)));
            let accepting = tokio::spawn(accept(listener, shared, stopping));
            end.asked().await;
            accepting.abort();
            stop.send_replace(true);
            // Those that do not end in time get no answer, so nothing that was acknowledged is lost.
            let _ = timeout(GRACE * 2, places.all_free()).await;
        });
        // Drops the remaining connections, and with them the last senders to the writer.
        drop(runtime);
        writing.join().unwrap_or_default()
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Without this a collector could not start where another one has just ended; on Windows it would take over the port of a
    // running one.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    loop {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            // Either the sender is already gone, or the process has no more file descriptors, and some will be closed soon.
            Err(_) => {
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let place = shared.places.take(from.ip()).await;
        tokio::spawn(serve(stream, Arc::new(place), Arc::clone(&shared), stopping.clone()));
    }
}

/// Ends connections that are silent for too long, for as long as the process runs.
async fn send_silent_away(shared: Arc<Shared>) {
    loop {
        sleep(LOOK).await;
        shared.places.send_silent_away(Instant::now(), Pace::of(shared.is_scarce()));
    }
}

async fn serve(
    stream: TcpStream,
    place: Arc<Place>,
    shared: Arc<Shared>,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are short, and waiting for more of them delays them. If this cannot be set, they are only later.
    let _ = stream.set_nodelay(true);
    let of_requests = Arc::clone(&place);
    let service = service_fn(move |request| answer(Arc::clone(&shared), Arc::clone(&of_requests), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None) // that is the work of the places, which know how many there are left
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let is_to_leave = pin!(place.is_to_leave());
    let to_end = pin!(async {
        // Either one says that it is time.
        let _ = timeout(MAX_LIFE, stopping.wait_for(|is_stopping| *is_stopping)).await;
    });
    // An error of a connection is the sender's, which then gets no answer.
    match select(connection.as_mut(), select(is_to_leave, to_end)).await {
        Either::Left(_) | Either::Right((Either::Left(_), _)) => {}
        Either::Right((Either::Right((_, is_to_leave)), _)) => {
            connection.as_mut().graceful_shutdown();
            let _ = timeout(GRACE, select(connection, is_to_leave)).await;
        }
    }
}

/// Signals that ask the process to end, from the moment this is made.
#[cfg(unix)]
struct End {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl End {
    fn heard() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn asked(&mut self) {
        select(pin!(self.interrupt.recv()), pin!(self.terminate.recv())).await;
    }
}

#[cfg(windows)]
struct End(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl End {
    fn heard() -> std::io::Result<Self> {
        Ok(Self(tokio::signal::windows::ctrl_c()?))
    }

    async fn asked(&mut self) {
        self.0.recv().await;
    }
}
