//! Finds where functions forced style or layout, and what they asked for there: the name of the property in the text that
//! ran. Minifiers keep the names that the browser defines, so no source map is needed.
//!
//! ```text
//! return box.offsetWidth;              V8 names the property,
//!            ↑
//! return getComputedStyle(box).color;  or, behind a call, the dot before it
//!                             ↑
//! ```

use std::sync::Arc;

use profile::model::{AskedFor, ForcedRendering, FunctionId, Position, Profile};

use super::decisions::WhichText;
use super::placement::shifted;
use super::source_text::is_of_word;
use super::statements::Positions;
use super::text_that_ran::TextThatRan;

/// The longest property name that is shown.
const LONGEST: usize = 80;

/// The places at which the functions of a profile forced style or layout, each once, sorted.
pub(super) fn call_sites(profile: &Profile) -> Vec<(FunctionId, Position)> {
    sites(profile, |_| true)
}

/// The subset of [`call_sites`] at which the property that was asked for stands.
pub(super) fn sites_of_properties(profile: &Profile) -> Vec<(FunctionId, Position)> {
    sites(profile, |forced| forced.asked_for == AskedFor::AtPlace)
}

fn sites(profile: &Profile, is_wanted: impl Fn(&ForcedRendering) -> bool) -> Vec<(FunctionId, Position)> {
    let forced = profile.threads.iter().flat_map(|thread| &thread.forced).filter(|it| is_wanted(it));
    let mut sites: Vec<_> =
        forced.filter_map(|it| Some((profile.stacks.function[it.stack?.0 as usize], it.at?))).collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// What the functions of a text asked for at these places.
pub(super) fn asked_for(
    ran: &TextThatRan<'_>,
    sites: &[(FunctionId, Position)],
) -> Vec<((FunctionId, Position), Arc<str>)> {
    let is_other = ran.positions == Positions::InAnother
        || matches!(ran.which, WhichText::Cache(_) | WhichText::Compiled(_));
    let of_function = |function: FunctionId| {
        let first = sites.partition_point(|it| it.0 < function);
        sites[first..].iter().take_while(move |it| it.0 == function)
    };
    let all = ran.placements.iter().filter(|_| !is_other).flat_map(|it| of_function(it.function));
    let name = |&(function, at): &(FunctionId, Position)| {
        let offset = ran.text.offset(shifted(at, ran.start)?)?;
        Some(((function, at), property(&ran.text.text, offset.into())?.into()))
    };
    all.filter_map(name).collect()
}

/// The property or method of an object whose name is at an offset.
fn property(text: &str, offset: usize) -> Option<&str> {
    let (before, after) = (text.get(..offset)?, text.get(offset..)?);
    let dotted = after.trim_start().trim_start_matches('?').strip_prefix('.');
    let from = dotted.unwrap_or(after).trim_start();
    let name = &from[..from.find(|character| !is_of_word(character)).unwrap_or(from.len())];
    let is_of_object = dotted.is_some() || before.trim_end().ends_with('.');
    let is_called = from[name.len()..].trim_start().starts_with('(');
    let is_name = !name.is_empty() && name.len() <= LONGEST && !name.starts_with(char::is_numeric);
    (is_name && (is_of_object || is_called)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_at_offsets() {
        let rows = [
            ("return box.|offsetWidth;", Some("offsetWidth")),
            ("return getComputedStyle(box)|.color;", Some("color")),
            ("list()|?.clientWidth", Some("clientWidth")),
            ("box\n  .|scrollIntoView ({})", Some("scrollIntoView")),
            ("|getSelection()", Some("getSelection")),
            ("box|[name]", None),
            ("const a = |b + c", None),
            ("box.|", None),
            ("box.scrollTop |= 5", None),
            ("f(1|.5)", None),
        ];
        for (text, expected) in rows {
            let offset = text.find('|').unwrap();
            assert_eq!(property(&text.replace('|', ""), offset), expected, "{text}");
        }
    }
}
