import { burn } from '../work';

interface Row<T> { value: T }

export const List = ({ values }: { values: number[] }) => {
  burn({ ms: 4 });
  return <ul>{values.map((value) => <li key={value}>{format({ value })}</li>)}</ul>;
};

function format<T extends number>(row: Row<T>): string {
  burn({ ms: 2 });
  return row.value.toFixed(2);
}
burn({ ms: 30 });
