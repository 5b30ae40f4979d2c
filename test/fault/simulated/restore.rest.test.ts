import { expect, test } from 'vitest';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { proveDevice } from '../../../shared/app/ledger/proof.ts';
import { openNote } from '../../../shared/domain/ledger/note.ts';
import { plus } from '../../../shared/domain/time.ts';
import type { ProofBundle } from '../../../shared/schema/ledger/ledger.ts';
import { lacksOf } from '../../../tools/indexes/database.ts';
import { newestBackup } from '../../../tools/installation/copies.ts';
import { perform } from '../../../tools/installation/journal.ts';
import { type About, drillSteps, restoreSteps } from '../../../tools/restore/steps.ts';
import {
  deathAt,
  Killed,
  keptJournal,
  mortalInstallation,
  recovery,
  startInstallation,
  wanted,
} from '../../support/installation/installation.ts';
import { testVerifierKey, verdictsOf } from '../../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../../support/ledger/objects.ts';
import { postOf } from '../../support/notify/post.ts';
import { ana, giveTeam, openTestAlert } from '../../support/records/alerts.ts';
import { giveWebhook } from '../../support/records/deliveries.ts';
import { detection } from '../../support/records/detections.ts';
import { message } from '../../support/records/reports.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { createWays, intake, names } from '../../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../../support/world/world.ts';

const cameras = names(4);
const [camera = '', alerting = ''] = cameras;
const database = 'restored-1';

