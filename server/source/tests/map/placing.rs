//! From generated functions to original definitions.
//!
//! A drawing is two texts. The same number between `$` marks the two ends of a segment; `^` in the
//! generated text is a place that an engine reports. Below stands what each place was written as.

use expect_test::{Expect, expect};
use source::definition::Outline;
use source::language::Language;
use source::large_stack::outline;
use source::map::{FunctionOrigin, Outlined, ReportedFunction, SourceMap, origins_of, sources_asked};
use source::text::{Encoding, LineEnds, LineIndex};
use text_size::TextSize;

use crate::drawn;

/// A text without its marks.
struct Text {
    text: String,
    lines: LineIndex,
    outline: Outline,
    marks: Vec<(u32, TextSize)>,
    places: Vec<TextSize>,
}

impl Text {
    fn new(drawn: &str, language: Language) -> Self {
        let mut text = String::new();
        let (mut marks, mut places) = (Vec::new(), Vec::new());
        let mut rest = drawn;
        while let Some(at) = rest.find(['$', '^']) {
            text.push_str(&rest[..at]);
            let here = TextSize::of(text.as_str());
            let mark = &rest[at + 1..];
            rest = if rest[at..].starts_with('^') {
                places.push(here);
                mark
            } else {
                let digits = mark.find(|it: char| !it.is_ascii_digit()).unwrap_or(mark.len());
                marks.push((mark[..digits].parse().expect("a mark has a number"), here));
                &mark[digits..]
            };
        }
        text.push_str(rest);
        let outline = outline(&text, language).expect("a text has an outline");
        Self { lines: LineIndex::new(&text, LineEnds::Engine), text, outline, marks, places }
    }

    fn outlined(&self) -> Outlined<'_> {
        Outlined { text: &self.text, lines: &self.lines, outline: &self.outline }
    }
}

