import { expect, test } from 'vitest';
import { consoleHeaders } from '../../../../local/cloud/gateway/console-headers.ts';
import { readTerraform } from '../../../support/terraform/terraform.ts';

const issuer = 'https://login.example.com/realms/fleet';

test('the local console has the same headers as in the cloud, except Strict-Transport-Security', async () => {
  const front = await readTerraform('terraform/modules/front');
  const policy = (front.local('policy') as string[]).map((part) =>
    part.replaceAll(`\${local.issuer_origin}`, new URL(issuer).origin),
  );
  const { 'Strict-Transport-Security': secure, ...headers } = front.local('headers') as Record<string, string>;
  expect(secure).toMatch(/^max-age=\d{8,}/);
  const local = consoleHeaders({ issuer, clientId: 'console', audience: 'watchpost' });
  expect(local).toEqual({ ...headers, 'Content-Security-Policy': policy.join('; ') });
});

test('the cloud sends all headers, and its policy contains the origin of the issuer', async () => {
  const front = await readTerraform('terraform/modules/front');
  const bucket = front.resource('google_compute_backend_bucket', 'console');
  const sent = JSON.stringify(bucket['custom_response_headers']);
  expect(sent).toContain(`Content-Security-Policy: \${join(\\"; \\", local.policy)}`);
  expect(sent).toContain('for name, value in local.headers');
  expect(front.local('issuer_origin')).toBe(`\${regex("^https?://[^/]+", var.console_config.issuer)}`);
  expect(/^https?:\/\/[^/]+/.exec(issuer)?.[0]).toBe(new URL(issuer).origin);
});
