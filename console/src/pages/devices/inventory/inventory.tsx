import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Device } from '../../../../../shared/schema/device/device.ts';
import { type Failure, failureFrom } from '../../../client/api.ts';
import { href } from '../../../client/router.ts';
import { Icon } from '../../../components/icons.tsx';
import { Empty, Failed } from '../../../components/states.tsx';
import { Time } from '../../../components/time.tsx';
import { plural, useNow } from '../../../format.ts';
import { mostRead, readAllDevices } from './all-devices.ts';
import { certificatesByTime, type Due, firmwareByModel, type Versions } from './inventory-rows.ts';

/** When the certificates of the fleet end, and which firmware it runs. */
export function InventoryPage(): JSX.Element {
  const [state, setState] = useState<{ count: number; devices: Device[] | null; failure: Failure | null }>(nothingRead);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isShown = true;
    setState(nothingRead);
    readAllDevices({}, (count) => isShown && setState({ ...nothingRead, count })).then(
      (devices) => isShown && setState({ count: devices.length, devices, failure: null }),
      (error) => isShown && setState({ ...nothingRead, failure: failureFrom(error) }),
    );
    return () => {
      isShown = false;
    };
  }, [turn]);
  const { count, devices, failure } = state;
  return (
    <section class="pane narrow">
      <a class="back" href={href(['devices'])}>
        <Icon name="back" /> All devices
      </a>
      <header class="page-head">
        <h1>Certificates and firmware</h1>
      </header>
      {failure ? <Failed failure={failure} retry={() => setTurn(turn + 1)} /> : null}
      {devices || failure ? null : <p role="status">Reading the fleet: {count.toLocaleString('en')} cameras …</p>}
      {devices && devices.length >= mostRead ? (
        <p class="notice">Only the first {mostRead.toLocaleString('en')} cameras are counted here.</p>
      ) : null}
      {devices ? <Calendars devices={devices} /> : null}
    </section>
  );
}

const nothingRead = { count: 0, devices: null, failure: null };

function Calendars({ devices }: { devices: readonly Device[] }): JSX.Element {
  const now = useNow();
  const { due, unknown } = useMemo(() => certificatesByTime(devices, now), [devices, now]);
  const models = useMemo(() => firmwareByModel(devices), [devices]);
  return (
    <>
      <section class="panel">
        <header class="panel-head">
          <h2>Certificates by the time when they end</h2>
        </header>
        {due.length === 0 ? <Empty title="No camera has reported when its certificate ends" /> : null}
        {due.map((each) => (
          <DueSection key={each.name} due={each} />
        ))}
        {unknown > 0 ? <p class="quiet">{plural(unknown, 'camera')} did not say when theirs ends.</p> : null}
      </section>
      <section class="panel">
        <header class="panel-head">
          <h2>Firmware by model</h2>
        </header>
        {models.map((model) => (
          <ModelSection key={model.model} of={model} />
        ))}
      </section>
    </>
  );
}

function DueSection({ due: { name, isOver, devices } }: { due: Due }): JSX.Element {
  return (
    <details open={isOver}>
      <summary>
        {name} <span class={isOver ? 'chip bad' : 'chip'}>{devices.length.toLocaleString('en')}</span>
      </summary>
      <ul class="plain-list">
        {devices.map(({ deviceId, name: called, site, certificateEndsAt }) => (
          <li key={deviceId}>
            <a href={href(['devices', deviceId])}>{called || deviceId}</a> <span class="quiet">{site ?? ''}</span>{' '}
            {certificateEndsAt ? <Time at={certificateEndsAt} form="full" /> : null}
          </li>
        ))}
      </ul>
    </details>
  );
}

function ModelSection({ of: { model, total, versions } }: { of: Versions }): JSX.Element {
  return (
    <details open={versions.length > 1}>
      <summary>
        {model || 'Unknown model'} <span class="chip">{total.toLocaleString('en')}</span>{' '}
        <span class="quiet">{plural(versions.length, 'version')}</span>
      </summary>
      <ul class="plain-list">
        {versions.map(({ firmware, count }) => (
          <li key={firmware}>
            {firmware ? (
              <a href={href(['devices'], { ...(model ? { model } : {}), firmware })}>{firmware}</a>
            ) : (
              'Not reported'
            )}{' '}
            <span class="quiet">{plural(count, 'camera')}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
