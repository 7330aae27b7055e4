//! The answer to one request. There is one address, and a POST to it is the only request that does something.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderValue,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use profile::problem::Problem;
use tokio::time::{timeout, timeout_at};

use crate::line::line_of;
use crate::origins::{self, Origins, Sender};
use crate::places::{Pace, Place, Places};
use crate::quota::{Memory, Rate, Reserved};
use crate::refusal::{NO_MEMORY, NOT_WRITTEN, Refusal, TOO_LARGE, TOO_MANY, TOO_SLOW};
use crate::writer::Writer;

/// The only path that is served.
pub const PATH: &str = "/v1/traces";

/// At the first of these hundredths of places taken, a connection ends with its answer; at the second, few places are left.
const MANY_TAKEN: usize = 50;
const FEW_LEFT: usize = 75;
/// How much of a refused body is still read, so that the sender gets to read the answer: closing a connection while
/// bytes are arriving resets it.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: u64 = 16 << 20;

const EXPLANATION: &str = "This is proflens collect. It takes traces of the JS Self-Profiling API by POST.";

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) origins: Origins,
    pub(crate) max_body: u64,
    pub(crate) memory: Arc<Memory>,
    pub(crate) rate: Rate,
    pub(crate) writer: Writer,
    pub(crate) places: Arc<Places>,
}

impl Shared {
    /// Whether few places are left for connections, or little memory.
    pub(crate) fn is_scarce(&self) -> bool {
        self.places.is_taken(FEW_LEFT) || self.memory.is_taken(FEW_LEFT as u64)
    }
}

type Answer = Response<Full<Bytes>>;

