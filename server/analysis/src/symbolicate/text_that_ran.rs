//! Decides which text of a script ran: that of its file, the one that was committed when the trace was recorded, or the
//! one that the trace holds, which certainly ran.

use std::collections::BTreeSet;
use std::sync::Arc;

use profile::model::{FunctionId, Position, Profile};
use source::built::is_eval_bundle;
use source::definition::DefinitionId;
use source::language::Language;
use source::map::source_mapping_url;
use source::text::text_of;

use super::by_position::{place, statements_in};
use super::by_start::place_by_start;
use super::cached::{CachedPlaces, places_by_cache};
use super::compiled::{Compiler, compiler_of, place_compiled};
use super::decisions::WhichText;
use super::executed_text::{OriginalFunction, Traced};
use super::placement::{Confidence, Placement, ScriptFunctions, ScriptInText};
use super::settings::LoadSettings;
use super::source_text::{SourceText, Unread};
use super::statements::{Positions, Statements, may_be_of_guess};
use super::stripped::is_stripped;
use crate::bars::{self, Evidence};
use crate::files::{FilePath, Files};
use crate::locate::UnplacedReason;
use crate::rules::{Rule, Rules};

/// The functions of one script.
pub(super) struct ExecutedScript<'a> {
    /// The workspace file that the script is.
    pub(super) file: Option<FilePath>,
    /// Where the file was, if it has been moved since.
    pub(super) was: Option<FilePath>,
    /// What the trace holds of the script.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) functions: ScriptFunctions,
}

impl ExecutedScript<'_> {
    /// What its functions say about the text of its file that was found to have run, or else about today's; `None` if it has no text.
    pub(super) fn statements(
        &self,
        profile: &Profile,
        ran: Option<&TextThatRan<'_>>,
        files: &dyn Files,
    ) -> Option<Statements> {
        let file = self.file.as_ref()?;
        let text = match ran {
            Some(ran) if matches!(ran.which, WhichText::Today | WhichText::Committed) => {
                Arc::clone(&ran.text)
            }
            Some(_) => return None,
            None => SourceText::read(file, files).ok()?,
        };
        let language = Language::of_path(file.as_str()).unwrap_or(Language::JavaScript);
        let script = ScriptInText { profile, text: &text, functions: &self.functions };
        Some(statements_in(script, language))
    }
}

/// A text that a script ran, or may have run, with its functions.
#[derive(Clone)]
pub(super) struct TextThatRan<'a> {
    pub(super) which: WhichText,
    /// The file that the text belongs to.
    pub(super) file: Option<FilePath>,
    /// Whether the file was elsewhere when it ran.
    pub(super) moved: bool,
    pub(super) text: Arc<SourceText>,
    /// What the trace holds of the script.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) placements: Vec<Placement>,
    /// The functions that a compiler wrote, if known without a source map.
    pub(super) of_compiler: BTreeSet<FunctionId>,
    /// Whether the positions are positions in this text.
    pub(super) positions: Positions,
    /// Where the text starts in the script.
    pub(super) start: Position,
}

/// The start of a script.
const START: Position = Position { line: 0, column: Some(0) };

/// Why the functions of a script without a text are unplaced, and why there is no text.
type MissingText = (UnplacedReason, Unread);

/// A script whose text is looked for, and what tells.
#[derive(Clone, Copy)]
struct TextSearch<'s, 'a> {
    profile: &'s Profile,
    script: &'s ExecutedScript<'a>,
    files: &'s dyn Files,
    settings: &'s LoadSettings<'s>,
}

/// Finds the text of a script that ran. It is the first of these that the functions are in:
///
/// 1. that of the file, if the trace holds what a server or a bundler made of it in memory;
/// 2. the one in the trace, or that of the file if it is the same, or if a compiler made the one of the other;
/// 3. that of the file: today's, the committed one, or one that a runner kept.
///
/// # Errors
/// [`WhichText::None`].
pub(super) fn text_that_ran<'a>(
    profile: &Profile,
    script: &ExecutedScript<'a>,
    files: &dyn Files,
    settings: &LoadSettings<'_>,
) -> Result<TextThatRan<'a>, WhichText> {
    let search = TextSearch { profile, script, files, settings };
    let rules = settings.locate.rules;
    // A file that is only a guess must have the functions of the script.
    let is_guess = script.functions.guessed && rules.has(Rule::NamesOfGuess);
    let in_trace = script.traced.filter(|_| rules.has(Rule::TextInTrace));
    let mut of_file = search.text_of_file();
    if let (Some(traced), Ok(written)) = (in_trace, &of_file)
        && let Some(made) = search.made_on_the_way(traced, written)
    {
        return match made.has_its_functions() || !is_guess {
            true => Ok(made.in_file(script, script.file.clone(), None)),
            false => Err(WhichText::None { reason: UnplacedReason::OtherText, error: None }),
        };
    }
    if let Ok(guess) = &of_file
        && is_guess
        && !matches!(guess.which, WhichText::Cache(_))
        && !may_be_of_guess(profile, &guess.text, &guess.placements)
    {
        of_file = Err((UnplacedReason::OtherText, Unread(None)));
    }
    let of_file = match (of_file, in_trace) {
        // The positions are those of the whole text, which only the file has.
        (Ok(same), Some(traced)) if traced.script.is_inexact_copy_of(&same.text.text) => {
            return Ok(same.in_file(script, script.file.clone(), Some(traced)));
        }
        (of_file, _) => of_file,
    };
    if let Some(traced) = in_trace
        && let Some(ran) = search.text_in_trace(traced, of_file.as_ref().ok())
    {
        return Ok(ran);
    }
    // If the trace holds a map but no text, the map belongs to the file.
    let traced = script.traced.filter(|traced| traced.script.text.is_none());
    match of_file {
        Ok(placed) => Ok(placed.in_file(script, script.file.clone(), traced)),
        Err((reason, Unread(error))) => Err(WhichText::None { reason, error }),
    }
}

