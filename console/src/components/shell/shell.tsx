import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scopes } from '../../../../shared/schema/scopes.ts';
import { reachable } from '../../client/api.ts';
import { me, sessionState, signOut, unknownScopes } from '../../client/auth.ts';
import { forgetKept } from '../../client/kept.ts';
import { forgetLast, lastContact } from '../../client/last-known.ts';
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
import { ChannelBanner } from './channel-banner.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { type Place, placesOfRail, usePlaces } from './places.ts';
import { SightBanner } from './sight-banner.tsx';
import { Voice, VoiceSwitch } from './voice.tsx';

type ShellProps = { route: Route; title: string; children: ComponentChildren };

/** The frame around each page: the rail of pages, search, sound, the person, and the state of the connection. */
export function Shell({ route, title, children }: ShellProps): JSX.Element {
  const places = usePlaces();
  const here = route.path[0] ?? '';
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const page = useRef<HTMLElement>(null);
  const openHelp = () => setHelpOpen(true);
  const go = useSecondKey((key) => openPlace(places, key));
  useKeys({ help: openHelp, go, undo: undoLast });
  usePaletteKey(() => setPaletteOpen(true));

  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => page.current?.focus()}>
        Skip to the page
      </button>
      <Rail places={placesOfRail(places, here)} here={here} />
      <header class="bar">
        <Live />
        <span class="spacer" />
        <button type="button" class="search-all" aria-keyshortcuts="Control+K" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
          <span>Search everything</span> <kbd>Ctrl K</kbd>
        </button>
        <VoiceSwitch />
        <Person onHelp={openHelp} />
      </header>
      <TabTitle page={title} />
      <Voice />
      <SightBanner />
      <ChannelBanner />
      <UnknownScopes />
      <main ref={page} tabIndex={-1} aria-label={title}>
        {children}
      </main>
      <OfflineBanner />
      <Toasts />
      {isPaletteOpen ? <Palette onHelp={openHelp} onClose={() => setPaletteOpen(false)} /> : null}
      {isHelpOpen ? <Help onClose={() => setHelpOpen(false)} /> : null}
    </div>
  );
}

/** All pages at the side, and on a phone at the foot: the first ones, and the others behind one button. */
function Rail({ places, here }: { places: readonly Place[]; here: string }): JSX.Element {
  const rest = useRef<HTMLDivElement>(null);
  const link = (place: Place) => <PlaceLink key={place.name} place={place} here={here} />;
  const of = (group: Place['group']) => places.filter((place) => place.group === group);
  const isHere = places.some(({ group, pages }) => group !== 'first' && pages.includes(here));
  const groups = (['rest', 'tools', 'settings'] as const).filter((group) => of(group).length > 0);
  return (
    <nav class="rail" aria-label="Pages">
      <a class="brand" href={href([])} aria-label="Watchpost">
        <img src="/icon.svg" alt="" width="24" height="24" /> <span>Watchpost</span>
      </a>
      <div class="rail-group">{of('first').map(link)}</div>
      {groups.length > 0 ? (
        <button type="button" class={isHere ? 'more here' : 'more'} popovertarget="rail-rest">
          <Icon name="more" />
          <span>More</span>
        </button>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only links inside are clicked, and they handle their keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div id="rail-rest" class="rail-rest" popover="auto" ref={rest} onClick={() => closePopover(rest.current)}>
        {groups.map((group) => (
          <div key={group} class={`rail-group of-${group}`}>
            {of(group).map(link)}
          </div>
        ))}
      </div>
    </nav>
  );
}

/** It is open only on a phone. */
function closePopover(popover: HTMLElement | null): void {
  if (popover?.matches(':popover-open')) popover.hidePopover();
}

function PlaceLink({ place, here }: { place: Place; here: string }): JSX.Element {
  const { name, icon, path, pages, isInside } = place;
  return (
    <a
      class={isInside ? 'inside' : undefined}
      href={href(path ? [path] : [])}
      title={name}
      aria-current={pages.includes(here) ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{name}</span>
    </a>
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

/** Who is signed in, with what concerns this person: the time zone, colours, keys, what the sign-in allows, and sign-out. */
function Person({ onHelp }: { onHelp: () => void }): JSX.Element {
  const state = useStore(sessionState);
  const isDark = useStore(theme) === 'dark';
  const session = state.status === 'signed-in' ? state.session : null;
  const name = session?.subject ?? '';
  const granted = useStore(me)?.scopes ?? [];
  const leave = () => {
    forgetKept();
    forgetLast();
    void signOut();
  };
  return (
    <>
      <button type="button" class="plain person" popovertarget="person" title={name}>
        <Icon name="person" />
        <bdi>{name}</bdi>
      </button>
      <div id="person" class="person-menu" popover="auto">
        <p class="person-name">
          <bdi>{name}</bdi>
        </p>
        <p class="quiet">Times are in {zoneName() === timeZone ? timeZone : `${timeZone} (${zoneName()})`}</p>
        <Item icon={isDark ? 'sun' : 'moon'} name={isDark ? 'Light colours' : 'Dark colours'} onClick={switchTheme} />
        <Item icon="help" name="Keys and help" onClick={onHelp} />
        <details>
          <summary>What I may do</summary>
          <ul class="scopes">
            {scopes
              .filter((scope) => granted.includes(scope))
              .map((scope) => (
                <li key={scope}>{scope}</li>
              ))}
          </ul>
        </details>
        <Item icon="out" name="Sign out" onClick={leave} />
      </div>
    </>
  );
}

/** What the issuer did not know of the scopes that the console asks for. */
function UnknownScopes(): JSX.Element | null {
  const unknown = unknownScopes();
  if (unknown.length === 0) return null;
  return (
    <p class="notice problem" role="status">
      The issuer does not know {unknown.join(', ')}: what needs them is not shown. Define them there, and sign in again.
    </p>
  );
}

function Item({ icon, name, onClick }: { icon: IconName; name: string; onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="plain" popovertarget="person" popovertargetaction="hide" onClick={onClick}>
      <Icon name={icon} /> <span>{name}</span>
    </button>
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
