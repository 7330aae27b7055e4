//! What functions without a name of their own are called, and which names of profiles fit.

use expect_test::expect;
use source::definition::DefinitionId;
use source::language::Language;
use source::large_stack::outline;
use source::name::names_agree;

/// `path: the text of the name's token` of every definition.
fn check(text: &str, expected: expect_test::Expect) {
    let outline = outline(text, Language::TypeScriptJsx).expect("it is not deep");
    assert!(outline.exact);
    let mut lines = String::new();
    for definition in &outline.definitions[1..] {
        let token = definition.name_range.map_or("-", |range| &text[range]);
        lines += &format!("{}: {token}\n", definition.path);
    }
    expected.assert_eq(&lines);
}

#[test]
fn from_where_they_are_assigned() {
    check(
        "a.b.c = function () {};
A.prototype.m = function () {};
module.exports = () => 1;
exports.f = module.exports.g = () => 2;
this.x = () => 3;
a['q r'] = () => 4; a[i] = () => 5;
let d; d ||= () => 6;
const e = ok ? () => 7 : () => 8, f = g || (() => 9), h = (function () {} as any)!;
({ k = () => 10, l: [m = () => 11] } = o);
const bound = function () {}.bind(this), named = function own() {};
class C { static #p = () => 12; accessor q = () => 13; ['a' + b] = () => 14 }
const K = class { m() {} };
",
        expect![[r#"
            a.b.c: c
            A.m: m
            module.exports: exports
            g: g
            x: x
            a.q r: 'q r'
            a.[i]: [i]
            d: d
            e: e
            e#2: e
            f: f
            h: h
            k: k
            m: m
            bound: bound
            own: own
            C: C
            C.#p: #p
            C.q: q
            C.['a' + b]: ['a' + b]
            K: K
            K.m: m
        "#]],
    );
}

#[test]
fn from_what_they_are_passed_to() {
    check(
        "items.map(x => x);
setTimeout(function () {}, 1);
new Promise((yes, no) => {});
const slow = debounce(() => 1), list = items.filter(() => 2), Wrapped = memo(forwardRef(() => 3));
const useIt = createSelector(a, () => 4);
const Child = component$(() => { const go = $(async () => 8); return list$.map(it => it); });
[() => 5, () => 6];
f()(() => 7);
",
        expect![[r#"
            map callback: -
            setTimeout callback: -
            Promise callback: -
            slow: slow
            filter callback: -
            Wrapped: Wrapped
            createSelector callback: -
            Child: Child
            Child.go: go
            Child.map callback: -
            (anonymous): -
            (anonymous)#2: -
            (anonymous)#3: -
        "#]],
    );
}

#[test]
fn twins_have_numbers() {
    check(
        "function f() { function g() {} }
function f() { function g() {} }
class A { static x() {} x() {} get x() {} }
",
        expect![[r#"
            f: f
            f.g: g
            f#2: f
            f#2.g: g
            A: A
            A.x: x
            A.x#2: x
            A.get x: x
        "#]],
    );
}

#[test]
fn names_of_profiles() {
    let text = "class Box { constructor() {} get size() {} #p() {} [k]() {} static make() {} }
class Plain { x = 1 }
const f = () => 1, $ = () => 2; items.map(() => 3); function f$1() {} function _g() {}
export default () => 4;";
    let outline = outline(text, Language::JavaScript).unwrap();
    let agree = |profile: &str| -> Vec<&str> {
        let all = (0..outline.definitions.len() as u32).map(|id| outline.get(DefinitionId(id)));
        all.filter(|it| names_agree(profile, it)).map(|it| it.path.as_str()).collect()
    };
    // What agrees with every name.
    let unknown = ["(top level)", "Box.[k]", "map callback", "default"];
    assert_eq!(agree("nothing"), unknown);
    let beside_unknown = |profile: &str| -> Vec<&str> {
        agree(profile).into_iter().filter(|it| !unknown.contains(it)).collect()
    };
    let all: Vec<&str> = outline.definitions.iter().map(|it| it.path.as_str()).collect();
    for wildcard in ["", "(anonymous)", "anonymous", "default"] {
        assert_eq!(agree(wildcard), all, "{wildcard}");
    }
    assert_eq!(beside_unknown("Box"), ["Box", "Box.constructor"]);
    assert_eq!(beside_unknown("get size"), ["Box.get size"]);
    assert_eq!(beside_unknown("#p"), ["Box.#p"]);
    assert_eq!(beside_unknown("Box.make"), ["Box.make"]);
    assert_eq!(beside_unknown("bound make"), ["Box.make"]);
    assert_eq!(beside_unknown("outer/f<"), ["f", "f$1"]);
    assert_eq!(agree("outer/<"), all);
    assert_eq!(beside_unknown("$"), ["$"]);
    assert_eq!(beside_unknown("g"), ["_g"]);
    assert_eq!(beside_unknown("Legacy[\"make\"]"), ["Box.make"]);
    assert_eq!(beside_unknown("<instance_members_initializer>"), ["Box", "Plain"]);
}
