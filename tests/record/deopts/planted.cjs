// What functions are given first, for which V8 optimises them; what they are given then, for which it gives that up; and the functions. The
// truth stands beside each, on the line that is to be found, in the words of V8; where its versions say it differently, in all of them.
'use strict';

const numbers = [1, 2, 3, 4];
const marks = [Symbol('mark')];
// What is not there might be in the prototype, so that V8 does not take it for undefined.
const doubles = Object.setPrototypeOf([1.5, , 2.5], Object.create(Array.prototype));
const other = { rare: 1, other: 2 };
const limits = { most: 10 };
let setting = 1;

exports.cases = [
  [{ x: 1 }, { y: 2, x: 1 }, function wrongMap(it) {
    return it.x; // deopt: wrong map
  }],
  [{ x: 1 }, 7, function smi(it) {
    return it.x; // deopt: Smi
  }],
  [1, 'one', function notASmi(it) {
    return it + 1; // deopt: not a Smi
  }],
  [1, 2147483647, function overflow(it) {
    return it + 1; // deopt: overflow
  }],
  [2, 0, function divisionByZero(it) {
    return 100 / it; // deopt: division by zero
  }],
  [2, 3, function lostPrecision(it) {
    return 100 / it; // deopt: lost precision|not int32
  }],
  [2, 0, function minusZero(it) {
    return it * -3; // deopt: minus zero
  }],
  [1, 1000, function outOfBounds(it) {
    return numbers[it]; // deopt: out of bounds
  }],
  [0, 1, function hole(it) {
    return doubles[it] + 0.5; // deopt: hole
  }],
  [1.5, 'text', function notANumber(it) {
    return it * 2.5; // deopt: not a Number|not a Number or Oddball
  }],
  ['text', 7, function notAString(it) {
    return it + 'end'; // deopt: not a String|Smi
  }],
  [Symbol.iterator, 'text', function notASymbol(it) {
    return it === marks[0]; // deopt: not a Symbol
  }],
  [Math.abs, Math.sign, function wrongCallTarget(it) {
    return it(-1); // deopt: wrong call target
  }],
  ['other', 'rare', function wrongName(it) {
    return other[it]; // deopt: wrong name|wrong value
  }],
  [0, 9, function outsideOfArguments(it) {
    return arguments[it]; // deopt: out of bounds|wrong map
  }],
  [1, -1, function rareProperty(it) {
    if (it > 0) return it;
    return other.rare; // deopt: Insufficient type feedback for generic named access
  }],
  [1, -1, function rareElement(it) {
    if (it > 0) return it;
    return numbers[it + 2 | 0]; // deopt: Insufficient type feedback for binary operation
  }],
  ['no', 'rare', function rareKey(it) {
    if (it === 'no') return it;
    return other[it]; // deopt: Insufficient type feedback for generic keyed access
  }],
  [1, -1, function rareCall(it) {
    if (it > 0) return it;
    return numbersOf(it); // deopt: Insufficient type feedback for call|Insufficient type feedback for generic global access
  }],
  [1, -1, function rareComparison(it) {
    if (it > 0) return it;
    return it < numbers; // deopt: Insufficient type feedback for compare operation
  }],
  [1, -1, function rareConstruction(it) {
    if (it > 0) return it;
    return new Thing(); // deopt: Insufficient type feedback for construct
  }],
  [1, -1, function rareNegation(it) {
    if (it > 0) return it;
    return -it; // deopt: Insufficient type feedback for unary operation|Insufficient type feedback for binary operation
  }],
  [1, -1, function rareLoop(it) {
    if (it > 0) return it;
    for (const key in other) return key; // deopt: Insufficient type feedback for for-in
  }],
  [1, -1, function rareArray(it) {
    if (it > 0) return it;
    return [it]; // deopt: Insufficient type feedback for array literal|Insufficient type feedback for generic keyed access
  }],
  [1, -1, function rareObject(it) {
    if (it > 0) return it;
    return { it }; // deopt: Insufficient type feedback for object literal|Insufficient type feedback for generic named access
  }],
];

function numbersOf() {
  return numbers;
}

class Thing {}

// What is given up for nothing.
exports.steady = {
  sum: (it) => it + setting,
  read: (it) => it + limits.most,
};
