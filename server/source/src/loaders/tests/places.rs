//! Where functions are in what we expect each loader to print.

use super::*;

#[test]
fn where_functions_are() {
    let outline = outline(TEXT, Language::TypeScript).expect("it can be read");
    let line = |loader: &Loader| {
        let layouts = layouts(TEXT, Language::TypeScript, &outline, loader);
        let layouts = layouts.into_iter().map(|layout| {
            let functions = layout.functions.iter().map(|function| {
                let PrintedFunction { definition, line, column, column_after_comment, is_named } = function;
                let after = column_after_comment.map_or_else(String::new, |column| format!(" or {column}"));
                let name = &outline.get(*definition).name;
                let named = if *is_named { "" } else { " without a name" };
                format!("  {line}:{column}{after} {name}{named}\n")
            });
            let dense = if layout.is_dense { " in one line" } else { "" };
            format!("{}{dense}\n{}", loader.name, functions.collect::<String>())
        });
        layouts.collect::<String>()
    };
    expect![[r#"
        the text as it is
          5:7 Shop
          10:5 add
          10:39 map callback without a name
          10:72 filter callback without a name
          11:13 constructor
          14:20 once
          14:60 b
          16:28 last
          17:19 (anonymous) without a name
          17:35 b
        tsx in one line
          0:64 Shop
          0:86 constructor
          0:111 Shop
          0:117 Shop
          0:152 Shop
          1:5 add
          1:34 map callback without a name
          1:62 filter callback without a name
          1:105 once without a name
          1:126 b
          1:169 last
          1:187 (anonymous) without a name
          1:198 b
        tsx (CommonJS) in one line
          0:64 Shop
          0:86 constructor
          0:111 Shop
          0:117 Shop
          0:152 Shop
          1:5 add
          1:34 map callback without a name
          1:62 filter callback without a name
          1:115 once without a name
          1:143 b
          1:202 last
          1:220 (anonymous) without a name
          1:231 b
        esbuild (CommonJS)
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          10:5 or 21 add
          11:26 map callback without a name
          11:58 filter callback without a name
          16:13 once
          17:28 b
          21:13 last
          22:19 (anonymous) without a name
          22:35 b
        esbuild (CommonJS)
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          11:5 or 21 add
          12:26 map callback without a name
          12:58 filter callback without a name
          17:13 once
          18:28 b
          22:13 last
          23:19 (anonymous) without a name
          23:35 b
        Vite 7 and older in Node
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          10:5 or 21 add
          11:26 map callback without a name
          11:58 filter callback without a name
          16:13 once
          17:39 b
          21:13 last
          22:19 (anonymous) without a name
          22:35 b
        Vite 7 and older in Node
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          11:5 or 21 add
          12:26 map callback without a name
          12:58 filter callback without a name
          17:13 once
          18:39 b
          22:13 last
          23:19 (anonymous) without a name
          23:35 b
        Vite 7 and older in a page
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          10:5 or 21 add
          11:26 map callback without a name
          11:58 filter callback without a name
          16:13 once
          17:21 b
          21:13 last
          22:19 (anonymous) without a name
          22:35 b
        Vite 7 and older in a page
          2:0 Shop
          3:13 constructor
          6:2 Shop
          8:2 Shop
          11:5 or 21 add
          12:26 map callback without a name
          12:58 filter callback without a name
          17:13 once
          18:21 b
          22:13 last
          23:19 (anonymous) without a name
          23:35 b
        Vite 8 in Node
          2:0 Shop
          3:1 Shop
          5:1 Shop
          7:4 or 20 add
          8:24 map callback without a name
          8:56 filter callback without a name
          12:12 constructor
          16:13 once
          17:41 b
          21:13 last
          22:18 (anonymous) without a name
          22:34 b
        Vite 8 in Node
          2:0 Shop
          3:1 Shop
          5:1 Shop
          8:4 or 20 add
          9:24 map callback without a name
          9:56 filter callback without a name
          13:12 constructor
          17:13 once
          18:41 b
          22:13 last
          23:18 (anonymous) without a name
          23:34 b
        Vite 8 in a page
          2:7 Shop
          3:1 Shop
          5:1 Shop
          7:4 or 20 add
          8:24 map callback without a name
          8:56 filter callback without a name
          12:12 constructor
          16:20 once
          17:23 b
          21:28 last
          22:18 (anonymous) without a name
          22:34 b
        Vite 8 in a page
          3:7 Shop
          4:1 Shop
          6:1 Shop
          9:4 or 20 add
          10:24 map callback without a name
          10:56 filter callback without a name
          14:12 constructor
          18:20 once
          19:23 b
          23:28 last
          24:18 (anonymous) without a name
          24:34 b
        Babel
          2:0 Shop
          3:2 Shop
          5:2 Shop
          7:5 or 21 add
          8:26 map callback without a name
          8:57 filter callback without a name
          12:13 constructor
          17:13 once
          19:5 b
          25:13 last
          26:19 (anonymous) without a name
          26:35 b
        Babel
          2:0 Shop
          3:2 Shop
          5:2 Shop
          8:5 or 21 add
          9:26 map callback without a name
          9:57 filter callback without a name
          13:13 constructor
          18:13 once
          20:5 b
          26:13 last
          27:19 (anonymous) without a name
          27:35 b
        Babel, ES2017
          3:0 Shop
          4:5 or 21 add
          5:26 map callback without a name
          5:57 filter callback without a name
          9:13 constructor
          17:13 once
          19:5 b
          25:13 last
          26:19 (anonymous) without a name
          26:35 b
        Babel, ES2017
          3:0 Shop
          5:5 or 21 add
          6:26 map callback without a name
          6:57 filter callback without a name
          10:13 constructor
          18:13 once
          20:5 b
          26:13 last
          27:19 (anonymous) without a name
          27:35 b
        Babel, ES2015
          3:0 Shop
          4:5 or 21 add
          5:26 map callback without a name
          5:57 filter callback without a name
          9:13 constructor
          17:13 once
          19:5 b
          25:13 last
          26:19 (anonymous) without a name
          26:35 b
        Babel, ES2015
          3:0 Shop
          5:5 or 21 add
          6:26 map callback without a name
          6:57 filter callback without a name
          10:13 constructor
          18:13 once
          20:5 b
          26:13 last
          27:19 (anonymous) without a name
          27:35 b
        SWC
          2:0 or 11 Shop
          3:4 Shop
          5:4 Shop
          7:7 or 23 add
          8:30 map callback without a name
          8:60 filter callback without a name
          12:15 constructor
          16:13 once
          18:10 b
          23:13 last
          25:8 (anonymous) without a name
          26:13 b
        SWC
          2:0 or 11 Shop
          3:4 Shop
          5:4 Shop
          8:7 or 23 add
          9:30 map callback without a name
          9:60 filter callback without a name
          13:15 constructor
          17:13 once
          19:10 b
          24:13 last
          26:8 (anonymous) without a name
          27:13 b
        SWC, ES2017
          3:0 or 11 Shop
          4:7 or 23 add
          5:30 map callback without a name
          5:60 filter callback without a name
          9:15 constructor
          16:13 once
          18:10 b
          23:13 last
          25:8 (anonymous) without a name
          26:13 b
        SWC, ES2017
          3:0 or 11 Shop
          5:7 or 23 add
          6:30 map callback without a name
          6:60 filter callback without a name
          10:15 constructor
          17:13 once
          19:10 b
          24:13 last
          26:8 (anonymous) without a name
          27:13 b
        SWC, ES2015
          3:0 or 11 Shop
          4:7 or 23 add
          5:30 map callback without a name
          5:60 filter callback without a name
          9:15 constructor
          16:13 once
          18:10 b
          23:13 last
          25:8 (anonymous) without a name
          26:13 b
        SWC, ES2015
          3:0 or 11 Shop
          5:7 or 23 add
          6:30 map callback without a name
          6:60 filter callback without a name
          10:15 constructor
          17:13 once
          19:10 b
          24:13 last
          26:8 (anonymous) without a name
          27:13 b
        SWC and Node (modules)
          2:7 or 18 Shop
          3:4 Shop
          5:4 Shop
          7:7 or 23 add
          8:30 map callback without a name
          8:60 filter callback without a name
          12:15 constructor
          16:20 once
          18:10 b
          23:28 last
          25:8 (anonymous) without a name
          26:13 b
        SWC and Node (modules)
          3:7 or 18 Shop
          4:4 Shop
          6:4 Shop
          9:7 or 23 add
          10:30 map callback without a name
          10:60 filter callback without a name
          14:15 constructor
          18:20 once
          20:10 b
          25:28 last
          27:8 (anonymous) without a name
          28:13 b
        TypeScript
          3:0 Shop
          7:7 add
          7:38 map callback without a name
          7:70 filter callback without a name
          8:15 constructor
          10:13 once
          10:46 b
          11:13 last
          12:21 (anonymous) without a name
          12:37 b
        TypeScript
          2:0 Shop
          3:4 Shop
          5:4 Shop
          8:7 or 23 add
          8:38 map callback without a name
          8:71 filter callback without a name
          9:15 constructor
          14:13 once
          14:46 b
          16:13 last
          17:21 (anonymous) without a name
          18:14 b
        TypeScript, ES2017
          3:0 Shop
          7:7 add
          7:38 map callback without a name
          7:70 filter callback without a name
          8:15 constructor
          10:13 once
          10:46 b
          11:13 last
          12:21 (anonymous) without a name
          12:37 b
        TypeScript, ES2017
          3:0 Shop
          5:7 or 23 add
          5:38 map callback without a name
          5:71 filter callback without a name
          6:15 constructor
          14:13 once
          14:46 b
          16:13 last
          17:21 (anonymous) without a name
          18:14 b
        TypeScript, ES2015
          3:0 Shop
          7:7 add
          7:38 map callback without a name
          7:70 filter callback without a name
          8:15 constructor
          10:13 once
          10:46 b
          11:13 last
          12:21 (anonymous) without a name
          12:37 b
        TypeScript, ES2015
          3:0 Shop
          5:7 or 23 add
          5:38 map callback without a name
          5:71 filter callback without a name
          6:15 constructor
          14:13 once
          14:46 b
          16:13 last
          17:21 (anonymous) without a name
          18:14 b
        TypeScript (modules)
          3:7 Shop
          7:7 add
          7:38 map callback without a name
          7:70 filter callback without a name
          8:15 constructor
          10:20 once
          10:51 b
          11:28 last
          12:21 (anonymous) without a name
          12:37 b
        TypeScript (modules)
          3:7 Shop
          4:4 Shop
          6:4 Shop
          9:7 or 23 add
          9:38 map callback without a name
          9:71 filter callback without a name
          10:15 constructor
          14:20 once
          14:51 b
          15:28 last
          16:21 (anonymous) without a name
          17:14 b
    "#]]
    .assert_eq(&LOADERS.iter().map(line).collect::<String>());
}

#[test]
fn what_is_not_transformed() {
    let number = |text: &str, language: Language| {
        let outline = outline(text, language).expect("it can be read");
        LOADERS.iter().map(|loader| layouts(text, language, &outline, loader).len()).sum::<usize>()
    };
    assert_ne!(number("f(() => 1);", Language::JavaScript), 0);
    assert_eq!(number("<script>f(() => 1);</script>", Language::Vue), 0, "markup");
    assert_eq!(number("function f() {}\n const = ;", Language::JavaScript), 0, "it does not parse");
}
