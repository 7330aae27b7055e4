//! Which scripts functions were in, by V8's numbers. A page that was loaded again after an edit ran two texts of one URL, in which
//! other functions may have the same name and place: so each function is kept apart by its script, until the texts are known.

use rustc_hash::FxHashMap;

use crate::builder::ProfileBuilder;
use crate::model::FunctionId;

/// The functions of nodes and of makers of code, by script.
#[derive(Default)]
pub(crate) struct ScriptIds {
    /// The copy of a function for a script.
    copies: FxHashMap<(FunctionId, u32), FunctionId>,
    /// Functions that made code, in these scripts.
    makers: Vec<(FunctionId, u32)>,
}

impl ScriptIds {
    /// The function of a node, as the one of this script.
    pub(super) fn copy(
        &mut self,
        function: FunctionId,
        script: u32,
        builder: &mut ProfileBuilder,
    ) -> FunctionId {
        match builder.resource_of(function) {
            Some(_) => {
                *self.copies.entry((function, script)).or_insert_with(|| builder.copy_function(function))
            }
            None => function,
        }
    }

    pub(super) fn add_maker(&mut self, maker: FunctionId, script: u32) {
        self.makers.push((maker, script));
    }

    /// All of them in order: a function, its script, and its copy for that, unless it only made code there.
    pub(crate) fn sorted(&self) -> Vec<(FunctionId, u32, Option<FunctionId>)> {
        let copies = self.copies.iter().map(|(&(function, script), &copy)| (function, script, Some(copy)));
        let mut all: Vec<_> =
            copies.chain(self.makers.iter().map(|&(maker, script)| (maker, script, None))).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
