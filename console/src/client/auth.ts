import { ErrorResponse, type User, UserManager } from 'oidc-client-ts';
import type { Me } from '../../../shared/schema/me/me.ts';
import { type Scope, scopes } from '../../../shared/schema/scopes.ts';
import { createStore, useStore } from '../store.ts';
import type { RuntimeConfig } from './config.ts';
import { answerTabs, askTabs, tellOut } from './session-tabs.ts';

export type Session = { subject: string; accessToken: string };
export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; session: Session };

export const sessionState = createStore<SessionState>({ status: 'starting' });
/** What the service reads in the token. Null: it has not answered yet. */
export const me = createStore<Me | null>(null);
let manager: UserManager | null = null;
let settings: RuntimeConfig | null = null;

/** Restores the session of this tab, or reads the issuer's answer from the address. */
export async function startAuth(config: RuntimeConfig): Promise<void> {
  settings = config;
  manager = managerFor(config);
  manager.events.addUserLoaded(adopt);
  manager.events.addUserUnloaded(() => signedOut(null));
  manager.events.addAccessTokenExpired(() => void renew());
  answerTabs({ give: sessionBut, out: () => void leave() });
  try {
    const answered = hasAnswer() ? await takeAnswer(manager) : null;
    const user = answered ?? (await manager.getUser()) ?? (await fromTabs(null, null));
    if (user && !user.expired) adopt(user);
    else if (!user?.refresh_token) signedOut(null);
    // Without a connection the expired session is kept. Once the API is reached, it refuses the expired token, and
    // `call` renews the session.
    else if ((await renew()) === 'unreachable') adopt(user);
  } catch (error) {
    if (error instanceof ErrorResponse && error.error === 'invalid_scope' && narrowed(config) === null) {
      return signInNarrowed(config, manager);
    }
    signedOut(error instanceof Error ? error.message : 'Signing in did not work.');
  }
}

/** How often somebody signed out. */
let departures = 0;

/** A renewal that was on its way when somebody signed out must not sign in again. */
class Manager extends UserManager {
  override async signinSilent(...given: Parameters<UserManager['signinSilent']>): Promise<User | null> {
    const before = departures;
    const user = await super.signinSilent(...given);
    if (departures === before) return user;
    await leave();
    return null;
  }
}

function managerFor(config: RuntimeConfig): UserManager {
  const here = `${location.origin}/`;
  return new Manager({
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: here,
    silent_redirect_uri: here,
    post_logout_redirect_uri: here,
    response_type: 'code',
    scope: scopeOf(config),
    extraQueryParams: { audience: config.audience },
    automaticSilentRenew: true,
    accessTokenExpiringNotificationTimeInSeconds: 60,
  });
}

const openid = ['openid', 'profile'];
const scopesOf = (config: RuntimeConfig): string[] => [...openid, ...(config.scopes ?? scopes)];
const scopeOf = (config: RuntimeConfig): string => (narrowed(config) ?? scopesOf(config)).join(' ');
const narrowedName = 'watchpost.scopes';

/**
 * Signs in once more where the issuer refused the scopes: with those that it publishes. An issuer that publishes none of
 * ours grants none, and the console shows what is missing.
 */
async function signInNarrowed(config: RuntimeConfig, refused: UserManager): Promise<void> {
  const { scopes_supported: known = [] } = await refused.metadataService.getMetadata();
  const asked = scopesOf(config);
  const left = asked.filter((scope) => openid.includes(scope) || known.includes(scope));
  sessionStorage.setItem(narrowedName, JSON.stringify({ asked, left }));
  await signIn();
}

/** The scopes that are asked for in this tab since the issuer refused all that are set. Null: it did not. */
function narrowed(config: RuntimeConfig): string[] | null {
  const { asked, left } = narrowing();
  return String(asked) === String(scopesOf(config)) ? left : null;
}

/** The scopes that the issuer does not know. */
export function unknownScopes(): string[] {
  const { asked, left } = narrowing();
  return asked.filter((scope) => !left.includes(scope));
}

function narrowing(): { asked: string[]; left: string[] } {
  return JSON.parse(sessionStorage.getItem(narrowedName) ?? '{"asked":[],"left":[]}');
}

