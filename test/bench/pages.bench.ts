import { compressed } from '../../functions/api/compression.ts';
import { createPageTokens } from '../../shared/adapters/auth/page-tokens.ts';
import { listAlerts } from '../../shared/app/alerts/list.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { World } from '../../shared/app/ports.ts';
import type { AlertRecord } from '../../shared/domain/alert/alert.ts';
import { plus } from '../../shared/domain/time.ts';
import type { AlertsQuery } from '../../shared/schema/alert/alert.ts';
import { ana } from '../support/records/alerts.ts';
import { message } from '../support/records/reports.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../support/world/world.ts';
import { median } from './frame/measure.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { createIndexedAlerts, type Scanned } from './indexed-alerts.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const small = 1000;
const large = { tiny: 10_000, quick: 1_000_000, full: 1_000_000 };

/** Lists that operators request. The first page and a page far behind it are measured. */
const lists: Record<string, AlertsQuery> = {
  'what is open': {},
  'everything, oldest first': { status: ['all'], orderBy: 'timestamp asc' },
  'one camera': { status: ['all'], deviceId: ['camera-3'] },
  'one group, open': { groupId: ['group-3'] },
  'three groups, resolved, warnings': {
    groupId: ['group-1', 'group-2', 'group-3'],
    status: ['resolved'],
    severity: ['WARNING'],
  },
};
const pageSize = 50;
const pagesBehind = 20;

/** P12: what a page of 50 reads, at a thousand alerts and at a million. Counted, not timed. */
export const measure: Bench = async ({ size }) => {
  const templates = await realAlerts();
  const few = await readAll(small, templates);
  const many = await readAll(large[size], templates);
  const ours = Math.max(...[...few, ...many].map(({ documents }) => documents));
  const entries = (pages: Page[]) => Math.max(...pages.map(({ indexEntries }) => indexEntries));
  const single = (pages: Page[]) => entries(pages.filter(({ indexesMerged }) => indexesMerged <= 1));
  const most = (of: 'bytes' | 'compressedBytes') => Math.max(...many.map((page) => page[of]));
  const rows: Row[] = [
    rowOf({
      id: 'P12',
      what: `documents read for a page of ${pageSize} of ${large[size].toLocaleString('en-US')} alerts`,
      unit: '',
      ours,
      beside: [{ name: `of ${small} alerts`, value: Math.max(...few.map(({ documents }) => documents)) }],
      goal: pageSize + 1,
      note: `the most of ${many.length} pages; index entries at most ${single(many)} where one index serves the list, ${entries(many)} where several are merged (${single(few)} and ${entries(few)} of ${small})`,
    }),
    rowOf({
      id: 'P12',
      what: `bytes of a page of ${pageSize} to a caller that takes gzip`,
      unit: 'KB',
      ours: most('compressedBytes') / 1024,
      beside: [{ name: 'uncompressed', value: most('bytes') / 1024 }],
      goal: 25,
      note: `gzip at the API's level; ${(median(many.map(({ compressedBytes }) => compressedBytes)) / pageSize).toFixed(0)} bytes for each alert`,
    }),
  ];
  return rows;
};

type Page = Scanned & { bytes: number; compressedBytes: number };

async function readAll(size: number, templates: readonly AlertRecord[]): Promise<Page[]> {
  const pages: Page[] = [];
  const { store, scanned } = createIndexedAlerts(size, templates);
  // Not measured: only the first page contains counts, which have their own cost.
  const world = { store: { ...store, count: async () => 0 } } as unknown as World;
  for (const [name, query] of Object.entries(lists)) {
    let pageToken: string | undefined;
    for (let page = 0; page <= pagesBehind; page += 1) {
      Object.assign(scanned, { documents: 0, indexEntries: 0, indexesMerged: 0 });
      const body = await listAlerts(world, ana, { ...query, pageSize, ...(pageToken ? { pageToken } : {}) }, tokens);
      if (page === 0 && body.alerts.length === 0) throw new Error(`${name} is empty among ${size}`);
      if (page === 0 || page === pagesBehind) {
        const text = JSON.stringify(body);
        const compressedBytes = compressed(text, 'alerts:read', 'gzip')?.length ?? text.length;
        pages.push({ ...scanned, bytes: Buffer.byteLength(text), compressedBytes });
      }
      pageToken = body.nextPageToken;
      if (!pageToken) break;
    }
  }
  return pages;
}

/** Alerts that were opened by reports. */
async function realAlerts(): Promise<AlertRecord[]> {
  const world = createTestWorld();
  const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
  const bad = {
    memory: { usedPercent: 97 },
    storage: { freeMegabytes: 20 },
    certificate: { valid: true, notAfter: plus(startOfTests, 86_400_000) },
    auth: { failedAttempts: 12, window: '5m' },
  };
  for (let minute = 0; minute < 3; minute += 1) {
    const publishTime = plus(startOfTests, minute * 60_000);
    await takeMessage(world, message('status', bad, { deviceId: 'camera-1', publishTime }), intake);
  }
  const found = await world.store.find({ in: 'alerts', limit: 100 });
  if (found.length < 3) throw new Error(`only ${found.length} alerts came of the reports`);
  return found.map(({ data }) => data);
}
