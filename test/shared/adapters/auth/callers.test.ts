import type { JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import { requireCaller } from '../../../../shared/adapters/auth/caller-auth.ts';
import { createScrapeCaller } from '../../../../shared/adapters/auth/scrape-token.ts';

const queue = 'queue@project.iam.gserviceaccount.com';
const call = (payload: JWTPayload, header: string | null = 'Bearer t') =>
  requireCaller(header, async () => payload, [queue]);

test('a private function accepts only allowed accounts, with a verified email', async () => {
  await expect(call({ email: queue, email_verified: true })).resolves.toBeUndefined();
  const wrong: JWTPayload[] = [
    { email: queue },
    { email: queue, email_verified: false },
    { email: queue, email_verified: 'true' },
    { email: 'other@project.iam.gserviceaccount.com', email_verified: true },
    { email_verified: true },
    { email: [queue], email_verified: true },
  ];
  for (const payload of wrong) {
    await expect(call(payload), JSON.stringify(payload)).rejects.toMatchObject({ code: 'forbidden' });
  }
});

test.each([[null], [''], ['Bearer'], ['Bearer a b'], ['Basic t'], ['xBearer t']])(
  'a private function refuses the header %j',
  async (header) => {
    await expect(call({ email: queue, email_verified: true }, header)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  },
);

test('the scrape token reads the metrics of every group, and nothing else', () => {
  const callerOf = createScrapeCaller('s3cret');
  expect(callerOf('Bearer s3cret')).toEqual({
    subject: 'scrape-token',
    scopes: new Set(['metrics:read']),
    groups: null,
    issuer: '',
    expiresAtMs: Number.POSITIVE_INFINITY,
    faultOfGroups: null,
  });
  expect(callerOf('bearer s3cret')).not.toBeNull();
  for (const header of [null, '', 's3cret', 'Bearer s3cre', 'Bearer s3cret ', 'Bearer S3CRET'])
    expect([header, callerOf(header)]).toEqual([header, null]);
});

test('without a configured scrape token no header counts as one', () => {
  expect(createScrapeCaller(null)('Bearer null')).toBeNull();
  expect(createScrapeCaller(null)(null)).toBeNull();
});
