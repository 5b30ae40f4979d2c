import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { reachable } from '../api.ts';
import { sessionState, signOut, useMay } from '../auth.ts';
import { useKeys } from '../keys.ts';
import { href, navigate, type Route } from '../router.ts';
import { useStore } from '../store.ts';
import { streamState } from '../stream.ts';
import { switchTheme, theme } from '../theme.ts';
import { Help } from './help.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Toasts } from './toast.tsx';

type Place = { name: string; icon: IconName; path: string; key: string; pages: string[]; isShown: boolean };

function usePlaces(): Place[] {
  const [alerts, devices, webhooks, settings] = [
    useMay('alerts:read'),
    useMay('devices:read'),
    useMay('webhooks:read'),
    useMay('settings:read'),
  ];
  const places: Place[] = [
    { name: 'Fleet', icon: 'fleet', path: '', key: 'f', pages: [''], isShown: alerts },
    { name: 'Alerts', icon: 'alerts', path: 'alerts', key: 'a', pages: ['alerts', 'guardian'], isShown: alerts },
    { name: 'Devices', icon: 'devices', path: 'devices', key: 'd', pages: ['devices'], isShown: devices },
    {
      name: 'Webhooks',
      icon: 'webhooks',
      path: 'webhooks',
      key: 'w',
      pages: ['webhooks', 'review', 'deliveries'],
      isShown: webhooks,
    },
    {
      name: 'Rules',
      icon: 'rules',
      path: 'rules',
      key: 'r',
      pages: ['rules', 'teams', 'settings', 'quarantine'],
      isShown: settings,
    },
  ];
  return places.filter(({ isShown }) => isShown);
}

/** What stands around every page: where one is, how things stand with the connection, and the way out. */
export function Shell({ route, children }: { route: Route; children: ComponentChildren }): JSX.Element {
  const places = usePlaces();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isGoing, setGoing] = useState(false);
  const page = useRef<HTMLElement>(null);
  useKeys({ '?': () => setHelpOpen(true), g: () => setGoing(true) }, !isGoing);
  useSecondKey(isGoing, places, () => setGoing(false));

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
          {places.map(({ name, icon, path, pages }) => (
            <a
              key={name}
              href={href(path ? [path] : [])}
              aria-current={pages.includes(route.path[0] ?? '') ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span>{name}</span>
            </a>
          ))}
        </nav>
        <span class="spacer" />
        <Live />
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
      <main ref={page} tabIndex={-1}>
        {children}
      </main>
      <OfflineBanner />
      <Toasts />
      {isHelpOpen ? <Help onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

/** The key after `g` says where to go; any other ends the waiting. */
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
  return (
    <>
      <span class="person">{state.status === 'signed-in' ? state.session.subject : ''}</span>
      <button type="button" class="plain" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
        <Icon name="out" />
      </button>
    </>
  );
}

/** Lies above the page, so that nothing moves when the connection comes and goes. */
function OfflineBanner(): JSX.Element | null {
  const isReachable = useStore(reachable);
  if (isReachable) return null;
  return (
    <div class="banner" role="alert">
      No connection to the service. What you see may be old; the console keeps trying.
    </div>
  );
}
