/**
 * The service worker: keeps the console's own files, so that it opens without a network. It keeps no answers of the
 * service and nothing about a person. The last known state of the fleet is kept by each tab (`client/last-known.ts`).
 */

/** Paths of all files of this build. The build writes them here, so that each build is a new worker with a cache of its own. */
declare const __FILES__: readonly string[];

type Extendable = Event & { waitUntil(work: Promise<unknown>): void };
type Asked = Event & { request: Request; respondWith(answer: Promise<Response>): void };
const worker = globalThis as unknown as EventTarget & {
  location: Location;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

const files = __FILES__;
const cacheName = `console ${files.join(' ')}`;
/** Files whose content can change while their name stays: the network is asked first. */
const changing = ['/', '/config.json'];

worker.addEventListener('install', (event) => {
  (event as Extendable).waitUntil(keepFiles());
});

worker.addEventListener('activate', (event) => {
  (event as Extendable).waitUntil(Promise.all([dropOthers(), worker.clients.claim()]));
});

worker.addEventListener('fetch', (event) => {
  const asked = event as Asked;
  const { method, url } = asked.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== worker.location.origin) return;
  if (changing.includes(pathname)) asked.respondWith(fresh(asked.request, pathname));
  else if (files.includes(pathname)) asked.respondWith(kept(pathname));
});

async function keepFiles(): Promise<void> {
  await (await caches.open(cacheName)).addAll([...changing, ...files]);
  await worker.skipWaiting();
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
}

/**
 * A file from the network. The kept file if nothing answers, or if the answer is 5xx, for example because a proxy
 * reaches no server.
 */
async function fresh(request: Request, pathname: string): Promise<Response> {
  const response = await fetch(request).catch(() => null);
  return response && response.status < 500 ? response : kept(pathname);
}

/** A kept file. If the browser has dropped it, the file from the network. */
async function kept(pathname: string): Promise<Response> {
  return (await (await caches.open(cacheName)).match(pathname)) ?? fetch(pathname);
}
