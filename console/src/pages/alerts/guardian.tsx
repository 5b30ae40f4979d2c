import type { JSX } from 'preact';
import type { ListedGuardianAlert } from '../../../../shared/schema/guardian/guardian-alert.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Route, searchOf } from '../../client/router.ts';
import { AlertTabs } from '../../components/alert/alert-tabs.tsx';
import { CameraName } from '../../components/alert/camera-name.tsx';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';

const codes = [
  ['', 'All kinds'],
  ['CONFIG_DRIFT', 'Drift'],
  ['CONFIG_HEALED', 'Healed'],
  ['CONFIG_CONFLICT', 'Conflict'],
] as const;

/** What the configuration guardians on the devices reported, newest first. */
export function GuardianPage({ route }: { route: Route }): JSX.Element {
  const alertCode = route.query.get('alertCode') ?? '';
  const deviceId = route.query.get('deviceId') ?? '';
  const search = searchOf({ alertCode, deviceId, pageSize: '100' });
  const list = useResource<{ guardianAlerts: ListedGuardianAlert[] }>(`/v1/guardian-alerts?${search}`, {
    on: ['alert', 'device'],
    everyMs: 30_000,
  });
  return (
    <section class="pane">
      <AlertTabs current="guardian" />
      <div class="filters">
        <SelectFilter label="Kind" name="alertCode" value={alertCode} options={codes} route={route} />
      </div>
      <Show of={list} lines={10}>
        {({ guardianAlerts }) =>
          guardianAlerts.length === 0 ? (
            <Empty title="No guardian has spoken">
              None of them has reported a drift; whether a camera has one at all, its own page says.
            </Empty>
          ) : (
            <ul class="cards guardian-list">
              {guardianAlerts.map((record) => (
                <GuardianItem key={record.guardianAlertId} record={record} />
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
}

const tones: Record<string, string> = { critical: 'CRITICAL', warning: 'WARNING', info: 'INFO' };

function GuardianItem({ record }: { record: ListedGuardianAlert }): JSX.Element {
  const { guardianAlert } = record;
  // An unknown severity is shown as an error.
  const tone = tones[guardianAlert.severity] ?? 'ERROR';
  return (
    <li class="card">
      <p class="row">
        <span class={`badge sev-${tone}`}>{guardianAlert.alertCode.replace('CONFIG_', '').toLowerCase()}</span>
        <a href={href(['devices', record.deviceId])}>
          <CameraName of={record} />
        </a>
        <span class="quiet">
          {guardianAlert.device.model} {guardianAlert.device.ip}
        </span>
        <span class="spacer" />
        <Time at={record.receivedAt} />
      </p>
      <Words alert={guardianAlert} />
    </li>
  );
}

function Words({ alert }: { alert: ListedGuardianAlert['guardianAlert'] }): JSX.Element {
  switch (alert.alertCode) {
    case 'CONFIG_DRIFT':
      return (
        <table class="table">
          <thead>
            <tr>
              <th>Field</th>
              <th>Expected</th>
              <th>Actual</th>
              <th>Severity</th>
            </tr>
          </thead>
          <tbody>
            {alert.drift.fields.map((field) => (
              <tr key={field.name}>
                <td class="mono">{field.name}</td>
                <td class="mono">{JSON.stringify(field.expected)}</td>
                <td class="mono">{JSON.stringify(field.actual)}</td>
                <td>{field.severity}</td>
              </tr>
            ))}
          </tbody>
        </table>
      );
    case 'CONFIG_HEALED':
      return (
        <p>
          Restored <span class="mono">{alert.heal.fieldsRestored.join(', ')}</span> in {alert.heal.durationMs} ms.
        </p>
      );
    case 'CONFIG_CONFLICT':
      return (
        <p>
          {alert.conflict.driftCount} drifts within {alert.conflict.window}, {alert.conflict.healAttempts} times healed;
          last <span class="mono">{alert.conflict.lastDrift.field}</span>. {alert.recommendation}
        </p>
      );
  }
}
