//! What we expect loaders to print: whole texts and lists, in addition to the output of the tools themselves (`tests/loaders`).

use expect_test::{Expect, expect};

use super::known::{BREAKS_OF_TYPESCRIPT, Prints};
use super::print::{Written, print};
use super::reflow::reflow;
use super::*;
use crate::large_stack::outline;

mod places;

fn loader(name: &str) -> &'static Loader {
    LOADERS.iter().find(|loader| loader.name == name).unwrap_or_else(|| panic!("no loader is {name}"))
}

/// Prints a text as a loader does.
fn printed(text: &str, name: &str, comments: bool) -> String {
    let outline = outline(text, Language::TypeScript).expect("it can be read");
    let written = Written { text, language: Language::TypeScript, outline: &outline };
    print(written, loader(name), comments).expect("it parses").code
}

/// Breaks the lines of a text as a loader does; lists that begin with one of `broken` were written with line breaks.
fn broken(code: &str, name: &str, broken: &[&str]) -> String {
    let Prints::Lines { breaks: Some(breaks), .. } = loader(name).prints else {
        panic!("{name} breaks none")
    };
    reflow(code, &breaks, |at| broken.iter().any(|start| code[at as usize..].starts_with(start)))
        .expect("it parses")
}

/// No loader accepts such a text, and the transformer would panic.
#[test]
fn a_text_with_an_error_that_no_parser_finds_is_not_transformed() {
    let text = "class A { run() { return this.#missing() + 1; } }";
    let outline = outline(text, Language::TypeScript).expect("it can be read");
    let has_layouts = |loader: &&Loader| !layouts(text, Language::TypeScript, &outline, loader).is_empty();
    let found: Vec<_> = LOADERS.iter().filter(has_layouts).map(|loader| loader.name).collect();
    assert_eq!(found, ["the text as it is"]);
}

const LISTS: &str = "\
const a = { b, c }, [d] = [e, { f }], { g } = h;
switch (a) {
	case 1: return { x };
	case 2: {
		b();
	}
	default:
		c();
}
run({
	a,
	b: `
	x ${[y]}`
}, [
	1,
	2
]);
";

