//! What the functions of a script say about a text: whether it is the one that ran, and whether their positions are positions in it.
//!
//! Each function of the trace is a witness. How many may speak against a text depends on what else could have run instead
//! (`bars`).
//!
//! ```text
//! trace              text
//! 3:10 parse         3:10 function parse()     agrees
//! 8:4  save          8:4  function load()      differs
//! 9:31 walk          9:1  function walk() {    is inside, and not where engines place a function
//! 20:2 size          20:2 no function          is absent
//! 21:2 (anonymous)   21:2 no function          is absent, and has no name
//! 30:1 (anonymous)   30:1 () =>                is silent, as it has no name to compare
//! ```

use profile::model::{FunctionId, Profile};
use source::definition::{Definition, DefinitionId, DefinitionKind};
use source::language::Language;
use source::name::{is_name_of, names_agree};

use super::begins::{stands_at, stands_at_body, stands_at_name};
use super::by_name::{has_name, is_name};
use super::placement::{Confidence, Placement, ScriptInText};
use super::source_text::SourceText;
use crate::bars::{self, Evidence};

/// What one function of a trace says about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// Nothing: it has no name or no position, or what stands there has no name.
    Silent,
    /// The definition at its position has its name.
    Agrees,
    /// Its position is inside of a definition of its name, where no engine places a function.
    Inside,
    /// The definition at its position has another name.
    Differs,
    /// There is no definition at its position.
    Absent,
    /// There is no definition at its position, and it has no name.
    AbsentNameless,
}

/// Whether the positions of a script are positions in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Positions {
    /// They are.
    InText,
    /// All could be, but no engine runs the text's language as it is, and no name proves it.
    Unproven,
    /// They are positions in another text.
    InAnother,
}

/// What the functions of one script say about a text of its file.
#[derive(Debug)]
pub(crate) struct Statements {
    runs_as_it_is: bool,
    transformed: bool,
    guessed: bool,
    of_functions: Vec<OfFunction>,
}

#[derive(Clone, Copy, Debug)]
struct OfFunction {
    function: FunctionId,
    says: Statement,
    is_named: bool,
    is_found: bool,
    /// Whether it stands at a name, as a position that was mapped back does.
    is_at_name: bool,
}

impl Statements {
    /// The statements of functions that were looked for by their positions.
    pub(super) fn new(script: ScriptInText<'_>, language: Language, placements: &[Placement]) -> Self {
        let ScriptInText { profile, text, functions } = script;
        let runs_as_it_is = language.runs_as_it_is();
        let statements = statements(profile, text, placements, !runs_as_it_is);
        let of_functions = placements.iter().zip(statements).map(|(placement, says)| OfFunction {
            function: placement.function,
            says,
            is_named: is_name(profile.name(placement.function)),
            is_found: placement.found.is_some(),
            is_at_name: match (placement.reported, placement.found) {
                (Some(reported), Some((id, _))) => stands_at_name(text, text.outline.get(id), reported.at),
                _ => false,
            },
        });
        Self {
            runs_as_it_is,
            transformed: functions.transformed,
            guessed: functions.guessed,
            of_functions: of_functions.collect(),
        }
    }

    /// The functions, in the order of their script.
    pub(crate) fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.of_functions.iter().map(|it| it.function)
    }

    /// What all of them say together.
    pub(crate) fn positions(&self) -> Positions {
        self.positions_by(self.of_functions.iter())
    }

    /// [`Statements::asked_alone`] for all of them.
    pub(crate) fn all_asked(&self) -> Option<Positions> {
        self.asked_alone(0..self.of_functions.len())
    }

    /// What some of the functions, given by their indices, say when asked alone; `None` if they say that a file that was
    /// only guessed is not theirs.
    pub(crate) fn asked_alone(&self, some: impl Iterator<Item = usize> + Clone) -> Option<Positions> {
        let some = some.map(|index| &self.of_functions[index]);
        let is_refused = self.guessed
            && some.clone().all(|function| !function.is_named)
            && some.clone().any(|function| !function.is_found);
        (!is_refused).then(|| self.positions_by(some))
    }

    fn positions_by<'a>(&self, asked: impl Iterator<Item = &'a OfFunction> + Clone) -> Positions {
        // Functions that a tool made, such as the one around an enum, may be mapped back to anywhere in the text.
        let is_mapped_back = asked.clone().any(|function| function.is_at_name);
        let may_be_made = !self.transformed && (self.runs_as_it_is || is_mapped_back);
        let mut evidence = Evidence::default();
        for function in asked {
            match function.says {
                Statement::Silent => {}
                Statement::AbsentNameless if may_be_made => {}
                Statement::Agrees | Statement::Inside => evidence.agree += 1,
                Statement::Differs => evidence.differ += 1,
                Statement::Absent | Statement::AbsentNameless => evidence.absent += 1,
            }
        }
        let bar = match (self.transformed, self.runs_as_it_is) {
            (true, _) => &bars::COMPILED_BY_A_SERVER,
            (false, true) => &bars::AS_WRITTEN,
            (false, false) => &bars::TYPES_BLANKED,
        };
        match bar.is_met(evidence) {
            true if self.runs_as_it_is || evidence.agree > 0 => Positions::InText,
            true => Positions::Unproven,
            false => Positions::InAnother,
        }
    }
}

