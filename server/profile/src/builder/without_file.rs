//! Functions of scripts for which the trace has no file.

use crate::builder::ProfileBuilder;
use crate::model::{Function, FunctionId, FunctionKind, Position, StringId};

impl ProfileBuilder {
    /// The id of a function whose code came from no file, but was made by another function.
    pub fn made_function(
        &mut self,
        name: StringId,
        defined_at: Option<Position>,
        maker: FunctionId,
    ) -> FunctionId {
        let kind = FunctionKind::Script;
        self.add_function(Function { name, resource: None, defined_at, kind, made_by: Some(maker) })
    }

    /// The id of a function of a script that the engine no longer knew when it wrote the trace.
    pub(crate) fn forgotten_function(&mut self, name: StringId) -> FunctionId {
        let kind = FunctionKind::Script;
        self.add_function(Function { name, resource: None, defined_at: None, kind, made_by: None })
    }
}
