import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { reachable } from '../../client/api.ts';
import { sessionState, signOut } from '../../client/auth.ts';
import { FleetProvider, useFleetReading } from '../../client/fleet.ts';
import { forgetKept } from '../../client/kept.ts';
import { forgetLast, lastContact } from '../../client/last-known.ts';
import { NowProvider, useNowReading } from '../../client/now.ts';
import { href, navigate, type Route } from '../../client/router.ts';
import { streamState } from '../../client/stream.ts';
import { TabTitle } from '../../client/title.ts';
import { shortTime } from '../../format.ts';
import { useKeys, useSecondKey } from '../../keys.ts';
import { useStore } from '../../store.ts';
import { switchTheme, theme } from '../../theme.ts';
import { timeZone, zoneName } from '../../time-zone.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Toasts, undoLast } from '../toast.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { type Place, usePlaces } from './places.ts';
import { SightBanner } from './sight-banner.tsx';
import { Voice, VoiceSwitch } from './voice.tsx';

type ShellProps = { route: Route; title: string; children: ComponentChildren };

/** The frame around each page: navigation, the state of the connection, and sign-out. */
export function Shell({ route, title, children }: ShellProps): JSX.Element {
  const { main, more } = usePlaces();
  const here = route.path[0] ?? '';
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const page = useRef<HTMLElement>(null);
  const openHelp = () => setHelpOpen(true);
  const go = useSecondKey((key) => openPlace([...main, ...more], key));
  useKeys({ help: openHelp, go, undo: undoLast });
  usePaletteKey(() => setPaletteOpen(true));

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
          <More places={more} here={here} onHelp={openHelp} />
        </nav>
        <span class="spacer" />
        <Live />
        <Tool
          icon="search"
          name="Search everything"
          title="Search everything (Ctrl+K)"
          onClick={() => setPaletteOpen(true)}
        />
        <VoiceSwitch />
        <Tools onHelp={openHelp} />
      </header>
      <FleetProvider value={useFleetReading()}>
        <NowProvider value={useNowReading()}>
          <TabTitle page={title} />
          <Voice />
          <SightBanner />
          <main ref={page} tabIndex={-1}>
            {children}
          </main>
        </NowProvider>
      </FleetProvider>
      <OfflineBanner />
      <Toasts />
      {isPaletteOpen ? <Palette onHelp={openHelp} onClose={() => setPaletteOpen(false)} /> : null}
      {isHelpOpen ? <Help onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

/** What a person needs rarely. It is drawn in the bar and behind "More"; the styles show the one that fits. */
function Tools({ onHelp }: { onHelp: () => void }): JSX.Element {
  return (
    <div class="tools">
      <span class="zone" title={`All times are in ${timeZone}`}>
        {zoneName()}
      </span>
      <ThemeSwitch />
      <Tool icon="help" name="Keys and help" title="Keys and help (?)" onClick={onHelp} />
      <Person />
    </div>
  );
}

type ToolProps = { icon: IconName; name: string; title?: string; onClick: () => void };

function Tool({ icon, name, title = name, onClick }: ToolProps): JSX.Element {
  return (
    <button type="button" class="plain" aria-label={name} title={title} onClick={onClick}>
      <Icon name={icon} />
      <span>{name}</span>
    </button>
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

/** Pages that are rarely used, in the bar or, with the tools, behind one button: as there is space. */
function More({
  places: collapsed,
  here,
  onHelp,
}: {
  places: readonly Place[];
  here: string;
  onHelp: () => void;
}): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  const isHere = collapsed.some(({ pages }) => pages.includes(here));
  return (
    <>
      <button type="button" class={isHere ? 'more here' : 'more'} popovertarget="more-places">
        <Icon name="more" />
        <span>More</span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only links and buttons inside are clicked, and they handle their keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div id="more-places" class="more-places" popover="auto" ref={menu} onClick={() => menu.current?.hidePopover()}>
        {collapsed.map((place) => (
          <PlaceLink key={place.name} place={place} here={here} />
        ))}
        <Tools onHelp={onHelp} />
      </div>
    </>
  );
}

/** @returns whether a page has this key */
function openPlace(places: readonly Place[], key: string): boolean {
  const place = places.find((each) => each.key === key);
  if (place) navigate(href(place.path ? [place.path] : []));
  return place !== undefined;
}

/** Ctrl+K opens the palette, also during typing, but not while a dialog is open. */
function usePaletteKey(open: () => void): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
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
  return <Tool icon={isDark ? 'sun' : 'moon'} name={isDark ? 'Light colours' : 'Dark colours'} onClick={switchTheme} />;
}

function Person(): JSX.Element {
  const state = useStore(sessionState);
  const name = state.status === 'signed-in' ? state.session.subject : '';
  const leave = () => {
    forgetKept();
    forgetLast();
    void signOut();
  };
  return (
    <>
      <span class="person" title={name}>
        {name}
      </span>
      <Tool icon="out" name="Sign out" onClick={leave} />
    </>
  );
}

/** Overlays the page, so that nothing moves when the connection is lost or returns. */
function OfflineBanner(): JSX.Element | null {
  const isReachable = useStore(reachable);
  if (isReachable) return null;
  const contact = lastContact();
  const when = contact === null ? 'may be old' : `is of ${shortTime(new Date(contact).toISOString())} at the latest`;
  return (
    <div class="banner" role="alert">
      No connection to the service. What you see {when}; the console keeps trying.
    </div>
  );
}
