//! Converts our types to the protocol's.

use std::str::FromStr;

use ::compare::change::FunctionChange;
use ::compare::run::FunctionInfo;
use ::compare::texts;
use ::compare::views::{self as comparison, ComparedFunctions};
use analysis::document::Document;
use analysis::files::FilePath;
use analysis::format::{self, Style};
use analysis::recording::LostMap;
use analysis::scope::marker_detail;
use analysis::summary::{DefinitionKey, share};
use analysis::views::{self, CompilerNote, Hint, Hover as HoverView, Lens};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use profile::model::{Amount, Unit};
use profile::problem::Problem;
use profile::scope::{MarkerChoice, ThreadInfo};
use serde_json::{Value, json};
use source::text::{Encoding, LineIndex};
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::Error;
use tower_lsp::ls_types::{
    self, CodeLens, Diagnostic, DiagnosticSeverity, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, Hover, HoverContents, InlayHint, InlayHintTooltip, MarkupContent,
    MarkupKind, Position, Range, RelatedFullDocumentDiagnosticReport, Uri,
};

use super::amounts::{Amounts, plain, samples};
use super::{compare, ext};
use crate::commands::Command;

/// Characters that are encoded in paths: all but those that VS Code leaves as they are, so that both spell a URI alike.
const ENCODED_IN_PATHS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A text of a trace, of a source or of a path as a client draws it: on one line, with nothing hidden in it.
pub(crate) fn shown(text: &str) -> String {
    profile::plain::plain(text).into_owned()
}

/// What failed, as a client shows it: `app.json cannot be read: permission denied. Check the path and its permissions.`
pub(crate) fn failure(problem: &Problem) -> String {
    problem.to_string()
}

/// The answer to a request that names something that does not exist.
pub(crate) fn refusal(problem: &Problem) -> Error {
    Error::invalid_params(failure(problem))
}

/// The URI of a file for which the client has not sent one.
///
/// # Panics
/// Never: a percent-encoded path is a valid URI.
pub(crate) fn uri(file: &FilePath) -> Uri {
    let path = file.as_str();
    let encoded = utf8_percent_encode(path, ENCODED_IN_PATHS);
    let uri = match path.strip_prefix("//") {
        Some(_) => format!("file:{encoded}"),
        None if path.starts_with('/') => format!("file://{encoded}"),
        None => format!("file:///{encoded}"),
    };
    Uri::from_str(&uri).expect("a percent-encoded path is a valid URI")
}

/// A Markdown link to a line, counted from 0.
pub(crate) fn link(uri: &Uri, line: u32) -> String {
    format!("{}#L{}", uri.as_str(), line + 1)
}

/// A client's offer for a function, with the function as the argument of its command.
pub(crate) fn offer(markdown: &str, key: &DefinitionKey) -> String {
    let arguments = json!([definition(key)]).to_string();
    markdown.replace("{function}", &utf8_percent_encode(&arguments, NON_ALPHANUMERIC).to_string())
}

/// A place in a text.
pub(crate) fn position(lines: &LineIndex, text: &str, at: TextSize, encoding: Encoding) -> Position {
    let place = lines.line_col(text, at, encoding);
    Position { line: place.line, character: place.column }
}

/// A range of a text.
pub(crate) fn range(lines: &LineIndex, text: &str, range: TextRange, encoding: Encoding) -> Range {
    let [start, end] = [range.start(), range.end()].map(|offset| position(lines, text, offset, encoding));
    Range { start, end }
}

/// A range of a document.
pub(crate) fn range_in(document: &Document, text_range: TextRange, encoding: Encoding) -> Range {
    range(document.lines(), document.text(), text_range, encoding)
}

/// A hint, without its tooltip.
pub(crate) fn inlay_hint(document: &Document, number: u32, hint: Hint, encoding: Encoding) -> InlayHint {
    let position = position(document.lines(), document.text(), hint.at, encoding);
    let [left, right] = hint.padding;
    InlayHint {
        position,
        label: hint.label.into(),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(left),
        padding_right: Some(right),
        data: Some(data(number, &hint.key)),
    }
}

