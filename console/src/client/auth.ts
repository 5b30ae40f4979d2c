import { type User, UserManager } from 'oidc-client-ts';
import { type Scope, scopes } from '../../../shared/schema/scopes.ts';
import { createStore, useStore } from '../store.ts';
import type { RuntimeConfig } from './config.ts';
import { answerTabs, askTabs, tellOut } from './session-tabs.ts';

export type Session = { subject: string; scopes: ReadonlySet<string>; accessToken: string };
export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; session: Session };

export const sessionState = createStore<SessionState>({ status: 'starting' });
let manager: UserManager | null = null;

/** Restores the session of this tab, or reads the issuer's answer from the address. */
export async function startAuth(config: RuntimeConfig): Promise<void> {
  const here = `${location.origin}/`;
  manager = new UserManager({
    authority: config.issuer,
    client_id: config.clientId,
    redirect_uri: here,
    silent_redirect_uri: here,
    post_logout_redirect_uri: here,
    response_type: 'code',
    scope: config.scope ?? ['openid', 'profile', ...scopes].join(' '),
    extraQueryParams: { audience: config.audience },
    automaticSilentRenew: true,
    accessTokenExpiringNotificationTimeInSeconds: 60,
  });
  manager.events.addUserLoaded(adopt);
  manager.events.addUserUnloaded(() => signedOut(null));
  manager.events.addAccessTokenExpired(() => void renew());
  answerTabs({ give: sessionBut, out: () => void leave() });
  try {
    const answered = hasAnswer() ? await takeAnswer(manager) : null;
    const user = answered ?? (await manager.getUser()) ?? (await fromTabs(null));
    if (user && !user.expired) adopt(user);
    else if (!user?.refresh_token) signedOut(null);
    // Without a connection the expired session is kept. Once the API is reached, it refuses the expired token, and
    // `call` renews the session.
    else if ((await renew()) === 'unreachable') adopt(user);
  } catch (error) {
    signedOut(error instanceof Error ? error.message : 'Signing in did not work.');
  }
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
  await manager?.signinRedirect({ state: { hash: location.hash } });
}

/** Signs out in all tabs. */
export async function signOut(): Promise<void> {
  tellOut();
  await leave();
}

async function leave(): Promise<void> {
  await manager?.removeUser();
  signedOut(null);
}

/** The session of another tab, kept as that of this one. */
async function fromTabs(but: string | null): Promise<User | null> {
  const user = await askTabs(but);
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
    const given = user && !user.refresh_token ? await fromTabs(user.access_token) : null;
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
  const state = useStore(sessionState);
  return state.status === 'signed-in' && state.session.scopes.has(scope);
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
  sessionState.set({ status: 'signed-out', reason });
}

function adopt(user: User): void {
  const claims = claimsOf(user.access_token);
  // Some issuers send the scopes as a text with spaces, others as a list. The API accepts both.
  const granted = claims['scope'] ?? claims['scp'] ?? user.scope ?? '';
  const scopes = Array.isArray(granted) ? granted.map(String) : String(granted).split(' ');
  const subject = user.profile.name ?? user.profile.email ?? user.profile.sub;
  sessionState.set({
    status: 'signed-in',
    session: { subject, scopes: new Set(scopes), accessToken: user.access_token },
  });
}

/** The claims of a token, read only to decide what to show. The API verifies the token. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (char) => char.charCodeAt(0))));
  } catch {
    return {};
  }
}
