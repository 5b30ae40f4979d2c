import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { erasedKinds, startErasure } from '../../../../shared/app/jobs/erasure.ts';

import type { Kind, Write } from '../../../../shared/app/ports.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { allRecords } from '../../../support/records/records.ts';
import { frameBucket } from '../../../support/world/frames.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const admin: Bearer = { subject: 'user:admin', scopes: new Set(['settings:write']), groups: null };
const person = {
  subject: 'user:b.o+b',
  emails: ['bob@example.com'],
  phones: ['+46701234567'],
  names: ['Bob "the" Ærlig'],
};
const jobId = uuidOf(1);

/** Texts that name the person, some of them JSON within a string. */
const naming = fc
  .tuple(
    fc.constantFrom(person.subject, ...person.emails, ...person.phones, ...person.names),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([name, isLoud, isJson]) => {
    const said = `Seen by ${isLoud ? name.toUpperCase() : name}, who waits`;
    return isJson ? JSON.stringify({ note: said }) : said;
  });
/** The text as a plain value, nested in an object, or in a list. */
const value = fc
  .tuple(naming, fc.constantFrom('plain', 'inner', 'list'))
  .map(([text, form]) => (form === 'plain' ? text : form === 'inner' ? { a: { b: text } } : ['x', text]));

test('whatever record of whatever kind names the person, and wherever, none does afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 40, maxLength: 40 }), async (values) => {
      const world = { ...createTestWorld(createMemoryStore()), frames: frameBucket() };
      await startErasure(world, admin, { person }, { jobId, alias: 'a1' });
      const kinds = (Object.keys(erasedKinds) as Kind[]).filter(
        (kind) => !['left', 'special'].includes(String(erasedKinds[kind].person)),
      );
      const planted = kinds.map((kind, index): Write => {
        const fate = erasedKinds[kind].person;
        const members = typeof fate === 'object' && fate.renamed ? fate.renamed : ['anything'];
        const data = Object.fromEntries(members.map((name, at) => [name, values[(index + at) % values.length]]));
        return { kind: 'create', in: kind, id: `planted-${kind}`, data } as unknown as Write;
      });
      await world.store.commit(planted);
      for (let steps = 0; steps < 3; steps += 1) {
        world.pass(3600);
        await handleDue(world, 'jobs', jobId);
      }
      const [job] = await world.store.get('jobs', [jobId]);
      expect(job?.data.status).toBe('done');
      const left = (await allRecords(world.store)).map((each) => each.toLowerCase());
      for (const trace of ['bob', 'b.o+b', '46701234567', 'ærlig'])
        expect(left.filter((each) => each.includes(trace))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
