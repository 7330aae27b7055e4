//! What is loaded and how it is shown, as clients see it.

use analysis::files::FilePath;
use compare::texts;
use compare::verdict::Verdict;
use profile::model::Unit;
use tower_lsp::jsonrpc::Result;

use crate::proto::amounts::{counted, plain, samples};
use crate::proto::{compare as ext_compare, ext, to_proto};
use crate::serve::as_text::text;
use crate::state::{Compared, Current, KnownTrace, State, TraceState};

/// What the status bar shows, as the text of [`ext::Status`].
pub(crate) fn status(state: &State) -> Result<String> {
    let current = state.current();
    let recording = current.shown.as_ref().map(|shown| &*shown.recording);
    let amounts = recording.map(|recording| current.amounts(recording));
    let mut lost_maps = Vec::new();
    if let Some(amounts) = amounts {
        lost_maps.extend(amounts.recording.lost_maps.iter().map(|map| to_proto::lost_map(map, amounts)));
    }
    let compared = current.comparison();
    let known = recording.map(|recording| &recording.problems[..]).unwrap_or_default();
    let of_comparison = compared.iter().flat_map(|compared| &compared.functions.comparison.problems);
    let problems = known
        .iter()
        .chain(&current.config_errors)
        .chain(&current.not_searched)
        .chain(of_comparison.filter(|problem| !known.contains(problem)));
    text(Ok(ext::Status {
        enabled: current.enabled,
        unit: current.unit,
        base: current.config.base,
        traces: traces(&current),
        recording: current.shown.as_ref().map(|shown| shown.serial),
        ledger: amounts.map(to_proto::ledger),
        lost_maps,
        problems: problems.cloned().collect(),
        comparison: compared.map(|compared| comparison(compared)),
    }))
}

/// A comparison as clients see it.
pub(super) fn comparison(compared: &Compared) -> ext_compare::ComparisonStatus {
    let (before, comparison) = (&compared.before, &compared.functions.comparison);
    let [was, is] = &comparison.sides;
    ext_compare::ComparisonStatus {
        title: before.title.clone(),
        before_paths: before.paths.iter().map(|path| path.display().to_string()).collect(),
        before_runs: was.runs,
        after_runs: is.runs,
        method: comparison.method,
        slower: texts::number(comparison, Verdict::Regression),
        faster: texts::number(comparison, Verdict::Improvement),
        maybe_slower: texts::number(comparison, Verdict::PossibleRegression),
        maybe_faster: texts::number(comparison, Verdict::PossibleImprovement),
        unsure: texts::number(comparison, Verdict::Unsure),
        active: ext_compare::ActiveChange {
            text: texts::change(&comparison.whole),
            verdict: comparison.whole.verdict,
        },
        sentence: texts::sentences(comparison).join("\n"),
    }
}

/// The known traces as clients see them.
pub(super) fn traces(current: &Current) -> Vec<ext::TraceStatus> {
    current.traces.iter().map(|trace| trace_status(current, trace)).collect()
}

fn trace_status(current: &Current, trace: &KnownTrace) -> ext::TraceStatus {
    let shown = current.shown.as_ref().filter(|shown| shown.path == trace.path);
    let recording = shown.map(|shown| &shown.recording);
    let infos = recording.map(|recording| &recording.traces[..]).unwrap_or_default();
    let duration = infos.iter().map(|info| info.duration).max().unwrap_or_default();
    let (state, error) = match &trace.state {
        TraceState::Found => (ext::LoadState::Found, None),
        TraceState::Loading => (ext::LoadState::Loading, None),
        TraceState::Loaded => (ext::LoadState::Loaded, None),
        TraceState::Failed(problem) => (ext::LoadState::Failed, Some(to_proto::failure(problem))),
    };
    ext::TraceStatus {
        uri: to_proto::uri(&FilePath::new(&trace.path.to_string_lossy())),
        name: trace.path.file_name().unwrap_or_default().to_string_lossy().into(),
        state,
        shown: shown.is_some(),
        format: infos.first().map(|info| info.format),
        unit: recording.map(|recording| recording.unit),
        samples: samples(recording.map_or(0, |recording| recording.samples())),
        duration: plain(duration, Unit::Time),
        sessions: counted(recording.map_or(0, |recording| recording.sessions()), "session"),
        threads: match (recording, infos) {
            (Some(recording), [one]) => {
                one.choice.iter().map(|thread| to_proto::thread(thread, recording.unit)).collect()
            }
            _ => Vec::new(),
        },
        scope: infos.first().and_then(|info| info.scope.clone()),
        markers: infos
            .first()
            .map(|info| info.markers.iter().map(to_proto::marker).collect())
            .unwrap_or_default(),
        labels: infos.first().map(|info| info.label_names.clone()).unwrap_or_default(),
        has_lines: recording.is_some_and(|recording| recording.has_lines()),
        error,
    }
}
