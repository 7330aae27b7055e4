// Measures a share of a page's sessions in the browsers of its users, and sends what was measured to `proflens collect`.
// Nothing happens where the browser has no JS Self-Profiling, or the page came without this header:
//
//     Document-Policy: js-profiling

/** https://wicg.github.io/js-self-profiling/, which TypeScript does not know. */
interface SelfProfiler extends EventTarget {
  stop(): Promise<{ samples: object[] }>;
}
declare const Profiler: (new (options: { sampleInterval: number; maxBufferSize: number }) => SelfProfiler) | undefined;

export interface Options {
  /** Where `proflens collect` is reached: `https://traces.example/v1/traces`. */
  to: string;
  /** The share of sessions that are measured, from 0 to 1. */
  share: number;
  /** What is to be known of each trace, such as its page and release. */
  dimensions?: Record<string, string>;
}

/** Measures this page whenever it is visible, if its session is one of the share. */
export function measure({ to, share, dimensions = {} }: Options): void {
  if (typeof Profiler === "undefined" || !isChosen(share)) return;
  const Start = Profiler;
  let profiler: SelfProfiler | undefined;

  const start = () => {
    try {
      // Samples of one minute: compressed, they fit into a beacon, which holds 64 kB.
      profiler ??= new Start({ sampleInterval: 10, maxBufferSize: 6_000 });
      profiler.addEventListener("samplebufferfull", () => void send().then(start), { once: true });
    } catch {
      // The page came without the header.
    }
  };

  const send = async () => {
    const trace = await take();
    if (!trace || trace.samples.length === 0) return;
    const json = new Blob([JSON.stringify({ dimensions, trace })]);
    // A body without a type is sent at once: browsers ask no leave for it first.
    const body = await new Response(json.stream().pipeThrough(new CompressionStream("gzip"))).blob();
    if (!navigator.sendBeacon(to, body)) await fetch(to, { method: "POST", mode: "no-cors", body }).catch(() => undefined);
  };

  const take = () => {
    const ended = profiler?.stop();
    profiler = undefined;
    return ended;
  };

  // The last event that a page is sure to get, also on phones.
  document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? void send() : start()));
  start();
}

/** Drawn once a session, so that all pages of a session are measured or none. */
function isChosen(share: number): boolean {
  try {
    const drawn = sessionStorage.getItem("proflens") ?? String(Math.random());
    sessionStorage.setItem("proflens", drawn);
    return Number(drawn) < share;
  } catch {
    return Math.random() < share; // the user allows no storage
  }
}
