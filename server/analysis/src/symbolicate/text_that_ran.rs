//! Which text of a script ran: that of its file, the one that was committed when the trace was recorded, or the one
//! that the trace holds, which is beyond doubt.

use std::sync::Arc;
use std::time::SystemTime;

use profile::{Position, Profile};
use source::Language;
use source::map::source_mapping_url;

use super::by_position::{self, Confidence, Placement, place, plausible};
use super::decisions::WhichText;
use super::originals::Traced;
use super::source_text::{SourceText, Unread};
use crate::{FilePath, Files, UnplacedReason};

/// The functions of one script.
pub(super) struct Script<'a> {
    /// The file of the workspace that it is.
    pub(super) file: Option<FilePath>,
    /// What the trace holds of it.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) ran: by_position::Ran,
}

/// The text of a script that ran, with its functions.
pub(super) struct TextThatRan<'a> {
    pub(super) which: WhichText,
    /// The file that the text is of.
    pub(super) file: Option<FilePath>,
    pub(super) text: Arc<SourceText>,
    /// What the trace holds of it.
    pub(super) traced: Option<Traced<'a>>,
    pub(super) placements: Vec<Placement>,
}

/// A text with the functions in it.
struct Placed {
    which: WhichText,
    text: Arc<SourceText>,
    placements: Vec<Placement>,
    /// Whether the places are those of this text.
    trusted: bool,
}

/// The reason for the functions of a script without a text, and why that was not read.
type NoText = (UnplacedReason, Unread);

/// Finds the text of a script that ran.
///
/// # Errors
/// [`WhichText::None`].
pub(super) fn text_that_ran<'a>(
    profile: &Profile,
    script: &Script<'a>,
    files: &dyn Files,
    recorded: Option<SystemTime>,
) -> Result<TextThatRan<'a>, WhichText> {
    let Script { file, traced, ran } = script;
    let of_file = match file {
        Some(file) => of_file(profile, file, ran, files, recorded),
        None => Err((UnplacedReason::NotInWorkspace, Unread(None))),
    };
    if let Some(traced) = traced
        && let Some((shifted, placed)) = of_trace(profile, *traced, ran)
    {
        let file = file.clone().filter(|_| of_file.is_ok());
        let is_shifted = shifted.functions != ran.functions;
        // A page is more than the script in it, a component more than what was made of it.
        let is_of_file = file.is_some() && !ran.transformed && !is_shifted;
        if is_of_file || has_map(*traced) {
            let same = of_file.ok().filter(|it| is_of_file && it.text.text == placed.text.text);
            return Ok(same.unwrap_or(placed).of(file, Some(*traced)));
        }
    }
    // A map without the text that it is of belongs to the file, if that is what ran.
    let traced = traced.filter(|it| it.script.text.is_none());
    match of_file {
        Ok(placed) => Ok(placed.of(file.clone(), traced)),
        Err((reason, Unread(error))) => Err(WhichText::None { reason, error }),
    }
}

/// The text of a file, of today's and the one that was committed then.
fn of_file(
    profile: &Profile,
    file: &FilePath,
    ran: &by_position::Ran,
    files: &dyn Files,
    recorded: Option<SystemTime>,
) -> Result<Placed, NoText> {
    let today = SourceText::read(file, files).map_err(|it| (UnplacedReason::NoDefinition, it))?;
    let mut placed = Placed::new(WhichText::Today, profile, today, ran);
    if let Some(then) = SourceText::when(recorded, file, files) {
        let then = Placed::new(WhichText::Committed, profile, then, ran);
        if then.trusted && (!placed.trusted || then.found() >= placed.found()) {
            placed = then;
        }
    }
    if ran.guessed && !plausible(profile, &placed.placements) {
        return Err((UnplacedReason::NotInWorkspace, Unread(None)));
    }
    Ok(placed)
}

/// The text that the trace holds, and the functions as they stand in it, which may be a part of a page. Where the
/// trace does not say which, the code outside of functions tells: it starts where the script does.
fn of_trace(
    profile: &Profile,
    traced: Traced<'_>,
    ran: &by_position::Ran,
) -> Option<(by_position::Ran, Placed)> {
    let text = traced.script.text.as_deref()?;
    let path = traced.url.split(['?', '#']).next().unwrap_or(traced.url);
    let is_page = Language::of_path(path) == Some(Language::Html) || path.ends_with('/');
    let read = |language: Language| SourceText::in_language(language, text.to_owned()).ok();
    let at = |start: Position, text: &Arc<SourceText>| {
        let shifted = ran.shifted(start);
        let placed = Placed::new(WhichText::Trace, profile, Arc::clone(text), &shifted);
        placed.trusted.then_some((shifted, placed))
    };
    let exact = |it: &Option<(by_position::Ran, Placed)>| it.as_ref().map_or(0, |it| it.1.exact());
    let first = traced.script.start.unwrap_or(Position { line: 0, column: Some(0) });
    let script = read(Language::JavaScript);
    let mut best = script.as_ref().and_then(|it| at(first, it));
    let all = ran.functions.len();
    if traced.script.start.is_none() && exact(&best) < all {
        let nameless = ran.functions.iter().filter(|(id, _)| profile.name(*id).is_empty());
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

/// Whether the trace holds a map of the script, or the script itself does.
fn has_map(traced: Traced<'_>) -> bool {
    let script = traced.script;
    let inline = || source_mapping_url(script.text.as_deref()?).filter(|it| it.starts_with("data:"));
    script.map.is_some() || inline().is_some()
}

impl Placed {
    fn new(which: WhichText, profile: &Profile, text: Arc<SourceText>, ran: &by_position::Ran) -> Self {
        let (placements, trusted) = place(profile, &text, ran);
        Self { which, text, placements, trusted }
    }

    fn found(&self) -> usize {
        self.placements.iter().filter(|it| it.found.is_some()).count()
    }

    fn exact(&self) -> usize {
        self.placements.iter().filter(|it| matches!(it.found, Some((_, Confidence::Exact)))).count()
    }

    fn of<'a>(self, file: Option<FilePath>, traced: Option<Traced<'a>>) -> TextThatRan<'a> {
        let Self { which, text, placements, .. } = self;
        TextThatRan { which, file, text, traced, placements }
    }
}
