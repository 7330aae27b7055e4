import { reactive } from 'vue';
import { burn } from '../work';

export function useRows<T extends { id: number; price: number }>(): T[] {
  burn({ ms: 20 });
  return reactive([1, 2].map((id) => ({ id, price: id * 3 }) as T)) as T[];
}
burn({ ms: 30 });
