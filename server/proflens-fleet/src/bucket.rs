//! Reads the objects of a bucket that speaks the S3 protocol: lists them, and passes on their bytes while the next ones arrive.
//!
//! `object_store` retries when an answer is late, incomplete or 503, each time a little later. When a bucket has not
//! answered for as long as the user is patient, it is not asked again: every other object would take as long to fail.

use std::io::{self, Cursor, Read};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use futures::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use profile::problem::Problem;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// How many bytes are requested at once: an interrupted answer loses no more than that.
const PIECE: u64 = 4 << 20;

/// One runtime for all buckets, for the whole run: none of its own tasks may be the last to hold it.
static RUNTIME: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build());

/// A bucket that was named.
struct Bucket {
    name: String,
    store: AmazonS3,
    runtime: &'static Runtime,
    /// Why it is no longer asked.
    failure: OnceLock<Problem>,
}

/// An object in a bucket.
#[derive(Clone)]
pub(crate) struct Object {
    bucket: Arc<Bucket>,
    about: ObjectMeta,
}

/// Whether this names something in a bucket, of whatever service.
pub(crate) fn is_bucket(named: &str) -> bool {
    named.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(['/', '\\']))
}

/// The objects at `s3://BUCKET/KEY`: that object, or all below that key in the order of their names, without hidden ones.
///
/// # Errors
/// If there is no such object, or the bucket does not hand it out.
pub(crate) fn objects(url: &str, patience: Duration) -> Result<Vec<Object>, Problem> {
    let Some(place) = url.strip_prefix("s3://").or(url.strip_prefix("s3a://")) else {
        let why = "buckets are named s3://BUCKET/KEY, also those of other services that speak S3, with their address in AWS_ENDPOINT_URL";
        return Err(Problem::new(format!("{url} cannot be read: {why}"), ""));
    };
    let (name, key) = place.split_once('/').unwrap_or((place, ""));
    let bucket = Arc::new(Bucket::open(name, patience).map_err(|why| not_read(url, &why.to_string()))?);
    let key_path = Path::parse(key).map_err(|why| not_read(url, &why.to_string()))?;
    let mut found = bucket
        .runtime
        .block_on(list(&bucket.store, key, &key_path))
        .map_err(|why| not_read(url, &reason(&why)))?;
    if found.is_empty() {
        return Err(Problem::new(
            format!("{url} cannot be read: there is no such object, and none below it"),
            "check the name",
        ));
    }
    found.sort_by(|a, b| a.location.cmp(&b.location));
    Ok(found.into_iter().map(|about| Object { bucket: Arc::clone(&bucket), about }).collect())
}

fn not_read(url: &str, why: &str) -> Problem {
    Problem::new(
        format!("{url} cannot be read: {why}"),
        "check its name, AWS_REGION or AWS_ENDPOINT_URL, and the credentials in the environment",
    )
}

async fn list(store: &AmazonS3, key: &str, path: &Path) -> object_store::Result<Vec<ObjectMeta>> {
    if !key.is_empty() && !key.ends_with('/') {
        match store.head(path).await {
            Ok(one) => return Ok(vec![one]),
            Err(Error::NotFound { .. }) => {}
            Err(why) => return Err(why),
        }
    }
    let mut below: Vec<ObjectMeta> = store.list(Some(path)).try_collect().await?;
    // Objects without bytes are the placeholders that some tools leave for folders.
    below.retain(|object| object.size > 0 && !is_hidden(object));
    Ok(below)
}

fn is_hidden(object: &ObjectMeta) -> bool {
    object.location.filename().is_some_and(|name| name.starts_with('.'))
}

impl Bucket {
    /// With the service and credentials from the environment, under the names that AWS's own tools use.
    fn open(name: &str, patience: Duration) -> Result<Self, Box<dyn std::error::Error>> {
        // This only fails if there already is one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retries =
            RetryConfig { max_retries: usize::MAX, retry_timeout: patience, ..RetryConfig::default() };
        let store = AmazonS3Builder::from_env().with_bucket_name(name).with_retry(retries).build()?;
        let runtime = RUNTIME.as_ref()?;
        Ok(Self { name: name.to_owned(), store, runtime, failure: OnceLock::new() })
    }
}

impl Object {
    /// Its URL, for people.
    pub(crate) fn name(&self) -> String {
        format!("s3://{}/{}", self.bucket.name, self.about.location)
    }

    /// Its length in bytes, when it was listed.
    pub(crate) fn size(&self) -> u64 {
        self.about.size
    }

    /// Whether its bucket is still asked.
    ///
    /// # Errors
    /// Why it is not.
    pub(crate) fn is_served(&self) -> Result<(), Problem> {
        self.bucket.failure.get().map_or(Ok(()), |problem| Err(problem.clone()))
    }

    /// Begins to read it. A reader that falls behind is waited for.
    pub(crate) fn start(&self) -> impl Read + use<> {
        let (sender, pieces) = mpsc::channel(1);
        self.bucket.runtime.spawn(send(self.clone(), sender));
        Bytes { pieces, piece: Cursor::default() }
    }

    /// Stops asking its bucket if the bucket is to blame; returns why.
    fn failed(&self, error: &Error) -> io::Error {
        let reason = reason(error);
        if matches!(error, Error::Generic { .. } | Error::Unauthenticated { .. }) {
            self.bucket.failure.get_or_init(|| {
                Problem::new(
                    format!("{} cannot be read: {reason}", self.name()),
                    "neither its shard nor those after it were kept: run the same command again when the service answers",
                )
            });
        }
        io::Error::other(reason)
    }

    /// Fails if it has changed since it was listed: the result would be half of each version.
    async fn piece(&self, from: u64) -> object_store::Result<Vec<u8>> {
        let range = GetRange::Bounded(from..(from + PIECE).min(self.about.size));
        let options =
            GetOptions { range: Some(range), if_match: self.about.e_tag.clone(), ..GetOptions::default() };
        let answer = self.bucket.store.get_opts(&self.about.location, options).await?;
        Ok(answer.bytes().await?.into())
    }
}

/// Passes on the pieces of an object until it ends, fails, or nobody reads it any more.
async fn send(object: Object, sender: mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut from = 0;
    while from < object.about.size {
        let piece = match object.is_served() {
            Ok(()) => object.piece(from).await.map_err(|why| object.failed(&why)),
            Err(problem) => Err(io::Error::other(problem)),
        };
        from += PIECE;
        let is_last = piece.is_err();
        if sender.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// The bytes of an object, as they come.
struct Bytes {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    piece: Cursor<Vec<u8>>,
}

impl Read for Bytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.piece.read(into)?;
            if count > 0 || into.is_empty() {
                return Ok(count);
            }
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = Cursor::new(piece?),
                None => return Ok(0),
            }
        }
    }
}

/// What went wrong, as part of a sentence: the innermost cause, without the page that a service may have sent with it.
fn reason(error: &Error) -> String {
    match error {
        Error::NotFound { .. } => return "it is not there".to_owned(),
        Error::Precondition { .. } => return "it was changed while it was read".to_owned(),
        _ => {}
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string().replace("Server returned non-2xx status code:", "the service answers");
    let before_page = text.split(": <").next().unwrap_or_default();
    let line = before_page.lines().next().unwrap_or_default();
    line.trim_end_matches([' ', ':', '.']).to_owned()
}
