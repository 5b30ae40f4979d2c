import { type Client, type Schemas, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Command } from '../command.ts';
import { wholeIdOf } from '../short-ids.ts';
import { type Answer, type DeviceFacts, seenOfAlert, seenOfIncident, whyDevice, whyTold } from '../why.ts';

const absence = 'CONN_001';

/** Null: the service does not know the record. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WatchpostError && error.status === 404) return null;
    throw error;
  }
}

type Asked = { api: Client; given: string; signal: AbortSignal };

async function ofDevice({ api, given, signal }: Asked): Promise<Answer | null> {
  const params = { deviceId: given };
  const found = await unlessMissing(api.call('getDevice', { params, signal }));
  if (!found) return null;
  const device = found.data;
  const alertId = device.openAlerts.find(({ code }) => code === absence)?.alertId;
  const [activity, fleet, alert] = await Promise.all([
    api.call('listDeviceActivity', { params, query: { pageSize: 200 }, signal }),
    api.call('getFleet', { signal }),
    alertId === undefined ? null : unlessMissing(api.call('getAlert', { params: { alertId }, signal })),
  ]);
  const presence = activity.data.entries.filter(({ kind }) => kind === 'presence');
  const incident = await incidentOf({ api, given, signal }, alert?.data ?? null);
  const { platform } = fleet.data;
  const facts: DeviceFacts = { device, presence, alert: alert?.data ?? null, incident, platform };
  return whyDevice(facts);
}

async function incidentOf({ api, signal }: Asked, alert: Schemas['Alert'] | null): Promise<Schemas['Incident'] | null> {
  if (!alert?.incidentId) return null;
  const found = await unlessMissing(api.call('getIncident', { params: { incidentId: alert.incidentId }, signal }));
  return found && found.data.resolvedAt === null ? found.data : null;
}

async function ofAlert({ api, given, signal }: Asked): Promise<Answer | null> {
  const params = { alertId: await wholeIdOf(api, 'alertId', given, signal) };
  const { data: alert } = await api.call('getAlert', { params, signal });
  const { data } = await api.call('explainAlert', { params, signal });
  return whyTold(`${alert.code} of ${alert.deviceName ?? alert.deviceId}`, seenOfAlert(alert), data);
}

async function ofIncident({ api, given, signal }: Asked): Promise<Answer | null> {
  const params = { incidentId: await wholeIdOf(api, 'incidentId', given, signal) };
  const { data: incident } = await api.call('getIncident', { params, signal });
  const { data } = await api.call('explainIncident', { params, signal });
  return whyTold(`the incident "${incident.title}"`, seenOfIncident(incident), data);
}

export const whyCommands: readonly Command[] = [
  {
    name: 'why',
    about:
      'says in one sentence why a camera is silent, or why people were told of an alert or incident, and its evidence',
    operands: { shown: 'DEVICE_ID|ALERT_ID|INCIDENT_ID', least: 1, most: 1 },
    async run({ operands: [given = ''], client, print, terminal }) {
      const asked = { api: client(), given, signal: terminal.signal };
      for (const answerOf of [ofDevice, ofAlert, ofIncident]) {
        const answer = await unlessMissing(answerOf(asked));
        if (!answer) continue;
        print.sentences(answer, [answer.sentence, ...answer.evidence.map((line) => `- ${line}`)]);
        return true;
      }
      const detail = `There is no camera, alert or incident ${given}: "watchpost devices list" and "watchpost shift" show them.`;
      throw new WatchpostError({ code: 'not-found', status: 404, title: 'Not found', detail });
    },
  },
];
