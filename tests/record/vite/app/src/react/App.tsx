import { useEffect, useState } from 'react';
import { burn } from '../work';
import { total } from '../lib/cart';
import { List } from './List';
import { useClock, type Clock } from './clock';

type Props = { title: string; items?: number[] };

export default function App({ title }: Props) {
  burn({ ms: 4 });
  const clock: Clock = useClock();
  const [rows, setRows] = useState<number[]>([]);
  useEffect(function fillRows() {
    burn({ ms: 20 });
    setRows([1, 2, 3]);
  }, []);
  return (
    <main>
      <h1>{title} {clock.ticks} {total(rows)}</h1>
      <List values={rows} />
    </main>
  );
}
burn({ ms: 30 });
