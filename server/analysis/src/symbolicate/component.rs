//! The code of a component that a tool passed on without the markup around it, found again in the component's file.
//!
//! vue-loader makes a module of each block of a Vue file, and loaders that drop the map they are given (ts-loader) put
//! the text of that module into theirs: the script as Vue's compiler wrote it, or the function that draws the template.

use source::{DefinitionId, DefinitionKind};

use super::source_text::SourceText;
use crate::anchor::{Freshness, anchor};

/// Whether a text of a file is only the code of it.
pub(crate) fn is_code_of(measured: &SourceText, file: &SourceText) -> bool {
    measured.outline.scripts.is_none() && file.outline.scripts.is_some()
}

/// What became of each definition of the code in the file; `None` where a tool made it. What the compiler changed
/// cannot be told from an edit, but moving is its work.
pub(crate) fn anchor_code(code: &SourceText, file: &SourceText) -> Vec<Option<(DefinitionId, Freshness)>> {
    let top_level = Some((DefinitionId(0), Freshness::Fresh));
    let mut found = anchor(code.version(), file.version());
    for (definition, found) in code.outline.definitions.iter().zip(&mut found) {
        *found = match (*found, definition.kind) {
            (_, DefinitionKind::TopLevel) => top_level,
            // `<script setup>` becomes a function around all that stands in it.
            (None, DefinitionKind::Method) if definition.name == "setup" => top_level,
            (Some((id, Freshness::Moved)), _) => Some((id, Freshness::Fresh)),
            (found, _) => found,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::FilePath;

    #[test]
    fn the_code_of_a_vue_file_as_its_compiler_wrote_it() {
        let file = FilePath::new("/src/App.vue");
        let of = |text: &str| SourceText::in_map(&file, text.to_owned()).unwrap();
        let today = of("<template><p>{{ label(1) }}</p></template>
<script lang=\"ts\">
export function shared<T>(it: T): T { return it; }
</script>
<script setup lang=\"ts\">
const props = defineProps<{ first: number }>();
const label = (item: number): string => `item ${item}`;
function pick(item: number) { return props.first + item; }
const later = () => pick(2);
</script>");
        let code = of("import { defineComponent as _defineComponent } from 'vue'
export function shared<T>(it: T): T { return it; }
export default /*@__PURE__*/_defineComponent({
  __name: 'App',
  props: { first: { type: Number } },
  setup(__props: any) {
    const props = __props;
    const label = (item: number): string => `item ${item}`;
    function pick(item: number) { return props.first + item + 1; }
    return (_ctx: any, _cache: any) => (label(1));
  }
})");
        assert!(is_code_of(&code, &today) && !is_code_of(&today, &today));
        let found = anchor_code(&code, &today);
        let lines = code.outline.definitions.iter().zip(found).map(|(definition, found)| {
            let now = found.map(|(id, freshness)| (today.outline.get(id).path.as_str(), freshness.name()));
            format!("{} => {now:?}\n", definition.path)
        });
        expect![[r#"
            (top level) => Some(("(top level)", "fresh"))
            shared => Some(("shared", "fresh"))
            setup => Some(("(top level)", "fresh"))
            setup.label => Some(("label", "fresh"))
            setup.pick => Some(("pick", "edited"))
            setup.(anonymous) => None
        "#]]
        .assert_eq(&lines.collect::<String>());
    }
}
