//! Answers that their handlers write as JSON.
//!
//! The framework turns every answer into a tree before it is written, which for a thousand lenses takes longer than
//! everything else. So our own requests are answered with text. The protocol's requests for lists, for whose answers the
//! framework has types, are passed to the service under second names, whose handlers answer with text.

use serde::Serialize;
use tower_lsp::jsonrpc::{Error, Id, Request, Result};

/// The prefix of our own requests.
const OWN: &str = "proflens/";
/// The prefix that turns a name into its second name.
const SECOND: &str = "text:";

pub(crate) const INLAY_HINT: &str = "text:textDocument/inlayHint";
pub(crate) const CODE_LENS: &str = "text:textDocument/codeLens";
pub(crate) const INCOMING_CALLS: &str = "text:callHierarchy/incomingCalls";
pub(crate) const OUTGOING_CALLS: &str = "text:callHierarchy/outgoingCalls";

const SECOND_NAMES: [&str; 4] = [INLAY_HINT, CODE_LENS, INCOMING_CALLS, OUTGOING_CALLS];

/// The text of an answer: what such a handler returns.
///
/// # Errors
/// The error of the answer, or an internal one if it cannot be written.
pub(crate) fn text<T: Serialize>(answer: Result<T>) -> Result<String> {
    serde_json::to_string(&answer?).map_err(|_| Error::internal_error())
}

/// A request as it is passed to the service, and whether it is then answered with text.
pub(super) fn renamed(request: Request) -> (Request, bool) {
    let method = request.method();
    let Some(second) = SECOND_NAMES.into_iter().find(|it| it.strip_prefix(SECOND) == Some(method)) else {
        let is_own = method.starts_with(OWN);
        return (request, is_own);
    };
    let (_, id, params) = request.into_parts();
    let mut renamed = Request::build(second);
    if let Some(id) = id {
        renamed = renamed.id(id);
    }
    if let Some(params) = params {
        renamed = renamed.params(params);
    }
    (renamed.finish(), true)
}

/// The message that answers a request with a text.
pub(super) fn message(id: &Id, text: &str) -> serde_json::Result<String> {
    Ok(format!(r#"{{"jsonrpc":"2.0","result":{text},"id":{}}}"#, serde_json::to_string(id)?))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tower_lsp::jsonrpc::Response;

    use super::*;

    #[test]
    fn which_answers_are_text() {
        let requests = ["textDocument/codeLens", "textDocument/hover", "proflens/hottest"];
        let renamed = requests.map(|method| {
            let request = Request::build(method).id(7).params(json!({ "a": [1] })).finish();
            let (request, is_text) = renamed(request);
            format!("{request} {is_text}")
        });
        assert_eq!(
            renamed,
            [
                r#"{"jsonrpc":"2.0","method":"text:textDocument/codeLens","params":{"a":[1]},"id":7} true"#,
                r#"{"jsonrpc":"2.0","method":"textDocument/hover","params":{"a":[1]},"id":7} false"#,
                r#"{"jsonrpc":"2.0","method":"proflens/hottest","params":{"a":[1]},"id":7} true"#,
            ]
        );
    }

    #[test]
    fn the_message_is_that_of_the_framework() {
        let answers = [json!(null), json!([{ "title": "a \"name\"\n" }])];
        for (answer, id) in answers.into_iter().zip([Id::Number(3), Id::String("\"x".into())]) {
            let text = text(Ok(&answer)).unwrap();
            let message: Value = serde_json::from_str(&message(&id, &text).unwrap()).unwrap();
            assert_eq!(message, json!(Response::from_ok(id, answer)));
        }
        assert_eq!(text(Err::<(), _>(Error::content_modified())), Err(Error::content_modified()));
    }
}
