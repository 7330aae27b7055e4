//! Passes values to the fast reader, which takes what it knows and leaves the rest.

use super::fast_reader::FastReader;
use super::reader::Json;
use crate::decode::error::Result;

impl Json<'_> {
    /// Takes items of an entered array as long as `take` knows them: it either consumes one and uses it, or returns
    /// `None` and has no effect. Unknown items are left to others.
    #[inline]
    pub(crate) fn fast_items(&mut self, mut take: impl FnMut(&mut FastReader) -> Option<()>) {
        let mut plain = FastReader::new(&self.window[self.at..self.end]);
        loop {
            if (!self.entered && !plain.takes(b",")) || take(&mut plain).is_none() {
                return;
            }
            (self.at, self.entered) = (self.end - plain.left(), false);
        }
    }

    /// Takes the next object as [`Json::fast_items`] does, even if the window ends within it, because the result must not
    /// depend on where that is. If `take` returns `None`, nothing was taken.
    pub(crate) fn fast_object(&mut self, take: impl FnOnce(&mut FastReader) -> Option<()>) -> Result<bool> {
        let Some(object) = self.peek_object()? else { return Ok(false) };
        let length = object.len();
        let is_taken = take(&mut FastReader::new(object)).is_some();
        self.at += if is_taken { length } else { 0 };
        Ok(is_taken)
    }
}
