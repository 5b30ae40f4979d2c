import { type Client, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Command } from '../command.ts';
import { wholeIdOf } from '../short-ids.ts';
import { type Answer, seenOfAlert, seenOfIncident, whyDevice, whyTold } from '../why.ts';

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
  const { data } = await api.call('explainDevice', { params: { deviceId: given }, signal });
  return whyDevice(data);
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
