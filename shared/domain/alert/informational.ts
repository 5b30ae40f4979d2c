import type { AlertContext } from '../../schema/alert/alert.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import type { Device } from '../device/device.ts';
import { type Instant, msBetween, spell } from '../time.ts';
import { lastingCodes } from './catalogue.ts';
import { connectivityContext, resourceContext } from './conditions.ts';
import { type Cause, ordered, type ReconcileStep, seedOf } from './orders.ts';

const resourceCodes = lastingCodes('resource');

/** Adds informational alerts: the cause itself where it is one, and those that follow from the end of other alerts. */
export function withInformational(step: ReconcileStep, before: Device, cause: Cause, now: Instant): ReconcileStep {
  const { open } = step.device;
  // If a person had reopened the alert, its end opens no informational alert.
  const isOver = (code: AlertCode) => before.open[code] && !before.open[code].reopened && !open[code];
  const found: { code: AlertCode; message: string; context: AlertContext; pastAt?: Instant }[] = [];
  if (isOver('CONN_001') && before.open.CONN_001) {
    const { since, overAt } = before.open.CONN_001;
    const message = `Connection restored: the alert was open for ${spell(msBetween(since, overAt ?? now))}`;
    const past = overAt === undefined ? {} : { pastAt: overAt };
    found.push({ code: 'CONN_004', message, context: connectivityContext(step.device), ...past });
  }
  if (cause.informational) found.push({ ...cause.informational, context: {} });
  if (resourceCodes.some(isOver) && !resourceCodes.some((code) => open[code])) {
    found.push({
      code: 'RES_004',
      message: 'Resource usage normalized: no resource alert is open',
      context: resourceContext(step.device),
    });
  }
  return found.reduce((next, { code, pastAt, ...finding }) => {
    const past = pastAt === undefined ? {} : { pastAt };
    return ordered(next, { kind: 'open', seed: seedOf(step.device, code, finding, cause), ...past });
  }, step);
}