impl<'a> TextSearch<'_, 'a> {
    /// The text of the file that ran: today's, or the one committed when the trace was recorded, whichever fits better; or
    /// what a runner kept of it.
    fn text_of_file(self) -> Result<TextThatRan<'a>, MissingText> {
        let Self { profile, script, files, settings } = self;
        let ExecutedScript { file, was, functions, .. } = script;
        let Some(file) = file else { return Err((UnplacedReason::NotInWorkspace, Unread(None))) };
        let then = match was {
            Some(was) => SourceText::committed(settings.recorded, was, files),
            None => SourceText::when(settings.recorded, file, files),
        };
        let rules = settings.locate.rules;
        let then = then.filter(|_| rules.has(Rule::CommittedText));
        let today = match (SourceText::read(file, files), was) {
            (Ok(today), _) => today,
            (Err(_), Some(_)) => then.clone().ok_or((UnplacedReason::NotInWorkspace, Unread(None)))?,
            (Err(why), None) => return Err((UnplacedReason::NoDefinition, why)),
        };
        let language = Language::of_path(file.as_str()).unwrap_or(Language::JavaScript);
        let mut placed = TextThatRan::new(WhichText::Today, profile, today, language, functions);
        if let Some(then) = &then {
            let then = TextThatRan::new(WhichText::Committed, profile, Arc::clone(then), language, functions);
            if then.has_positions() && (!placed.has_positions() || then.found() >= placed.found()) {
                placed = then;
            }
        }
        let may_be_made = placed.positions != Positions::InText && !functions.in_source;
        if may_be_made && settings.maps.is_some() && !language.is_markup() && rules.has(Rule::CachedText) {
            let known = [Some(Arc::clone(&placed.text)), then].into_iter().flatten().collect();
            if let Some(CachedPlaces { runner, text, placements }) =
                places_by_cache(profile, file, functions, known, files, settings.recorded)
            {
                let which = WhichText::Cache(runner);
                return Ok(TextThatRan::of(which, text, (placements, Positions::InText)));
            }
        }
        Ok(placed)
    }

    /// The functions of a text that a server or a bundler made of the file in memory, as the modules of `eval` builds, in
    /// the text of the file; `None` if it was not, if it is a component, or if there is a map.
    fn made_on_the_way(self, traced: Traced<'a>, of_file: &TextThatRan<'a>) -> Option<TextThatRan<'a>> {
        let (functions, rules) = (&self.script.functions, self.settings.locate.rules);
        let is_component = of_file.text.outline.scripts.is_some();
        if !functions.transformed || is_component || has_map(traced) || !rules.has(Rule::CompiledText) {
            return None;
        }
        let (shifted, ran) = of_trace(self.profile, traced, functions)?;
        (shifted.positions == functions.positions).then(|| ran.compiled_from(of_file, Compiler::Other, rules))
    }

    /// The text in the trace, or that of the file if it is the same or was compiled to it; `None` if the functions are not
    /// in it, or if it is neither that of the file nor has a map.
    fn text_in_trace(self, traced: Traced<'a>, of_file: Option<&TextThatRan<'a>>) -> Option<TextThatRan<'a>> {
        let Self { profile, script, settings, .. } = self;
        let ExecutedScript { file, was, functions, .. } = script;
        let (shifted, ran) = of_trace(profile, traced, functions)?;
        let is_gone = was.is_some() && was == file;
        let file = file.as_ref().filter(|_| of_file.is_some() || is_gone);
        // A page is more than the script in it, and the compiled text of a component is not the text of its file.
        let is_shifted = shifted.positions != functions.positions;
        let is_of_file = file.is_some() && !functions.transformed && !is_shifted;
        if !is_of_file && !has_map(traced) {
            return None;
        }
        let of_file = of_file.zip(file).filter(|_| is_of_file);
        if let Some((of_file, file)) = of_file
            && let Some(compiler) = self.compiler_between(traced, &ran, (file, of_file))
        {
            let compiled = ran.compiled_from(of_file, compiler, settings.locate.rules);
            return Some(compiled.in_file(script, Some(file.clone()), None));
        }
        let same = of_file.and_then(|(of_file, file)| match &of_file.text.text {
            text if *text == ran.text.text => Some(of_file.clone()),
            text if is_typed(file) && is_stripped(&ran.text.text, text) => {
                // It ran, so that functions need not prove that they stand in it.
                let text = Arc::clone(&of_file.text);
                Some(TextThatRan::new(of_file.which, profile, text, Language::JavaScript, functions))
            }
            _ => None,
        });
        let placed = match same {
            // The positions belong to this text, and names alone say nothing.
            Some(same) if functions.in_source => TextThatRan { text: same.text, ..ran },
            same => same.unwrap_or(ran),
        };
        Some(placed.in_file(script, file.cloned(), Some(traced)))
    }

    /// The compiler that made the text in the trace of that of the file, if one did and left no map.
    fn compiler_between(
        self,
        traced: Traced<'_>,
        ran: &TextThatRan<'_>,
        (file, of_file): (&FilePath, &TextThatRan<'_>),
    ) -> Option<Compiler> {
        let is_cached = matches!(of_file.which, WhichText::Cache(_));
        if has_map(traced) || is_cached || !self.settings.locate.rules.has(Rule::CompiledText) {
            return None;
        }
        compiler_of(&ran.text, &of_file.text).or_else(|| {
            // More than types was removed: some compiler ran, although none of its words tells which.
            let is_other =
                !self.script.functions.in_source && !is_stripped(&ran.text.text, &of_file.text.text);
            (is_other && is_typed(file) && self.is_as_recorded(file, &of_file.text))
                .then_some(Compiler::Other)
        })
    }

    /// Whether a file had this text when the program started: it is older than the recording, or committed and nothing was changed.
    fn is_as_recorded(self, file: &FilePath, text: &SourceText) -> bool {
        let Self { profile, files, settings, .. } = self;
        // Only a recording knows when it began: the time of any other trace is that of its end or of a copy.
        let (Some(_), Some(recorded)) = (profile.recorded, settings.recorded) else { return false };
        let is_clean = profile.checkout.as_ref().is_some_and(|checkout| checkout.clean == Some(true));
        files.modified(file).is_some_and(|modified| modified <= recorded)
            || is_clean && files.committed(file, recorded).is_some_and(|then| text_of(&then) == *text.text)
    }
}

