//! The origins whose pages may send: each named by the user, none by default.
//!
//! Browsers put an `Origin` on every POST, so a trace from a page that was not named is never kept. A request without an
//! `Origin` does not come from a page.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE, HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::{HeaderMap, Uri};
use profile::problem::Problem;

/// The headers by which Chrome asks whether internet pages may send into a local network, and by which that is allowed.
const ASKS_FOR_NETWORK: HeaderName = HeaderName::from_static("access-control-request-private-network");
const ALLOWS_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// The origins whose pages may send.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<HeaderValue>);

/// What the `Origin` of a request says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// There is no such header: the request does not come from a page.
    NoPage,
    /// A page of an origin that the user named, in the user's spelling.
    Named(HeaderValue),
    /// A page of any other origin.
    Stranger,
}

impl Origins {
    /// Reads origins as users write them: `https://shop.example`, `http://localhost:3000`.
    ///
    /// # Errors
    /// The first that is not an origin.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Problem> {
        let origins = texts.into_iter().map(|text| {
            origin(text).ok_or_else(|| {
                Problem::new(
                    format!("--origin {text} is no origin"),
                    "name each in full, with scheme and port and without a path: https://shop.example",
                )
            })
        });
        Ok(Self(origins.collect::<Result<_, _>>()?))
    }

    /// Whether no page may send.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn sender(&self, headers: &HeaderMap) -> Sender {
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Sender::NoPage,
            (Some(one), None) => {
                let named = self.0.iter().find(|named| *named == one);
                named.map_or(Sender::Stranger, |named| Sender::Named(named.clone()))
            }
            (Some(_), Some(_)) => Sender::Stranger,
        }
    }
}

/// Lets the page of an origin see the answer. `sendBeacon` sends with credentials, and browsers require that answers allow them.
pub(crate) fn allow(origin: HeaderValue, answer: &mut HeaderMap) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    answer.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    answer.insert(VARY, HeaderValue::from_static("Origin"));
}

/// What a page may send; this answers the question that the browser asks before it sends.
pub(crate) fn allow_sending(asked: &HeaderMap, answer: &mut HeaderMap) {
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type, content-encoding"));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    if asked.contains_key(ASKS_FOR_NETWORK) {
        answer.insert(ALLOWS_NETWORK, HeaderValue::from_static("true"));
    }
}

/// An origin as browsers write it: lower case, no default port, no slash at the end.
fn origin(text: &str) -> Option<HeaderValue> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?;
    let default_port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let authority = uri.authority()?.as_str().to_ascii_lowercase();
    if uri.path() != "/" || uri.query().is_some() || authority.contains(['@', '*']) {
        return None;
    }
    let host = authority.strip_suffix(default_port).unwrap_or(&authority);
    HeaderValue::from_str(&format!("{scheme}://{host}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_browsers_write_them() {
        let parse = |text: &str| Origins::parse([text]).map(|it| it.0[0].to_str().unwrap().to_owned());
        let same = |text: &str, expected: &str| assert_eq!(parse(text), Ok(expected.to_owned()));
        same("https://shop.example", "https://shop.example");
        same("HTTPS://Shop.Example:443/", "https://shop.example");
        same("http://localhost:3000", "http://localhost:3000");
        same("http://[::1]:80", "http://[::1]");
        for wrong in [
            "*",
            "null",
            "",
            "shop.example",
            "https://*.example",
            "https://a.example/shop",
            "ftp://a",
            "https://a@b",
            "https://a/?b",
            "https://",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn senders() {
        let origins = Origins::parse(["https://shop.example"]).unwrap();
        let sender = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ORIGIN, HeaderValue::from_static(value));
            }
            origins.sender(&headers)
        };
        assert_eq!(sender(&[]), Sender::NoPage);
        assert_eq!(
            sender(&["https://shop.example"]),
            Sender::Named(HeaderValue::from_static("https://shop.example"))
        );
        let strangers: [&[&'static str]; 6] = [
            &["null"],
            &["*"],
            &["https://shop.example.evil"],
            &["http://shop.example"],
            &["https://shop.example:8443"],
            &["https://shop.example", "https://shop.example"],
        ];
        for it in strangers {
            assert_eq!(sender(it), Sender::Stranger, "{it:?}");
        }
    }
}
