//! The unit of work that times are relative to: runs that did more work took longer, which is not a regression.

use analysis::recording::Recording;
use analysis::summary::{Base, DefinitionKey, Measured, Summary};
use profile::model::Amount;
use profile::problem::Problem;

/// The divisor of the times of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// How fast the machine was, as estimated from all functions together ([`crate::machine`]); nothing if that cannot be told.
    #[default]
    Machine,
    /// Nothing: each run did the same work.
    Run,
    /// How often each function was called, and how fast the machine was: what remains are changes per call.
    Call,
    /// Its active time, for machines of different speed. What remains are changes of shares.
    Active,
    /// The total time of this function, `parse` or `src/a.ts:parse`: something that did not change, as a measure of the machine.
    Function(String),
    /// The number of markers with this name: requests, iterations.
    Marker(String),
}

/// How much work a run did, in the unit of its [`Per`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work(pub u64);

impl Per {
    /// Reads `machine`, `run`, `call`, `active`, `function:NAME` or `marker:NAME`.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text.split_once(':') {
            None if text == "machine" => Ok(Self::Machine),
            None if text == "run" => Ok(Self::Run),
            None if text == "call" => Ok(Self::Call),
            None if text == "active" => Ok(Self::Active),
            Some(("function", name)) if !name.is_empty() => Ok(Self::Function(name.to_owned())),
            Some(("marker", name)) if !name.is_empty() => Ok(Self::Marker(name.to_owned())),
            _ => Err(Problem::new(
                format!("{text} is none of machine, run, call, active, function:NAME and marker:NAME"),
                "",
            )),
        }
    }

    /// The end of a sentence that begins with "Times are".
    pub fn sentence(&self) -> String {
        match self {
            Self::Machine => "as if the machine had always been as fast as in the runs after".to_owned(),
            Self::Run => "those of a run".to_owned(),
            Self::Call => "as if each function had been called as often as in the runs after".to_owned(),
            Self::Active => "as if all runs had the same active time".to_owned(),
            Self::Function(name) => format!("as if {name} took the same time in all runs"),
            Self::Marker(name) => format!("those of one {name}"),
        }
    }

    /// How much work a run did; `markers` is the number of markers if those are the unit.
    ///
    /// # Errors
    /// If the function did not run or is ambiguous, or the run has no such marker.
    pub fn of(&self, recording: &Recording, markers: u64) -> Result<Work, Problem> {
        let title = recording.title();
        let work = match self {
            Self::Machine | Self::Run | Self::Call => return Ok(Work(1)),
            Self::Active => recording.summary.ledger.base(Base::Active).0,
            Self::Function(name) => total_time(&recording.summary, name, &title)?.0,
            Self::Marker(_) => markers,
        };
        match (self, work) {
            (_, 1..) => Ok(Work(work)),
            (Self::Marker(name), _) => Err(Problem::new(
                format!("{title} has no marker {name}, by which its times should be divided"),
                "name another one with --per",
            )),
            _ => Err(Problem::new(
                format!("{title} has no active time by which its times could be divided"),
                "leave --per out",
            )),
        }
    }
}

/// The total time of the only function with a name.
fn total_time(summary: &Summary, wanted: &str, title: &str) -> Result<Amount, Problem> {
    let mut found = summary.definitions.iter().filter(|(key, measured)| is_named(key, measured, wanted));
    match (found.next(), found.count()) {
        (Some((_, measured)), 0) => Ok(measured.cost.total_time),
        (Some(_), more) => Err(Problem::new(
            format!("{} functions of {title} are called {wanted}", more + 1),
            "name one as FILE:NAME with --per",
        )),
        (None, _) => Err(Problem::new(
            format!("{wanted} did not run in {title}, so that its times cannot be divided by it"),
            "name another function with --per",
        )),
    }
}

/// Whether a function is the one that `wanted` names, as `name` or `file:name`.
fn is_named(key: &DefinitionKey, measured: &Measured, wanted: &str) -> bool {
    let (file, name) = wanted.rsplit_once(':').map_or((None, wanted), |(file, name)| (Some(file), name));
    let path = key.file.as_str();
    let is_in_file = file.is_none_or(|file| path == file || path.ends_with(&format!("/{file}")));
    is_in_file && (&*measured.name == name || &*key.path == name)
}

/// Divides amounts so that they still add up exactly: what rounding takes from one, always less than 1, is added to the next.
pub(crate) struct Division {
    numerator: u64,
    denominator: u64,
    before: u128,
    given: u64,
}

impl Division {
    /// Amounts times `numerator` divided by `denominator`, which must not be 0.
    pub(crate) fn new(numerator: u64, denominator: u64) -> Self {
        Self { numerator, denominator: denominator.max(1), before: 0, given: 0 }
    }

    /// The next amount of the sum.
    pub(crate) fn next(&mut self, amount: u64) -> u64 {
        self.before += u128::from(amount);
        let all = self.of(self.before);
        let next = all - self.given;
        self.given = all;
        next
    }

