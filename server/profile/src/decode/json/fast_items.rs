//! Values handed to the fast reader, which takes what it knows and leaves the rest.

use super::fast_reader::FastReader;
use super::reader::Json;
use crate::decode::error::Result;

impl Json<'_> {
    /// Takes items of an array that was entered, as long as `take` knows what they are: it goes past one and uses
    /// it, or gives `None` and has done nothing. What it does not know is left to others.
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

    /// Takes the object that comes next as [`Json::fast_items`] does, also where the window ends within it: what is
    /// taken must not depend on where that is. Where `take` gives `None`, nothing was taken.
    pub(crate) fn fast_object(&mut self, take: impl FnOnce(&mut FastReader) -> Option<()>) -> Result<bool> {
        let Some(object) = self.peek_object()? else { return Ok(false) };
        let length = object.len();
        let is_taken = take(&mut FastReader::new(object)).is_some();
        self.at += if is_taken { length } else { 0 };
        Ok(is_taken)
    }
}
