import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { ActivityItem } from '../../../../shared/schema/device/activity.ts';
import type { Device } from '../../../../shared/schema/device/device.ts';
import { at, call } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { useRecordTitle } from '../../client/title.ts';
import { AlertRow } from '../../components/alert/alert-row.tsx';
import { PresenceStrip } from '../../components/alert/beside.tsx';
import { Why } from '../../components/alert/why.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Icon } from '../../components/icons.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { duration } from '../../format.ts';
import { DeviceCalendar } from '../reports/device-calendar.tsx';
import { DeviceGuardian } from './device-guardian.tsx';
import { EditDevice } from './edit-device.tsx';
import { Presence } from './presence.tsx';

/** One device: its properties, its open alerts and its history. */
export function DevicePage({ route }: { route: Route }): JSX.Element {
  const deviceId = route.path[1] ?? '';
  const device = useResource<Device>(at('devices', deviceId), { on: ['device', 'alert'] });
  useRecordTitle(device.data && (device.data.name || device.data.deviceId));
  return (
    <section class="pane narrow">
      <a class="back" href={href(['devices'])}>
        <Icon name="back" /> All devices
      </a>
      {device.data ? null : <h1 class="unseen">Device {deviceId}</h1>}
      <Show of={device} lines={10}>
        {(data) => (
          <>
            <header class="page-head">
              <h1>{data.name || data.deviceId}</h1>
              <Presence state={data.state} />
              <span class="spacer" />
              <DeviceActions device={device} data={data} />
            </header>
            <Why deviceId={deviceId} />
          </>
        )}
      </Show>
      <section class="panel">
        <header class="panel-head">
          <h2>Open alerts</h2>
          <a href={href(['alerts'], { deviceId, status: 'all' })}>All of this device</a>
        </header>
        <OpenAlerts deviceId={deviceId} />
      </section>
      <section class="panel">
        <PresenceStrip deviceId={deviceId} />
        <PresenceStrip deviceId={deviceId} days={7} />
      </section>
      {device.data ? (
        <>
          <DeviceFacts device={device.data} />
          <DeviceGuardian guardian={device.data.guardian} deviceId={deviceId} />
        </>
      ) : null}
      <DeviceCalendar deviceId={deviceId} registeredAt={device.data?.registeredAt ?? null} />
      <section class="panel">
        <header class="panel-head">
          <h2>Activity</h2>
        </header>
        <Activity deviceId={deviceId} />
      </section>
    </section>
  );
}

function DeviceFacts({ device }: { device: Device }): JSX.Element {
  const { readings } = device;
  const facts: Fact[] = [
    ['Id', device.deviceId],
    ['Group', listed('groupId', device.groupId)],
    ['Site', device.site && listed('site', device.site)],
    ['Hangs on', several(device.parents.map(({ kind, id }) => listed('parent', `${kind}:${id}`)))],
    ['Tags', several(Object.entries(device.tags).map(([key, value]) => listed('tag', `${key}:${value}`)))],
    ['Watches', device.coverage.join(', ') || null],
    ['Model', device.model && listed('model', device.model)],
    ['Serial', device.serial],
    ['Firmware', device.firmware && listed('firmware', device.firmware)],
    ['Address', device.ip],
    ['Last seen', device.lastSeenAt ? <Time key="seen" at={device.lastSeenAt} form="age" /> : 'Never'],
    ['Connected', device.lastConnectedAt ? <Time key="connected" at={device.lastConnectedAt} form="full" /> : null],
    ['Memory', readings.memoryUsedPercent === undefined ? null : `${readings.memoryUsedPercent} %`],
    [
      'Storage free',
      readings.storageFreeMegabytes === undefined ? null : `${readings.storageFreeMegabytes.toLocaleString()} MB`,
    ],
    ['Latency', readings.latencyMs === undefined ? null : `${readings.latencyMs} ms`],
    [
      'Clock',
      device.clockSkewSeconds === null
        ? null
        : `${duration(Math.abs(device.clockSkewSeconds) * 1000)} ${device.clockSkewSeconds > 0 ? 'ahead' : 'behind'}`,
    ],
    ['Registered', <Time key="registered" at={device.registeredAt} form="full" />],
  ];
  return <Facts class="panel" facts={facts} />;
}