/// Several originals follow each other, each below a line `//- name`; the text of one that is called `lost` is not known.
fn check(originals: &str, generated: &str, expected: Expect) {
    let generated = Text::new(generated, Language::JavaScript);
    let files: Vec<(&str, Text)> = match originals.strip_prefix("//- ") {
        None => vec![("a", Text::new(originals, Language::TypeScript))],
        Some(files) => files
            .split("//- ")
            .map(|file| file.split_once('\n').expect("a name stands on a line"))
            .map(|(name, text)| {
                (name, Text::new(text, Language::of_path(name).unwrap_or(Language::TypeScript)))
            })
            .collect(),
    };
    let mut lines = vec![String::new(); generated.lines.lines() as usize];
    for &(mark, offset) in &generated.marks {
        let at = generated.lines.line_col(&generated.text, offset, Encoding::Utf16);
        let original = files.iter().find_map(|(name, file)| {
            let at = file.marks.iter().find(|it| it.0 == mark)?.1;
            let at = file.lines.line_col(&file.text, at, Encoding::Utf16);
            Some(format!("{name}:{}:{}", at.line, at.column))
        });
        lines[at.line as usize] += &format!("{}={} ", at.column, original.unwrap_or("-".to_owned()));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = drawn::map(&lines, "");
    let map = SourceMap::parse(&text).expect("it is a map");
    let name_of = |source: u32| map.sources[source as usize].url.as_deref().expect("each has a name");
    let file_of = |source: u32| files.iter().find(|it| it.0 == name_of(source) && !it.0.starts_with("lost"));
    let outline = &generated.outline;
    let function =
        |&at| ReportedFunction { definition: outline.around(at).expect("the top level is around it"), at };
    let functions: Vec<_> = generated.places.iter().map(function).collect();
    let asked = sources_asked(&map, generated.outlined(), &functions);
    let placings = origins_of(&map, generated.outlined(), &functions, |source| {
        assert!(asked.contains(&source), "source {source} was to be asked for");
        file_of(source).map(|it| it.1.outlined())
    });
    let drawn = placings.into_iter().map(|origin| match origin {
        FunctionOrigin::Unknown => "none\n".to_owned(),
        FunctionOrigin::Compiler => "compiler\n".to_owned(),
        FunctionOrigin::Source(source) => format!("from {}\n", name_of(source)),
        FunctionOrigin::Definition(it) => {
            let (name, file) = file_of(it.source).expect("a source that was asked for");
            format!("{name} {} by {:?}\n", file.outline.get(it.definition).path, it.part)
        }
    });
    expected.assert_eq(&drawn.collect::<String>());
}

#[test]
fn names_keywords_and_parameters_stand_in_headers() {
    check(
        "function $1work($2a) { $3return a; }\nclass C { $4size() {} get $5x() {} }",
        "function $1w^($2t){$3return t}class a{$4size^(){}get $5x^(){}}",
        expect![[r#"
            a work by Header
            a C.size by Header
            a C.get x by Header
        "#]],
    );
}

#[test]
fn an_arrow_without_a_segment_is_not_its_caller() {
    check(
        "function outer() { $1list.$2map(($3item) => $4item.x); $5each(() => { $6work(); }) }",
        "function o(){$1l.$2map(^$3e=>$4e.x),$5n(^()=>{$6w()})}",
        expect![[r#"
            a outer.map callback by Header
            a outer.each callback by Body
        "#]],
    );
}

#[test]
fn lowered_functions_are_one_with_their_wrappers() {
    check(
        "async function $1work() { $2await x; $3done(); }",
        "function $1w^(){return h(this,void 0,void 0,^function*(){$2yield x;$3d()})}",
        expect![[r#"
            a work by Header
            a work by Body
        "#]],
    );
}

#[test]
fn a_default_that_was_moved_is_not_the_function_around_it() {
    check(
        "function $1work($2f = $3function () { $4return 1; }) { $5f(); }",
        "function $1w^($2f){void 0===f&&(f=$2function^(){$4return 1}),$5f()}",
        expect![[r#"
            a work by Header
            a work.f by Body
        "#]],
    );
}

#[test]
fn a_default_with_a_function_of_its_own() {
    check(
        "const $1work = (run = ($2x) => $3x) => { $4run(); };",
        "const $1w=^(r=^$2e=>$3e)=>{$4r()};",
        expect![[r#"
            a work by Body
            a work.run by Header
        "#]],
    );
}

#[test]
fn constructors_that_a_tool_wrote_are_their_class() {
    check(
        "class $1Rows { $2rows = $3[]; }",
        "class $1R{constructor^(){this.$2rows=$3[]}}",
        expect![[r#"
            a Rows by Body
        "#]],
    );
    check(
        "class $1Rows { $2add() { $3x(); } $4cut() { $5y(); } }",
        "var R=^function(){$1function e^(){}return e.$2add=function(){$3x()},e.$4cut=function(){$5y()},e}();",
        expect![[r#"
            a Rows by Body
            a Rows by Header
        "#]],
    );
}

#[test]
fn initialisers_are_their_class() {
    check(
        "class $1Rows { $2rows = $3[]; $4run = () => { $5work(); } }",
        "^class $1R{^$2rows=$3[];$4run=^()=>{$5w()}}",
        expect![[r#"
            a Rows by Header
            a Rows by Header
            a Rows.run by Body
        "#]],
    );
}

#[test]
fn lines_without_columns_leave_the_body_to_tell() {
    check(
        "$1function around() {\n$2  const make = (a) =>\n$3    (b) => {\n$4      work();\n$5    };\n}",
        "$1function around(){\n$2const make=(a)=>\n$3^(b)=>{\n$4work();\n$5};\n}",
        expect![[r#"
            a around.make.(anonymous) by Line
        "#]],
    );
}

#[test]
fn a_wrapper_of_one_module_is_its_top_level_and_of_several_nothing() {
    check(
        "//- a\n$1first();$2second();\n//- b\n$3third();$4fourth();\n",
        "x=^function(e){$1f();$2s()},^()=>{$3t();$4u()},^()=>{$1f();$2s();$3t();$4u()}",
        expect![[r#"
            a (top level) by Body
            b (top level) by Body
            none
        "#]],
    );
    check(
        "//- a\n$1first();\nfunction $2work() { $3x(); }\n",
        "^'use strict';async(e)=>{{\n$1first();function $2work^(){$3x()}f(function^(){$1first()});\n}}",
        expect![[r#"
            a (top level) by Body
            a work by Header
            compiler
        "#]],
    );
    let many = "function f(){$1f()}$1f();".repeat(20);
    check(
        "//- a\n$1first();\n//- b\n$2second();\n",
        &format!("^x;{many}$2s();{many}"),
        expect![[r#"
            none
        "#]],
    );
    check(
        "//- a\n$1first();$2second();\n",
        "^$1f();$2s();",
        expect![[r#"
            a (top level) by Body
        "#]],
    );
}

#[test]
fn what_draws_a_component_is_not_its_script() {
    check(
        "//- a.vue
<template><p $1@click=\"() => $2n++\">{{ $3n + $8f() }}</p></template>
<script setup>$4let $5n = 0; const $9f = $6() => $7n;</script>",
        "function $4s^(){let $5n=0;const f=$6^()=>$7n;return $1^e=>($2n++,$3n+$9(^()=>$7n)$8())}",
        expect![[r#"
            a.vue (top level) by Body
            a.vue f by Header
            none
            a.vue f by Body
        "#]],
    );
}

/// Angular's compiler makes functions of a template, outside of the class and in it.
#[test]
fn a_template_in_a_decorator_is_its_class() {
    check(
        "import { f } from $9'f';
@Component({ template: `<b ($1click)=\"$2add()\">{{ $3label() }}</b>` })
class $4App { $5label() { $6x; } @Input() $7size = $8f(); }",
        "function App_Template^(){e($1'b',function App_listener^(){return $2add()});text($3c.label())}
var A=class $4App^{$5label^(){$6x} static t=function t^(){$4b($3c)};size=$8f()}
g(^()=>{$1a;$4b;$6c})
h(^()=>{$9a;$2b;$3c})",
        expect![[r#"
            a App by Body
            a App by Body
            a App by Header
            a App.label by Header
            a App by Body
            a App by Body
            a (top level) by Body
        "#]],
    );
}

/// As esbuild writes it around a module that is loaded late.
#[test]
fn a_wrapper_of_a_module_that_begins_with_a_decorator_is_its_top_level() {
    check(
        "$1@Component({ template: $2'' }) class $3App {}",
        "i=e({'a'^(){$1 A=class $3App{};A=d([$2c({})],A)}})",
        expect![[r#"
            a (top level) by Body
        "#]],
    );
}

#[test]
fn a_component_of_svelte_is_the_code_of_its_script() {
    check(
        "//- a.svelte
$1<script>$2let $3n = 0; const f = $4() => $5n;</script>
$6<p>{$7n}</p>",
        "$1function $1A^(e){$2let $3n=0;const f=$4^()=>$5n;var p=$6r();$7t(^()=>$7n)}",
        expect![[r#"
            a.svelte (top level) by Body
            a.svelte f by Header
            none
        "#]],
    );
}

#[test]
fn a_component_of_astro_is_the_code_of_its_frontmatter() {
    check(
        "//- a.astro
---
$1const { $2n } = Astro.props;
const f = $3() => $4n;
---
<ul>{$5n.map($6(it) => <li>{$7it}</li>)}</ul>
<script>function $8g() { $9x(); }</script>",
        "const A=c(^(r)=>{$1const{$2n}=a.props;const f=$3^()=>$4n;return r('<ul>',$5n.map($6^(it)=>r('<li>',$7it)))})
function $8g^(){$9x()}",
        expect![[r#"
            a.astro (top level) by Body
            a.astro f by Header
            none
            a.astro g by Header
        "#]],
    );
}

#[test]
fn what_draws_an_mdx_file_is_its_top_level() {
    check(
        "//- a.mdx
export const $1f = $2(n) => $3n;

# $4Hello, {$5props.name}

{f(3).map($6(it) => <li>{$7it}</li>)}",
        "const $1f=$2^n=>$3n;function _createMdxContent^(p){return j({children:[$4'Hello, ',$5p.name,f(3).map($6^it=>j($7it))]})}
export default function MDXContent^(p){return _createMdxContent(p)}",
        expect![[r#"
            a.mdx f by Header
            a.mdx (top level) by Body
            a.mdx map callback by Header
            compiler
        "#]],
    );
}

#[test]
fn what_comes_from_one_source_without_a_text_is_of_it() {
    check(
        "//- a.js
export function $1work() { $2x(); }
//- lost.js
export function $3ms($4text) { return $5parse($6text); }
export const parse = $7(it) => $8it;
//- lost.css
$9",
        "var i=o(^(e)=>{$5e.parse=$7^(t)=>$8t});function $3r^($4t){return $5n($6t)}function $1w^(){$2x()}
function q^(){$6y();$9z()}function m^(){}",
        expect![[r#"
            from lost.js
            from lost.js
            from lost.js
            a.js work by Header
            none
            compiler
        "#]],
    );
}

#[test]
fn helpers_of_tools_are_nothing() {
    check(
        "function $1work() { $2x(); }",
        "var h=^(e,n)=>{r(e)};function $1w^(){$2x()}^function k(){}",
        expect![[r#"
            compiler
            a work by Header
            compiler
        "#]],
    );
}

/// Babel says of its helpers, and of all that is in them, that they come from one place, which may be in any header.
#[test]
fn helpers_that_come_from_one_place_are_the_compilers() {
    check(
        "export function $1work$9() { $2first(); $3second(); }\n",
        "$9function $9_toArray^($9r){ $9return $9each($9r, function $9item^($9e){ $9return $9e; }); }
$1function $1work^() { $2first(); $3second(); }",
        expect![[r#"
            compiler
            compiler
            a work by Header
        "#]],
    );
    let many = "$9e;".repeat(20);
    check(
        "$8import x from 'x';$9\n$1first(); $2second();\n",
        &format!(
            "function $9_regenerator^(){{ $8/* its licence */ {many} }}\n(function^(){{ $1first(); $2second(); }})();"
        ),
        expect![[r#"
            compiler
            a (top level) by Body
        "#]],
    );
}

#[test]
fn exports_that_are_read_through_a_function_are_the_compilers() {
    check(
        "export function $1work() { $2x(); }\nexport class $3Box { get $4size() { $5y(); } }\n",
        "_export(exports, { get $3Box^(){ return $3Box; }, get $1work^(){ return $1work; } });
function $1work^(){ $2x(); }\nclass $3Box { get $4size^(){ $5y(); } }",
        expect![[r#"
            compiler
            compiler
            a work by Header
            a Box.get size by Header
        "#]],
    );
}

#[test]
fn the_constructor_of_a_class_that_was_made_a_function() {
    let class = "$1export default class $2Box extends Base { $8size = $9one(); constructor($3a) { $4super(); $5use(a); } }\n";
    check(
        class,
        "var $2Box = $1function^(_Base){ function $2Box^($3a){ $4_this = _Base.call(this); $5use(a); } $2return $2Box; }(Base);",
        expect![[r#"
            a Box by Body
            a Box.constructor by Header
        "#]],
    );
    // Minified, its name says nothing, and what is in it does.
    check(
        class,
        "var $2n=$1function^(e){function $2t^($3a){$4r=e.call(this);$5u(a)}$2return $2t}(Base);",
        expect![[r#"
            a Box by Body
            a Box.constructor by Header
        "#]],
    );
    check(
        "class $1Box $2extends $3Base { $4size = $5one(); }\n",
        "function $1Box^(){ $2_super.apply(this); $4this.size = $5one(); }",
        expect![[r#"
            a Box by Header
        "#]],
    );
}

/// As Babel writes them for browsers without private methods: behind the class, from the end of whose header they seem to come.
#[test]
fn private_methods_that_were_moved_out_of_their_class() {
    check(
        "class $1Box extends $2Base $3{ add() $4{ $5x(); } #secret() $6{ $7y(); $8z(); }$9 #run = () => $10{ $11w(); } }\n",
        "var $1Box = $1function^(_Base){ function $1Box^(){ $1_this = _Base.call(this); $1set(_this, $9_run, function^()$10{ $11w(); }); } }(Base);
$3function _secret^() $6{ $7y(); $8z(); }$9
$3function _e^() { $7y(); $5x(); }
class $1B{constructor$3^(){$9run=^()=>$10{$11w()}}}",
        expect![[r#"
            a Box by Header
            a Box by Header
            a Box.#run by Body
            a Box.#secret by Header
            a Box by Header
            a Box by Header
            a Box.#run by Body
        "#]],
    );
}
