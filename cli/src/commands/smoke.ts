import { type Client, type Schemas, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Command } from '../command.ts';
import { wholeIdOf } from '../short-ids.ts';

type Fleet = Schemas['Fleet'];
type Checks = Record<string, { status: string; error?: string }>;

/** The result of one step. `fault` null: nothing is wrong. `said`: what was seen. */
type Result = { step: string; fault: string | null; said: string };

type Parts = { api: Client; webhook: string | undefined; signal: AbortSignal; fleet(): Promise<Fleet> };

/** The steps in order. Each returns what it saw. @throws Error that says what is wrong */
const steps: Record<string, (parts: Parts) => Promise<string>> = {
  async health({ api, signal }) {
    const { data } = await api.request<{ version: string }>('GET', '/health', { signal });
    return `version ${data.version}`;
  },
  async ready({ api, signal }) {
    const { data } = await api
      .request<{ checks: Checks }>('GET', '/ready', { signal })
      .catch((error: unknown) => Promise.reject(brokenChecks(error) ?? error));
    return `${Object.keys(data.checks).join(', ')} work`;
  },
  async token({ api, signal }) {
    const { subject, expiresAt, missing } = (await api.call('getMe', { signal })).data;
    if (missing.groups !== null) throw new Error(missing.groups);
    return `${subject}, valid until ${expiresAt}`;
  },
  async canaries({ fleet }) {
    const { ways } = (await fleet()).platform;
    const wrong = ways.filter(({ state }) => state !== 'sees').map(({ name, state }) => `${name} ${state}`);
    if (wrong.length > 0) throw new Error(`messages of its own do not come through: ${wrong.join(', ')}`);
    return `they come through ${ways.map(({ name }) => name).join(' and ')}`;
  },
  async drill({ fleet }) {
    const { drill } = (await fleet()).platform;
    if (drill === null) return 'none is set up, or the first one is not over';
    if (drill.state === 'broken') throw new Error(`it ends at ${drill.hop ?? 'an unknown step'} since ${drill.since}`);
    return `passed last at ${drill.lastPassedAt ?? drill.since}`;
  },
  async people({ api, fleet, signal }) {
    if (!(await fleet()).reach.contacts) throw new Error('nobody would be notified of an alert: no team has a contact');
    const { channels } = (await api.call('getNow', { signal })).data;
    const failing = channels.map(({ channel, detail }) => `${channel}${detail === null ? '' : ` (${detail})`}`);
    if (failing.length > 0) throw new Error(`messages do not get through by ${failing.join(', ')}`);
    return 'somebody would be notified, and no channel fails';
  },
  async endpoints({ api, signal }) {
    const wrong: string[] = [];
    let count = 0;
    for await (const { webhookId, state } of api.each('listWebhookHealth', { signal })) {
      count += 1;
      if (state !== 'healthy') wrong.push(`${webhookId} is ${state}`);
    }
    if (wrong.length > 0) throw new Error(wrong.join(', '));
    return count === 0 ? 'there are none' : `${count} healthy`;
  },
  async test({ api, webhook, signal }) {
    if (webhook === undefined) return 'no endpoint was named with --webhook';
    const params = { webhookId: await wholeIdOf(api, 'webhookId', webhook, signal) };
    const { status, attempts } = (await api.call('testWebhook', { params, body: {}, signal })).data;
    const { statusCode = null, detail = null } = attempts.at(-1) ?? {};
    const answer = statusCode === null ? (detail ?? 'nobody sent it') : `answered ${statusCode}`;
    if (status !== 'delivered') throw new Error(`the test event is ${status}: ${answer}`);
    return `the test event was ${answer}`;
  },
};

/** What does not work, where the service says so. */
function brokenChecks(error: unknown): Error | null {
  if (!(error instanceof WatchpostError)) return null;
  const checks = Object.entries((error.members['checks'] ?? {}) as Checks);
  const broken = checks.filter(([, { status }]) => status !== 'healthy');
  return broken.length === 0 ? null : new Error(broken.map(([name, check]) => `${name}: ${check.error}`).join('; '));
}

async function resultOf(step: string, act: () => Promise<string>): Promise<Result> {
  try {
    return { step, fault: null, said: await act() };
  } catch (error) {
    // Without an answer, or with a token that does not count, no further step says anything.
    if (error instanceof WatchpostError && [0, 401].includes(error.status)) throw error;
    return { step, fault: error instanceof Error ? error.message : String(error), said: '' };
  }
}

export const smokeCommands: readonly Command[] = [
  {
    name: 'smoke',
    about:
      'goes through what must work: the service, the token, canaries and drill from broker to alert, people, endpoints',
    flags: { webhook: { about: 'also send a signed test event to this endpoint', value: 'ID' } },
    async run({ flags, client, print, terminal: { signal } }) {
      const api = client();
      let asked: Promise<Fleet> | undefined;
      const fleet = () => {
        asked ??= api.call('getFleet', { signal }).then(({ data }) => data);
        return asked;
      };
      const parts = { api, webhook: flags.text('webhook'), signal, fleet };
      const results: Result[] = [];
      for (const [step, act] of Object.entries(steps)) results.push(await resultOf(step, () => act(parts)));
      const broken = results.filter(({ fault }) => fault !== null).map(({ step }) => step);
      const lines = results.map(({ step, fault, said }) =>
        fault === null ? `ok ${step}: ${said}.` : `FAIL ${step}: ${fault.replace(/\.$/, '')}.`,
      );
      const sum = broken.length === 0 ? 'Nothing is broken.' : `Broken: ${broken.join(', ')}.`;
      print.sentences({ broken, steps: results }, [...lines, sum]);
      return broken.length === 0;
    },
  },
];
