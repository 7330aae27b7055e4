import { burn } from '../../work';

export function tax(price) {
  burn({ ms: 2 });
  return price * 1.2;
}
burn({ ms: 30 });