/** A fleet that lives as far as the platform hands work to it. */
async function fleet() {
  const world = createTestWorld();
  world.ledger = { origin, keys: [testKey], objects: createTestObjects() };
  const ways = createWays(world);
  const post = postOf(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46700000001'] });
  await giveWebhook(world, { events: ['alert'] });
  const live = async (seconds: number) => {
    for (let left = seconds; left > 0; left -= 60) {
      const passed = Math.min(60, left);
      if (await platform.dispatches()) await post.pass(passed);
      else world.pass(passed);
      if (platform.hands()) await ways.openIngest();
      else ways.state.ingest = false;
      if (passed < 60) continue;
      for (const each of cameras) await ways.report(each, 'north');
      if (platform.sweeps()) await ways.sweep();
    }
  };
  const installed = await startInstallation(world, live);
  const { platform, state } = installed;
  /** A camera detects something. */
  const detect = async (id: string) => {
    const given = { deviceId: camera, messageId: id, publishTime: world.now() };
    const published = message('detection', detection(id), given);
    // What is handled before all stands still is in the database that is left: the time is lost, and the record says so.
    const isOfLostTime = ways.state.ingest && state.serves === recovery.serving_database;
    if (ways.state.ingest) await takeMessage(world, published, intake);
    else ways.waiting.push(published);
    return isOfLostTime ? [] : [id];
  };
  /** What a customer gets who asks for a proof and then waits for it. */
  const proof = async (since?: number): Promise<ProofBundle> => {
    const objects = world.ledger?.objects ?? createTestObjects();
    const query = {
      deviceId: camera,
      from: plus(startOfTests, 10 * 60_000),
      to: world.now(),
      ...(since ? { since } : {}),
    };
    // The first one asks for the entry, before the ledger has any.
    await proveDevice(world, objects, ana, query).catch(() => {});
    await live(20 * 60);
    return proveDevice(world, objects, ana, query);
  };
  return { world, ways, post, live, detect, proof, ...installed };
}

type Result = { tried: number; lost: string[]; wrong: string[]; doubled: string[]; calls: number };

/** A database is lost and restored by a process that is killed at one of its calls, and called again a while later. */
async function restored(at: number, when: 'before' | 'after'): Promise<Result> {
  const { world, post, live, detect, proof, installation, platform, google, state, wrongs, save, stop } = await fleet();
  try {
    await live(30 * 60);
    const before = await proof();
    // Its message to people leaves after the copy was made.
    await openTestAlert(world, { deviceId: alerting, code: 'SEC_002' });
    await save('b-1');
    await live(15 * 60);
    const between = await proof();
    const journal = keptJournal<About>();
    const run = async (death: ReturnType<typeof deathAt>) => {
      const own = mortalInstallation(installation, death);
      const { project, region, serving_database: of } = recovery;
      const about = journal.load()?.about ?? {
        ...(await newestBackup(google.admin, { project, region, database: of }, Date.parse(world.now()))),
        ...{ database, of },
      };
      const steps = restoreSteps(own, about, () => journal.load());
      return perform(journal, about, steps, { say: () => {}, now: () => Date.parse(world.now()) });
    };
    const death = deathAt(at, when);
    const isKilled = await run(death).then(
      () => false,
      (error) => {
        if (error instanceof Killed) return true;
        throw error;
      },
    );
    const published = await detect('while-killed');
    if (isKilled) {
      await live(5 * 60);
      await run(deathAt(0, 'before'));
    }
    published.push(...(await detect('afterwards')));
    await live(40 * 60);
    const after = await proof(openNote(between.checkpoint, [testKey]).size);
    const record = journal.load();
    const lost: string[] = [];
    const wrong = [...wrongs];
    const alerts = (await world.store.find({ in: 'alerts', limit: 1000 })).map(({ data }) => data);
    for (const { deviceId, code } of alerts) if (code === 'CONN_001') wrong.push(`${deviceId} is declared lost`);
    const found = await world.store.find({ in: 'detections', limit: 1000 });
    for (const session of published)
      if (!found.some(({ data }) => JSON.stringify(data).includes(session))) lost.push(session);
    const people = post.sent.filter(({ channel }) => channel !== 'webhook');
    const doubled = [...Map.groupBy(people, ({ delivery, to }) => `${delivery.deliveryId} ${to}`)].flatMap(
      ([key, sent]) => (sent.length > 1 ? [key] : []),
    );
    // Everything is as it was, with another database.
    if (state.isReadOnly || !platform.sweeps() || !(await platform.dispatches())) wrong.push('something stands still');
    for (const [id, { endpoint, account, audience }] of Object.entries(recovery.subscriptions)) {
      const push = platform.pushes.get(`projects/${recovery.project}/subscriptions/${id}`);
      const own = { pushEndpoint: endpoint, oidcToken: { serviceAccountEmail: account, audience } };
      if (JSON.stringify(push) !== JSON.stringify(own)) wrong.push(`${id} pushes ${JSON.stringify(push)}`);
    }
    if (state.serves !== database) wrong.push(`${state.serves} serves`);
    const lacks = await lacksOf(google.admin, `projects/${recovery.project}/databases/${database}`, wanted);
    wrong.push(...lacks.map(({ what }) => `lacks ${what}`));
    const forgetting = [...google.fields.values()].filter(
      ({ name, ttlConfig }) => name.includes('/(default)/') && ttlConfig !== null,
    );
    wrong.push(...forgetting.map(({ name }) => `${name} forgets`));
    if (record?.steps.some(({ endedAt }) => endedAt === null)) wrong.push('a step has no end');
    const entries = await world.store.find({ in: 'auditStream', limit: 1000 });
    const kept = entries.filter(({ data }) => data.action === 'restoreDatabase');
    if (kept.length !== 1 || !kept[0]?.data.after?.includes('b-1')) wrong.push(`${kept.length} entries of the restore`);
    wrong.push(...(await amissIn([before, between, after])));
    return { tried: 3 + people.length, lost, wrong, doubled, calls: death.calls() };
  } finally {
    await stop();
  }
}

/** What both verifiers say against proofs that were made one after the other, each by somebody who remembers the one before. */
async function amissIn([before, between, after]: [ProofBundle, ProofBundle, ProofBundle]): Promise<string[]> {
  const remembered = (bundle: ProofBundle) => {
    const { size, root, at } = openNote(bundle.checkpoint, [testKey]);
    return { size, root: root.toString('base64'), at };
  };
  const judged = (bundle: ProofBundle, known: ProofBundle | null) => ({
    ...{ text: JSON.stringify(bundle), from: bundle.from, to: plus(bundle.recordedTo, 0), keys: [testVerifierKey] },
    known: known && remembered(known),
  });
  const verdicts = await verdictsOf([judged(before, null), judged(between, null), judged(after, between)]);
  return verdicts.flatMap(({ verdict, why, gaps }, index) =>
    verdict === 'proven' ? [] : [`proof ${index}: ${verdict} ${why ?? gaps}`],
  );
}

test('a restore killed at each of its calls and continued loses nothing, tells nobody twice, and its proofs verify', {
  timeout: 3_600_000,
}, async () => {
  const whole = await restored(0, 'before');
  expect(whole).toMatchObject({ lost: [], wrong: [], doubled: [] });
  expect(whole.calls).toBeGreaterThan(50);
  const deaths = Array.from({ length: whole.calls * 2 }, (_, index) => ({
    at: Math.floor(index / 2) + 1,
    when: index % 2 === 0 ? ('before' as const) : ('after' as const),
  }));
  const every = Math.max(1, Math.floor(deaths.length / sizeOf(12, deaths.length)));
  const sum = { tried: whole.tried, lost: whole.lost, wrong: whole.wrong, doubled: whole.doubled };
  let kills = 0;
  // An odd stride meets both.
  for (let index = 0; index < deaths.length; index += every > 1 ? every | 1 : 1) {
    const { at = 1, when = 'before' } = deaths[index] ?? {};
    const { tried, lost, wrong, doubled } = await restored(at, when);
    kills += 1;
    const where = (what: string) => `${when} call ${at}: ${what}`;
    sum.tried += tried;
    sum.lost = [...sum.lost, ...lost.map(where)];
    sum.wrong = [...sum.wrong, ...wrong.map(where)];
    sum.doubled = [...sum.doubled, ...doubled.map(where)];
  }
  ledger('R21', `a restore killed ${kills} times, before or after one of its ${whole.calls} calls, and continued`, {
    ...{ tried: sum.tried, lost: sum.lost.length, wrong: sum.wrong.length, doubled: sum.doubled.length },
  });
  expect(sum).toMatchObject({ lost: [], wrong: [], doubled: [] });
});

test('a drill copies the newest backup, reads it, removes the copy, and leaves an entry in the audit stream; nothing stands still', async () => {
  const { world, live, installation, google, save, state, stop } = await fleet();
  try {
    await live(5 * 60);
    const { backup, asOf } = await save('b-1');
    const about = { backup, asOf, database: 'drill-1', of: recovery.serving_database };
    const journal = keptJournal<About>();
    const steps = drillSteps(
      installation,
      about,
      () => journal.load(),
      async () => 'it opens',
    );
    await perform(journal, about, steps, { say: () => {}, now: () => Date.parse(world.now()) });
    expect([...google.databases.keys()]).toEqual(['projects/p-1/databases/(default)']);
    expect(state).toMatchObject({ isReadOnly: false, serves: recovery.serving_database });
    const [entry, ...more] = (await world.store.find({ in: 'auditStream', limit: 1000 })).filter(
      ({ data }) => data.action === 'drillRestore',
    );
    expect(more).toEqual([]);
    expect(JSON.parse(entry?.data.after ?? '{}')).toMatchObject({
      from: backup,
      asOf,
      steps: [
        { name: 'copy' },
        { name: 'read', found: 'devices 4 of now 4' },
        { name: 'lacks' },
        { name: 'keys', found: 'it opens' },
        { name: 'remove' },
        { name: 'record' },
      ],
    });
  } finally {
    await stop();
  }
});
