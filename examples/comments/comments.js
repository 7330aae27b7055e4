// A thread of comments, each an answer to another: what a forum does before it shows a page.

import { render } from "./render.js";

/** A thread of answers to answers. */
function thread(depth, answers) {
  const replies = depth === 0 ? [] : Array.from({ length: answers(depth) }, () => thread(depth - 1, answers));
  return { text: `Comment **${depth}** with a [link](/c/${depth})`, votes: depth * 7, replies };
}

/** All votes below a comment. */
function votes(comment) {
  let sum = comment.votes;
  for (const reply of comment.replies) sum += votes(reply);
  return sum;
}

// Answers come one after the other, and two meet now and then: a thread is deep, not wide.
const threads = Array.from({ length: 24 }, () => thread(110, (depth) => (depth % 18 === 0 ? 2 : 1)));
let length = 0;
for (const top of threads) length += render(top).length + votes(top);
console.log(length);
