import type { PubSub } from '@google-cloud/pubsub';
import { topics } from '../../../local/cloud/environment.ts';
import { connectPubSub } from '../../../local/cloud/push/client.ts';
import type { Stack } from '../../../local/stack/stack.ts';
import { detection } from '../records/detections.ts';
import type { Life, PlannedReport, Step } from './life.ts';
import { callerOf } from './stack.ts';

/** The environment of lives: messages are published like a bridge does, actions are requests like those of the console. */
export type Stage = {
  live(life: Life): Promise<void>;
  /** Sends an unchanged report of a device whose life has ended, so that it does not become silent. */
  keepAlive(life: Life): Promise<void>;
  /** Sent copies, and snoozes that were refused because the alert had already escalated. */
  counts: { messages: number; overtaken: number };
  close(): Promise<void>;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pollMs = 700;
const patienceMs = 5 * 60_000;
const snoozeSeconds = 3;

/** @param pass is called with each sent event and awaited before the next step */
export function openStage(stack: Stack, pass: () => Promise<void>): Stage {
  const { projectId, pubsubHost } = stack.run;
  const client = connectPubSub(projectId, pubsubHost ?? '');
  const counts = { messages: 0, overtaken: 0 };
  const publish = createPublish(client, counts);
  const act = createAct(stack, counts);
  const startedMs = Date.now();
  return {
    counts,
    async live(life) {
      const sent: Promise<unknown>[] = [];
      let seq = 0;
      for (const step of life.steps) {
        if (step.kind === 'action') {
          await act(life, step, seq);
          await pass();
          continue;
        }
        if (step.kind === 'reports') seq = step.reports.at(-1)?.seq ?? seq;
        const messages = messagesOf(life, step, startedMs);
        for (const { kind, body, copyDelaysMs } of messages) sent.push(publish(life, kind, body, copyDelaysMs));
        await Promise.all(messages.map(pass));
        await pause(200);
      }
      await Promise.all(sent);
    },
    keepAlive: (life) => publish(life, 'status', { bootId: 'kept-alive', uptimeSeconds: 1 }, [0]),
    close: () => client.close(),
  };
}

function createPublish(client: PubSub, counts: Stage['counts']) {
  const inOrder = client.topic(topics.messages, { messageOrdering: true });
  const anyhow = client.topic(topics.messages);
  /** For a life in order, the first copy is sent without its delay, so that it keeps its place. */
  return async ({ deviceId, isInOrder }: Life, kind: string, body: object, delaysMs: number[]): Promise<void> => {
    const data = Buffer.from(JSON.stringify(body));
    const attributes = { deviceId, kind };
    const send = (delayMs: number) => {
      counts.messages += 1;
      if (!isInOrder) return pause(delayMs).then(() => anyhow.publishMessage({ data, attributes }));
      return (delayMs > 0 ? pause(delayMs) : Promise.resolve()).then(() =>
        inOrder.publishMessage({ data, attributes, orderingKey: deviceId }),
      );
    };
    const [first = 0, ...others] = delaysMs;
    await Promise.all([send(isInOrder ? 0 : first), ...others.map(send)]);
  };
}

function messagesOf(life: Life, step: Exclude<Step, { kind: 'action' }>, startedMs: number) {
  if (step.kind === 'reports') {
    return step.reports.map((report) => ({
      kind: 'status',
      body: statusOf(life, report, startedMs),
      copyDelaysMs: report.copyDelaysMs,
    }));
  }
  if (step.kind === 'detections') {
    return step.sessions.map(({ id, copyDelaysMs }) => ({ kind: 'detection', body: detection(id), copyDelaysMs }));
  }
  const timestamp = new Date(startedMs + step.number * 1000).toISOString();
  return [{ kind: 'event', body: { type: 'config_updated', timestamp }, copyDelaysMs: step.copyDelaysMs }];
}

/** Its firmware version shows which report was handled last. */
function statusOf({ groupId }: Life, { seq, values }: PlannedReport, startedMs: number): object {
  const { memory, storage, latency, isCertificateValid } = values;
  return {
    bootId: 'boot',
    seq,
    timestamp: new Date(startedMs + seq).toISOString(),
    firmware: String(seq),
    groupId,
    ...(memory === undefined ? {} : { memory: { usedPercent: memory } }),
    ...(storage === undefined ? {} : { storage: { freeMegabytes: storage } }),
    ...(latency === undefined ? {} : { mqtt: { latencyMs: latency } }),
    ...(isCertificateValid === undefined ? {} : { certificate: { valid: isCertificateValid } }),
  };
}

/** Waits until all earlier reports have been handled, then acts like a person, and retries until the answer is good. */
function createAct(stack: Stack, counts: Stage['counts']) {
  const api = callerOf(stack);
  const patiently = async <T>(deviceId: string, what: string, look: () => Promise<T | null>): Promise<T> => {
    for (const end = Date.now() + patienceMs; Date.now() < end; await pause(pollMs)) {
      const found = await look().catch(() => null);
      if (found !== null) return found;
    }
    const { body } = await api.get(`/v1/devices/${deviceId}`);
    throw new Error(`did not come within ${patienceMs / 60_000} minutes: ${what}; it is ${JSON.stringify(body)}`);
  };
  return async (
    { deviceId }: Life,
    { code, action }: Extract<Step, { kind: 'action' }>,
    seq: number,
  ): Promise<void> => {
    await patiently(deviceId, `report ${seq} of ${deviceId}`, async () => {
      const { status, body } = await api.get(`/v1/devices/${deviceId}`);
      return status === 200 && body.firmware === String(seq) ? true : null;
    });
    await patiently(deviceId, `${action} of ${code} of ${deviceId}`, async () => {
      const { body } = await api.get(`/v1/devices/${deviceId}/alerts?code=${code}&status=all`);
      const { alertId } = body.alerts[0];
      const until = new Date(Date.now() + snoozeSeconds * 1000).toISOString();
      const given = action === 'snooze' ? { body: { until } } : {};
      const answer = await api.call('POST', `/v1/alerts/${alertId}/${action}`, given);
      const isOvertaken = action === 'snooze' && answer.status === 409;
      if (isOvertaken) counts.overtaken += 1;
      return answer.status === 200 || isOvertaken ? true : null;
    });
  };
}
