import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Scope } from '../../../../shared/schema/scopes.ts';
import { reachable } from '../../client/api.ts';
import { sessionState, signOut } from '../../client/auth.ts';
import { FleetProvider, useFleetReading } from '../../client/fleet.ts';
import { forgetKept } from '../../client/kept.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { streamState } from '../../client/stream.ts';
import { TabTitle } from '../../client/title.ts';
import { useKeys } from '../../keys.ts';
import { useStore } from '../../store.ts';
import { switchTheme, theme } from '../../theme.ts';
import { timeZone, zoneName } from '../../time-zone.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Toasts, undoLast } from '../toast.tsx';
import { Help } from './help.tsx';
import { SightBanner } from './sight-banner.tsx';

type Place = { name: string; icon: IconName; path: string; key: string; pages: string[] };

const places: (Place & { scope: Scope; isMore?: true })[] = [
  { name: 'Fleet', icon: 'fleet', path: '', key: 'f', pages: [''], scope: 'alerts:read' },
  {
    name: 'Alerts',
    icon: 'alerts',
    path: 'alerts',
    key: 'a',
    pages: ['alerts', 'incidents', 'guardian'],
    scope: 'alerts:read',
  },
  { name: 'Devices', icon: 'devices', path: 'devices', key: 'd', pages: ['devices'], scope: 'devices:read' },
  {
    name: 'Webhooks',
    icon: 'webhooks',
    path: 'webhooks',
    key: 'w',
    pages: ['webhooks', 'review', 'deliveries'],
    scope: 'webhooks:read',
  },
  { name: 'Rules', icon: 'rules', path: 'rules', key: 'r', pages: ['rules'], scope: 'settings:read' },
  {
    name: 'Maintenance',
    icon: 'maintenance',
    path: 'maintenance',
    key: 'm',
    pages: ['maintenance'],
    scope: 'settings:read',
    isMore: true,
  },
  { name: 'Reports', icon: 'audit', path: 'reports', key: 'p', pages: ['reports'], scope: 'alerts:read', isMore: true },
  { name: 'Teams', icon: 'teams', path: 'teams', key: 't', pages: ['teams'], scope: 'settings:read', isMore: true },
  {
    name: 'Quarantine',
    icon: 'quarantine',
    path: 'quarantine',
    key: 'q',
    pages: ['quarantine'],
    scope: 'settings:read',
    isMore: true,
  },
  { name: 'Audit', icon: 'audit', path: 'audit', key: 'u', pages: ['audit'], scope: 'audit:read', isMore: true },
  {
    name: 'Settings',
    icon: 'settings',
    path: 'settings',
    key: 's',
    pages: ['settings'],
    scope: 'settings:read',
    isMore: true,
  },
];

/** The pages that the operator may see: those in the bar, and those that narrow screens show under "More". */
function usePlaces(): { main: Place[]; more: Place[] } {
  const state = useStore(sessionState);
  const shown = places.filter(({ scope }) => state.status === 'signed-in' && state.session.scopes.has(scope));
  return { main: shown.filter(({ isMore }) => !isMore), more: shown.filter(({ isMore }) => isMore) };
}

type ShellProps = { route: Route; title: string; children: ComponentChildren };

