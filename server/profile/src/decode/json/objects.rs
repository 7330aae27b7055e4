//! Objects of which most are not wanted: found whole within the window and skipped without being read.

use memchr::memmem::Finder;

use super::nesting::Nesting;
use super::{Json, Result};

/// Texts of which at least one stands in every object that is wanted.
pub(crate) struct Marks {
    marks: Vec<Mark>,
}

struct Mark {
    finder: Finder<'static>,
    /// The first place at which it stands, of those not passed yet.
    next: Option<u64>,
    /// It stands nowhere else before this offset.
    searched: u64,
}

impl Marks {
    pub(crate) fn new(marks: &[&'static str]) -> Self {
        let mark = |text: &&'static str| Mark { finder: Finder::new(*text), next: None, searched: 0 };
        Self { marks: marks.iter().map(mark).collect() }
    }
}

impl Mark {
    /// Whether it stands within `length` bytes from `start` on. Each byte of a window is searched only once.
    fn is_within(&mut self, start: usize, length: usize, window: &[u8], base: u64) -> bool {
        let (from, to) = (base + start as u64, base + (start + length) as u64);
        if self.next.is_none_or(|next| next < from) && self.searched < to {
            // A mark may have been cut off by the end of the window that was searched last.
            let overlap = self.finder.needle().len() as u64;
            let search = start.max(self.searched.saturating_sub(base + overlap) as usize);
            self.next = self.finder.find(&window[search..]).map(|found| base + (search + found) as u64);
            self.searched = self.next.map_or(base + window.len() as u64, |next| next + 1);
        }
        self.next.is_some_and(|next| from <= next && next < to)
    }
}

impl Json<'_> {
    /// Skips the object that comes next, if it fits into the window and none of the marks stands in it. `false` leaves
    /// it to be read: it may still be one that nobody wants.
    #[inline]
    pub(crate) fn skip_unmarked(&mut self, marks: &mut Marks) -> Result<bool> {
        let Some(length) = self.whole_object()? else { return Ok(false) };
        let window = &self.window[..self.end];
        if marks.marks.iter_mut().any(|mark| mark.is_within(self.at, length, window, self.base)) {
            return Ok(false);
        }
        self.at += length;
        Ok(true)
    }

    /// The text of the object that comes next, if it fits into the window.
    pub(crate) fn peek_object(&mut self) -> Result<Option<&[u8]>> {
        let length = self.whole_object()?;
        Ok(length.map(|length| &self.window[self.at..self.at + length]))
    }

    /// Takes the object that comes next whole into the window, which does not grow for it.
    fn whole_object(&mut self) -> Result<Option<usize>> {
        loop {
            let length = Nesting::default().end_in(&self.window[self.at..self.end]);
            let is_full = self.at == 0 && self.end == self.window.len();
            if length.is_some() || is_full || !self.read_more(self.at)? {
                return Ok(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_the_window_ends() {
        let mut text = String::from("[");
        for number in 0..200 {
            let wanted = if number % 7 == 3 { "wanted" } else { "want" };
            text += &format!("{{\"number\":{number},\"name\":\"{wanted}\"}},");
        }
        for window in 64..110 {
            let mut source = text.as_bytes();
            let mut json = Json::with_window(&mut source, window);
            let (mut marks, mut found) = (Marks::new(&["wanted", "other"]), Vec::new());
            json.enter_array().expect("an array");
            for number in 0..200 {
                assert!(json.next_item().expect("an item"));
                if !json.skip_unmarked(&mut marks).expect("an object") {
                    found.push(number);
                    json.skip().expect("an object");
                }
            }
            assert_eq!(found, (3..200).step_by(7).collect::<Vec<_>>(), "with {window} bytes");
        }
    }

    #[test]
    fn what_does_not_fit_is_left_to_others() {
        let text = format!("{{\"long\":\"{}\"}}", "x".repeat(100));
        let mut source = text.as_bytes();
        let mut json = Json::with_window(&mut source, 64);
        assert!(!json.skip_unmarked(&mut Marks::new(&["wanted"])).expect("nothing wrong"));
        assert_eq!(json.offset(), 0);
        json.skip().expect("an object");
        assert!(json.at_end().expect("the end"));
    }
}
