//! What several compilers make of one function, drawn with the calls of each of its functions.

use std::fmt::Write as _;

use expect_test::expect;
use source::language::Language;

use super::*;
use crate::symbolicate::SourceText;

/// What compilers make of one function, with the calls of each of its functions at its start: `/*5*/function load() { … }`.
const TEXTS: [(&str, &str); 12] = [
    (
        "asynchronous, by Babel and SWC",
        "/*5*/function load(_x) {
            return _load.apply(this, arguments);
        }
        /*1*/function _load() {
            _load = _asyncToGenerator(/*5*/function* (n) { yield n; });
            return _load.apply(this, arguments);
        }",
    ),
    (
        "the same for engines without generators",
        "/*5*/function load(_x) { return _load.apply(this, arguments); }
        /*1*/function _load() {
            _load = _asyncToGenerator(/*#__PURE__*/_regenerator().m(/*5*/function _callee(n) {
                return _regenerator().w(/*10*/function (_context) { while (1) switch (_context.n) {} }, _callee);
            }));
            return _load.apply(this, arguments);
        }",
    ),
    (
        "an arrow, by Babel",
        "const save = exports.save = /*#__PURE__*//*1*/function () {
            var _ref = _asyncToGenerator(/*5*/function* (n) { yield n; });
            return /*5*/function save(_x2) { return _ref.apply(this, arguments); };
        }();",
    ),
    (
        "the same with short names",
        "const s=function(){var t=a(/*5*/function*(n){yield n});return /*5*/function(n){return t.apply(this,arguments)}}();",
    ),
    (
        "a method, by TypeScript",
        "class Repo { /*5*/find(id) {
            return __awaiter(this, void 0, void 0, /*5*/function () {
                return __generator(this, /*10*/function (_a) { switch (_a.label) {} });
            });
        } }",
    ),
    (
        "a class, by TypeScript",
        "var Repo = /** @class */ (/*1*/function () {
            /*7*/function Repo() { this.all = []; }
            Repo.prototype.find = function () {};
            return Repo;
        }());",
    ),
    (
        "a class with a method that is made at once, by Babel",
        "var Repo = /*1*/function () {
            /*7*/function Repo() {}
            return _createClass(Repo, [{ key: 'find', value: /*1*/function () { return 1; }() }]);
        }();",
    ),
    (
        "a generator that is called where it is written, by TypeScript",
        "(/*1*/function () { return __generator(this, /*3*/function (_a) { switch (_a.label) {} }); })();",
    ),
    (
        "copies, by a bundler",
        "/*3*/function sum(a) { return add(a, 1) + a.length; }
        /*4*/function sum$1(a) { return add$1(a, 1) + a.length; }",
    ),
    (
        "copies of what a compiler made",
        "/*3*/function load() { return _load.apply(this, arguments); }
        /*1*/function _load() { _load = wrap(/*3*/function* () {}); return _load.apply(this, arguments); }
        /*4*/function load$1() { return _load$1.apply(this, arguments); }
        /*1*/function _load$1() { _load$1 = wrap$1(/*4*/function* () {}); return _load$1.apply(this, arguments); }",
    ),
    (
        "a component and its template",
        "/*2*/function App() { this.on = true; }
        /*9*/function App_Template(mode, app) { if (mode & 1) text(app.on); }",
    ),
    ("one function", "/*6*/function only() { return 1; }"),
];

#[test]
fn what_compilers_made_of_one_function_counts_once() {
    let mut drawn = String::new();
    for (name, marked) in TEXTS {
        // The marks are taken out of the text.
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (number, part) in marked.split("/*").enumerate() {
            match part.split_once("*/").and_then(|(calls, rest)| Some((calls.parse().ok()?, rest))) {
                Some((calls, rest)) => {
                    starts.push((text.len(), calls));
                    text.push_str(rest);
                }
                None if number == 0 => text.push_str(part),
                None => text.push_str(&format!("/*{part}")),
            }
        }
        let read = SourceText::in_language(Language::JavaScript, text).unwrap();
        let pieces: Vec<Piece> = starts
            .into_iter()
            .map(|(start, calls)| {
                let all = read.outline.definitions.iter().enumerate();
                let at = |range: text_size::TextRange| usize::from(range.start()) == start;
                let (number, _) = all.skip(1).find(|(_, it)| at(it.range)).unwrap();
                let line = read.text[..start].matches('\n').count() as u32;
                Piece {
                    definition: DefinitionId(number as u32),
                    calls,
                    lines: BTreeMap::from([(line, calls)]),
                }
            })
            .collect();
        let EntryCalls { calls, lines } = calls_of(&pieces, &read.text, &read.outline);
        let calls = calls.map_or("not known".to_owned(), |calls| calls.to_string());
        writeln!(drawn, "{name}: {calls} {lines:?}").unwrap();
    }
    expect![[r#"
        asynchronous, by Babel and SWC: 5 {0: 5, 3: 1, 4: 5}
        the same for engines without generators: 5 {0: 5, 1: 1, 2: 5, 3: 10}
        an arrow, by Babel: 5 {0: 1, 1: 5, 2: 5}
        the same with short names: 5 {0: 5}
        a method, by TypeScript: 5 {0: 5, 1: 5, 2: 10}
        a class, by TypeScript: 7 {0: 1, 1: 7}
        a class with a method that is made at once, by Babel: 7 {0: 1, 1: 7, 2: 1}
        a generator that is called where it is written, by TypeScript: 1 {0: 1}
        copies, by a bundler: 7 {0: 3, 1: 4}
        copies of what a compiler made: 7 {0: 3, 1: 1, 2: 4, 3: 1}
        a component and its template: not known {0: 2, 1: 9}
        one function: 6 {0: 6}
    "#]]
    .assert_eq(&drawn);
}