/// A note of V8's compiler, as the faintest diagnostic.
pub(crate) fn diagnostic(document: &Document, note: CompilerNote, encoding: Encoding) -> Diagnostic {
    Diagnostic {
        range: range_in(document, note.range, encoding),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some("proflens".to_owned()),
        message: shown(&note.text),
        ..Diagnostic::default()
    }
}

/// All diagnostics of a document.
pub(crate) fn diagnostics(items: Vec<Diagnostic>) -> DocumentDiagnosticReportResult {
    let report = FullDocumentDiagnosticReport { result_id: None, items };
    let report = RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: report,
    };
    DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report))
}

/// A hint's tooltip.
pub(crate) fn tooltip(markdown: String) -> InlayHintTooltip {
    markup(markdown).into()
}

/// A lens without its command, for which editors ask when they show the lens.
pub(crate) fn code_lens(document: &Document, number: u32, lens: &Lens, encoding: Encoding) -> CodeLens {
    CodeLens {
        range: range_in(document, lens.range, encoding),
        command: None,
        data: Some(data(number, &lens.key)),
    }
}

/// The command of a lens.
pub(crate) fn show_callers(title: String, uri: &Uri, path: &str) -> ls_types::Command {
    let definition = ext::DefinitionData { uri: uri.clone(), path: path.to_owned() };
    let command = Command::ShowCallers.name().to_owned();
    ls_types::Command { title, command, arguments: Some(vec![json!(definition)]) }
}

/// The identity of a definition.
pub(crate) fn definition(key: &DefinitionKey) -> ext::DefinitionData {
    ext::DefinitionData { uri: uri(&key.file), path: key.path.to_string() }
}

/// A hover.
pub(crate) fn hover(document: &Document, hover: HoverView, encoding: Encoding) -> Hover {
    let range = range_in(document, hover.range, encoding);
    Hover { contents: HoverContents::Markup(markup(hover.markdown)), range: Some(range) }
}

/// All costs of a document.
pub(crate) fn document_costs(
    document: &Document,
    costs: views::DocumentCosts,
    amounts: Amounts<'_>,
    compared: Option<&ComparedFunctions>,
    encoding: Encoding,
) -> ext::DocumentCosts {
    let own: Amount = costs.functions.iter().map(|function| function.cost.self_time).sum();
    let without_line = costs.functions.iter().filter_map(|function| function.without_line).sum();
    let on_lines = if amounts.recording.has_lines() { share(own - without_line, own) } else { 0.0 };
    let functions = costs.functions.into_iter().map(|function| {
        let change = compared.and_then(|compared| compared.change(&function.key));
        let ranges = [function.range, function.selection].map(|range| range_in(document, range, encoding));
        function_costs(function, ranges, change, amounts)
    });
    ext::DocumentCosts {
        version: Some(document.version),
        unit: amounts.recording.unit,
        functions: functions.collect(),
        lines: costs.lines.into_iter().map(|line| line_costs(&line, amounts)).collect(),
        ran: costs.ran.into_iter().map(line_runs).collect(),
        on_lines: (own > Amount(0))
            .then(|| ext::Share { part: on_lines, text: format::percent(on_lines, Style::Text) }),
    }
}

fn function_costs(
    function: views::FunctionCost,
    [range, selection_range]: [Range; 2],
    change: Option<&FunctionChange>,
    amounts: Amounts<'_>,
) -> ext::FunctionCosts {
    let cost = &function.cost;
    let measured = amounts.recording.summary.definitions.get(&function.key);
    let [self_amount, total] = match measured {
        Some(measured) => amounts.costs(measured),
        None => [cost.self_time, cost.total_time].map(|time| amounts.likely(time)),
    };
    ext::FunctionCosts {
        name: function.name,
        range,
        selection_range,
        self_ns: self_amount.nanos(),
        total_ns: total.nanos(),
        self_amount,
        total,
        self_samples: cost.self_samples,
        total_samples: cost.total_samples,
        self_share: function.self_share,
        total_share: function.total_share,
        confidence: function.confidence,
        freshness: function.freshness,
        calls: function.calls,
        long_tasks: function.long_tasks,
        without_line: function.without_line.map(|time| amounts.likely(time)),
        change: change.map(cost_change),
    }
}

