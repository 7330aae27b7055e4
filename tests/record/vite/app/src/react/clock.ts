import { useEffect, useState } from 'react';
import { burn } from '../work';

export interface Clock { ticks: number }

export function useClock(): Clock {
  burn({ ms: 2 });
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(function tick() {
      burn({ ms: 4 });
      setTicks((it: number) => it + 1);
    }, 100);
    return () => clearInterval(timer);
  }, []);
  return { ticks };
}
burn({ ms: 30 });
