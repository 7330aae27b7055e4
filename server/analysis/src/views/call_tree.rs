//! Call trees: who called a function through which path, and what it called. They are computed node by node as users unfold them.

use profile::model::Weight;
use profile::scope::Direction;

use crate::recording::Recording;
use crate::summary::{CallEnd, DefinitionKey, TreeOf};

/// A node of a call tree with its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTreeNode<'a> {
    /// The time that flows through it.
    pub all: Weight,
    /// The part that ends there: what runs in the node itself, or what nothing called.
    pub own: Weight,
    /// Its children, hottest first; not all of them if there are many.
    pub children: Vec<CallTreeChild<'a>>,
    /// The number of all other children, and the time that flows through them.
    pub others: (usize, Weight),
}

/// How many children of a node are returned at most: more than anybody looks at, and all of them for nearly every function.
pub const MAX_CHILDREN: usize = 1000;

/// A child of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTreeChild<'a> {
    /// Its key in paths, valid as long as the recording is the same.
    pub key: u32,
    /// What it is.
    pub end: &'a CallEnd,
    /// The time that flows through it.
    pub spent: Weight,
}

/// The node at which a path ends, from a definition through the keys of its callers or callees; `None` if the definition
/// was not measured or a key in the path belongs to no function.
pub fn call_tree<'a>(
    recording: &'a Recording,
    of: TreeOf,
    definition: &DefinitionKey,
    direction: Direction,
    path: &[u32],
) -> Option<CallTreeNode<'a>> {
    // For a part of the recording, the stacks still know functions of which nothing is left.
    recording.summary.definitions.get(definition)?;
    let stacks = &recording.call_stacks;
    let root = stacks.key(definition)?;
    path.iter().try_for_each(|&it| stacks.end(it).map(|_| ()))?;
    let node = stacks.node(of, root, direction, path);
    let (shown, others) = node.children.split_at(node.children.len().min(MAX_CHILDREN));
    let child = |&(key, spent): &(u32, Weight)| Some(CallTreeChild { key, end: stacks.end(key)?, spent });
    let mut of_others = Weight::default();
    others.iter().for_each(|it| of_others += it.1);
    Some(CallTreeNode {
        all: node.all,
        own: node.own,
        children: shown.iter().filter_map(child).collect(),
        others: (others.len(), of_others),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::load;

    #[test]
    fn of_many_callers_the_hottest_are_given_and_all_add_up() {
        // `hot` is called by 1,200 functions that are not in the workspace; the first of them takes longest.
        let row =
            |cell: &dyn Fn(u32) -> String| (0..1200).map(|it| format!("{:9}", cell(it))).collect::<String>();
        let [times, callers, hot] =
            [row(&|it| (2000 - it).to_string()), row(&|it| format!("?n{it}")), row(&|_| "hot@$1".to_owned())];
        let world =
            load(&format!("//- /app.js\nfunction hot$1() {{}}\n//- trace\n{times}\n{callers}\n{hot}"));
        let node =
            call_tree(&world.recording, TreeOf::All, world.key("hot"), Direction::Callers, &[]).unwrap();
        assert_eq!(node.children.len(), MAX_CHILDREN);
        let mut given = Weight::default();
        node.children.iter().for_each(|it| given += it.spent);
        let (number, mut all) = node.others;
        assert_eq!((number, all.samples), (200, 200));
        assert_eq!(all.time.0, (801..=1000).sum::<u64>() * 1_000_000, "those that cost least");
        all += given;
        all += node.own;
        assert_eq!(all, node.all);
    }
}
