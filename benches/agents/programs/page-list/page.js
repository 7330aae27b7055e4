// A page that writes its list anew for each of its entries.
function label(number) {
  return `Entry ${number}: ${"*".repeat(number % 20)}`;
}

function show(list, count) { // planted
  let html = "";
  for (let i = 0; i < count; i++) {
    html += `<li>${label(i)}</li>`;
    list.innerHTML = html;
  }
}

const list = document.querySelector("#list");
setInterval(() => show(list, 250), 20);
