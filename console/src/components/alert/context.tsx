import type { JSX } from 'preact';
import type { AlertContext } from '../../../../shared/schema/alert/alert.ts';
import { Facts } from '../facts.tsx';
import { Time } from '../time.tsx';

const names: Partial<Record<string, string>> = {
  lastConnected: 'Last connected',
  brokerHost: 'Broker',
  reconnectAttempts: 'Reconnect attempts',
  cause: 'How it is known',
  attempts: 'Attempts in all',
  reason: 'Why',
  fields: 'Fields',
  window: 'Within',
  recommendation: 'What to do',
  latencyMs: 'Latency',
  reconnectsLastHour: 'Reconnects in the last hour',
  notAfter: 'Certificate ends',
  daysLeft: 'Days left',
  expectedHost: 'Expected broker',
  attemptedHost: 'Attempted broker',
  failedAttempts: 'Failed attempts',
  maxSeverity: 'Worst drift',
  fieldsRestored: 'Restored',
  driftCount: 'Drifts',
  memoryUsedPercent: 'Memory used',
  storageFreeMegabytes: 'Storage free',
  thresholdPercent: 'Threshold',
  thresholdMegabytes: 'Threshold',
};

/** The members of a connectivity alert that the contract promises. They come first, in this order. */
const promised = ['lastConnected', 'brokerHost', 'reconnectAttempts'];

const causes: Record<NonNullable<AlertContext['cause']>, string> = {
  disconnected: 'The broker or the camera’s last will said so',
  silent: 'It has said nothing for too long',
};

/** Further details of an alert, with any members that the service sends. */
export function Context({ context }: { context: AlertContext }): JSX.Element | null {
  const worded = { ...context, ...(context.cause ? { cause: causes[context.cause] } : {}) };
  const entries = Object.entries(worded).toSorted(([a], [b]) => rank(a) - rank(b));
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>Context</h3>
      <Facts
        facts={entries.map(
          ([name, value]) => [names[name] ?? spelled(name), <Value key={name} name={name} value={value} />] as const,
        )}
      />
    </section>
  );
}

function rank(name: string): number {
  const place = promised.indexOf(name);
  return place < 0 ? promised.length : place;
}

function spelled(name: string): string {
  const text = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const units: [suffix: string, unit: string][] = [
  ['Ms', 'ms'],
  ['Percent', '%'],
  ['Megabytes', 'MB'],
];

/** Any JSON value as text: instants in the viewer's time zone, numbers with the unit from the end of their name. */
export function Value({ name, value }: { name: string; value: unknown }): JSX.Element {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return <Time at={value} form="full" />;
  if (Array.isArray(value)) return <>{value.join(', ')}</>;
  if (typeof value === 'number') {
    const unit = units.find(([suffix]) => name.endsWith(suffix))?.[1];
    return <>{unit ? `${value.toLocaleString()} ${unit}` : value.toLocaleString()}</>;
  }
  return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}