    /// An amount that is not part of the sum.
    pub(crate) fn alone(&self, amount: u64) -> u64 {
        self.of(u128::from(amount))
    }

    /// The factor that it multiplies by.
    pub(crate) fn factor(&self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    fn of(&self, amount: u128) -> u64 {
        u64::try_from(amount * u128::from(self.numerator) / u128::from(self.denominator)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::placed;

    #[test]
    fn what_can_be_divided_by() {
        let read = |text| Per::parse(text).map(|per| (per.sentence(), per)).map_err(|problem| problem.what);
        let named = |name: &str| name.to_owned();
        let cases = [
            ("machine", "as if the machine had always been as fast as in the runs after", Per::Machine),
            ("run", "those of a run", Per::Run),
            ("call", "as if each function had been called as often as in the runs after", Per::Call),
            ("active", "as if all runs had the same active time", Per::Active),
            (
                "function:a.ts:f",
                "as if a.ts:f took the same time in all runs",
                Per::Function(named("a.ts:f")),
            ),
            ("marker:request", "those of one request", Per::Marker(named("request"))),
        ];
        for (text, sentence, per) in cases {
            assert_eq!(read(text), Ok((sentence.to_owned(), per)));
        }
        for text in ["", "runs", "run:", "active:x", "function", "function:", "marker:", "other:x"] {
            assert_eq!(
                read(text),
                Err(format!("{text} is none of machine, run, call, active, function:NAME and marker:NAME"))
            );
        }
    }

    #[test]
    fn how_much_work_a_run_did() {
        let (recording, _) = placed(
            "
//- /src/app.js
class A {
  $1parse() {}
}
class B {
  $2parse() {}
}
function $3main() {}
//- trace before.json
3        4         5
main@$3  main@$3   ?sort
         parse@$1
",
        );
        let work = |per: &str, markers| {
            let work = Per::parse(per).expect(per).of(&recording, markers);
            work.map(|work| work.0).map_err(|problem| problem.what)
        };
        let cases = [
            ("run", Ok(1)),
            ("active", Ok(12_000_000)),
            ("function:main", Ok(7_000_000)),
            ("function:A.parse", Ok(4_000_000)),
            ("function:app.js:main", Ok(7_000_000)),
            ("function:src/app.js:A.parse", Ok(4_000_000)),
            ("function:/src/app.js:main", Ok(7_000_000)),
            ("function:pp.js:main", Err("pp.js:main did not run in before.json")),
            ("function:app.js:none", Err("app.js:none did not run in before.json")),
            ("function:none", Err("none did not run in before.json")),
            ("marker:request", Ok(9)),
        ];
        for (per, expected) in cases {
            let end = ", so that its times cannot be divided by it";
            assert_eq!(work(per, 9), expected.map_err(|start| format!("{start}{end}")), "{per}");
        }
        let no_marker = "before.json has no marker request, by which its times should be divided";
        assert_eq!(work("marker:request", 0), Err(no_marker.to_owned()));
    }

    #[test]
    fn a_run_without_what_times_are_divided_by() {
        let (recording, _) = placed(
            "
//- /app.js
class A {
  $1parse() {}
}
class B {
  $2parse() {}
}
//- trace twice
3         4
parse@$1  parse@$2
",
        );
        let of = |recording: &Recording, per: &str| {
            let problem = Per::parse(per).expect(per).of(recording, 0).expect_err(per);
            format!("{}: {}", problem.what, problem.hint)
        };
        assert_eq!(
            of(&recording, "function:parse"),
            "2 functions of twice are called parse: name one as FILE:NAME with --per"
        );
        assert_eq!(
            of(&Recording::default(), "active"),
            "0 traces has no active time by which its times could be divided: leave --per out"
        );
    }

    /// What rounding takes from one is added to the next, so that the parts add up to their divided sum.
    #[test]
    fn divided_amounts_add_up() {
        let cases = [
            ("thirds", 1, 3, &[1, 1, 1, 2, 5][..], &[0, 0, 1, 0, 2][..], &[0, 0, 0, 0, 1][..]),
            ("as if it did more", 3, 2, &[1, 1, 4], &[1, 2, 6], &[1, 1, 6]),
            ("nothing to divide by", 2, 0, &[1, 2], &[2, 4], &[2, 4]),
            ("more than fits", u64::MAX, 1, &[1, 0], &[u64::MAX, 0], &[u64::MAX, 0]),
        ];
        for (name, numerator, denominator, amounts, parts, alone) in cases {
            let mut division = Division::new(numerator, denominator);
            let each: Vec<u64> = amounts.iter().map(|amount| division.alone(*amount)).collect();
            assert_eq!(each, alone, "{name}");
            let next: Vec<u64> = amounts.iter().map(|amount| division.next(*amount)).collect();
            assert_eq!(next, parts, "{name}");
        }
        assert_eq!(Division::new(3, 2).factor(), 1.5);
    }
}
