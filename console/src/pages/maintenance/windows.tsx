import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MaintenanceWindow, MaintenanceWindowInput } from '../../../../shared/schema/maintenance/window.ts';
import { ask, at } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { say, sayFailure } from '../../components/toast.tsx';
import { shortTime } from '../../format.ts';
import { WindowForm } from './window-form.tsx';

const stateNames = { active: 'Holds now', planned: 'Planned', over: 'Over' } as const;

/** Planned maintenance: alerts are recorded meanwhile, but nobody is notified. */
export function MaintenancePage(): JSX.Element {
  const list = useResource<{ windows: MaintenanceWindow[] }>('/v1/maintenance-windows?pageSize=200', {
    everyMs: 60_000,
  });
  const mayWrite = useMay('settings:write');
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Maintenance</h1>
        <span class="spacer" />
        {mayWrite ? (
          <a class="button primary" href={href(['maintenance', 'new'])}>
            <Icon name="plus" /> Plan maintenance
          </a>
        ) : null}
      </header>
      <Show of={list} lines={6}>
        {({ windows }) =>
          windows.length === 0 ? (
            <Empty title="Nothing is planned">
              While a maintenance window is active, alerts are recorded, nobody is notified and no response time runs.
              At its end, one digest lists what is still open.
            </Empty>
          ) : (
            <ul class="cards">
              {windows.map((window) => (
                <li key={window.windowId}>
                  <a class="card" href={href(['maintenance', window.windowId])}>
                    <p class="row">
                      <span class={window.state === 'active' ? 'presence on' : 'presence off'}>
                        {stateNames[window.state]}
                      </span>
                      <strong>{window.name}</strong>
                      <span class="spacer" />
                      <span>{timesOf(window)}</span>
                    </p>
                    <p class="quiet">{aboutOf(window)}</p>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
}

/** A new window. The address may contain its scope, so that a camera's page can link here: `?devices=cam-1`. */
export function NewMaintenancePage({ route }: { route: Route }): JSX.Element {
  const listed = (name: string) => route.query.getAll(name);
  const parents = listed('parents').map((parent) => {
    const [kind = '', id = ''] = parent.split(/:(.*)/s);
    return { kind, id };
  });
  const scope = Object.fromEntries([
    ...['devices', 'sites', 'groups'].flatMap((name) => (listed(name).length > 0 ? [[name, listed(name)]] : [])),
    ...(parents.length > 0 ? [['parents', parents]] : []),
  ]);
  const create = async (body: MaintenanceWindowInput) => {
    const { data: window } = await ask('post', '/v1/maintenance-windows', { body });
    say(window.activeUntil ? `Quiet until ${shortTime(window.activeUntil)}.` : `“${window.name}” is planned.`);
    navigate(href(['maintenance']));
  };
  return (
    <section class="pane narrow">
      <BackToList />
      <header class="page-head">
        <h1>Plan maintenance</h1>
      </header>
      <WindowForm window={{ scope, name: route.query.get('name') ?? '' }} onSave={create} />
    </section>
  );
}

export function MaintenanceWindowPage({ route }: { route: Route }): JSX.Element {
  const windowId = route.path[1] ?? '';
  const window = useResource<MaintenanceWindow>(at('maintenance-windows', windowId));
  const [isAsked, setAsked] = useState(false);
  const mayWrite = useMay('settings:write');
  const save = async (body: MaintenanceWindowInput) => {
    const path = '/v1/maintenance-windows/{windowId}';
    const answer = await ask('put', path, { params: { windowId }, body, ifMatch: window.etag });
    window.replace(answer.data, answer.etag);
    say('Maintenance saved.');
  };
  const end = async () => {
    try {
      await ask('delete', '/v1/maintenance-windows/{windowId}', { params: { windowId } });
      navigate(href(['maintenance']));
    } catch (error) {
      sayFailure(error);
    }
  };
  return (
    <section class="pane narrow">
      <BackToList />
      {window.data ? null : <h1 class="unseen">Maintenance</h1>}
      <Show of={window} lines={10}>
        {(data) => (
          <>
            <header class="page-head">
              <h1>{data.name}</h1>
              <span class="spacer" />
              {mayWrite && data.state !== 'over' ? (
                <button type="button" class="button danger" onClick={() => setAsked(true)}>
                  End for good
                </button>
              ) : null}
            </header>
            <p class="quiet">
              {stateNames[data.state]}. Planned by {data.createdBy}.
            </p>
            <WindowForm window={data} onSave={save} />
          </>
        )}
      </Show>
      {isAsked ? (
        <Confirm title="End this maintenance?" action="End for good" onConfirm={end} onClose={() => setAsked(false)}>
          <p>People are notified of the alerts that it silences now within a minute, and response times start.</p>
        </Confirm>
      ) : null}
    </section>
  );
}

function BackToList(): JSX.Element {
  return (
    <a class="back" href={href(['maintenance'])}>
      <Icon name="back" /> All maintenance
    </a>
  );
}

function timesOf({ startsAt, endsAt, recurrence, activeUntil }: MaintenanceWindow): string {
  if (activeUntil) return `until ${shortTime(activeUntil)}`;
  if (recurrence) return `${recurrence.weekdays.join(', ')} ${recurrence.from}–${recurrence.to}`;
  return startsAt && endsAt ? `${shortTime(startsAt)} – ${shortTime(endsAt)}` : '';
}

/** The scope of a window as one line. */
function aboutOf({ scope, limitedTo }: MaintenanceWindow): string {
  const parts = [
    ...['devices', 'groups', 'sites', 'codes'].map((name) => {
      const values = scope[name as 'devices' | 'groups' | 'sites' | 'codes'];
      return values ? `${name}: ${values.join(', ')}` : null;
    }),
    scope.parents ? `on ${scope.parents.map(({ kind, id }) => `${kind} ${id}`).join(', ')}` : null,
    scope.tags
      ? Object.entries(scope.tags)
          .map(([key, values]) => `${key}: ${values.join(' or ')}`)
          .join(', ')
      : null,
    limitedTo ? `only in ${limitedTo.join(', ')}` : null,
  ];
  return parts.filter(Boolean).join(' · ');
}
