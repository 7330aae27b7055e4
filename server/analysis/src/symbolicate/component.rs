//! Finds the code of a component in the component's file, if a tool passed on the code without the markup.
//!
//! vue-loader makes one module of each block of a Vue file. Loaders that drop the map of their input (ts-loader) write the
//! text of that module into their own map: the script as Vue's compiler wrote it, or the render function of the template.

use source::definition::{DefinitionId, DefinitionKind};

use super::source_text::SourceText;
use crate::anchor::{Freshness, anchor};

/// Whether a measured text of a component's file is only the code, without the markup.
pub(crate) fn is_code_of(measured: &SourceText, file: &SourceText) -> bool {
    measured.outline.scripts.is_none() && file.outline.scripts.is_some()
}

/// What became of each definition of the code in the component's file; `None` if a tool generated it. Changes by the compiler
/// cannot be told from edits by the user. A definition that only moved counts as fresh, since the compiler moved it.
pub(crate) fn anchor_code(code: &SourceText, file: &SourceText) -> Vec<Option<(DefinitionId, Freshness)>> {
    let top_level = Some((DefinitionId(0), Freshness::Fresh));
    let mut found = anchor(code.version(), file.version());
    for (definition, found) in code.outline.definitions.iter().zip(&mut found) {
        *found = match (*found, definition.kind) {
            (_, DefinitionKind::TopLevel) => top_level,
            // The compiler puts all code of `<script setup>` into a function `setup`.
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
    use crate::files::FilePath;

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
