//! Why a request is not kept: the status and the text of the answer. No text repeats anything from the request.

use hyper::StatusCode;
use profile::problem::Problem;

/// Why a request is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// What is wrong, and what can be done about it: the parts of a [`Problem`].
    what: &'static str,
    hint: &'static str,
}

impl Refusal {
    pub(crate) const fn new(status: StatusCode, what: &'static str) -> Self {
        Self { status, what, hint: "" }
    }

    pub(crate) const fn with_hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// The body is not JSON, or not gzip.
    pub(crate) const fn broken(what: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what)
    }

    /// The body is JSON, but not a trace that can be kept.
    pub(crate) const fn no_trace(what: &'static str) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, what)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.what, refusal.hint)
    }
}

pub(crate) const TOO_LARGE: Refusal =
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "The trace is larger than this collector takes");
pub(crate) const TOO_MANY: Refusal =
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "More traces a second arrive than this collector takes");
pub(crate) const NO_SPACE: Refusal =
    Refusal::new(StatusCode::INSUFFICIENT_STORAGE, "This collector has no space left for traces");
pub(crate) const NO_MEMORY: Refusal =
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "Too many traces arrive at once")
        .with_hint("send it again later");
pub(crate) const ENDING: Refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "This collector ends");
pub(crate) const NOT_WRITTEN: Refusal =
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "The trace could not be written");
pub(crate) const TOO_SLOW: Refusal =
    Refusal::new(StatusCode::REQUEST_TIMEOUT, "The trace did not arrive in time");
