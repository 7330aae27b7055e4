// A comment and all answers to it, as HTML.

const bold = (text) => text.replace(/\*\*(.+?)\*\*/g, "<b>$1</b>"), linked = (text) => text.replace(/\[(.+?)\]\((.+?)\)/g, '<a href="$2">$1</a>');

/** Calls itself for each answer. */
export function render(comment) {
  const body = linked(bold(escaped(comment.text)));
  return `<article><p>${body}</p>${comment.replies.map(render).join("")}</article>`;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