/// Answers a request.
pub(crate) async fn answer(
    shared: Arc<Shared>,
    place: Arc<Place>,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    place.is_served();
    let sender = shared.origins.sender(request.headers());
    let asked = (request.method() == Method::OPTIONS).then(|| request.headers().clone());
    let mut answer = match respond(&shared, &place, &sender, request).await {
        Ok(answer) => answer,
        Err(refusal) => refused(&refusal),
    };
    let headers = answer.headers_mut();
    if let Sender::Named(origin) = sender {
        origins::allow(origin, headers);
        if let Some(asked) = asked {
            origins::allow_sending(&asked, headers);
        }
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // The pages of many users send: a connection that has sent its trace leaves its place to the next.
    if shared.places.is_taken(MANY_TAKEN) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    place.waits_for_next();
    Ok(answer)
}

async fn respond(
    shared: &Shared,
    place: &Place,
    sender: &Sender,
    request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    if let Err(refusal) = well_formed(&request) {
        return Err(linger(refusal, request.into_body()));
    }
    if request.uri().path() != PATH || request.uri().query().is_some() {
        return Err(linger(NOT_FOUND, request.into_body()));
    }
    let method = request.method();
    if method == Method::GET || method == Method::HEAD {
        return Ok(plain(StatusCode::OK, EXPLANATION));
    }
    if method != Method::POST && method != Method::OPTIONS {
        return Err(linger(WRONG_METHOD, request.into_body()));
    }
    if *sender == Sender::Stranger {
        return Err(linger(STRANGER, request.into_body()));
    }
    if method == Method::OPTIONS {
        return Ok(empty(StatusCode::NO_CONTENT));
    }
    let is_gzip = match content(request.headers()) {
        Ok(is_gzip) => is_gzip,
        Err(refusal) => return Err(linger(refusal, request.into_body())),
    };
    if !shared.rate.take(Instant::now()) {
        return Err(linger(TOO_MANY, request.into_body()));
    }
    let mut reserved = shared.memory.reserve_nothing();
    let body = read(request.into_body(), shared, place, &mut reserved).await?;
    place.is_served();
    let max_body = shared.max_body;
    let made = tokio::task::spawn_blocking(move || {
        line_of(body, is_gzip, max_body, &mut reserved).map(|line| (line, reserved))
    });
    // It can only end otherwise by a panic, which costs this answer alone.
    let (line, reserved) = made.await.map_err(|_| NOT_WRITTEN)??;
    shared.writer.keep(line, reserved).await?;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// What no browser sends, and what could be read in two ways. Contradicting lengths of a body do not get this far.
fn well_formed(request: &Request<Incoming>) -> Result<(), Refusal> {
    let headers = request.headers();
    let [hosts, types, encodings] =
        [HOST, CONTENT_TYPE, CONTENT_ENCODING].map(|name| headers.get_all(name).iter().count());
    let needs_host = request.version() == Version::HTTP_11;
    if hosts > 1 || (needs_host && hosts == 0) {
        return Err(Refusal::broken("The request needs one Host"));
    }
    if types > 1 || encodings > 1 {
        return Err(Refusal::broken("The request says twice what its body is"));
    }
    if request.uri().authority().is_some() {
        return Err(Refusal::broken("This is no proxy"));
    }
    Ok(())
}

/// Whether the headers say that the body is gzip.
fn content(headers: &HeaderMap) -> Result<bool, Refusal> {
    let [content_type, encoding] = [CONTENT_TYPE, CONTENT_ENCODING]
        .map(|name| headers.get(name).map(|value| value.to_str().unwrap_or("?").to_ascii_lowercase()));
    let said = content_type.unwrap_or_default();
    let (kind, parameters) = said.split_once(';').unwrap_or((&said, ""));
    let known = ["", "application/json", "text/plain", "application/gzip", "application/octet-stream"];
    let charset = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("charset="));
    if !known.contains(&kind.trim()) || charset.is_some_and(|charset| charset.trim_matches('"') != "utf-8") {
        return Err(WRONG_TYPE);
    }
    match encoding.as_deref().map(str::trim) {
        None | Some("" | "identity") => Ok(false),
        Some("gzip" | "x-gzip") => Ok(true),
        Some(_) => Err(WRONG_ENCODING),
    }
}

/// Reads a body, as far as the limits allow.
async fn read(
    mut body: Incoming,
    shared: &Shared,
    place: &Place,
    reserved: &mut Reserved,
) -> Result<Vec<u8>, Refusal> {
    let max = shared.max_body;
    let announced = body.size_hint().lower();
    if announced > max {
        return Err(linger(TOO_LARGE, body));
    }
    let mut bytes = Vec::with_capacity(announced.min(256 << 10) as usize);
    let mut since = place.begins_body();
    loop {
        let pace = Pace::of(shared.is_scarce());
        let frame = match timeout_at((since + pace.silence).into(), body.frame()).await {
            Err(_) => return Err(TOO_SLOW),
            Ok(None) => return Ok(bytes),
            Ok(Some(Err(_))) => return Err(Refusal::broken("The body is cut off or damaged")),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() as u64 + data.len() as u64 > max {
            return Err(linger(TOO_LARGE, body));
        }
        if let Err(refusal) = reserved.grow(data.len()) {
            return Err(linger(refusal, body));
        }
        bytes.extend_from_slice(&data);
        since = place.has_more(since, data.len(), pace);
    }
}

/// Goes on reading a refused body for a moment, alongside the answer.
fn linger(refusal: Refusal, mut body: Incoming) -> Refusal {
    if !body.is_end_stream() {
        tokio::spawn(timeout(LINGER, async move {
            let mut left = LINGER_BYTES;
            while let Some(Ok(frame)) = body.frame().await {
                let count = frame.data_ref().map_or(0, |data| data.len() as u64);
                let Some(rest) = left.checked_sub(count) else { break };
                left = rest;
            }
        }));
    }
    refusal
}

const NOT_FOUND: Refusal = Refusal::new(StatusCode::NOT_FOUND, "There is nothing here");
const WRONG_METHOD: Refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "Traces are sent by POST");
const STRANGER: Refusal = Refusal::new(StatusCode::FORBIDDEN, "Pages of this origin may not send")
    .with_hint("it can be named with --origin");
const WRONG_TYPE: Refusal = Refusal::new(
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    "The body must be JSON in UTF-8: application/json, text/plain, or application/gzip",
);
const WRONG_ENCODING: Refusal =
    Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body may be compressed by gzip, once");

fn refused(refusal: &Refusal) -> Answer {
    let mut answer = plain(refusal.status, &Problem::from(*refusal).to_string());
    let headers = answer.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if *refusal == TOO_MANY || *refusal == NO_MEMORY {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    } else if *refusal == WRONG_METHOD {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS, POST"));
    } else if *refusal == WRONG_ENCODING {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    }
    answer
}

fn plain(status: StatusCode, sentence: &str) -> Answer {
    let mut answer = Response::new(Full::from(format!("{sentence}\n")));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
