import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { QuarantinedMessage, QuarantinedReport } from '../../../../shared/schema/quarantine/quarantine.ts';
import { showBytes, shownBytes, visible } from '../../bytes.ts';
import { at, write } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { CameraName } from '../../components/alert/camera-name.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { Expandable } from '../../components/expandable.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { say, sayFailure } from '../../components/toast.tsx';

const reasons: Record<QuarantinedReport['reason'], string> = {
  unreadable: 'Unreadable',
  'wrong-shape': 'Wrong shape',
  'unknown-kind': 'Unknown kind',
  'foreign-device': 'Foreign device',
  'unknown-device': 'Unknown device',
  'too-large': 'Too large',
  'dead-letter': 'Given up',
  'guardian-forged': 'Forged guardian message',
  'guardian-unenrolled': 'Guardian without a key',
};
/** The likely cause in each case, and what a person can do. */
const advice: Record<QuarantinedReport['reason'], string> = {
  unreadable: 'A broken camera, or a bridge that writes in another dialect than the service expects.',
  'wrong-shape': 'The firmware uses another form: the faulty members are listed below.',
  'unknown-kind': 'The topic ends in a kind of report that the service does not know.',
  'foreign-device': 'The report speaks for another device than the one that sent it: look at the broker’s access list.',
  'unknown-device': 'The device is not registered, and may not register itself: a retry registers it.',
  'too-large': 'Larger than any report may be.',
  'dead-letter':
    'It could be read, but handling it failed each time: a fault of the service. Retry it once that is mended.',
  'guardian-forged': 'Somebody other than the guardian speaks in its name: treat it as an attack on the camera.',
  'guardian-unenrolled': 'The guardian signs, and its key is not registered: enrol it, then retry.',
};

type Props = { report: QuarantinedReport; onSettled: (report: QuarantinedReport | null) => Promise<void> };

/** One message that did not become a report. */
export function QuarantineItem({ report, onSettled }: Props): JSX.Element {
  const { reason, kind, dialect, errors, status, quarantinedAt } = report;
  const [first] = errors;
  return (
    <Expandable
      summary={
        <>
          <span class={status === 'quarantined' ? 'chip wait' : 'chip'}>
            {status === 'quarantined' ? reasons[reason] : status}
          </span>
          <Time at={quarantinedAt} />
          <span class="who">
            <strong>{report.deviceId === null ? 'No device' : <Claimed report={report} />}</strong>{' '}
            <span class="quiet">{visible(kind ?? '')}</span>
          </span>
          <span class="quiet what">{first ? visible(`${first.pointer} ${first.detail}`) : ''}</span>
          {report.suppressed ? (
            <span class="chip wait">and {report.suppressed.count.toLocaleString()} more</span>
          ) : null}
          <span class="chip last">{dialect}</span>
        </>
      }
      buttons={<Actions report={report} onSettled={onSettled} />}
    >
      {() => <Opened report={report} />}
    </Expandable>
  );
}