fn line_costs(line: &views::LineHeat, amounts: Amounts<'_>) -> ext::LineCosts {
    let amount = amounts.line(line);
    let nanos = amount.nanos();
    ext::LineCosts {
        line: line.line,
        inlined: (line.inlined > Amount(0)).then(|| amounts.likely(line.inlined)),
        self_amount: amount.clone(),
        total: amount,
        self_ns: nanos,
        total_ns: nanos,
    }
}

fn line_runs(views::LineRuns { line, times, is_other }: views::LineRuns) -> ext::LineRuns {
    ext::LineRuns { line, times: ext::Count { number: times, text: format::ran(times) }, is_other }
}

/// How a cost changed.
fn cost_change(function: &FunctionChange) -> compare::CostChange {
    compare::CostChange {
        verdict: function.verdict,
        text: comparison::arrow(function, Style::Text),
        ratio: function.shown().ratio(),
    }
}

/// A function of a comparison in a list.
pub(crate) fn hot_change(function: &FunctionChange, functions: &ComparedFunctions) -> compare::HotChange {
    let unit = functions.comparison.unit;
    let shown = function.shown();
    let [before, after] = [shown.before, shown.after].map(|time| format::amount(time, unit, Style::Text));
    compare::HotChange {
        verdict: function.verdict,
        is_shown: functions.is_shown(function),
        words: texts::verdict(function, shown, function.verdict, unit),
        before,
        after,
        text: comparison::arrow(function, Style::Text),
        ratio: shown.ratio(),
        which: if function.shows_total() { "total" } else { "self" },
        interval: texts::interval(shown),
    }
}

/// The start of the name of a function, for cases in which nothing else is known.
pub(crate) fn range_of_name(function: &FunctionInfo) -> Range {
    let at = Position { line: function.start.line, character: function.start.column };
    Range { start: at, end: at }
}

/// Where everything that a recording measured went.
pub(crate) fn ledger(amounts: Amounts<'_>) -> ext::Ledger {
    let ledger = &amounts.recording.summary.ledger;
    let placed = ledger.placed_share(amounts.base);
    let rows = views::ledger_rows(ledger, amounts.base).into_iter().map(|row| ext::LedgerRow {
        why: row.why,
        label: row.label,
        amount: if row.share.is_some() { amounts.spent(row.spent) } else { amounts.outside(row.spent) },
        examples: row.examples.iter().map(|example| shown(example)).collect(),
    });
    ext::Ledger {
        total: amounts.all(ledger.total),
        base: plain(ledger.base(amounts.base), amounts.recording.unit),
        placed: ext::Share { part: placed, text: format::whole_percent(placed) },
        rows: rows.collect(),
    }
}

/// A source map that was not used.
pub(crate) fn lost_map(lost: &LostMap, amounts: Amounts<'_>) -> ext::LostMap {
    ext::LostMap {
        generated: uri(&lost.generated),
        wanted: lost.wanted.clone(),
        reason: lost.refusal.map(|refusal| refusal.to_string()),
        self_amount: amounts.likely(lost.time),
    }
}

/// A thread of a trace.
pub(crate) fn thread(thread: &ThreadInfo, unit: Unit) -> ext::ThreadStatus {
    let ThreadInfo { name, samples: number, active, chosen } = thread.clone();
    ext::ThreadStatus { name, samples: samples(number), active: plain(active, unit), shown: chosen }
}

/// Markers from which a window can be made.
pub(crate) fn marker(choice: &MarkerChoice) -> ext::MarkerStatus {
    ext::MarkerStatus { name: choice.marked.name.clone(), detail: marker_detail(choice) }
}

fn data(number: u32, key: &DefinitionKey) -> Value {
    json!(ext::ItemData(number, key.path.to_string()))
}

fn markup(markdown: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value: markdown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::from_proto;

    #[test]
    fn uris_lead_back_to_their_files() {
        let drive = if cfg!(windows) { "C:" } else { "" };
        for path in ["/w/[slug]/a b%.ts", "/w/é#?.ts", "/"] {
            let file = FilePath::new(&format!("{drive}{path}"));
            assert_eq!(from_proto::file_path(&uri(&file)), Some(file));
        }
        assert_eq!(uri(&FilePath::new("C:/w/a.ts")).as_str(), "file:///C%3A/w/a.ts");
        assert_eq!(uri(&FilePath::new("//server/share/a.ts")).as_str(), "file://server/share/a.ts");
    }
}