/** True inside the hidden frame in which the issuer renews a session. The frame only passes on the answer. */
export function isSilentFrame(): boolean {
  return window.parent !== window && hasAnswer();
}

/** Passes the issuer's answer from the hidden frame to the console around it. */
export async function passAnswerOn(): Promise<void> {
  await new UserManager({ authority: location.origin, client_id: '', redirect_uri: '' }).signinSilentCallback();
}

export async function signIn(): Promise<void> {
  if (settings) await manager?.signinRedirect({ scope: scopeOf(settings), state: { hash: location.hash } });
}

/** Signs out in all tabs. */
export async function signOut(): Promise<void> {
  tellOut();
  await leave();
}

async function leave(): Promise<void> {
  departures += 1;
  // The issuer may know more by the next time.
  sessionStorage.removeItem(narrowedName);
  await manager?.removeUser();
  signedOut(null);
}

/** The session of another tab, kept as that of this one. */
async function fromTabs(but: string | null, subject: string | null): Promise<User | null> {
  const before = departures;
  const user = await askTabs(but, subject);
  if (departures !== before) return null;
  if (user) await manager?.storeUser(user);
  return user;
}

/** What this tab gives to another one that needs a token, and was refused with this one. */
async function sessionBut(but: string | null): Promise<User | null> {
  const user = await manager?.getUser();
  if (!user) return null;
  if (!user.expired && user.access_token !== but) return user;
  return user.refresh_token && (await renew(user.access_token)) === 'renewed'
    ? ((await manager?.getUser()) ?? null)
    : null;
}

/** The result of an attempt to renew a session. `unreachable`: the issuer cannot be reached now, so a later attempt may succeed. */
type Renewal = 'renewed' | 'ended' | 'unreachable';
let renewing: Promise<Renewal> | null = null;

/**
 * Renews the session without the operator. Simultaneous calls share one renewal, because a refresh token can be used only once.
 * @param refused the token that the API refused; its refusal may arrive after another renewal
 */
export function renew(refused: string | null = accessToken()): Promise<Renewal> {
  const token = accessToken();
  if (token !== null && token !== refused) return Promise.resolve('renewed');
  renewing ??= renewOnce().finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renewOnce(): Promise<Renewal> {
  try {
    const user = await manager?.getUser();
    const given = user && !user.refresh_token ? await fromTabs(user.access_token, user.profile.sub) : null;
    if (given) adopt(given);
    if (given ?? (await manager?.signinSilent())) return 'renewed';
  } catch (error) {
    // A short network failure must not sign out a screen on the wall. After any other error the operator must sign in.
    if (error instanceof TypeError || /\(5\d\d\)$/.test(String(error))) return 'unreachable';
  }
  signedOut('Your session has ended. Sign in to go on where you were.');
  return 'ended';
}

/** The token for calling the API. Null when signed out. */
export function accessToken(): string | null {
  const state = sessionState.get();
  return state.status === 'signed-in' ? state.session.accessToken : null;
}

/** Whether the operator has a scope. It decides only what is shown, because the API makes its own check. */
export function useMay(scope: Scope): boolean {
  return useStore(me)?.scopes.includes(scope) ?? false;
}

function hasAnswer(): boolean {
  const query = new URLSearchParams(location.search);
  return query.has('state') && (query.has('code') || query.has('error'));
}

async function takeAnswer(from: UserManager): Promise<User | null> {
  try {
    const user = await from.signinRedirectCallback();
    const { hash } = (user.state ?? {}) as { hash?: string };
    history.replaceState(null, '', `/${hash ?? ''}`);
    dispatchEvent(new HashChangeEvent('hashchange'));
    return user;
  } catch (error) {
    history.replaceState(null, '', '/');
    throw error;
  }
}

function signedOut(reason: string | null): void {
  me.set(null);
  sessionState.set({ status: 'signed-out', reason });
}

function adopt(user: User): void {
  const subject = user.profile.name ?? user.profile.email ?? user.profile.sub;
  sessionState.set({ status: 'signed-in', session: { subject, accessToken: user.access_token } });
}
