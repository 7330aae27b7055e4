//! Why a request is not kept: the status and the sentence of the answer. No sentence holds anything of the request.

use std::borrow::Cow;

use hyper::StatusCode;

/// Why a request is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) sentence: Cow<'static, str>,
}

impl Refusal {
    pub(crate) const fn new(status: StatusCode, sentence: &'static str) -> Self {
        Self { status, sentence: Cow::Borrowed(sentence) }
    }

    /// The body is no JSON, or no gzip.
    pub(crate) const fn broken(sentence: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// The body is JSON, and no trace that is kept.
    pub(crate) const fn no_trace(sentence: &'static str) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, sentence)
    }
}

pub(crate) const TOO_LARGE: Refusal =
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "The trace is larger than this collector takes.");
pub(crate) const TOO_MANY: Refusal =
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "More traces a second arrive than this collector takes.");
pub(crate) const NO_SPACE: Refusal =
    Refusal::new(StatusCode::INSUFFICIENT_STORAGE, "This collector has no space left for traces.");
pub(crate) const NO_MEMORY: Refusal =
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "Too many traces arrive at once. Send it again later.");
pub(crate) const ENDING: Refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "This collector ends.");
pub(crate) const NOT_WRITTEN: Refusal =
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "The trace could not be written.");
pub(crate) const TOO_SLOW: Refusal =
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "The trace did not arrive in time.");
