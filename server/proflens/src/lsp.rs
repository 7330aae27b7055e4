//! The language server as a process: its pipes, its threads, its end.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::serve::{ByteBudget, serve};
use crate::server::service;
use crate::version::VERSION;
use crate::{logging, memory};

/// Shorter loads show no progress: it would only flicker.
pub const PROGRESS_DELAY: Duration = Duration::from_millis(300);

/// Serves an editor on stdin and stdout, and logs to stderr and, if one is named, to a file. Returns when the session
/// is over; a thread may still be waiting for input then, so the process should end.
pub fn run(log: Option<PathBuf>) -> ExitCode {
    if let Some(file) = log
        && let Err(error) = logging::start(&file)
    {
        logging::error(&format!("The log {} cannot be written: {error}.", file.display()));
        return ExitCode::FAILURE;
    }
    logging::info(&format!("proflens {} serves on stdin and stdout.", VERSION));
    if !memory::share_one_heap() {
        logging::info("The C library keeps a heap for each thread: more memory will be in use.");
    }
    serve_on(std::io::stdin(), std::io::stdout(), PROGRESS_DELAY).into()
}

/// Serves an editor on any two pipes; returns the exit code of the connection. Loads that take longer than
/// `progress_delay` show their progress.
///
/// # Panics
/// If the system provides no threads.
pub fn serve_on(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    progress_delay: Duration,
) -> u8 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(4) // the pool on which answers are computed
        .enable_time()
        .build()
        .expect("the system gives a process its first threads");
    let answers = ByteBudget::new();
    let code = runtime
        .block_on(async { serve(input, output, answers.clone(), service(answers, progress_delay)).await });
    runtime.shutdown_background();
    code
}
