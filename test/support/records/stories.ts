import fc from 'fast-check';
import { plus } from '../../../shared/domain/time.ts';
import type { Report } from '../../../shared/schema/device/report.ts';
import type { GuardianAlert } from '../../../shared/schema/guardian/guardian-alert.ts';
import { startOfTests } from '../world/world.ts';
import { report } from './reports.ts';

/** One message of a device, its guardian or the broker, without its time and sequence number. */
type Saying =
  | { kind: 'status'; body: Report<'status'>['body'] }
  | { kind: 'birth' | 'will' | 'takenover'; namesEpoch: boolean; isOld: boolean }
  | { kind: 'event'; type: string }
  | { kind: 'drift' | 'heal' | 'conflict'; fields: string[] };

const status: fc.Arbitrary<Saying> = fc
  .record(
    {
      name: fc.constantFrom('gate', 'yard'),
      groupId: fc.constant('north'),
      firmware: fc.constantFrom('1.0', '1.1'),
      memory: fc.record({ usedPercent: fc.constantFrom(50, 75, 78, 80, 82, 85, 88, 90, 95) }),
      storage: fc.record({ freeMegabytes: fc.constantFrom(50, 99.9, 100, 110, 120, 500) }),
      mqtt: fc.record({ latencyMs: fc.constantFrom(100, 399, 400, 450, 500, 501, 900) }),
      certificate: fc.record(
        {
          valid: fc.boolean(),
          notAfter: fc.constantFrom(-1, 3, 8, 90).map((days) => plus(startOfTests, days * 86_400_000)),
        },
        { requiredKeys: [] },
      ),
      auth: fc.record({ failedAttempts: fc.constantFrom(0, 1, 3, 5) }),
    },
    { requiredKeys: [] },
  )
  .map((body) => ({ kind: 'status', body: body as Report<'status'>['body'] }));

const connection: fc.Arbitrary<Saying> = fc.record({
  kind: fc.constantFrom('birth', 'will', 'takenover'),
  namesEpoch: fc.boolean(),
  isOld: fc.boolean(),
});

const event: fc.Arbitrary<Saying> = fc.record({
  kind: fc.constant('event'),
  type: fc.constantFrom(
    'certificate_validation_failed',
    'unauthorized_broker_attempt',
    'config_updated',
    'door_opened',
  ),
});

const guardian: fc.Arbitrary<Saying> = fc.record({
  kind: fc.constantFrom('drift', 'heal', 'conflict'),
  fields: fc.subarray(['broker.host', 'broker.port', 'clientId'], { minLength: 1 }),
});

/** Messages of a device, its guardian and the broker over minutes to hours, in order. At most as many of each kind as a device record keeps. */
export const story: fc.Arbitrary<Report[]> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 3, arbitrary: status }, { weight: 2, arbitrary: connection }, event, {
        weight: 2,
        arbitrary: guardian,
      }),
      fc.constantFrom(1, 200, 4000, 6000, 30_000, 60_000, 299_000, 301_000, 3_600_000),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((sayings) => {
    let at = startOfTests;
    let epoch: string | null = null;
    return sayings.map(([saying, afterMs], index) => {
      at = plus(at, afterMs);
      if (saying.kind === 'birth' && !saying.isOld) epoch = at;
      return notified(saying, at, epoch ?? startOfTests, index);
    });
  });

const serial = { serial: 'S1', model: 'M1', ip: '192.0.2.7' };

function notified(saying: Saying, at: string, epoch: string, index: number): Report {
  const given = { receivedAt: at, messageId: `m${String(index).padStart(3, '0')}` };
  switch (saying.kind) {
    case 'status':
      return report('status', { ...saying.body, timestamp: plus(at, -90_000), bootId: 'b1', seq: index }, 0, given);
    case 'birth':
    case 'will':
    case 'takenover': {
      const connectedAt = saying.isOld ? plus(epoch, -60_000) : epoch;
      const body = {
        status: saying.kind === 'birth' ? ('online' as const) : ('offline' as const),
        ...(saying.namesEpoch ? { connectedAt } : {}),
        ...(saying.kind === 'takenover' ? { reason: 'takenover' } : {}),
      };
      return report('connection', body, 0, given);
    }
    case 'event':
      return report('event', { type: saying.type, timestamp: at, attemptedHost: 'evil.example' }, 0, given);
    case 'drift':
    case 'heal':
    case 'conflict':
      return report('guardian', guardianAlert(saying.kind, saying.fields, at), 0, given);
    default:
      return saying satisfies never;
  }
}

export function guardianAlert(kind: 'drift' | 'heal' | 'conflict', fields: string[], timestamp: string): GuardianAlert {
  const common = { device: serial, timestamp };
  if (kind === 'heal') {
    const heal = { fieldsRestored: fields, count: fields.length, durationMs: 812 };
    return { alertCode: 'CONFIG_HEALED', severity: 'info', ...common, heal };
  }
  if (kind === 'conflict') {
    const lastDrift = { field: fields[0] ?? 'clientId', expected: 'a', actual: 'b' };
    const conflict = { driftCount: 4, window: '5m', healAttempts: 4, lastDrift };
    return {
      alertCode: 'CONFIG_CONFLICT',
      severity: 'critical',
      ...common,
      conflict,
      recommendation: 'Find who else writes it.',
    };
  }
  const drift = {
    fields: fields.map((name) => ({
      name,
      expected: 'broker.example',
      actual: 'evil.example',
      severity: 'CRITICAL' as const,
    })),
    maxSeverity: 'CRITICAL' as const,
    count: fields.length,
  };
  return { alertCode: 'CONFIG_DRIFT', severity: 'warning', ...common, drift, action: 'HEALING' };
}

/** The same reports as a bridge may deliver them: in any order, each up to three times. */
export function disordered(reports: Report[]): fc.Arbitrary<Report[]> {
  const copies = fc.tuple(
    ...reports.map((each) => fc.constantFrom(1, 1, 2, 3).map((count) => Array(count).fill(each) as Report[])),
  );
  return copies.chain((all) => {
    const flat = all.flat();
    return fc.shuffledSubarray(flat, { minLength: flat.length, maxLength: flat.length });
  });
}
