//! What is loaded and how it is shown, as clients see it.

use analysis::FilePath;
use compare::{Verdict, texts};
use serde_json::{Value, json};

use crate::proto::amounts::plain;
use crate::proto::compare as ext_compare;
use crate::proto::{ext, to_proto};
use crate::state::{Compared, KnownTrace, Session, State, TraceState};

/// What the status bar shows, as [`ext::Status`].
pub(crate) fn status(state: &State) -> Value {
    let session = state.session();
    let recording = session.shown.as_ref().map(|it| &*it.recording);
    let amounts = recording.map(|it| session.amounts(it));
    let lost_maps =
        amounts.iter().flat_map(|of| of.recording.lost_maps.iter().map(|it| to_proto::lost_map(it, *of)));
    let of_settings = session.config_errors.iter().chain(&session.not_searched);
    let problems = session.shown.iter().flat_map(|it| &it.recording.problems).chain(of_settings);
    let compared = session.comparison();
    let known = session.shown.as_ref().map(|it| &it.recording.problems[..]).unwrap_or_default();
    let of_comparison = compared.iter().flat_map(|it| &it.functions.comparison.problems);
    let problems = problems.chain(of_comparison.filter(|it| !known.contains(it)));
    json!(ext::Status {
        enabled: session.enabled,
        unit: session.unit,
        base: session.config.base,
        traces: traces(&session),
        recording: session.shown.as_ref().map(|it| it.serial),
        ledger: amounts.map(to_proto::ledger),
        lost_maps: lost_maps.collect(),
        problems: problems.map(to_proto::problem).collect(),
        comparison: compared.map(|it| comparison(it)),
    })
}

/// A comparison as clients see it.
pub(super) fn comparison(compared: &Compared) -> ext_compare::ComparisonStatus {
    let (before, comparison) = (&compared.before, &compared.functions.comparison);
    let [was, is] = &comparison.sides;
    let number = |verdict| texts::number(comparison, verdict);
    ext_compare::ComparisonStatus {
        title: before.title.clone(),
        before_paths: before.paths.iter().map(|it| it.display().to_string()).collect(),
        before_runs: was.runs,
        after_runs: is.runs,
        method: comparison.method.name(),
        slower: number(Verdict::Regression),
        faster: number(Verdict::Improvement),
        maybe_slower: number(Verdict::PossibleRegression),
        maybe_faster: number(Verdict::PossibleImprovement),
        unsure: number(Verdict::Unsure),
        active: ext_compare::ActiveChange {
            text: texts::change(&comparison.whole),
            verdict: to_proto::verdict(comparison.whole.verdict),
        },
        sentence: texts::sentences(comparison).join("\n"),
    }
}

/// The known traces as clients see them.
pub(super) fn traces(session: &Session) -> Vec<ext::TraceStatus> {
    let status = |trace: &KnownTrace| {
        let shown = session.shown.as_ref().filter(|it| it.path == trace.path);
        let recording = shown.map(|it| &it.recording);
        let infos = recording.map(|it| &it.traces[..]).unwrap_or_default();
        let duration = infos.iter().map(|it| it.duration).max().unwrap_or_default();
        let (state, error) = match &trace.state {
            TraceState::Found => (ext::LoadState::Found, None),
            TraceState::Loading => (ext::LoadState::Loading, None),
            TraceState::Loaded => (ext::LoadState::Loaded, None),
            TraceState::Failed(problem) => (ext::LoadState::Failed, Some(to_proto::failure(problem))),
        };
        ext::TraceStatus {
            uri: to_proto::uri(&FilePath::new(&trace.path.to_string_lossy())),
            name: trace.path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into()),
            state,
            shown: shown.is_some(),
            format: infos.first().map(|it| it.format),
            unit: recording.map(|it| to_proto::quantity(it.unit)),
            samples: recording.map_or(0, |it| it.samples()),
            duration_ns: duration.0,
            duration: plain(duration, profile::Unit::Time),
            sessions: recording.map_or(0, |it| it.sessions()),
            threads: match (recording, infos) {
                (Some(recording), [one]) => {
                    one.choice.iter().map(|it| to_proto::thread(it, recording.unit)).collect()
                }
                _ => Vec::new(),
            },
            scope: infos.first().and_then(|it| it.scope.clone()),
            markers: infos.first().map(|it| it.markers.clone()).unwrap_or_default(),
            has_lines: recording.is_some_and(|it| it.has_lines()),
            error,
        }
    };
    session.traces.iter().map(status).collect()
}
