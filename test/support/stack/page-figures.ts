import type { CDPSession, Page } from 'playwright-core';

/** What a browser itself measures of a page. */
export type Figures = {
  /** The slowest interactions, from the input to the next frame: milliseconds, with the kind of input and the page. */
  interactions: { ms: number; what: string }[];
  /** Tasks that held the page for 50 ms or more, milliseconds. */
  longTasks: number[];
};

/** Lets a page measure itself from its beginning. Call it before the page is opened. */
export async function measure(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const figures: Figures = { interactions: [], longTasks: [] };
    type Figures = { interactions: { ms: number; what: string }[]; longTasks: number[] };
    Object.assign(globalThis, { figures });
    const keys = new Map<number, string>();
    for (const type of ['keydown', 'keyup'] as const) {
      addEventListener(type, ({ timeStamp, key }) => keys.set(timeStamp, key), true);
    }
    const seen = (entries: PerformanceObserverEntryList) => {
      for (const entry of entries.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
        if (entry.entryType === 'longtask') figures.longTasks.push(Math.round(entry.duration));
        else if (entry.interactionId) {
          const { startTime, processingStart, processingEnd, duration } = entry as PerformanceEventTiming;
          const parts = [
            processingStart - startTime,
            processingEnd - processingStart,
            startTime + duration - processingEnd,
          ];
          const what = `${entry.name} ${keys.get(startTime) ?? ''} ${location.hash.slice(0, 40)}`;
          figures.interactions.push({ ms: duration, what: `${what} (waits, runs, paints: ${parts.map(Math.round)})` });
        }
      }
    };
    new PerformanceObserver(seen).observe({ type: 'longtask', buffered: true });
    // 16 ms is the least that a browser reports.
    new PerformanceObserver(seen).observe({ type: 'event', durationThreshold: 16, buffered: true } as never);
  });
}

/** The figures since they were last taken. */
export function figuresOf(page: Page): Promise<Figures> {
  return page.evaluate(() => {
    const { figures } = globalThis as unknown as { figures: Figures };
    type Figures = { interactions: { ms: number; what: string }[]; longTasks: number[] };
    const { interactions, longTasks } = figures;
    return {
      interactions: interactions.splice(0).toSorted((a, b) => b.ms - a.ms),
      longTasks: longTasks.splice(0).toSorted((a, b) => b - a),
    };
  });
}

/** The JavaScript heap of a page after a garbage collection, MiB. */
export async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

/** Counts the requests of a page to the API, and the bytes of the answers. */
export async function watchNetwork(session: CDPSession) {
  const counted = { requests: new Map<string, number>(), streams: 0, bytes: 0 };
  const ours = new Set<string>();
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
    const { pathname } = new URL(url);
    if (!pathname.startsWith('/v1/')) return;
    ours.add(requestId);
    if (pathname === '/v1/stream') counted.streams += 1;
    else counted.requests.set(pathname, (counted.requests.get(pathname) ?? 0) + 1);
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength, dataLength }) => {
    if (ours.has(requestId)) counted.bytes += encodedDataLength > 0 ? encodedDataLength : dataLength;
  });
  return {
    /** What was counted since it was last taken. */
    take() {
      const { streams, bytes } = counted;
      const byPath = Object.fromEntries(counted.requests);
      const requests = [...counted.requests.values()].reduce((sum, count) => sum + count, 0);
      counted.requests.clear();
      Object.assign(counted, { streams: 0, bytes: 0 });
      return { requests, streams, bytes, byPath };
    },
  };
}
