/**
 * The service worker: keeps the console's own files, so that it opens without a network. It keeps nothing that was read from the service, and nothing
 * of a person: what was last known of the fleet belongs to its tab.
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
/** Files whose content changes under their name: the network is asked first. */
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

/** A file from the network; the kept one where nothing answers, or only a proxy that says so. */
async function fresh(request: Request, pathname: string): Promise<Response> {
  const response = await fetch(request).catch(() => null);
  return response && response.status < 500 ? response : kept(pathname);
}

/** A kept file; from the network where the browser has dropped it. */
async function kept(pathname: string): Promise<Response> {
  return (await (await caches.open(cacheName)).match(pathname)) ?? fetch(pathname);
}
