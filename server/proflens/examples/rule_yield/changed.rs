//! A workspace that people went on working in after a trace of it was recorded, all of it by a fixed scheme, so that it is
//! known where each definition is today. What it was when the trace was recorded is its history.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use analysis::files::{CachedText, FilePath, Files};
use proflens::disk::Disk;
use source::definition::{Definition, DefinitionId, DefinitionKind, Outline};
use source::language::Language;
use source::text::text_of;

/// What people did to all files that they write, and whether they had committed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// What was done.
    work: Work,
    /// Whether the files are known as they were when the trace was recorded.
    is_committed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Nothing.
    None,
    /// Lines were added above, and code to every third body; every fourth name changed.
    Edited,
    /// Each file went to another folder.
    FilesMoved,
    /// Each file went to another folder, and then every third body and every fourth name changed.
    FilesMovedAndEdited,
    /// Every other function that stands by itself went to another file, and every third body and fourth name changed.
    FunctionsMoved,
}

const fn change(work: Work, is_committed: bool) -> Change {
    Change { work, is_committed }
}

impl Change {
    /// Nothing was done.
    pub(crate) const NONE: Change = change(Work::None, false);

    /// What people do.
    pub(crate) const ALL: [Change; 7] = [
        change(Work::Edited, true),
        change(Work::Edited, false),
        change(Work::FilesMoved, true),
        change(Work::FilesMovedAndEdited, true),
        change(Work::FilesMovedAndEdited, false),
        change(Work::FunctionsMoved, true),
        change(Work::FunctionsMoved, false),
    ];
}

/// A definition by its file and its number there.
pub(crate) type DefinitionOf = (FilePath, DefinitionId);

/// The workspace after a change.
pub(crate) struct Changed<'a> {
    disk: &'a Disk,
    is_committed: bool,
    /// What is no longer as it was, under its path of today; no text for a path at which nothing is left.
    today: BTreeMap<FilePath, Option<Arc<[u8]>>>,
    list: Arc<[FilePath]>,
    /// Where each definition of a changed file is today; nowhere if it cannot be told.
    became: HashMap<DefinitionOf, Option<DefinitionOf>>,
}

/// A file that people write, as it was.
struct Written {
    path: FilePath,
    language: Language,
    text: String,
    outline: Outline,
}

/// A part of the text of a file: what it was there before, or what was written since.
struct Piece {
    /// The file, by its number, and the place of what it was.
    was: Option<(usize, Range<usize>)>,
    text: String,
}

impl<'a> Changed<'a> {
    pub(crate) fn new(disk: &'a Disk, change: Change) -> Self {
        let files: Vec<Written> = match change.work {
            Work::None => Vec::new(),
            _ => disk.list().iter().filter_map(|path| written(disk, path)).collect(),
        };
        let texts = texts(&files, change);
        let paths: Vec<FilePath> = files.iter().map(|file| path_today(&file.path, change)).collect();
        let mut today: BTreeMap<_, _> = files.iter().map(|file| (file.path.clone(), None)).collect();
        for (path, pieces) in paths.iter().zip(&texts) {
            let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            today.insert(path.clone(), Some(text.into_bytes().into()));
        }
        let mut list: Vec<FilePath> =
            disk.list().iter().filter(|path| !today.contains_key(*path)).cloned().collect();
        list.extend(today.iter().filter(|(_, text)| text.is_some()).map(|(path, _)| path.clone()));
        list.sort();
        let became = became(&files, &paths, &texts);
        Self { disk, is_committed: change.is_committed, today, list: list.into(), became }
    }

    /// Where a definition of the workspace as it was is today.
    pub(crate) fn today(&self, measured: &DefinitionOf) -> Option<DefinitionOf> {
        self.became.get(measured).cloned().unwrap_or_else(|| Some(measured.clone()))
    }
}

impl Files for Changed<'_> {
    fn folders(&self) -> &[FilePath] {
        self.disk.folders()
    }

    fn list(&self) -> Arc<[FilePath]> {
        self.list.clone()
    }

    fn read(&self, file: &FilePath) -> Option<Arc<[u8]>> {
        self.today.get(file).cloned().unwrap_or_else(|| self.disk.read(file))
    }

    fn committed(&self, file: &FilePath, _when: SystemTime) -> Option<Arc<[u8]>> {
        self.disk.read(file).filter(|_| self.is_committed)
    }

    fn committed_files(&self, _when: SystemTime) -> Option<Arc<[FilePath]>> {
        Some(self.disk.list()).filter(|_| self.is_committed)
    }

    fn cached_texts(&self, file: &FilePath) -> Vec<CachedText> {
        self.disk.cached_texts(file)
    }

    fn modified(&self, file: &FilePath) -> Option<SystemTime> {
        match self.today.get(file) {
            Some(_) => Some(SystemTime::now()),
            None => self.disk.modified(file),
        }
    }

    fn resolve(&self, file: &FilePath) -> Option<FilePath> {
        match self.today.get(file) {
            Some(text) => text.is_some().then(|| file.clone()),
            None => self.disk.resolve(file),
        }
    }
}

/// A file that people write by hand: one that no tool made of others.
fn written(disk: &Disk, path: &FilePath) -> Option<Written> {
    const LONGEST_LINE: usize = 500;
    let language = Language::of_path(path.as_str())?;
    let text = text_of(&disk.read(path)?);
    let is_made = text.contains("sourceMappingURL") || text.lines().any(|line| line.len() > LONGEST_LINE);
    if is_made || language.is_markup() || path.as_str().contains("/node_modules/") {
        return None;
    }
    let outline = source::large_stack::outline(&text, language).ok()?;
    Some(Written { path: path.clone(), language, text, outline })
}