function Actions({ report, onSettled }: Props): JSX.Element | null {
  const { reportId, status, truncated } = report;
  const [isBusy, setBusy] = useState(false);
  const mayWrite = useMay('settings:write');
  if (!mayWrite || status !== 'quarantined') return null;
  const restore = async () => {
    const answer = await write<QuarantinedReport>('POST', at('quarantine', reportId, 'restore'));
    await onSettled(answer);
    say('It is in quarantine again.');
  };
  const settle = async (action: 'retry' | 'dismiss') => {
    setBusy(true);
    try {
      const answer = await write<QuarantinedReport>('POST', at('quarantine', reportId, action));
      const isStill = action === 'retry' && answer.status === 'quarantined';
      say(wordsOf(answer), { isProblem: isStill, undo: answer.undoUntil ? restore : null });
      await onSettled(answer);
    } catch (error) {
      sayFailure(error);
      await onSettled(null);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class="button small primary"
        disabled={isBusy || truncated}
        title={truncated ? 'Too large to be kept whole: it cannot be read again.' : undefined}
        onClick={() => void settle('retry')}
      >
        Retry
      </button>
      <button type="button" class="button small" disabled={isBusy} onClick={() => void settle('dismiss')}>
        Dismiss
      </button>
    </>
  );
}

/** The name of the camera that a message claims to be from. */
function Claimed({ report }: { report: QuarantinedReport }): JSX.Element {
  return <CameraName of={{ ...report, deviceId: visible(report.deviceId ?? '') }} />;
}

/** The result of a retry or a dismissal as text. */
function wordsOf({ status, reason, errors, deviceId, kind }: QuarantinedReport): string {
  const what = visible(`${kind ?? 'report'} of ${deviceId ?? 'no device'}`);
  if (status === 'dismissed') return `Dismissed: ${what}.`;
  if (status === 'retried') return `Read: the ${what} was handled like any other.`;
  const more = errors[0] ? ` ${visible(`${errors[0].pointer} ${errors[0].detail}`)}` : '';
  return `It still cannot be read. ${reasons[reason]}:${more}`;
}

/** The details of a message. Its bytes and attributes are read by its id, because the list omits them. */
function Opened({ report }: { report: QuarantinedReport }): JSX.Element {
  const whole = useResource<QuarantinedMessage>(at('quarantine', report.reportId));
  return (
    <div class="opened">
      <Show of={whole} lines={4}>
        {(message) => <Details report={{ ...message, suppressed: report.suppressed }} />}
      </Show>
    </div>
  );
}

function Details({ report }: { report: QuarantinedMessage }): JSX.Element {
  const { reason, errors, deviceId, kind, dialect, attributes, messageId, receivedAt, quarantinedAt } = report;
  const mayDevices = useMay('devices:read');
  const isLinked = deviceId !== null && mayDevices && reason !== 'unknown-device';
  const facts: Fact[] = [
    [
      'Device',
      isLinked ? (
        <a key="device" href={href(['devices', deviceId])}>
          <Claimed report={report} />
        </a>
      ) : (
        visible(deviceId ?? 'not named')
      ),
    ],
    ['Kind', kind === null ? null : visible(kind)],
    ['Dialect', dialect],
    ['Received', <Time key="received" at={receivedAt} form="full" />],
    ['Quarantined', <Time key="quarantined" at={quarantinedAt} form="full" />],
    ['Message', <code key="message">{visible(messageId)}</code>],
    ...Object.entries(attributes).map(
      ([name, value]) => [`Attribute ${visible(name)}`, <code key={name}>{visible(value)}</code>] as const,
    ),
  ];
  return (
    <>
      <p>
        <strong>{reasons[reason]}.</strong> {advice[reason]}
      </p>
      {report.suppressed ? <Suppressed {...report.suppressed} /> : null}
      {errors.length > 0 ? (
        <ul class="faults" aria-label="What is wrong">
          {errors.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              {pointer ? <code>{visible(pointer)}</code> : null} {visible(detail)}
            </li>
          ))}
        </ul>
      ) : null}
      <Facts facts={facts} />
      <Bytes data={report.data} isCut={report.truncated} />
    </>
  );
}

/** Messages that were not kept because of the device's hourly budget. */
function Suppressed({
  count,
  firstAt,
  lastAt,
  reasons: counted,
}: NonNullable<QuarantinedReport['suppressed']>): JSX.Element {
  const words = Object.entries(counted).map(
    ([reason, n]) =>
      `${(reasons[reason as QuarantinedReport['reason']] ?? reason).toLowerCase()} ${n.toLocaleString()}`,
  );
  return (
    <p>
      {count.toLocaleString()} more in the same hour were counted and not kept, from <Time at={firstAt} form="full" />{' '}
      to <Time at={lastAt} form="full" />: {words.join(', ')}.
    </p>
  );
}

function Bytes({ data, isCut }: { data: string; isCut: boolean }): JSX.Element {
  const shown = useMemo(() => showBytes(data), [data]);
  const [asText, setAsText] = useState(shown.isText);
  const { size, isWhole } = shown;
  const kept = `${size.toLocaleString()} ${size === 1 ? 'byte' : 'bytes'}${isCut ? ' kept of a larger message' : ''}`;
  return (
    <div>
      <header class="row bytes-head">
        <strong>Bytes as received</strong>
        <span class="segments">
          <button type="button" aria-pressed={asText} onClick={() => setAsText(true)}>
            Text
          </button>
          <button type="button" aria-pressed={!asText} onClick={() => setAsText(false)}>
            Hex
          </button>
        </span>
        <span class="quiet">
          {kept}
          {isWhole ? '' : `, the first ${shownBytes.toLocaleString()} shown`}
        </span>
        <CopyButton text={data} label="Copy all bytes, in base64" />
      </header>
      {size === 0 ? (
        <p class="quiet">The message was empty.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: by keyboard only a focused element scrolls (WCAG 2.1.1)
        <pre class={asText ? 'bytes' : 'bytes dump'} tabIndex={0}>
          {asText ? shown.text : shown.dump}
        </pre>
      )}
    </div>
  );
}
