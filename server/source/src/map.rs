//! Source maps: from places in a generated text to places in the original texts (ECMA-426).
//!
//! A map of a real bundle holds millions of segments and is asked about a few thousand places. So nothing is stored per
//! segment: [`SourceMap::parse`] records where the parts of the text are, and one scan answers a sorted list of queries
//! ([`SourceMap::resolve`]).
//!
//! ```text
//! {"version":3, "sources":["a.ts"], "mappings":"AAAA,IAAI;AACA"}
//!
//! AAAA  +0 columns, +0 sources, +0 lines, +0 columns   0:0 comes from a.ts 0:0
//! IAAI  +4 columns, +0 sources, +0 lines, +4 columns   0:4 comes from a.ts 0:4
//! ;     the next generated line; its columns count from 0 again
//! AACA  +0 columns, +0 sources, +1 line,  +0 columns   1:0 comes from a.ts 1:4
//!
//! query 0:6 to 0:9   before: 0:4 = a.ts 0:4, inside: nothing
//! query 1:0 to 1:9   before: 1:0 = a.ts 1:4, inside: 1:0 = a.ts 1:4
//! ```

mod data_url;
mod definitions;
mod error;
mod json;
mod mappings;
mod outlined;
mod parse;
mod reference;
mod resolve;
mod section;
mod segment;
mod source_map;
mod vlq;

pub use data_url::{DataUrlError, data_url};
pub use definitions::{FunctionOrigin, OriginPart, Placing, ReportedFunction, origins_of, sources_asked};
pub use error::MapError;
pub use outlined::Outlined;
pub use reference::{debug_id, source_mapping_url};
pub use resolve::{Query, Resolved};
pub use segment::{Original, Segment};
pub use source_map::{Source, SourceMap};
