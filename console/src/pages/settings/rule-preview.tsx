import type { JSX } from 'preact';
import type { RulePreview } from '../../../../shared/schema/settings/rule.ts';
import { href } from '../../client/router.ts';
import { CameraName } from '../../components/alert/camera-name.tsx';
import { SeverityMark } from '../../components/alert/severity.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';
import { channelNames, channels, type Fate } from '../../model.ts';
import { ChannelHead } from './channel-head.tsx';

/** The effect that a rule would have had on past alerts, compared with the present rules. */
export function RulePreviewPanel({ preview }: { preview: RulePreview }): JSX.Element {
  const { matched, examined, isComplete, changed, messages, alerts, since } = preview;
  return (
    <section class="panel" aria-label="Preview" aria-live="polite">
      <header class="panel-head">
        <h2>
          It would have matched {matched.toLocaleString()} of {plural(examined, 'alert')}
        </h2>
      </header>
      <p class="quiet">
        Since <Time at={since} form="full" />
        {isComplete ? '' : ' (the newest only: there were more than a preview looks at)'}. For{' '}
        {plural(changed, 'alert')} somebody else would have been notified.
      </p>
      <table class="table">
        <ChannelHead first="Messages" />
        <tbody>
          <MessageRow name="Today" counts={messages.today} />
          <MessageRow name="With this rule" counts={messages.withRule} />
        </tbody>
      </table>
      <ul class="preview-list" aria-label="Matched alerts">
        {alerts.map((alert) => (
          <li key={alert.alertId}>
            <SeverityMark severity={alert.severity} />
            <Time at={alert.timestamp} />
            <a href={href(['alerts', alert.alertId])}>{alert.code}</a>
            <span>
              <CameraName of={alert} /> <span class="quiet">{alert.groupId}</span>
            </span>
            <span class="quiet">{fateInWords(alert.withRule)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function MessageRow({ name, counts }: { name: string; counts: Record<string, number> }): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      {channels.map((channel) => (
        <td key={channel}>{(counts[channel] ?? 0).toLocaleString()}</td>
      ))}
    </tr>
  );
}

function fateInWords({ isSuppressed, escalatesTo, priority, notified }: Fate): string {
  if (isSuppressed) return 'nobody notified';
  const by = [...new Set(notified.map(({ channel }) => channelNames[channel]))].join(', ');
  return [by ? `by ${by}` : 'nobody notified', escalatesTo ? `escalates to ${escalatesTo}` : '', priority ?? '']
    .filter(Boolean)
    .join(' · ');
}
