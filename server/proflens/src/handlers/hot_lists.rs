//! The hottest functions, files and folders: the lists of our own clients, and for all others the symbols of the workspace.

use analysis::views::{GroupBy, SortBy, hottest, hottest_groups};
use analysis::{DefinitionKey, FilePath, Measured, Recording};
use compare::FunctionChange;
use compare::views::ComparedFunctions;
use profile::{Cost, Weight};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    Location, OneOf, SymbolKind, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use super::compute;
use super::locations::DefinitionLocations;
use crate::proto::{causes, ext, to_proto};
use crate::state::State;

/// So many symbols are listed.
const MAX_SYMBOLS: usize = 100;

/// A list of what cost most.
pub(crate) async fn list(state: &State, params: causes::HottestParams) -> Result<causes::HotList> {
    let locations = DefinitionLocations::of(state);
    compute(state, move || {
        let Some(shown) = locations.session.shown.as_ref() else {
            return causes::HotList { recording: None, count: 0, items: Vec::new() };
        };
        let by = match params.by {
            causes::HotBy::OwnTime | causes::HotBy::Difference => SortBy::SelfTime,
            causes::HotBy::WithCallees => SortBy::TotalTime,
        };
        let group = match params.group {
            causes::HotGroup::Function => None,
            causes::HotGroup::File => Some(GroupBy::File),
            causes::HotGroup::Folder => Some(GroupBy::Folder),
        };
        let filter = params.filter.to_lowercase();
        let fits = |name: &str, file: &FilePath| {
            filter.is_empty()
                || name.to_lowercase().contains(&filter)
                || locations.session.path_of(file).to_lowercase().contains(&filter)
        };
        let limit = if params.limit == 0 { usize::MAX } else { params.limit };
        let recording = &shown.recording;
        let compared = locations.session.comparison();
        if let (causes::HotBy::Difference, None, Some(compared)) = (params.by, group, compared) {
            let functions = &compared.functions;
            let comparison = &functions.comparison;
            let mut all: Vec<_> = comparison.functions.iter().collect();
            all.retain(|it| locations.session.annotates(&it.key.file) && fits(&it.info.name, &it.key.file));
            let items = all.iter().take(limit);
            let items = items.filter_map(|it| locations.changed_item(recording, it, functions));
            return causes::HotList {
                recording: Some(shown.serial),
                count: all.len(),
                items: items.collect(),
            };
        }
        let (count, items) = match group {
            None => {
                let mut all = hottest(&recording.summary, by);
                all.retain(|(key, it)| locations.session.annotates(&key.file) && fits(&it.name, &key.file));
                let items = all.iter().take(limit);
                (all.len(), items.filter_map(|(key, it)| locations.hot_item(recording, key, it)).collect())
            }
            Some(group) => {
                let mut all = hottest_groups(recording, group, by);
                all.retain(|(file, _)| locations.session.annotates(file) && fits("", file));
                let items = all.iter().take(limit);
                (all.len(), items.map(|(file, cost)| locations.hot_group(recording, file, cost)).collect())
            }
        };
        causes::HotList { recording: Some(shown.serial), count, items }
    })
    .await
}

/// The hottest functions as symbols: `#hot` by total time, `#self` by self time, each with words that the name or the path must
/// have. Other questions are for other servers.
pub(crate) async fn symbols(
    state: &State,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let (by, filter) = match params.query.split_once(char::is_whitespace).unwrap_or((&params.query, "")) {
        ("#hot", filter) => (causes::HotBy::WithCallees, filter),
        ("#self", filter) => (causes::HotBy::OwnTime, filter),
        _ => return Ok(None),
    };
    let params = causes::HottestParams {
        by,
        group: causes::HotGroup::Function,
        filter: filter.trim().to_owned(),
        limit: MAX_SYMBOLS,
    };
    let list = list(state, params).await?;
    let symbol = |it: causes::HotItem| {
        let amount = match by {
            causes::HotBy::OwnTime | causes::HotBy::Difference => it.self_amount,
            causes::HotBy::WithCallees => it.total,
        };
        WorkspaceSymbol {
            name: it.name,
            kind: SymbolKind::FUNCTION,
            tags: None,
            container_name: Some(format!("{} {}", amount.in_full(), it.path)),
            location: OneOf::Left(Location { uri: it.uri, range: it.selection_range.unwrap_or_default() }),
            data: None,
        }
    };
    Ok(Some(WorkspaceSymbolResponse::Nested(list.items.into_iter().map(symbol).collect())))
}

