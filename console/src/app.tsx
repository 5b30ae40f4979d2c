import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ConsolePage } from '../../shared/schema/console-pages.ts';
import type { Me } from '../../shared/schema/me/me.ts';
import { me, type SessionState, sessionState, signIn, signOut } from './client/auth.ts';
import { forgetAnswers, useResource } from './client/resource.ts';
import { type Route, useRoute } from './client/router.ts';
import { startStream, stopStream } from './client/stream.ts';
import { watchSleep } from './client/wake.ts';
import { Shell } from './components/shell/shell.tsx';
import { Empty, Guarded, Skeleton } from './components/states.tsx';
import { lazy } from './lazy.tsx';
import { useStore } from './store.ts';

type Page = ComponentType<{ route: Route }>;
const waiting = (
  <section class="pane">
    <Skeleton lines={14} />
  </section>
);

/**
 * All pages by the first part of their path. `one` shows the record named by the second part, and `create` is shown at
 * `new`. Each page is loaded when it is first shown.
 */
const pages: Record<ConsolePage | '', { title: string; list: Page; one?: Page; create?: Page }> = {
  '': {
    title: 'Now',
    list: lazy(() => import('./pages/now/now.tsx').then(({ NowPage }) => NowPage), waiting),
  },
  alerts: alertPages(),
  incidents: {
    title: 'Incidents',
    list: lazy(() => import('./pages/incidents/incidents.tsx').then(({ IncidentsPage }) => IncidentsPage), waiting),
    one: lazy(() => import('./pages/incidents/incident.tsx').then(({ IncidentPage }) => IncidentPage), waiting),
  },
  shift: {
    title: 'Hand over',
    list: lazy(() => import('./pages/shift/shift.tsx').then(({ ShiftPage }) => ShiftPage), waiting),
  },
  guardian: {
    title: 'Guardian alerts',
    list: lazy(() => import('./pages/alerts/guardian.tsx').then(({ GuardianPage }) => GuardianPage), waiting),
  },
  devices: {
    title: 'Cameras',
    list: lazy(() => import('./pages/devices/devices.tsx').then(({ DevicesPage }) => DevicesPage), waiting),
    one: lazy(() => import('./pages/devices/device.tsx').then(({ DevicePage }) => DevicePage), waiting),
  },
  inventory: {
    title: 'Certificates and firmware',
    list: lazy(
      () => import('./pages/devices/inventory/inventory.tsx').then(({ InventoryPage }) => InventoryPage),
      waiting,
    ),
  },
  import: {
    title: 'Import devices',
    list: lazy(() => import('./pages/devices/import.tsx').then(({ ImportPage }) => ImportPage), waiting),
  },
  webhooks: {
    title: 'Webhooks',
    list: lazy(() => import('./pages/webhooks/webhooks.tsx').then(({ WebhooksPage }) => WebhooksPage), waiting),
    one: lazy(() => import('./pages/webhooks/webhook.tsx').then(({ WebhookPage }) => WebhookPage), waiting),
    create: lazy(() => import('./pages/webhooks/webhook.tsx').then(({ NewWebhookPage }) => NewWebhookPage), waiting),
  },
  review: {
    title: 'Manual review',
    list: lazy(() => import('./pages/webhooks/deliveries.tsx').then(({ ReviewPage }) => ReviewPage), waiting),
  },
  deliveries: {
    title: 'Deliveries',
    list: lazy(() => import('./pages/webhooks/deliveries.tsx').then(({ DeliveriesPage }) => DeliveriesPage), waiting),
  },
  rules: {
    title: 'Rules',
    list: lazy(() => import('./pages/settings/rules.tsx').then(({ RulesPage }) => RulesPage), waiting),
    one: lazy(() => import('./pages/settings/rules.tsx').then(({ RulePage }) => RulePage), waiting),
    create: lazy(() => import('./pages/settings/rules.tsx').then(({ NewRulePage }) => NewRulePage), waiting),
  },
  maintenance: maintenancePages(),
  teams: {
    title: 'Who is told',
    list: lazy(() => import('./pages/teams/teams.tsx').then(({ TeamsPage }) => TeamsPage), waiting),
  },
  settings: {
    title: 'Settings',
    list: lazy(() => import('./pages/settings/settings.tsx').then(({ SettingsPage }) => SettingsPage), waiting),
  },
  reports: {
    title: 'Reports',
    list: lazy(() => import('./pages/reports/reports.tsx').then(({ ReportsPage }) => ReportsPage), waiting),
  },
  audit: {
    title: 'Audit',
    list: lazy(() => import('./pages/audit/audit.tsx').then(({ AuditPage }) => AuditPage), waiting),
  },
  quarantine: {
    title: 'Quarantine',
    list: lazy(() => import('./pages/quarantine/quarantine.tsx').then(({ QuarantinePage }) => QuarantinePage), waiting),
  },
};