#[test]
fn lines_of_babel() {
    expect![[r#"
        const a = {
        		b,
        		c
        	},
        	[d] = [e, {
        		f
        	}],
        	{
        		g
        	} = h;
        switch (a) {
        	case 1:
        		return {
        			x
        		};
        	case 2:
        		{
        			b();
        		}
        	default:
        		c();
        }
        run({
        	a,
        	b: `
        	x ${[y]}`
        }, [1, 2]);
    "#]]
    .assert_eq(&broken(LISTS, "Babel", &[]));
}

#[test]
fn lines_of_swc() {
    expect![[r#"
        const a = {
        	b,
        	c
        }, [d] = [
        	e,
        	{
        		f
        	}
        ], { g } = h;
        switch (a) {
        	case 1:
        		return {
        			x
        		};
        	case 2:
        		{
        			b();
        		}
        	default:
        		c();
        }
        run({
        	a,
        	b: `
        	x ${[
        		y
        	]}`
        }, [
        	1,
        	2
        ]);
    "#]]
    .assert_eq(&broken(LISTS, "SWC", &[]));
}

#[test]
fn lines_of_esbuild() {
    expect![[r#"
        const a = { b, c }, [d] = [e, { f }], { g } = h;
        switch (a) {
        	case 1:
        		return { x };
        	case 2: {
        		b();
        	}
        	default:
        		c();
        }
        run({ a, b: `
        	x ${[y]}` }, [1, 2]);
    "#]]
    .assert_eq(&broken(LISTS, "esbuild (CommonJS)", &[]));
    expect![[r#"
        const a = {
        	b,
        	c
        }, [d] = [
        	e,
        	{ f }
        ], { g } = h;
        switch (a) {
        	case 1:
        		return {
        			x
        		};
        	case 2: {
        		b();
        	}
        	default:
        		c();
        }
        run({
        	a,
        	b: `
        	x ${[y]}`
        }, [1, 2]);
    "#]]
    .assert_eq(&broken(LISTS, "esbuild (CommonJS)", &["[e", "{ x", "{\n\ta,", "{ b, c"]));
}

#[test]
fn lines_of_typescript() {
    let code = "\
if (a) b();
else c();
if (a) {
	b();
} else if (c) {
	d();
} else e();
for (const f of g) h();
for (const f in g) h();
for (let f = 1, g = 2; ; ) h();
while (a) b();
do b();
while (a);
try {
	a();
} catch (b) {
	c();
} finally {
	d();
}
function f() {
	return a ? b() : c();
}
const g = () => {
	return a && b() + 1;
};
h.map(i).filter((j) => j);
const [k, l] = m, { n } = [o, { p }];
";
    let reflowed = |broken: &[&str]| {
        reflow(code, &BREAKS_OF_TYPESCRIPT, |at| {
            broken.iter().any(|start| code[at as usize..].starts_with(start))
        })
        .expect("it parses")
    };
    expect![[r#"
        if (a)
        	b();
        else
        	c();
        if (a) {
        	b();
        }
        else if (c) {
        	d();
        }
        else
        	e();
        for (const f of g)
        	h();
        for (const f in g)
        	h();
        for (let f = 1, g = 2; ; )
        	h();
        while (a)
        	b();
        do
        	b();
        while (a);
        try {
        	a();
        }
        catch (b) {
        	c();
        }
        finally {
        	d();
        }
        function f() { return a ? b() : c(); }
        const g = () => { return a && b() + 1; };
        h.map(i).filter((j) => j);
        const [k, l] = m, { n } = [o, { p }];
    "#]]
    .assert_eq(&reflowed(&[]));
    let parts = ["b() : c", "c();\n}", "b() +", "1;", "filter", "{\n\treturn a &&", "[k", "{ n", "[o"];
    expect![[r#"
        if (a)
        	b();
        else
        	c();
        if (a) {
        	b();
        }
        else if (c) {
        	d();
        }
        else
        	e();
        for (const f of g)
        	h();
        for (const f in g)
        	h();
        for (let f = 1, g = 2; ; )
        	h();
        while (a)
        	b();
        do
        	b();
        while (a);
        try {
        	a();
        }
        catch (b) {
        	c();
        }
        finally {
        	d();
        }
        function f() { return a
        	? b()
        	: c(); }
        const g = () => {
        	return a &&
        		b() +
        			1;
        };
        h.map(i)
        	.filter((j) => j);
        const [k, l] = m, { n } = [
        	o,
        	{ p }
        ];
    "#]]
    .assert_eq(&reflowed(&parts));
}

const TEXT: &str = "\
import one, { two as other } from './a/b.js';
import * as all from 'c-d';
import type { T } from './t';

/** Comment. */
export class Shop {
  size = 0x10;
  static known = `
`;
  /** Another. */
  add(item: T) { return this.items.map((it) => it.size).filter(function (it) { return other(it); }); }
  constructor(private items: T[]) {}
}

export const once = (a: T): void => { all.run(undefined, { b(c) { return one(c); } }); };

export default function last() {
  for (const a of [() => 1]) a.b = () => '\\n';
}
export { once as twice };
";

#[test]
fn what_loaders_print() {
    let check = |name: &str, expected: Expect| expected.assert_eq(&printed(TEXT, name, false));
    check(
        "tsx",
        expect![[r#"
        import one,{two as other}from"./a/b.js";import*as all from"c-d";class Shop{constructor(items){this.items=items}items;size=16;static known=`
        `;add(item){return this.items.map(it=>it.size).filter(function(it){return other(it)})}}const once=a=>{all.run(void 0,{b(c){return one(c)}})};function last(){for(const a of[()=>1])a.b=()=>`nn`}"#]],
    );
    check(
        "tsx (CommonJS)",
        expect![[r#"
        import one,{two as other}from"./a/b.js";import*as all from"c-d";class Shop{constructor(items){this.items=items}items;size=16;static known=`
        `;add(item){return this.items.map(it=>it.size).filter(function(it){return(0,import_b.two)(it)})}}const once=a=>{import_c_d.run(void 0,{b(c){return(0,import_b.default)(c)}})};function last(){for(const a of[()=>1])a.b=()=>`nn`}"#]],
    );
    check(
        "Vite 7 and older in Node",
        expect![[r#"
        import one, { two as other } from "./a/b.js";
        import * as all from "c-d";
        class Shop {
        	constructor(items) {
        		this.items = items;
        	}
        	items;
        	size = 16;
        	static known = `
        `;
        	add(item) {
        		return this.items.map((it) => it.size).filter(function(it) {
        			return (0,__vite_ssr_import_0__.two)(it);
        		});
        	}
        }
        const once = (a) => {
        	__vite_ssr_import_1__.run(void 0, { b(c) {
        		return (0,__vite_ssr_import_0__.default)(c);
        	} });
        };
        function last() {
        	for (const a of [() => 1]) a.b = () => "\n";
        }
    "#]],
    );
    check(
        "Vite 8 in a page",
        expect![[r#"
        import one, { two as other } from "./a/b.js";
        import * as all from "c-d";
        export class Shop {
        	items;
        	size = 16;
        	static known = `
        `;
        	add(item) {
        		return this.items.map((it) => it.size).filter(function(it) {
        			return other(it);
        		});
        	}
        	constructor(items) {
        		this.items = items;
        	}
        }
        export const once = (a) => {
        	all.run(undefined, { b(c) {
        		return one(c);
        	} });
        };
        export default function last() {
        	for (const a of [() => 1]) a.b = () => "\n";
        }
        export { once as twice };
    "#]],
    );
    check(
        "Babel",
        expect![[r#"
        import one, { two as other } from "./a/b.js";
        import * as all from "c-d";
        class Shop {
        	items;
        	size = 0x10;
        	static known = `
        `;
        	add(item) {
        		return this.items.map((it) => it.size).filter(function(it) {
        			return (0, _b.two)(it);
        		});
        	}
        	constructor(items) {
        		this.items = items;
        	}
        }
        ;
        const once = (a) => {
        	_c_d.run(undefined, {
        		b(c) {
        			return (0, _b.default)(c);
        		}
        	});
        };
        ;
        function last() {
        	for (const a of [() => 1]) a.b = () => "\n";
        }
    "#]],
    );
    check(
        "TypeScript",
        expect![[r#"
        import one, { two as other } from "./a/b.js";
        import * as all from "c-d";
        class Shop {
        	items;
        	size = 0x10;
        	static known = `
        `;
        	add(item) {
        		return this.items.map((it) => it.size).filter(function(it) {
        			return (0, b_js_1.two)(it);
        		});
        	}
        	constructor(items) {
        		this.items = items;
        	}
        }
        ;
        const once = (a) => {
        	c_d_1.run(undefined, { b(c) {
        		return (0, b_js_1.default)(c);
        	} });
        };
        ;
        function last() {
        	for (const a of [() => 1]) a.b = () => "\n";
        }
    "#]],
    );
    expect![[r#"
        import one, { two as other } from "./a/b.js";
        import * as all from "c-d";
        class Shop {
        	items;
        	size = 0x10;
        	static known = `
        `;
        	/** Another. */
        	add(item) {
        		return this.items.map((it) => it.size).filter(function(it) {
        			return (0, _b.two)(it);
        		});
        	}
        	constructor(items) {
        		this.items = items;
        	}
        }
        const once = (a) => {
        	_c_d.run(undefined, {
        		b(c) {
        			return (0, _b.default)(c);
        		}
        	});
        };
        function last() {
        	for (const a of [
        		() => 1
        	]) a.b = () => "\n";
        }
    "#]]
    .assert_eq(&printed(TEXT, "SWC", true));
}