impl DefinitionLocations {
    fn hot_item(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<causes::HotItem> {
        let (uri, selection_range) = self.location(recording, key, measured)?;
        let shares = recording.summary.shares(&measured.cost, self.session.config.base);
        Some(causes::HotItem {
            name: to_proto::shown(&measured.name),
            path: to_proto::shown(&self.session.path_of(&key.file)),
            selection_range: Some(selection_range),
            function: Some(to_proto::definition(key)),
            ..hot_item(uri, &measured.cost, self.session.amounts(recording).costs(measured), shares)
        })
    }

    /// A function of a comparison. One that was not measured after is where it is in the text, and costs nothing.
    fn changed_item(
        &self,
        recording: &Recording,
        it: &FunctionChange,
        functions: &ComparedFunctions,
    ) -> Option<causes::HotItem> {
        let change = Some(to_proto::hot_change(it, functions));
        if let Some(measured) = recording.summary.definitions.get(&it.key) {
            return Some(causes::HotItem { change, ..self.hot_item(recording, &it.key, measured)? });
        }
        let amounts = [Weight::default(); 2].map(|it| self.session.amounts(recording).spent(it));
        let path = to_proto::shown(&self.session.path_of(&it.key.file));
        let uri = to_proto::uri(&it.key.file);
        let selection_range = it.is_in_text().then(|| to_proto::range_of_name(&it.info));
        let function = Some(to_proto::definition(&it.key));
        let name = to_proto::shown(&it.info.name);
        let item = hot_item(uri, &Cost::default(), amounts, [0.0; 2]);
        Some(causes::HotItem { name, path, selection_range, function, change, ..item })
    }

    /// A file or folder.
    fn hot_group(&self, recording: &Recording, file: &FilePath, cost: &Cost) -> causes::HotItem {
        let shares = recording.summary.shares(cost, self.session.config.base);
        let path = to_proto::shown(&self.session.path_of(file));
        let amounts = self.session.amounts(recording);
        let first = DefinitionKey { file: file.clone(), path: "".into() };
        let functions = recording.summary.definitions.range(first..);
        let functions = functions.take_while(|(key, _)| key.file.as_str().starts_with(file.as_str()));
        let inside = |key: &DefinitionKey| key.file == *file || key.file.relative_to(file).is_some();
        let functions = functions.filter(|(key, _)| inside(key)).map(|it| it.1);
        let amounts =
            [amounts.within_own(cost.own(), functions.clone()), amounts.within(cost.all(), functions)];
        causes::HotItem { path, ..hot_item(to_proto::uri(file), cost, amounts, shares) }
    }
}

fn hot_item(
    uri: tower_lsp::ls_types::Uri,
    cost: &Cost,
    [self_amount, total]: [ext::Amount; 2],
    [self_share, total_share]: [f64; 2],
) -> causes::HotItem {
    let name = crate::proto::from_proto::file_path(&uri).map(|it| to_proto::shown(it.name()));
    let name = name.unwrap_or_default();
    causes::HotItem {
        name,
        uri,
        path: String::new(),
        selection_range: None,
        function: None,
        self_amount,
        total,
        self_share,
        total_share,
        self_samples: cost.self_samples,
        total_samples: cost.total_samples,
        change: None,
    }
}
