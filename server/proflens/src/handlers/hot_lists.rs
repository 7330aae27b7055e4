//! The hottest functions, files and folders: as lists for our own clients, and as workspace symbols for all others.

use std::collections::BTreeMap;

use analysis::files::{FilePath, Files};
use analysis::format::{Style, percent};
use analysis::recording::Recording;
use analysis::summary::{DefinitionKey, Measured};
use analysis::views::{GroupBy, SortBy, hottest, hottest_groups};
use compare::change::FunctionChange;
use compare::views::ComparedFunctions;
use profile::model::{Amount, Weight};
use profile::tally::Cost;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    Location, OneOf, SymbolKind, Uri, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use super::compute;
use super::locations::DefinitionLocations;
use crate::proto::amounts::{counted, samples};
use crate::proto::{causes, ext, from_proto, to_proto};
use crate::state::{Current, State};

/// How many symbols are listed.
const MAX_SYMBOLS: usize = 100;

/// A list of what cost most.
pub(crate) async fn list(state: &State, params: causes::HottestParams) -> Result<causes::HotList> {
    let locations = DefinitionLocations::of(state);
    compute(state, move || locations.hot_list(&params)).await
}

/// The hottest functions as symbols: `#hot` by total time, `#self` by self time, each followed by words that the name or
/// the path must contain. Other queries are for other servers.
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
    let symbols = list.items.into_iter().map(|item| {
        let amount = match by {
            causes::HotBy::OwnTime | causes::HotBy::Difference => item.self_amount,
            causes::HotBy::WithCallees => item.total,
        };
        WorkspaceSymbol {
            name: item.name,
            kind: SymbolKind::FUNCTION,
            tags: None,
            container_name: Some(format!("{} {}", amount.in_full(), item.path)),
            location: OneOf::Left(Location {
                uri: item.uri,
                range: item.selection_range.unwrap_or_default(),
            }),
            data: None,
        }
    });
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols.collect())))
}

/// What the name or the path of a row must contain.
struct Filter<'a> {
    current: &'a Current,
    text: String,
}

impl Filter<'_> {
    fn takes(&self, name: &str, file: &FilePath) -> bool {
        self.current.annotates(file)
            && (name.to_lowercase().contains(&self.text)
                || self.current.path_of(file).to_lowercase().contains(&self.text))
    }
}

impl DefinitionLocations {
    fn hot_list(&self, params: &causes::HottestParams) -> causes::HotList {
        let Some(shown) = self.current.shown.as_ref() else {
            return causes::HotList { recording: None, count: 0, items: Vec::new(), folders: Vec::new() };
        };
        let by = match params.by {
            causes::HotBy::OwnTime | causes::HotBy::Difference => SortBy::SelfTime,
            causes::HotBy::WithCallees => SortBy::TotalTime,
        };
        let filter = Filter { current: &self.current, text: params.filter.to_lowercase() };
        let limit = if params.limit == 0 { usize::MAX } else { params.limit };
        let recording = &shown.recording;
        let mut folders = Vec::new();
        let (count, items) = match (params.group, params.by, self.current.comparison()) {
            (causes::HotGroup::Function, causes::HotBy::Difference, Some(compared)) => {
                let functions = &compared.functions;
                let mut all: Vec<_> = functions.comparison.functions.iter().collect();
                all.retain(|function| filter.takes(&function.info.name, &function.key.file));
                let listed = all.iter().take(limit);
                let items = listed.filter_map(|function| self.changed_item(recording, function, functions));
                (all.len(), items.collect())
            }
            (causes::HotGroup::Function, ..) => {
                let mut all = hottest(&recording.summary, by);
                all.retain(|(key, measured)| filter.takes(&measured.name, &key.file));
                let listed = all.iter().take(limit);
                let items = listed.filter_map(|(key, measured)| self.hot_item(recording, key, measured));
                (all.len(), items.collect())
            }
            (causes::HotGroup::File, ..) => {
                folders = self.folders_around_files(recording);
                self.hot_groups(recording, GroupBy::File, by, &filter, limit)
            }
            (causes::HotGroup::Folder, ..) => self.hot_groups(recording, GroupBy::Folder, by, &filter, limit),
        };
        causes::HotList { recording: Some(shown.serial), count, items, folders }
    }

    pub(super) fn hot_item(
        &self,
        recording: &Recording,
        key: &DefinitionKey,
        measured: &Measured,
    ) -> Option<causes::HotItem> {
        let (uri, selection_range) = self.location(recording, key, measured)?;
        let shares = recording.summary.shares(&measured.cost, self.current.config.base);
        Some(causes::HotItem {
            name: to_proto::shown(&measured.name),
            path: to_proto::shown(&self.current.path_of(&key.file)),
            selection_range: Some(selection_range),
            function: Some(to_proto::definition(key)),
            calls: recording.calls(key).map(|calls| counted(calls, "call")),
            ..hot_item(uri, &measured.cost, self.current.amounts(recording).costs(measured), shares)
        })
    }