/// The text that the trace holds, with the functions by their positions in it. The script may be part of a page; if the
/// trace does not say where it starts, it starts where its top-level code does.
fn of_trace<'a>(
    profile: &Profile,
    traced: Traced<'_>,
    functions: &ScriptFunctions,
) -> Option<(ScriptFunctions, TextThatRan<'a>)> {
    let text = traced.script.text.as_deref()?;
    if functions.in_source {
        let text = SourceText::in_map(&FilePath::new(traced.url), text.to_owned())?;
        return Some((
            functions.shifted(START),
            TextThatRan::of_source(WhichText::Trace, profile, text, functions),
        ));
    }
    let path = traced.url.split(['?', '#']).next().unwrap_or(traced.url);
    let is_page = Language::of_path(path) == Some(Language::Html) || path.ends_with('/');
    let read = |language: Language| SourceText::in_language(language, text.to_owned()).ok();
    let at = |start: Position, text: &Arc<SourceText>| {
        let shifted = functions.shifted(start);
        // The text in the trace certainly ran.
        let language = Language::JavaScript;
        let placed = TextThatRan::new(WhichText::Trace, profile, Arc::clone(text), language, &shifted);
        let placed = TextThatRan { start, ..placed };
        placed.has_positions().then_some((shifted, placed))
    };
    let exact = |it: &Option<(ScriptFunctions, TextThatRan<'a>)>| it.as_ref().map_or(0, |it| it.1.exact());
    let first = traced.script.start.unwrap_or(START);
    let script = read(Language::JavaScript);
    let mut best = script.as_ref().and_then(|it| at(first, it));
    let all = functions.positions.len();
    if traced.script.start.is_none() && exact(&best) < all {
        let nameless = functions.positions.iter().filter(|(id, _)| profile.name(*id).is_empty());
        let top_level = nameless.filter_map(|it| it.1).min();
        let after = top_level.and_then(|start| at(start, script.as_ref()?));
        if exact(&after) == all {
            best = after;
        } else if is_page {
            let page = read(Language::Html).and_then(|it| at(first, &it));
            best = if exact(&page) > exact(&best) { page } else { best };
        }
    }
    best
}

/// Whether the language of a file is one with types, which no engine runs as it is.
fn is_typed(file: &FilePath) -> bool {
    matches!(Language::of_path(file.as_str()), Some(Language::TypeScript | Language::TypeScriptJsx))
}

/// Whether the trace holds a map of the script, or the script itself does.
fn has_map(traced: Traced<'_>) -> bool {
    let script = traced.script;
    let url = script.text.as_deref().and_then(source_mapping_url);
    script.map.is_some() || url.is_some_and(|it| it.starts_with("data:"))
}

impl<'a> TextThatRan<'a> {
    fn new(
        which: WhichText,
        profile: &Profile,
        text: Arc<SourceText>,
        language: Language,
        functions: &ScriptFunctions,
    ) -> Self {
        if functions.in_source {
            return Self::of_source(which, profile, text, functions);
        }
        let placed = place(ScriptInText { profile, text: &text, functions }, language);
        Self::of(which, text, placed)
    }

    /// Uses a text as it was written; the one in the trace is the one that the positions belong to.
    fn of_source(
        which: WhichText,
        profile: &Profile,
        text: Arc<SourceText>,
        functions: &ScriptFunctions,
    ) -> Self {
        let script = ScriptInText { profile, text: &text, functions };
        let placements = place_by_start(script, which == WhichText::Trace);
        Self::of(which, text, (placements, Positions::InText))
    }

    /// A text with its functions and whether their positions are positions in it.
    fn of(
        which: WhichText,
        text: Arc<SourceText>,
        (placements, positions): (Vec<Placement>, Positions),
    ) -> Self {
        let (file, moved, traced, of_compiler) = (None, false, None, BTreeSet::new());
        Self { which, file, moved, text, traced, placements, of_compiler, positions, start: START }
    }

    /// The functions of this text in that of the file that it was compiled from, without a source map.
    fn compiled_from(&self, file: &Self, compiler: Compiler, rules: Rules) -> Self {
        let (placements, of_compiler) = place_compiled(&self.text, &file.text, &self.placements, rules);
        let which = WhichText::Compiled(compiler);
        let compiled = Self::of(which, Arc::clone(&file.text), (placements, Positions::InAnother));
        Self { of_compiler, ..compiled }
    }

    /// Whether half of the functions of a compiled text are in that of the file, without those that the compiler wrote.
    fn has_its_functions(&self) -> bool {
        let written = self.placements.iter().filter(|placement| {
            !matches!(placement.found, Some((DefinitionId(0), _)))
                && !self.of_compiler.contains(&placement.function)
        });
        let evidence = Evidence::of(written.map(|placement| placement.found.is_some()));
        evidence == Evidence::default() || bars::NAMES_OF_GUESS.is_met(evidence)
    }

    fn has_positions(&self) -> bool {
        self.positions != Positions::InAnother
    }

    /// The number of functions that were found.
    fn found(&self) -> usize {
        self.placements.iter().filter(|it| it.found.is_some()).count()
    }

    /// The number of functions that were found with certainty.
    fn exact(&self) -> usize {
        self.placements.iter().filter(|it| matches!(it.found, Some((_, Confidence::Exact)))).count()
    }

    /// Whether a bundler wrote all of its functions, as those around the texts that a bundle passes to `eval`.
    pub(super) fn is_of_bundler(&self) -> bool {
        is_eval_bundle(&self.text.text)
    }

    /// Whether something made what ran of it while it was loaded, and the trace does not have that.
    pub(super) fn was_transformed(&self) -> bool {
        let language = self.file.as_ref().and_then(|file| Language::of_path(file.as_str()));
        let is_of_file = matches!(self.which, WhichText::Today | WhichText::Committed);
        is_of_file
            && self.positions == Positions::InAnother
            && language.is_some_and(|language| !language.runs_as_it_is())
    }

    /// One of its definitions, as its own original; `None` if it belongs to no file, or if nobody wrote it.
    pub(super) fn function(
        &self,
        definition: DefinitionId,
        confidence: Confidence,
    ) -> Option<OriginalFunction> {
        let file = self.file.clone().filter(|_| !self.is_of_bundler())?;
        let text = Arc::clone(&self.text);
        Some(OriginalFunction { file, text, definition, confidence, moved: self.moved, seen: Vec::new() })
    }

    /// Returns it as the text of a script's file, or of none.
    fn in_file(
        self,
        script: &ExecutedScript<'a>,
        file: Option<FilePath>,
        traced: Option<Traced<'a>>,
    ) -> Self {
        Self { file, moved: script.was.is_some(), traced, ..self }
    }
}