/// What each function says. If they `must_stand`, a definition counts only if it is where engines place functions.
pub(super) fn statements(
    profile: &Profile,
    text: &SourceText,
    placements: &[Placement],
    must_stand: bool,
) -> Vec<Statement> {
    let witnesses = Witnesses {
        profile,
        text,
        placements,
        must_stand,
        any_position: placements.iter().any(|placement| has_position(profile, placement.function)),
    };
    placements.iter().map(|placement| witnesses.statement(placement)).collect()
}

/// All functions of a script and the text that they are asked about.
struct Witnesses<'a> {
    profile: &'a Profile,
    text: &'a SourceText,
    placements: &'a [Placement],
    must_stand: bool,
    any_position: bool,
}

impl Witnesses<'_> {
    fn statement(&self, placement: &Placement) -> Statement {
        let (profile, name) = (self.profile, self.profile.name(placement.function));
        if self.any_position && !has_position(profile, placement.function) {
            return Statement::Silent;
        }
        let found = placement.found.map(|(id, confidence)| (id, self.text.outline.get(id), confidence));
        let Some((id, definition, confidence)) = found.filter(|it| self.may_stand(placement, it.1)) else {
            return match () {
                () if !is_name(name) => Statement::AbsentNameless,
                () if is_handler(self.text, name) => Statement::Silent,
                () => Statement::Absent,
            };
        };
        // The fields of a class may be on any of its lines.
        let is_field = self.must_stand
            && placement.reported.is_some_and(|reported| reported.at != definition.defined_at);
        let column = profile.functions[placement.function.0 as usize].defined_at.and_then(|at| at.column);
        if !is_field && column.is_some() && confidence != Confidence::Exact {
            // JavaScriptCore first names the `{` of a generator, and later the places at which it resumes.
            return match () {
                () if is_at_body(self.text, definition, placement) => Statement::Agrees,
                () if self.starts(id) => Statement::Silent,
                () => Statement::Inside,
            };
        }
        match () {
            () if !is_name(name) || !has_name(definition) || is_field => Statement::Silent,
            () if names_agree(name, definition) => Statement::Agrees,
            () => Statement::Differs,
        }
    }

    fn may_stand(&self, placement: &Placement, definition: &Definition) -> bool {
        match placement.reported {
            Some(reported) if self.must_stand => {
                definition.kind == DefinitionKind::TopLevel || stands_at(self.text, definition, reported.at)
            }
            _ => true,
        }
    }

    /// Whether a function stands where a definition begins.
    fn starts(&self, id: DefinitionId) -> bool {
        let definition = self.text.outline.get(id);
        let of_definition = self.placements.iter().filter(|it| it.found.is_some_and(|found| found.0 == id));
        of_definition.into_iter().any(|placement| {
            matches!(placement.found, Some((_, Confidence::Exact)))
                || is_at_body(self.text, definition, placement)
        })
    }
}

/// Whether a file that was found by the end of its path may be the one that ran, and not a namesake in another project.
/// Functions without a position are asked only if none has one; the same goes for functions without a name.
pub(super) fn may_be_of_guess(profile: &Profile, text: &SourceText, placements: &[Placement]) -> bool {
    let any_position =
        placements.iter().any(|it| is_name(profile.name(it.function)) && has_position(profile, it.function));
    let named = placements.iter().filter(|it| is_name(profile.name(it.function)));
    let asked = named.filter(|it| !any_position || has_position(profile, it.function));
    let is_written = |name: &str| text.outline.definitions.iter().skip(1).any(|it| is_name_of(name, it));
    let of_names = Evidence::of(asked.map(|it| it.found.is_some() || is_written(profile.name(it.function))));
    if of_names == Evidence::default() {
        let of_all = Evidence::of(placements.iter().map(|it| it.found.is_some()));
        return bars::NAMELESS_OF_GUESS.is_met(of_all);
    }
    bars::NAMES_OF_GUESS.is_met(of_names)
}

fn is_at_body(text: &SourceText, definition: &Definition, placement: &Placement) -> bool {
    placement.reported.is_some_and(|reported| stands_at_body(text, definition, reported.at))
}

/// Whether a function may be the code of an attribute such as `onclick`, which is in no script.
fn is_handler(text: &SourceText, name: &str) -> bool {
    let event = name.strip_prefix("on");
    text.outline.scripts.is_some()
        && event.is_some_and(|event| !event.is_empty() && event.bytes().all(|byte| byte.is_ascii_lowercase()))
}

fn has_position(profile: &Profile, id: FunctionId) -> bool {
    profile.functions[id.0 as usize].defined_at.is_some()
}
