import type { Alert } from '../../../shared/schema/alert/alert.ts';

/**
 * Runs inside the page: a small service that replaces the network. Self-contained, because it is sent to the browser as text. The page's waiting
 * times are divided by ten, so that changes arrive between two keys.
 */
export function makeLively(): void {
  const alerts: Alert[] = [];
  const encoder = new TextEncoder();
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const json = (body: unknown, status = 200) =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ETag: '"1"' } });
  const actions: Record<string, Alert['availableActions']> = {
    active: ['acknowledge', 'resolve', 'snooze', 'view-history'],
    acknowledged: ['resolve', 'add-note', 'view-history'],
    resolved: ['view-history', 'reopen'],
  };
  const set = (alert: Alert, status: Alert['status']) =>
    Object.assign(alert, { status, availableActions: actions[status] });
  const report = (alert: Alert) => {
    stream?.enqueue(encoder.encode(`event: alert\ndata: ${JSON.stringify({ alert })}\n\n`));
  };
  const change = (id: string, action: string) => {
    const alert = alerts.find(({ alertId }) => alertId === id);
    if (!alert) return null;
    if (action === 'acknowledge') set(alert, 'acknowledged');
    if (action === 'resolve') set(alert, 'resolved');
    report(alert);
    return alert;
  };
  const list = (query: URLSearchParams) => {
    const severities = query.getAll('severity');
    const shown = alerts.filter(
      ({ groupId, severity, status }) =>
        groupId === query.get('groupId') &&
        status !== 'resolved' &&
        (severities.length === 0 || severities.includes(severity)),
    );
    return json({ alerts: shown.toReversed() });
  };
  const send = globalThis.fetch;
  globalThis.fetch = async (address, init) => {
    const url = new URL(String(address), location.href);
    if (!url.pathname.startsWith('/v1/') || url.pathname === '/v1/me') return send(address, init);
    if (url.pathname === '/v1/stream') {
      const start = (control: ReadableStreamDefaultController<Uint8Array>) => {
        stream = control;
      };
      return new Response(new ReadableStream({ start }));
    }
    if (url.pathname === '/v1/alerts') return list(url.searchParams);
    const [, id = '', action] = /^\/v1\/alerts\/([^/]+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    const body = JSON.parse(String(init?.body ?? '{}')) as { action?: string; alertIds?: string[] };
    if (id === 'batch') {
      const results = (body.alertIds ?? []).map((alertId) => ({
        alertId,
        status: 200,
        alert: change(alertId, body.action ?? ''),
      }));
      return json({ results });
    }
    if (init?.method === 'POST' && action) return json(change(id, action));
    const alert = alerts.find(({ alertId }) => alertId === id);
    return alert && !action ? json(alert) : json({ title: 'Not here', status: 501 }, 501);
  };
  const wait = globalThis.setTimeout;
  const hurried = (work: () => void, ms = 0, ...rest: unknown[]) => wait(work, ms / 10, ...rest);
  Object.assign(globalThis, { setTimeout: hurried, service: { alerts, set, report } });
}

/** Runs inside the page: the random actions of a fast operator and changes by the service. */
export async function liveRun({ seed, steps }: { seed: number; steps: number }): Promise<void> {
  type Service = { alerts: Alert[]; set(alert: Alert, status: Alert['status']): Alert; report(alert: Alert): void };
  const page = globalThis as unknown as { service: Service; witnessed: unknown[] };
  const { service } = page;
  const group = `run-${seed}`;
  let state = seed >>> 0;
  const chance = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(chance() * items.length)];
  // `makeLively` divides this time by ten.
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms * 10));
  const mine = () => service.alerts.filter(({ groupId }) => groupId === group);
  const arrive = () => {
    const number = service.alerts.length;
    const row: Alert = {
      alertId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      deviceId: `cam-${number}`,
      deviceName: null,
      groupId: group,
      site: null,
      incidentId: null,
      code: 'CONN_001',
      severity: pick(['CRITICAL', 'ERROR', 'WARNING'] as const) ?? 'ERROR',
      category: 'connectivity',
      message: `alert ${number}`,
      timestamp: new Date(1_700_000_000_000 + number * 1000).toISOString(),
      context: {},
      resolved: false,
      resolvedAt: null,
      status: 'active',
      availableActions: [],
      occurrences: 1,
      lastSeenAt: new Date(1_700_000_000_000).toISOString(),
      priority: null,
      team: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      escalatedAt: null,
      snoozedUntil: null,
      respondBy: null,
      resolution: null,
      flapping: false,
      worsenedAt: null,
      maintenance: null,
    };
    service.alerts.push(row);
    service.report(service.set(row, 'active'));
  };
  const press = (key: string) => {
    const target = document.activeElement ?? document.body;
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    if (target.dispatchEvent(event) && key === 'Enter' && target instanceof HTMLElement) target.click();
  };
  const click = (selector: string) => pick([...document.querySelectorAll<HTMLElement>(selector)])?.click();
  const answerDialog = async () => {
    for (let tries = 0; tries < 20 && !document.querySelector('dialog[open]'); tries += 1) await pause(2);
    if (chance() < 0.4) arrive();
    await pause(chance() * 60);
    if (chance() < 0.7)
      document.querySelector<HTMLElement>('dialog[open] :is(.choices button, footer .primary)')?.click();
    await pause(5);
    for (let tries = 0; tries < 200 && document.querySelector('dialog[open]'); tries += 1) {
      document
        .querySelector('dialog[open] button')
        ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      await pause(2);
    }
  };
  for (let count = 3 + Math.floor(chance() * 6); count > 0; count -= 1) arrive();
  location.hash = `#/alerts?groupId=${group}`;
  for (
    let tries = 0;
    tries < 500 && !document.querySelector('.list-pane .where')?.textContent?.includes(group);
    tries += 1
  )
    await pause(2);
  const keys = ['j', 'j', 'j', 'k', 'ArrowDown', 'ArrowUp', 'x', 'a', 'a', 'a', 's', 'r', 'Escape', 'Enter', 'd'];
  for (let step = 0; step < steps; step += 1) {
    const turn = chance();
    if (turn < 0.6) {
      const key = pick(keys) ?? 'j';
      press(key);
      if (key === 's' || key === 'r') await answerDialog();
    } else if (turn < 0.74) arrive();
    else if (turn < 0.82) {
      const row = pick(mine());
      if (row) service.report(service.set(row, pick(['resolved', 'acknowledged'] as const) ?? 'resolved'));
    } else if (turn < 0.9) click('.list-pane .pick input');
    else if (turn < 0.93) click('.severity-picks button');
    else await pause(60);
    await pause(chance() < 0.5 ? 0 : chance() * 20);
  }
  page.witnessed.push({ kind: 'run', seed });
}