fn path_today(path: &FilePath, change: Change) -> FilePath {
    match (change.work, path.parent()) {
        (Work::FilesMoved | Work::FilesMovedAndEdited, Some(folder)) => {
            folder.join("elsewhere").join(path.name())
        }
        _ => path.clone(),
    }
}

/// The text of each file today.
fn texts(files: &[Written], change: Change) -> Vec<Vec<Piece>> {
    let mut texts: Vec<Vec<Piece>> = Vec::new();
    let mut moved: Vec<Vec<Piece>> = files.iter().map(|_| Vec::new()).collect();
    for (index, file) in files.iter().enumerate() {
        let is_edited = change.work != Work::FilesMoved;
        let added = Piece { was: None, text: "// Added.\n\n".to_owned() };
        let mut pieces: Vec<Piece> = is_edited.then_some(added).into_iter().collect();
        let mut from = 0;
        let leaving = if change.work == Work::FunctionsMoved { leaving(file) } else { Vec::new() };
        for range in leaving {
            pieces.extend(edited(file, index, from..range.start, is_edited));
            moved[neighbour(files, index)].extend(edited(file, index, range.clone(), is_edited));
            from = range.end;
        }
        pieces.extend(edited(file, index, from..file.text.len(), is_edited));
        texts.push(pieces);
    }
    for (pieces, moved) in texts.iter_mut().zip(moved) {
        pieces.extend(moved);
    }
    texts
}

/// The next file in the same language.
fn neighbour(files: &[Written], index: usize) -> usize {
    let others = (index + 1..files.len()).chain(0..index);
    others.into_iter().find(|&other| files[other].language == files[index].language).unwrap_or(index)
}

/// Where functions stand that go to another file, each with the end of the line before it.
fn leaving(file: &Written) -> Vec<Range<usize>> {
    let by_themselves = file.outline.definitions.iter().filter(|definition| {
        let start = usize::from(definition.range.start());
        definition.kind == DefinitionKind::Function
            && definition.parent == Some(DefinitionId(0))
            && file.text[start..].starts_with("function")
            && file.text[..start].ends_with('\n')
    });
    by_themselves
        .step_by(2)
        .map(|it| usize::from(it.range.start()) - 1..usize::from(it.range.end()))
        .collect()
}

/// A part of a file, with every third body and every fourth name changed if it is edited.
fn edited(file: &Written, index: usize, part: Range<usize>, is_edited: bool) -> Vec<Piece> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (number, definition) in file.outline.definitions.iter().enumerate().skip(1).filter(|_| is_edited) {
        let end = usize::from(definition.range.end());
        if number % 3 == 1 && has_statements(file, definition) {
            edits.push((end - 1..end - 1, "\n  void \"added\";\n".to_owned()));
        }
        let can_be_renamed = number % 4 == 2 && definition.kind != DefinitionKind::Constructor;
        if let Some(name) = definition.name_range.filter(|&name| can_be_renamed && is_plain(&file.text[name]))
        {
            let end = usize::from(name.end());
            edits.push((end..end, "Renamed".to_owned()));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    edits.dedup_by_key(|(range, _)| range.start);
    let mut pieces = Vec::new();
    let mut from = part.start;
    for (range, text) in edits.into_iter().filter(|(it, _)| part.start < it.start && it.end < part.end) {
        pieces.push(Piece {
            was: Some((index, from..range.start)),
            text: file.text[from..range.start].to_owned(),
        });
        pieces.push(Piece { was: None, text });
        from = range.end;
    }
    pieces.push(Piece { was: Some((index, from..part.end)), text: file.text[from..part.end].to_owned() });
    pieces
}

/// Whether it is a name that can be longer without being another kind of token.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn has_statements(file: &Written, definition: &Definition) -> bool {
    let body = &file.text[usize::from(definition.header.end())..usize::from(definition.range.end())];
    definition.kind != DefinitionKind::Class && body.starts_with('{') && body.ends_with('}')
}

/// Where each definition is today, by where it begins.
fn became(
    files: &[Written],
    paths: &[FilePath],
    texts: &[Vec<Piece>],
) -> HashMap<DefinitionOf, Option<DefinitionOf>> {
    let mut became: HashMap<DefinitionOf, Option<DefinitionOf>> = HashMap::new();
    for (today, (path, pieces)) in paths.iter().zip(texts).enumerate() {
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let Ok(outline) = source::large_stack::outline(&text, files[today].language) else { continue };
        let top_level = DefinitionId(0);
        became.insert((files[today].path.clone(), top_level), Some((path.clone(), top_level)));
        let mut start = 0;
        for piece in pieces {
            if let Some((index, was)) = &piece.was {
                let file = &files[*index];
                for (number, definition) in file.outline.definitions.iter().enumerate().skip(1) {
                    let at = usize::from(definition.range.start());
                    if was.contains(&at) {
                        let at_today = start + at - was.start;
                        let found = outline.definitions.iter().skip(1).position(|it| {
                            usize::from(it.range.start()) == at_today && it.kind == definition.kind
                        });
                        let found = found.map(|before| (path.clone(), DefinitionId(before as u32 + 1)));
                        became.insert((file.path.clone(), DefinitionId(number as u32)), found);
                    }
                }
            }
            start += piece.text.len();
        }
    }
    became
}
