import { type AlertCommand, actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../shared/app/bearer.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { lookAtOutages } from '../../../shared/app/outages/look.ts';
import type { AlertRecord } from '../../../shared/domain/alert/alert.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { plus } from '../../../shared/domain/time.ts';
import { ana } from '../records/alerts.ts';
import { message } from '../records/reports.ts';
import { frames } from './frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from './world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
type Given = Partial<Message> & { deviceId?: string };

/** Plays a timeline of cameras: their messages at given seconds and people's actions. Then reads the resulting state. */
export function createTimeline(world: TestWorld = createTestWorld()) {
  const alerts = async (deviceId = 'cam-1'): Promise<AlertRecord[]> => {
    const found = await world.store.find({ in: 'alerts', limit: 10_000 });
    return found.flatMap(({ data }) => (data.deviceId === deviceId ? [data] : []));
  };
  const passTo = (seconds: number) => {
    const ahead = (Date.parse(plus(startOfTests, seconds * 1000)) - Date.parse(world.now())) / 1000;
    if (ahead < 0) throw new Error(`time does not run back to ${seconds}`);
    world.pass(ahead);
  };
  /** What the sweep of the minute does with new losses. */
  const look = () =>
    lookAtOutages(world, { horizonAt: world.now(), state: 'sees', incidentId: null }, plus(world.now(), 45_000));
  /** Advances the clock, and handles every wake at its time. */
  const until = async (seconds: number) => {
    const end = plus(startOfTests, seconds * 1000);
    for (;;) {
      const due = world.wakes.filter(({ dueAt }) => dueAt <= end).toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1))[0];
      if (!due) break;
      world.wakes.splice(world.wakes.indexOf(due), 1);
      if (due.dueAt > world.now()) world.pass((Date.parse(due.dueAt) - Date.parse(world.now())) / 1000);
      if (isDueKind(due.in)) await handleDue(world, due.in, due.id);
      if (due.in === 'devices') await look();
    }
    passTo(seconds);
  };
  return {
    world,
    look,
    until,
    alerts,
    /** A device sends a message at a second. */
    async says(seconds: number, kind: string, body: unknown, given: Given = {}) {
      await until(seconds);
      await takeMessage(world, message(kind, body, { publishTime: world.now(), ...given }), intake);
    },
    /** A message that was published at a second is handled now. */
    async arrives(seconds: number, kind: string, body: unknown, given: Given = {}) {
      const publishTime = plus(startOfTests, seconds * 1000);
      await takeMessage(world, message(kind, body, { publishTime, ...given }), intake);
    },
    /** Passes the minutes one by one, each with a sweep. */
    async sweptUntil(seconds: number) {
      const now = () => (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;
      for (let next = Math.floor(now() / 60) * 60 + 60; next <= seconds; next += 60) {
        await until(next);
        await sweep(world);
      }
    },
    /** A person acts on the newest alert of a code. */
    async acts(code: string, command: AlertCommand, bearer: Bearer = ana) {
      const found = (await alerts())
        .filter((alert) => alert.code === code)
        .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
      const alertId = found.at(-1)?.alertId ?? '';
      return (await actOnAlert(world, bearer, alertId, command, null)).alert;
    },
    /** Codes with states, without informational alerts: `RES_001 active`. */
    async states(deviceId = 'cam-1'): Promise<string[]> {
      const found = (await alerts(deviceId)).filter(({ severity }) => severity !== 'INFO');
      return found.map(({ code, status }) => `${code} ${status}`).toSorted();
    },
    async openCodes(deviceId = 'cam-1'): Promise<string[]> {
      return (await alerts(deviceId)).flatMap(({ isOpen, code }) => (isOpen ? [code] : [])).toSorted();
    },
    async device(deviceId = 'cam-1') {
      return (await world.store.get('devices', [deviceId]))[0]?.data ?? null;
    },
    async trail(code: string) {
      const ids = new Set((await alerts()).flatMap((alert) => (alert.code === code ? [alert.alertId] : [])));
      const found = await world.store.find({ in: 'audit', limit: 10_000 });
      return found.map(({ data }) => data).filter(({ alertId }) => ids.has(alertId));
    },
    async quarantined() {
      return (await world.store.find({ in: 'quarantine', limit: 1000 })).map(({ data }) => data);
    },
    async activity(kind: string) {
      return (await world.store.find({ in: 'activity', limit: 1000 }))
        .map(({ data }) => data)
        .filter((each) => each.kind === kind);
    },
  };
}

export const minute = 60;
export const hour = 3600;
export const at = (seconds: number) => plus(startOfTests, seconds * 1000);
