//! What there is to say of a folder whose traces are shown as one sum.

use std::path::Path;

use profile::Problem;

/// So many files that could not be used are told of one by one.
const TOLD: usize = 10;

/// The problems of a sum: one for each file that is not in it, given as the sentence that says why.
pub(crate) fn problems(folder: &Path, left_out: Vec<String>) -> Vec<Problem> {
    let problem = |what: &str| Problem {
        what: what.trim_end_matches('.').to_owned(),
        place: folder.display().to_string(),
        hint: "the other files of the folder were used".to_owned(),
    };
    let mut problems: Vec<Problem> = left_out.iter().take(TOLD).map(|it| problem(it)).collect();
    if left_out.len() > TOLD {
        problems.push(problem(&format!("{} more of its files could not be used", left_out.len() - TOLD)));
    }
    problems
}

/// One sentence about a folder of which nothing can be used.
pub(crate) fn refusal(name: &str, left_out: &[String]) -> String {
    match left_out.first() {
        None => format!("{name} is a folder without files. Name one with traces in it."),
        Some(first) => format!("{name} is a folder without a trace that can be used. {first}"),
    }
}
