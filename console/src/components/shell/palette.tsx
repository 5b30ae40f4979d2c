import type { JSX } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import type { Site } from '../../../../shared/schema/place/place.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, searchOf } from '../../client/router.ts';
import { useRested } from '../../format.ts';
import { switchTheme } from '../../theme.ts';
import { Dialog } from '../dialog.tsx';
import { paletteRows, type Row, type Sources } from './palette-rows.ts';
import { usePlaces } from './places.ts';

type Props = { onHelp: () => void; onClose: () => void };

/** One search box for cameras, sites, alerts, incidents, pages and actions. Arrow keys select, Enter opens. */
export function Palette({ onHelp, onClose }: Props): JSX.Element {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const rows = paletteRows(text, useSources(useRested(text.trim(), 200), onHelp));
  const chosen = Math.min(at, rows.length - 1);
  const go = (row: Row | undefined) => {
    if (!row) return;
    onClose();
    if ('act' in row) row.act();
    else navigate(row.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(rows[chosen]);
    else if (step) setAt((chosen + step + rows.length) % Math.max(1, rows.length));
    else return;
    event.preventDefault();
  };
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <Dialog title="Go to" onClose={onClose} isPlain>
      <input
        type="text"
        list={undefined}
        // biome-ignore lint/a11y/noRedundantRoles: without a `datalist` the input does not have this role by itself
        role="combobox"
        aria-label="Camera, site, alert, incident, page or action"
        aria-expanded="true"
        aria-controls={`${id}-rows`}
        aria-activedescendant={rows.length > 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Found id={id} rows={rows} chosen={chosen} onGo={go} />
      {rows.length === 0 ? (
        <p role="status">Nothing found. Say the beginning of an id, a name, a site or a code.</p>
      ) : null}
    </Dialog>
  );
}

type FoundProps = { id: string; rows: readonly Row[]; chosen: number; onGo: (row: Row) => void };

function Found({ id, rows, chosen, onGo }: FoundProps): JSX.Element {
  return (
    <div class="palette-rows" id={`${id}-rows`} role="listbox" aria-label="Found">
      {rows.map((row, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field above has the focus and handles the keys
        <div
          key={`${row.kind} ${row.name} ${row.more}`}
          id={`${id}-${index}`}
          class="palette-row"
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onGo(row)}
        >
          <span class="chip">{row.kind}</span>
          <strong>{row.name}</strong>
          <span class="quiet">{row.more}</span>
        </div>
      ))}
    </div>
  );
}

/**
 * Pages and actions. From two characters on also the cameras and alerts that the service finds, and the first page of
 * sites and of incidents, which `paletteRows` searches.
 */
function useSources(text: string, onHelp: () => void): Sources {
  const places = usePlaces();
  const [mayAlerts, mayDevices] = [useMay('alerts:read'), useMay('devices:read')];
  const [mayRules, mayWebhooks] = [useMay('settings:write'), useMay('webhooks:write')];
  const asked = text.length >= 2;
  const search = searchOf({ q: text, pageSize: '6' });
  const devices = useResource<{ devices: Device[] }>(asked && mayDevices ? `/v1/devices?${search}` : null);
  const alerts = useResource<{ alerts: Alert[] }>(asked && mayAlerts ? `/v1/alerts?${search}` : null);
  const sites = useResource<{ sites: Site[] }>(asked && mayDevices ? '/v1/sites?pageSize=200' : null);
  const incidents = useResource<{ incidents: Incident[] }>(asked && mayAlerts ? '/v1/incidents?pageSize=50' : null);
  const known = useMemo((): Row[] => {
    const pages = places.map(({ name, path }) => ({ name, address: href(path ? [path] : []) }));
    const made = [
      ...(mayRules ? [{ name: 'New rule', address: href(['rules', 'new']) }] : []),
      ...(mayRules ? [{ name: 'New maintenance window', address: href(['maintenance', 'new']) }] : []),
      ...(mayWebhooks ? [{ name: 'New endpoint', address: href(['webhooks', 'new']) }] : []),
      { name: 'Most urgent alerts', address: href(['alerts'], { orderBy: 'urgency desc' }) },
    ];
    return [
      ...pages.map((page): Row => ({ kind: 'Page', more: '', ...page })),
      ...made.map((action): Row => ({ kind: 'Action', more: '', ...action })),
      { kind: 'Action', name: 'Light or dark colours', more: '', act: switchTheme },
      { kind: 'Action', name: 'Keys and help', more: '', act: onHelp },
    ];
  }, [places.length, mayRules, mayWebhooks]);
  if (!asked) return { known, devices: [], sites: [], alerts: [], incidents: [] };
  return {
    known,
    devices: devices.data?.devices ?? [],
    sites: sites.data?.sites ?? [],
    alerts: alerts.data?.alerts ?? [],
    incidents: incidents.data?.incidents ?? [],
  };
}
