// A small view in the style of most React code: components, hooks, handlers, lists.
import { memo, useCallback, useEffect, useState } from "react";

const format = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

function useInterval(callback, delay) {
  useEffect(() => {
    if (delay === null) return undefined;
    const id = setInterval(() => callback(), delay);
    return () => clearInterval(id);
  }, [callback, delay]);
}

export const Row = memo(function Row({ item, onPick }) {
  return (
    <li className={item.hot ? "hot" : undefined} onClick={() => onPick(item)}>
      <b>{item.name}</b> doesn't cost more than {format(item.cost)}
    </li>
  );
});

export function Table({ items, filter }) {
  const [picked, setPicked] = useState(null);
  const pick = useCallback(
    (item) => {
      setPicked(item.id);
    },
    [setPicked],
  );
  useInterval(() => setPicked(null), 1000);
  const shown = items.filter((item) => item.name.includes(filter));
  return (
    <section>
      {shown.length === 0 ? (
        <p>Nothing here</p>
      ) : (
        <ul>
          {shown.map((item) => (
            <Row key={item.id} item={item} onPick={pick} />
          ))}
        </ul>
      )}
      <footer>{picked && <span>{picked}</span>}</footer>
    </section>
  );
}

export default function App() {
  const [filter, setFilter] = useState("");
  async function save(event) {
    event.preventDefault();
    await fetch("/save", { method: "POST", body: filter });
  }
  return (
    <form onSubmit={save}>
      <input value={filter} onChange={(event) => setFilter(event.target.value)} />
      <Table items={[]} filter={filter} />
    </form>
  );
}