function maintenancePages(): { title: string; list: Page; one: Page; create: Page } {
  const load = () => import('./pages/maintenance/windows.tsx');
  return {
    title: 'Maintenance',
    list: lazy(() => load().then(({ MaintenancePage }) => MaintenancePage), waiting),
    one: lazy(() => load().then(({ MaintenanceWindowPage }) => MaintenanceWindowPage), waiting),
    create: lazy(() => load().then(({ NewMaintenancePage }) => NewMaintenancePage), waiting),
  };
}

/** The list and the open alert are one page, so that opening an alert does not draw the list again. */
function alertPages(): { title: string; list: Page; one: Page } {
  const page = lazy(() => import('./pages/alerts/alerts.tsx').then(({ AlertsPage }) => AlertsPage), waiting);
  return { title: 'Alerts', list: page, one: page };
}

export function App(): JSX.Element {
  const state = useStore(sessionState);
  const isSignedIn = state.status === 'signed-in';
  const { failure } = useMe(state);
  const own = useStore(me);
  const who = own ? JSON.stringify([own.subject, own.scopes, own.groups]) : '';
  useEffect(() => {
    if (!isSignedIn || who === '') return;
    startStream(who);
    const forgetSleep = watchSleep(() => startStream(who));
    return () => {
      forgetSleep();
      stopStream();
      forgetAnswers();
    };
  }, [isSignedIn, who]);
  if (state.status === 'starting') return <div class="gate" role="status" aria-label="Starting" />;
  if (state.status === 'signed-out') return <Gate state={state} />;
  if (own === null) {
    if (failure === null) return <div class="gate" role="status" aria-label="Starting" />;
    const isOffline = failure.kind === 'offline';
    return <Gate state={{ status: 'signed-out', reason: failure.detail || failure.title }} isWaiting={isOffline} />;
  }
  if (own.missing.groups !== null) return <WithoutGroups why={own.missing.groups} />;
  return <Inside />;
}

/** Reads what the token allows, and reads it again when the token was renewed. */
function useMe(state: SessionState) {
  const token = state.status === 'signed-in' ? state.session.accessToken : null;
  const read = useResource<Me>(token === null ? null : '/v1/me');
  const latest = useRef(token);
  useEffect(() => {
    if (latest.current !== null && token !== null && latest.current !== token) void read.reload();
    latest.current = token;
  }, [token, read.reload]);
  useLayoutEffect(() => me.set(read.data), [read.data]);
  return read;
}

/** A person whose token names no group of devices can see nothing, and reads here what to do. */
function WithoutGroups({ why }: { why: string }): JSX.Element {
  return (
    <main class="gate">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>No group of cameras</h1>
      <p>{why}</p>
      <button type="button" class="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </main>
  );
}

function Inside(): JSX.Element {
  const route = useRoute();
  const [first = '', second] = route.path;
  const page = Object.hasOwn(pages, first) ? pages[first as ConsolePage | ''] : undefined;
  const Page = second === undefined ? page?.list : ((second === 'new' ? page?.create : undefined) ?? page?.one);
  const key = first === 'alerts' ? first : `${first}/${second ?? ''}`;
  useFocusOnPage(key);
  return (
    <Shell route={route} title={page?.title ?? 'Not found'}>
      {Page ? (
        <Guarded key={key}>
          <Page route={route} />
        </Guarded>
      ) : (
        <section class="pane">
          <h1 class="unseen">Not found</h1>
          <Empty title="There is no such page">
            Go back to <a href="#/">what is wrong now</a>.
          </Empty>
        </section>
      )}
    </Shell>
  );
}

/** After a change of page the focus is on the new page, which is read out by its name, unless the page has put it somewhere itself. */
function useFocusOnPage(key: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const main = document.querySelector('main');
    const isInside = main?.contains(document.activeElement) && document.activeElement !== main;
    if (!isFirst.current && !isInside) main?.focus();
    isFirst.current = false;
  }, [key]);
}

type GateProps = { state: Extract<SessionState, { status: 'signed-out' }>; isWaiting?: boolean };

function Gate({ state, isWaiting = false }: GateProps): JSX.Element {
  return (
    <main class="gate">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>Watchpost</h1>
      <p>{state.reason ?? 'The health of your cameras, at a glance.'}</p>
      {isWaiting ? null : (
        <button type="button" class="button primary" onClick={() => void signIn()}>
          Sign in
        </button>
      )}
    </main>
  );
}
