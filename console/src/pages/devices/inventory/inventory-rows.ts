import type { Device } from '../../../../../shared/schema/device/device.ts';

/** Cameras whose certificates end in one period. */
export type Due = { name: string; isOver: boolean; devices: Device[] };

const dayMs = 24 * 60 * 60_000;
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** When certificates end: expired ones, those of the next 7 days, then month by month (UTC), soonest first. */
export function certificatesByTime(devices: readonly Device[], now: number): { due: Due[]; unknown: number } {
  const dated = devices.flatMap((device) => {
    const { certificateEndsAt } = device;
    return certificateEndsAt === null ? [] : [{ device, endsAt: Date.parse(certificateEndsAt) }];
  });
  dated.sort((a, b) => a.endsAt - b.endsAt);
  const groups = Map.groupBy(dated, ({ endsAt }) => spanOf(endsAt, now));
  const due = [...groups].map(([name, rows]) => ({
    name,
    isOver: name === over,
    devices: rows.map(({ device }) => device),
  }));
  return { due, unknown: devices.length - dated.length };
}

const over = 'Over';

function spanOf(endsAt: number, now: number): string {
  if (endsAt <= now) return over;
  if (endsAt <= now + 7 * dayMs) return 'In the next 7 days';
  return month.format(endsAt);
}

/** Firmware of one model: the number of cameras per version, the most common first. */
export type Versions = { model: string; total: number; versions: { firmware: string | null; count: number }[] };

export function firmwareByModel(devices: readonly Device[]): Versions[] {
  const models = Map.groupBy(devices, ({ model }) => model ?? '');
  return [...models]
    .map(([model, of]) => ({
      model,
      total: of.length,
      versions: [...Map.groupBy(of, ({ firmware }) => firmware)]
        .map(([firmware, { length: count }]) => ({ firmware, count }))
        .toSorted((a, b) => b.count - a.count || (a.firmware ?? '').localeCompare(b.firmware ?? '')),
    }))
    .toSorted((a, b) => b.total - a.total || a.model.localeCompare(b.model));
}
