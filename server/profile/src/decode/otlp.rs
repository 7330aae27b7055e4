//! OpenTelemetry (OTLP) profiles, as protobuf and as JSON: of time or of allocated bytes.
//!
//! <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/profiles/v1development/profiles.proto>.
//! A file is a `ProfilesData` or an `ExportProfilesServiceRequest`, which have the same fields: profiles by resource (a
//! process, a container) and scope (what recorded them), and a dictionary of everything that they share. Index 0 of each
//! table of the dictionary stands for nothing. Stacks begin with the innermost frame. A location with several lines
//! stands for inlined calls, innermost first. Lines and columns count from 1; 0 means none.
//!
//! Both notations are read into the same tables ([`tables`]), from which threads are made at the end ([`threads`]), since
//! the dictionary comes last.

mod attributes;
mod choose;
mod json;
mod layout;
mod stacks;
mod tables;
mod threads;
mod wire;

pub(crate) use self::json::OtlpJson;
pub(crate) use self::wire::{begins, read};
