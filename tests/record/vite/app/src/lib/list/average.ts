import { burn } from '../../work';
import { sum } from './sum.mjs';

/** Of no values it is 0. */
export const average = (values: number[]): number => {
  burn({ ms: 2 });
  return values.length ? sum(values) / values.length : 0;
};
burn({ ms: 30 });
