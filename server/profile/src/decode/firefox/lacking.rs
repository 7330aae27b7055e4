//! Columns without which a stack would be misread unnoticed.

use super::meta::FirefoxVersion;
use super::tables::{Column, ThreadTables};

impl ThreadTables<'_> {
    /// A missing column, among those that decide what a stack means. If a whole table is missing, the file is damaged,
    /// and what is known of its stacks counts.
    pub(super) fn lacks(&self, version: FirefoxVersion) -> Option<&'static str> {
        let tables = self.tables;
        let calls = [&tables.stack_prefix, &tables.stack_prefix_offset];
        let of_frames =
            [&tables.frame_category, &tables.frame_line, &tables.frame_flags, &tables.stack_frame];
        let of_functions = [&tables.function_name, &tables.function_line, &tables.function_column];
        let is_raw = tables.frame_function.is_empty();
        if is_missing(&tables.stack_frame, &calls) {
            Some("stackTable.frame")
        } else if !tables.stack_frame.is_empty() && calls.iter().all(|column| column.is_empty()) {
            Some("stackTable.prefix")
        } else if is_raw && is_missing(&tables.frame_location, &of_frames) {
            Some(if version.is_processed { "frameTable.func" } else { "frameTable.location" })
        } else if is_raw {
            None
        } else if version.is_processed_since(71) && tables.frame_flags.is_empty() {
            Some("frameTable.flags")
        } else if tables.function_name.is_empty() {
            Some("funcTable.name")
        } else if version.is_processed_since(75) && tables.function_flags.is_empty() {
            Some("funcTable.flags")
        } else if is_missing(&tables.function_is_js, &of_functions) {
            Some("funcTable.isJS")
        } else {
            None
        }
    }
}

/// Whether a column is missing from a table that has one of the others.
fn is_missing(column: &Column, others: &[&Column]) -> bool {
    column.is_empty() && others.iter().any(|other| !other.is_empty())
}
