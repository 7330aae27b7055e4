//! Every kind of definition, and what engines say about it.

use expect_test::{expect, expect_file};
use source::definition::DefinitionKind;
use source::language::Language;
use source::large_stack::outline;
use source::name::names_agree;
use source::text::{Encoding, LineCol, LineEnds, LineIndex};

use crate::check;

#[test]
fn functions() {
    check(
        Language::JavaScript,
        "function /* a */ plain /* b */ (a, b) {}
async function* both(a = () => 1) {}
export default function () {}
!function () {}();
(async a => a)(1);
const x = async (a, b) => ({ a, b });
",
        expect![[r#"
            Function plain: function /* a */ plain /* b */ (a, b) |
            Function both: async function* both(a = () => 1) |
            Arrow both.a: () => |
            Function default: function () |
            Function (anonymous): function () |
            Arrow (anonymous)#2: async a => |
            Arrow x: async (a, b) => |
        "#]],
    );
}

#[test]
fn members() {
    check(
        Language::JavaScript,
        "class A extends B(() => 1) {
  static async *each(a) {}
  get size() { return 1; }
  set size(value) {}
  constructor() { super(); }
  #secret() {}
  [Symbol.iterator]() {}
  'quoted name'() {}
  42() {}
  field = a => a;
  static { run(() => 2); }
}
const object = { method() {}, get x() { return 1; }, deep: { inner: function () {} } };
",
        expect![[r#"
            Class A: class A extends B(() => 1) |{
            Arrow A.B callback: () => |
            Method A.each: static async *each(a) |
            Getter A.get size: get size() |
            Setter A.set size: set size(value) |
            Constructor A.constructor: constructor() |
            Method A.#secret: #secret() |
            Method A.[Symbol.iterator]: [Symbol.iterator]() |
            Method A.quoted name: 'quoted name'() |
            Method A.42: 42() |
            Arrow A.field: a => |
            Arrow A.run callback: () => |
            Method object.method: method() |
            Getter object.get x: get x() |
            Function object.deep.inner: function () |
        "#]],
    );
}

#[test]
fn types_are_no_definitions() {
    check(
        Language::TypeScript,
        "function over(a: string): void;
function over<T extends { (x: number): void }>(this: Window, a: T): { b: number } { return { b: 1 }; }
declare function absent(): void;
declare class Absent { method() : void; field = () => 1; }
declare namespace N { function f(): void; class C {} }
declare global { interface Window { f(): void } }
interface I { method(): void; new (): I }
type F = (a: number) => void;
abstract class Shape<T> implements I {
  abstract area(): number;
  constructor(private readonly a: number, @inject() b = () => 2) {}
  @log(() => 3) protected static async run?<U>(a: U): Promise<void> {}
  declare field: string;
}
namespace Real { export const f = <T,>(a: T): T => a; }
enum E { A = (() => 1)() }
@decorated(() => 4) export class Last {}
export abstract class Older { protected abstract x: () => void; y = 1 as any as () => void; }
",
        expect![[r#"
            Function over: function over<T extends { (x: number): void }>(this: Window, a: T): { b: number } |
            Class Shape: abstract class Shape<T> implements I |{
            Constructor Shape.constructor: constructor(private readonly a: number, @inject() b = () => 2) |
            Arrow Shape.constructor.b: () => |
            Arrow Shape.log callback: () => |
            Method Shape.run: protected static async run?<U>(a: U): Promise<void> |
            Arrow f: <T,>(a: T): T => |
            Arrow (anonymous): () => |
            Arrow decorated callback: () => |
            Class Last: class Last |{
            Class Older: abstract class Older |{
        "#]],
    );
}

#[test]
fn jsx() {
    check(
        Language::TypeScriptJsx,
        "const App = memo(function () {
  const on = useCallback(async () => {}, []);
  return <a.b.c onClick={() => on()} {...rest}>{items.map(it => <i key={it}>don't</i>)}</a.b.c>;
});
",
        expect![[r#"
            Function App: function () |
            Arrow App.on: async () => |
            Arrow App.onClick: () => |
            Arrow App.map callback: it => |
        "#]],
    );
}

/// All positions that engines give for a file with every kind of function. A position is a function's if it
/// is in its header; initialisers, and Bun's generators, are found by what is around.
#[test]
fn positions_of_engines() {
    let mut found = String::new();
    for (engine, positions) in ENGINES {
        let text = if *engine == "node12" { include_str!("../data/kinds12.js") } else { KINDS };
        let lines = LineIndex::new(text, LineEnds::Engine);
        let outline = outline(text, Language::JavaScript).unwrap();
        for row in positions.lines() {
            let (name, place) = row.rsplit_once(" @ ").unwrap();
            let (line, column) = place.split_once(':').unwrap();
            let place = LineCol { line: number(line) - 1, column: number(column) - 1 };
            let offset = lines.offset(text, place, Encoding::Utf16).unwrap();
            let id = outline.around(offset).unwrap();
            let definition = outline.get(id);
            let name = name.replace("<empty>", "");
            assert!(names_agree(&name, definition), "{engine}: {row} is {}", definition.path);
            assert!(
                definition.kind != DefinitionKind::TopLevel || name.is_empty() && line == "1",
                "{engine}: {row} is a function"
            );
            if *engine == "node24" {
                found += &format!("{row}: {:?} {}\n", definition.kind, definition.path);
            }
        }
    }
    expect_file!["../data/node24.expected.txt"].assert_eq(&found);
}

const KINDS: &str = include_str!("../../../../tests/workspaces/kinds/kinds.js");

const ENGINES: &[(&str, &str)] = &[
    ("node12", include_str!("../data/node12.positions.txt")),
    ("node16", include_str!("../data/node16.positions.txt")),
    ("node18", include_str!("../data/node18.positions.txt")),
    ("node20", include_str!("../data/node20.positions.txt")),
    ("node22", include_str!("../data/node22.positions.txt")),
    ("node24", include_str!("../data/node24.positions.txt")),
    ("deno", include_str!("../data/deno2.9.6.positions.txt")),
    ("bun", include_str!("../data/bun1.4.4.positions.txt")),
    ("firefox", include_str!("../data/firefox153.positions.txt")),
];

fn number(text: &str) -> u32 {
    text.parse().expect("a number")
}

/// A hint stands before a body on the same line, and otherwise behind the header.
#[test]
fn where_hints_stand() {
    let text = "\
function tight(){}
function below(a: number): string
{
}
const value = (a: number): string => // why
  String(a);
class Box
{
}
";
    check(
        Language::TypeScript,
        text,
        expect![[r#"
            Function tight: function tight()|
            Function below: function below(a: number): string|
            Arrow value: (a: number): string => |// why
            Class Box: class Box| {
        "#]],
    );
}