/** The frame around each page: navigation, the state of the connection, and sign-out. */
export function Shell({ route, title, children }: ShellProps): JSX.Element {
  const { main, more } = usePlaces();
  const here = route.path[0] ?? '';
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isGoing, setGoing] = useState(false);
  const page = useRef<HTMLElement>(null);
  useKeys({ '?': () => setHelpOpen(true), g: () => setGoing(true), z: undoLast }, !isGoing);
  useSecondKey(isGoing, [...main, ...more], () => setGoing(false));

  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => page.current?.focus()}>
        Skip to the page
      </button>
      <header class="bar">
        <a class="brand" href={href([])}>
          <img src="/icon.svg" alt="" width="24" height="24" /> Watchpost
        </a>
        <nav class="places" aria-label="Pages">
          {main.map((place) => (
            <PlaceLink key={place.name} place={place} here={here} />
          ))}
          {more.length > 0 ? <More places={more} here={here} /> : null}
        </nav>
        <span class="spacer" />
        <Live />
        <span class="zone" title={`All times are in ${timeZone}`}>
          {zoneName()}
        </span>
        <ThemeSwitch />
        <button
          type="button"
          class="plain"
          aria-label="Keys and help"
          title="Keys and help (?)"
          onClick={() => setHelpOpen(true)}
        >
          <Icon name="help" />
        </button>
        <Person />
      </header>
      <FleetProvider value={useFleetReading()}>
        <TabTitle page={title} />
        <SightBanner />
        <main ref={page} tabIndex={-1}>
          {children}
        </main>
      </FleetProvider>
      <OfflineBanner />
      <Toasts />
      {isHelpOpen ? <Help onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

function PlaceLink({ place, here }: { place: Place; here: string }): JSX.Element {
  const { name, icon, path, pages } = place;
  return (
    <a href={href(path ? [path] : [])} aria-current={pages.includes(here) ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
    </a>
  );
}

/** Pages that are set up once and seldom visited: in the bar where there is room, else behind one button. */
function More({ places: folded, here }: { places: readonly Place[]; here: string }): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  const isHere = folded.some(({ pages }) => pages.includes(here));
  return (
    <>
      <button type="button" class={isHere ? 'more here' : 'more'} popovertarget="more-places">
        <Icon name="more" />
        <span>More</span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links inside are what is clicked, by key too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div id="more-places" class="more-places" popover="auto" ref={menu} onClick={() => menu.current?.hidePopover()}>
        {folded.map((place) => (
          <PlaceLink key={place.name} place={place} here={here} />
        ))}
      </div>
    </>
  );
}

/** After `g` the next key selects a page. Any other key cancels. */
function useSecondKey(isWaiting: boolean, places: readonly Place[], done: () => void): void {
  useEffect(() => {
    if (!isWaiting) return;
    const onKeyDown = (event: KeyboardEvent) => {
      done();
      const place = places.find(({ key }) => key === event.key);
      if (!place) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      navigate(href(place.path ? [place.path] : []));
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [isWaiting]);
}

function Live(): JSX.Element {
  const stream = useStore(streamState);
  const isReachable = useStore(reachable);
  const [tone, text] = !isReachable
    ? ['bad', 'Offline']
    : {
        live: ['good', 'Live'],
        connecting: ['wait', 'Connecting'],
        unsupported: ['wait', 'Polling'],
        off: ['wait', 'Paused'],
      }[stream];
  return (
    <span class={`live ${tone}`} role="status">
      {text}
    </span>
  );
}

function ThemeSwitch(): JSX.Element {
  const isDark = useStore(theme) === 'dark';
  return (
    <button
      type="button"
      class="plain"
      aria-label={isDark ? 'Light colours' : 'Dark colours'}
      title={isDark ? 'Light colours' : 'Dark colours'}
      onClick={switchTheme}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}

function Person(): JSX.Element {
  const state = useStore(sessionState);
  const leave = () => {
    forgetKept();
    void signOut();
  };
  return (
    <>
      <span class="person">{state.status === 'signed-in' ? state.session.subject : ''}</span>
      <button type="button" class="plain" aria-label="Sign out" title="Sign out" onClick={leave}>
        <Icon name="out" />
      </button>
    </>
  );
}

/** Overlays the page, so that nothing moves when the connection is lost or returns. */
function OfflineBanner(): JSX.Element | null {
  const isReachable = useStore(reachable);
  if (isReachable) return null;
  return (
    <div class="banner" role="alert">
      No connection to the service. What you see may be old; the console keeps trying.
    </div>
  );
}
