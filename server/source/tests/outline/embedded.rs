//! Scripts in Vue, Svelte, Astro and HTML files: their functions are found at their places in the whole file.

use expect_test::expect;
use source::language::Language;
use source::large_stack::outline;
use text_size::{TextRange, TextSize};

use crate::{check, drawn};

#[test]
fn every_kind_in_the_scripts_of_a_vue_file() {
    check(
        Language::Vue,
        "<template>
  <button @click=\"() => count++\">{{ items.map(it => it.name) }}</button>
</template>

<script lang=\"ts\">
export function load<T>(id: string): Promise<T> { return get(() => id); }
export default { methods: { reset() {}, get size() { return 1; } } };
</script>

<script setup lang=\"ts\">
const props = defineProps<{ a: number }>();
await load('a');
const double = computed(() => props.a * 2);
class Store { items = []; constructor() {} }
function load2() { return load<string>('b'); }
</script>

<style>.a { color: v-bind('(() => 1)()'); }</style>
",
        expect![[r#"
            Function load: function load<T>(id: string): Promise<T> |
            Arrow load.get callback: () => |
            Method default.methods.reset: reset() |
            Getter default.methods.get size: get size() |
            Arrow double: () => |
            Class Store: class Store |{
            Constructor Store.constructor: constructor() |
            Function load2: function load2() |
        "#]],
    );
}

#[test]
fn every_kind_in_the_scripts_of_a_svelte_file() {
    check(
        Language::Svelte,
        "<script module lang=\"ts\">
  let total = 0;
  export const add = (by: number): void => { total += by; };
</script>

<script>
  let count = $state(0);
  $: doubled = count * 2;
  $effect(() => { add(count); });
  async function load() { for await (const it of all()) it(); }
</script>

{#if count < 3}<button onclick={() => count++}>{`${count}`}</button>{/if}
",
        expect![[r#"
            Arrow add: (by: number): void => |
            Arrow $effect callback: () => |
            Function load: async function load() |
        "#]],
    );
}

#[test]
fn every_kind_in_an_astro_file() {
    check(
        Language::Astro,
        "---
import { load } from '../load';
const { id } = Astro.props;
if (!id) return Astro.redirect('/');
const names = (await load(id)).map((it): string => it.name);
function link(to: string) { return `/${to}`; }
export async function getStaticPaths() { return [{ params: { id: 1 } }]; }
---
<ul>{names.map((name) => <li><a href={link(name)}>{name}</a></li>)}</ul>
<script>
  class Toggle extends HTMLElement { connectedCallback(): void {} }
</script>
<script is:inline>document.addEventListener('click', function clicked() {});</script>
",
        expect![[r#"
            Arrow map callback: (it): string => |
            Function link: function link(to: string) |
            Function getStaticPaths: async function getStaticPaths() |
            Class Toggle: class Toggle extends HTMLElement |{
            Method Toggle.connectedCallback: connectedCallback(): void |
            Function clicked: function clicked() |
        "#]],
    );
}

#[test]
fn every_kind_in_an_mdx_file() {
    check(
        Language::Mdx,
        "import { Chart } from './chart.jsx'

export function Total({ items }) {

  return <b>{items.reduce((sum, it) => sum + it, 0)}</b>
}
export const rows = async (n) => `

${n}`

# It's {props.rows.map((row) => <i>{row}</i>)}, not `{() => 1}`

<Chart style={{ a: 1, b: () => 2 }} {...props} label=\"{() => 3}\" draw={(it) => {
  return it;
}} />

```js
export const shown = () => 1
```
",
        expect![[r#"
            Function Total: function Total({ items }) |
            Arrow Total.reduce callback: (sum, it) => |
            Arrow rows: async (n) => |
            Arrow map callback: (row) => |
            Arrow b: () => |
            Arrow (anonymous): (it) => |
        "#]],
    );
}

#[test]
fn every_kind_in_the_scripts_of_a_page() {
    check(
        Language::Html,
        "<!doctype html>
<title>A page of <b>scripts</title>
<button onclick=\"(function lost() {})()\">run</button>
<script>
<!-- hidden from browsers of old
  function classic(a) { return a; }
// -->
</script>
<p><script>/* on one line */ (function once() {})();</script>
<script type=module>
  import { a } from './a.js';
  export class Box { static make = () => new Box(); }
  await a();
</script>
<script type=\"application/json\">{ \"a\": 1 }</script>
<script type=\"text/babel\">const App = () => <p>{() => 1}</p>;</script>
",
        expect![[r#"
            Function classic: function classic(a) |
            Function once: function once() |
            Class Box: class Box |{
            Arrow Box.make: () => |
            Arrow App: () => |
            Arrow App.(anonymous): () => |
        "#]],
    );
}

#[test]
fn all_scripts_share_one_top_level() {
    let text = "<p>\n<script>  \n</script>\n<script>\n  f();\n  function f() { return () => 1; }\n  f#2: g();\n</script>
<script>function f() { return () => 2; }  function f() {}</script>";
    let outline = outline(text, Language::Html).unwrap();
    let mut lines = String::new();
    for definition in &outline.definitions {
        let parent = definition.parent.map_or("-", |it| &outline.get(it).path);
        lines += &format!("{} in {parent} at {}\n", definition.path, u32::from(definition.anchor()));
    }
    let top = &outline.definitions[0];
    assert_eq!(top.range, TextRange::up_to(TextSize::of(text)));
    assert!(text[usize::from(top.anchor())..].starts_with("f();"));
    expect![[r#"
        (top level) in - at 36
        f in (top level) at 52
        f.(anonymous) in f at 65
        f#2 in (top level) at 115
        f#2.(anonymous) in f#2 at 128
        f#3 in (top level) at 149
    "#]]
    .assert_eq(&lines);
}

#[test]
fn the_top_level_begins_at_the_first_script_that_runs_something() {
    let rows = [
        ("<p>|</p>", 0),
        ("<p></p><script> </script>", 0),
        ("<p></p><script> function f() {}</script>", 16),
        ("<p></p><script> function f() {}</script><script> f();</script>", 49),
        ("<script> f();</script><script> g();</script>", 9),
    ];
    for (text, at) in rows {
        let outline = outline(text, Language::Html).unwrap();
        assert_eq!(outline.definitions[0].anchor(), TextSize::new(at), "{text}");
    }
}

/// The code outside of functions is the same while only markup and functions change.
#[test]
fn the_top_level_is_that_of_the_scripts() {
    let top_level = |text: &str| outline(text, Language::Html).unwrap().definitions[0].fingerprint;
    let before = top_level("<p>a</p><script>f();</script><script>g();</script>");
    let rows = [
        ("<p>b</p>\n<script>f();</script><script> </script><script>g(); function h() {}</script>", true),
        ("<script>f();</script><script>h();</script>", false),
        ("<script>g();</script><script>f();</script>", false),
        ("<script>f();</script>", false),
    ];
    for (after, same) in rows {
        assert_eq!(before == top_level(after), same, "{after}");
    }
}

#[test]
fn a_script_that_does_not_parse_breaks_no_other() {
    let text = "<script>\nfunction a() {}\nif (\n</script><script>function b() {}</script>";
    let outline = outline(text, Language::Html).unwrap();
    assert!(!outline.exact);
    expect![[r#"
        Function a: function a() |
        Function b: function b() |
    "#]]
    .assert_eq(&drawn(text, &outline));
}

#[test]
fn scripts_behind_a_template_that_is_typed() {
    for template in
        ["<template><p></template", "<template><!-- </template>", "<template><a b=\"></a>\n</template>"]
    {
        let text = format!("{template}\n<script setup>\nfunction a() {{}}\n</script>\n");
        let outline = outline(&text, Language::Vue).unwrap();
        assert!(!outline.exact, "{template}");
        assert_eq!(drawn(&text, &outline), "Function a: function a() |\n", "{template}");
    }
}

#[test]
fn where_code_is() {
    let text = "a<script>b</script>c<script></script>";
    let outline = outline(text, Language::Html).unwrap();
    let at = |wanted: &dyn Fn(TextSize) -> bool| -> String {
        (0..=text.len()).map(|it| if wanted(TextSize::new(it as u32)) { '^' } else { ' ' }).collect()
    };
    let code = at(&|it| outline.is_code(it));
    let starts = at(&|it| outline.is_start_of_script(it));
    expect![[r#"
        a<script>b</script>c<script></script>
                 ^^                 ^         
                 ^                  ^         
    "#]]
    .assert_eq(&format!("{text}\n{code}\n{starts}\n"));
}