    /// A function of a comparison. A function that was not measured after is where it is in the text, and costs nothing.
    fn changed_item(
        &self,
        recording: &Recording,
        function: &FunctionChange,
        functions: &ComparedFunctions,
    ) -> Option<causes::HotItem> {
        let (key, info) = (&function.key, &function.info);
        let change = Some(to_proto::hot_change(function, functions));
        if let Some(measured) = recording.summary.definitions.get(key) {
            return Some(causes::HotItem { change, ..self.hot_item(recording, key, measured)? });
        }
        let amounts = [Weight::default(); 2].map(|nothing| self.current.amounts(recording).spent(nothing));
        Some(causes::HotItem {
            name: to_proto::shown(&info.name),
            path: to_proto::shown(&self.current.path_of(&key.file)),
            selection_range: function.is_in_text().then(|| to_proto::range_of_name(info)),
            function: Some(to_proto::definition(key)),
            change,
            ..hot_item(to_proto::uri(&key.file), &Cost::default(), amounts, [0.0; 2])
        })
    }

    /// How many files or folders there are, and the first of them.
    fn hot_groups(
        &self,
        recording: &Recording,
        group: GroupBy,
        by: SortBy,
        filter: &Filter<'_>,
        limit: usize,
    ) -> (usize, Vec<causes::HotItem>) {
        let mut all = hottest_groups(recording, group, by);
        all.retain(|(file, _)| filter.takes("", file));
        let items = all.iter().take(limit).map(|(file, cost)| self.hot_group(recording, file, cost));
        (all.len(), items.collect())
    }

    /// The folders around all files that have a cost of their own, each with the share of everything below it.
    fn folders_around_files(&self, recording: &Recording) -> Vec<causes::FolderShare> {
        let mut sums: BTreeMap<FilePath, Amount> = BTreeMap::new();
        for (file, cost) in hottest_groups(recording, GroupBy::File, SortBy::SelfTime) {
            if !self.current.annotates(file) || cost.self_time == Amount(0) {
                continue;
            }
            let around = self.current.disk.folders().iter().filter(|root| file.relative_to(root).is_some());
            let Some(root) = around.max_by_key(|root| root.as_str().len()) else { continue };
            let mut folder = file.parent();
            while let Some(below) = folder.filter(|folder| folder.as_str().len() > root.as_str().len()) {
                folder = below.parent();
                *sums.entry(below).or_default() += cost.self_time;
            }
        }
        let amounts = self.current.amounts(recording);
        let share_of = |(folder, time)| {
            let part = amounts.share(time);
            let self_share = ext::Share { part, text: percent(part, Style::Text) };
            causes::FolderShare { uri: to_proto::uri(&folder), self_share }
        };
        sums.into_iter().map(share_of).collect()
    }

    /// A file or folder.
    fn hot_group(&self, recording: &Recording, file: &FilePath, cost: &Cost) -> causes::HotItem {
        let shares = recording.summary.shares(cost, self.current.config.base);
        let path = to_proto::shown(&self.current.path_of(file));
        let amounts = self.current.amounts(recording);
        let first = DefinitionKey { file: file.clone(), path: "".into() };
        let from_there = recording.summary.definitions.range(first..);
        let functions = from_there
            .take_while(|(key, _)| key.file.as_str().starts_with(file.as_str()))
            .filter(|(key, _)| key.file == *file || key.file.relative_to(file).is_some())
            .map(|(_, measured)| measured);
        let amounts =
            [amounts.within_own(cost.own(), functions.clone()), amounts.within(cost.all(), functions)];
        causes::HotItem { path, ..hot_item(to_proto::uri(file), cost, amounts, shares) }
    }
}

fn hot_item(
    uri: Uri,
    cost: &Cost,
    [self_amount, total]: [ext::Amount; 2],
    [self_share, total_share]: [f64; 2],
) -> causes::HotItem {
    causes::HotItem {
        name: from_proto::file_path(&uri).map(|file| to_proto::shown(file.name())).unwrap_or_default(),
        uri,
        path: String::new(),
        selection_range: None,
        function: None,
        self_amount,
        total,
        self_share,
        total_share,
        self_samples: samples(cost.self_samples),
        total_samples: samples(cost.total_samples),
        calls: None,
        change: None,
    }
}