/** A link to the devices with the same value. */
function listed(filter: string, value: string): JSX.Element {
  return (
    <a key={value} href={href(['devices'], { [filter]: value })}>
      {value}
    </a>
  );
}

function several(links: JSX.Element[]): JSX.Element | null {
  if (links.length === 0) return null;
  return <>{links.map((link, index) => [index === 0 ? '' : ', ', link])}</>;
}

function OpenAlerts({ deviceId }: { deviceId: string }): JSX.Element {
  const alerts = useResource<{ alerts: Alert[] }>(`${at('devices', deviceId, 'alerts')}?status=open`, {
    on: ['alert'],
  });
  return (
    <Show of={alerts} lines={3}>
      {(data) =>
        data.alerts.length === 0 ? (
          <Empty title="No open alerts" />
        ) : (
          <ul class="recent-list" aria-label="Open alerts">
            {data.alerts.map((alert) => (
              <li key={alert.alertId}>
                <AlertRow alert={alert} address={href(['alerts', alert.alertId])} />
              </li>
            ))}
          </ul>
        )
      }
    </Show>
  );
}

function Activity({ deviceId }: { deviceId: string }): JSX.Element {
  const path = `${at('devices', deviceId, 'activity')}?pageSize=200`;
  const activity = useResource<{ entries: ActivityItem[] }>(path, { on: ['device', 'alert'] });
  return (
    <Show of={activity} lines={5}>
      {({ entries }) =>
        entries.length === 0 ? (
          <Empty title="Nothing yet" />
        ) : (
          <ol class="timeline">
            {entries.map(({ entryId, at: instant, kind, who, summary, alertId, code }) => (
              <li key={entryId}>
                <span class="when">
                  <Time at={instant} form="full" />
                </span>
                <span class="deed">{alertId ? <a href={href(['alerts', alertId])}>{summary}</a> : summary}</span>
                <span class="quiet">{[code, kind.replaceAll('-', ' '), who].filter(Boolean).join(' · ')}</span>
              </li>
            ))}
          </ol>
        )
      }
    </Show>
  );
}

function DeviceActions({ device, data }: { device: Resource<Device>; data: Device }): JSX.Element | null {
  const [asked, setAsked] = useState<'edit' | 'decommission' | null>(null);
  const mayWrite = useMay('devices:write');
  const mayPlan = useMay('settings:write');
  if (!mayWrite) return null;
  const decommission = async () => {
    try {
      await call('DELETE', at('devices', data.deviceId), { ifMatch: device.etag });
      say(`${data.deviceId} is decommissioned.`);
      navigate(href(['devices']));
    } catch (error) {
      sayFailure(error);
      void device.reload();
    }
  };
  return (
    <div class="buttons">
      <button type="button" class="button" onClick={() => setAsked('edit')}>
        Edit
      </button>
      {mayPlan ? (
        <a class="button" href={href(['maintenance', 'new'], { devices: data.deviceId })}>
          Put in maintenance
        </a>
      ) : null}
      <button type="button" class="button danger" onClick={() => setAsked('decommission')}>
        Decommission
      </button>
      {asked === 'edit' ? <EditDevice device={device} data={data} onClose={() => setAsked(null)} /> : null}
      {asked === 'decommission' ? (
        <Confirm
          title={`Decommission ${data.deviceId}?`}
          action="Decommission"
          onConfirm={decommission}
          onClose={() => setAsked(null)}
        >
          Its open alerts end and it leaves the fleet. A report that it sends later registers it anew.
        </Confirm>
      ) : null}
    </div>
  );
}
