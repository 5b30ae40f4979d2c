import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { callerOf, connectFleet, until } from '../support/stack/stack.ts';
import { median, percentile } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';

const responseSeconds = 3;
const count = 60;
/** Longer than the minute until a sweep, the second of grace, and the time to write. */
const patienceSeconds = 120;

/** P15: how late an escalation is on the local stack, with its wake and without. The settings shorten the response time to seconds. */
export const measure: Bench = async () => {
  const missing = missingForEmulators();
  if (missing) throw new Error(`${missing} is missing`);
  const stack = await startStack();
  try {
    await shortenResponse(stack);
    // Not measured: code that loads at its first use.
    await latenessOf(stack, 'warm', 20);
    const rung = await latenessOf(stack, 'rung', 100);
    await stack.stopPart('tasks');
    // Spread over the minute between two sweeps.
    const lost = await latenessOf(stack, 'lost', 60_000 / count);
    const note = (values: number[]) =>
      `${values.length} alerts, time at natural speed; median ${median(values).toFixed(2)} s`;
    const about = 'lateness of an escalation on the local stack';
    const unit = 's';
    return [
      rowOf({ id: 'P15', what: `${about}, p99`, unit, ours: percentile(rung, 0.99), goal: 2, note: note(rung) }),
      rowOf({
        id: 'P15',
        what: `${about} whose wake was lost, p99`,
        unit,
        ours: percentile(lost, 0.99),
        goal: 61,
        note: note(lost),
      }),
    ];
  } finally {
    await stack.stop();
  }
};

async function shortenResponse(stack: Stack): Promise<void> {
  const { call, get } = callerOf(stack);
  const { body } = await get('/v1/settings');
  const { version: _, ...settings } = body;
  const given = {
    ...settings,
    responseSeconds: { CRITICAL: responseSeconds, ERROR: responseSeconds, WARNING: responseSeconds },
  };
  const { status, body: answer } = await call('PUT', '/v1/settings', { body: given });
  if (status >= 300) throw new Error(`the settings were answered ${status}: ${JSON.stringify(answer)}`);
}

/** Seconds from the end of each alert's response time to its escalation, by the history of the alert. */
async function latenessOf(stack: Stack, name: string, everyMs: number): Promise<number[]> {
  const fleet = connectFleet(stack);
  const { get } = callerOf(stack);
  const devices = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (const deviceId of devices) {
    await fleet.send(deviceId, 'status', { memory: { usedPercent: 95 } });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await fleet.close();
  const lateness: number[] = [];
  for (const deviceId of devices) {
    const alert = await until(
      `the escalation for ${deviceId}`,
      async () => (await get(`/v1/devices/${deviceId}/alerts?status=escalated`)).body.alerts?.[0],
      patienceSeconds,
    );
    const { body } = await get(`/v1/alerts/${alert.alertId}/history`);
    const entry = body.entries.find(({ to }: { to: string }) => to === 'escalated');
    lateness.push((Date.parse(entry.at) - Date.parse(body.entries[0].at)) / 1000 - responseSeconds);
  }
  return lateness;
}
