import { expect, test } from 'vitest';
import type { SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { isSilence, provesWayOut } from '../../../../shared/domain/delivery/endpoint-health.ts';
import { success } from '../../../support/records/deliveries.ts';

const outcome = (statusCode: number | null, errorClass: SendOutcome['errorClass']): SendOutcome => ({
  ...success,
  ...{ statusCode, errorClass },
});

test.each<[string, SendOutcome, boolean, boolean]>([
  ['an answer', outcome(200, null), false, true],
  ['a refusal', outcome(500, 'http_status'), false, true],
  ['a success without a status', outcome(null, null), false, true],
  ['a certificate that does not fit', outcome(null, 'tls_error'), false, true],
  ['a time-out after the head of an answer', outcome(200, 'timeout'), false, true],
  ['no answer in time', outcome(null, 'timeout'), true, false],
  ['a name that is not found', outcome(null, 'dns_error'), true, false],
  ['a refused connection', outcome(null, 'connection_refused'), true, false],
  ['a connection that was cut', outcome(null, 'connection_reset'), true, false],
])('%s is silence or proves that we reach the outside', (_name, given, silent, proves) => {
  expect([isSilence(given), provesWayOut(given, 'webhook')]).toEqual([silent, proves]);
  expect(provesWayOut(given, 'email')).toBe(false);
});
