import { type User, UserManager } from 'oidc-client-ts';
import { type Scope, scopes } from '../../../shared/schema/vocabulary.ts';
import { createStore, useStore } from '../store.ts';
import type { RuntimeConfig } from './config.ts';

export type Session = { subject: string; scopes: ReadonlySet<string>; accessToken: string };
export type SessionState =
  | { status: 'starting' }
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; session: Session };

export const sessionState = createStore<SessionState>({ status: 'starting' });
let manager: UserManager | null = null;

/** Takes up the session of this tab, or the answer of the issuer that stands in the address. */
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
  try {
    const answered = hasAnswer() ? await takeAnswer(manager) : null;
    const user = answered ?? (await manager.getUser());
    if (user && !user.expired) adopt(user);
    else if (!user?.refresh_token) signedOut(null);
    else if ((await renew()) === 'unreachable') signedOut('The issuer that signs operators in cannot be reached.');
  } catch (error) {
    signedOut(error instanceof Error ? error.message : 'Signing in did not work.');
  }
}

/** True inside the hidden frame in which the issuer renews a session: it only passes the answer on. */
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

export async function signOut(): Promise<void> {
  await manager?.removeUser();
  signedOut(null);
}

/** What became of an attempt to go on: with a new token, not at all, or later, when the issuer can be reached again. */
type Renewal = 'renewed' | 'ended' | 'unreachable';
let renewing: Promise<Renewal> | null = null;

/**
 * Renews the session without the operator; once, however many ask for it: a refresh token is good for one use.
 * @param refused the token that the API did not take, whose refusal may arrive when another has long come
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
    if (await manager?.signinSilent()) return 'renewed';
  } catch (error) {
    // A network that is away for a moment must not sign out a screen on the wall. All else means: the issuer wants to see the operator.
    if (error instanceof TypeError || /\(5\d\d\)$/.test(String(error))) return 'unreachable';
  }
  signedOut('Your session has ended. Sign in to go on where you were.');
  return 'ended';
}

/** The token to call the API with; null when signed out. */
export function accessToken(): string | null {
  const state = sessionState.get();
  return state.status === 'signed-in' ? state.session.accessToken : null;
}

/** Whether the operator may do what the scope covers: decides what is shown, while the API decides what is done. */
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
  // Text with spaces or a list, as the issuer likes it; the API reads the same.
  const granted = claims['scope'] ?? claims['scp'] ?? user.scope ?? '';
  const scopes = Array.isArray(granted) ? granted.map(String) : String(granted).split(' ');
  const subject = user.profile.name ?? user.profile.email ?? user.profile.sub;
  sessionState.set({
    status: 'signed-in',
    session: { subject, scopes: new Set(scopes), accessToken: user.access_token },
  });
}

/** The claims of a token, read only to show what it is good for; the API verifies it. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (char) => char.charCodeAt(0))));
  } catch {
    return {};
  }
}
