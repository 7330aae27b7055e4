// A text is made an array and joined again for every character.
function escape(text) {
  let result = "";
  for (let i = 0; i < text.length; i++) {
    result = [...result.slice(-600), text[i] === "<" ? "&lt;" : text[i]].join(""); // planted
  }
  return result;
}

function page(title, body) {
  return `<h1>${title}</h1>${body}`;
}

console.log(page("x", escape("some <b>bold</b> text ".repeat(900))).length);
