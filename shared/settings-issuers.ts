import { json } from './settings-values.ts';

/** An issuer whose tokens the API accepts, and how to read them. */
export type Issuer = {
  /** Prefix of the subjects of an issuer at which nobody signs in to the console. */
  name: string;
  /** Exactly the `iss` of its tokens. */
  issuer: string;
  audience: string;
  /** The address of the key set. Null: the one in the issuer's discovery document. */
  keysUrl: string | null;
  /** The claim that contains the scopes. Null: `scope`, or `scp` where there is none. */
  scopeClaim: string | null;
  /** The claim that contains the groups of devices. Some issuers reserve the name `groups`. */
  groupsClaim: string;
  /** The element of that claim that means every group. */
  allGroups: string;
  /** Whether a token of an application has its rights in `roles` (Entra ID). */
  roles: boolean;
  /** Whether people sign in here. Exactly one has it. */
  signIn: boolean;
};

export const everyGroup = '*';
const mostIssuers = 4;
const name = /^[a-z][a-z0-9-]{0,31}$/;
/** They would be taken for who acts without a token, and for people who sign in to the console. */
const reservedNames: ReadonlySet<string> = new Set(['user', 'system', 'device', 'link', 'rule', 'incident']);
const members: readonly string[] = [
  ...([
    'name',
    'issuer',
    'audience',
    'keysUrl',
    'scopeClaim',
    'groupsClaim',
    'allGroups',
    'roles',
    'signIn',
  ] satisfies (keyof Issuer)[]),
];

/** A JSON list of issuers. An error names the member by its JSON pointer, and no value. */
export const issuerList = (raw: string | undefined): readonly Issuer[] => {
  if (!raw) throw new Error('is required');
  const given = json(raw);
  if (!Array.isArray(given) || given.length === 0 || given.length > mostIssuers) {
    throw new Error(`must be a JSON list of 1 to ${mostIssuers} issuers`);
  }
  const issuers = given.map((entry: unknown, index) => issuerOf(entry, `/${index}`));
  for (const member of ['name', 'issuer'] as const) {
    const double = issuers.findIndex(
      (each, index) => issuers.findIndex((other) => other[member] === each[member]) < index,
    );
    if (double >= 0) throw new Error(`/${double}/${member} is the same as that of another issuer`);
  }
  if (issuers.filter(({ signIn }) => signIn).length !== 1) {
    throw new Error('must have `signIn: true` in exactly one issuer');
  }
  return issuers;
};

/** What a run in the cloud refuses of a list: an address in the clear. */
export const faultOfIssuers = (raw: string): string | null => {
  let issuers: readonly Issuer[];
  try {
    issuers = issuerList(raw);
  } catch {
    return null; // `issuerList` says what is wrong.
  }
  for (const [index, { issuer, keysUrl }] of issuers.entries()) {
    if (!/^https:/i.test(issuer)) return `/${index}/issuer must begin with https://`;
    if (keysUrl !== null && !/^https:/i.test(keysUrl)) return `/${index}/keysUrl must begin with https://`;
  }
  return null;
};

function issuerOf(entry: unknown, at: string): Issuer {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw new Error(`${at} must be an object`);
  const given = entry as Record<string, unknown>;
  // A name that is not one of ours may be a secret at a wrong place, so it is not repeated.
  if (Object.keys(given).some((key) => !members.includes(key))) {
    throw new Error(`${at} must have no members but ${members.join(', ')}`);
  }
  const text = (member: keyof Issuer, fallback?: string): string => {
    const value = given[member] ?? fallback;
    if (typeof value !== 'string' || value.trim() === '') throw new Error(`${at}/${member} must be a text`);
    return value;
  };
  const flag = (member: keyof Issuer): boolean => {
    const value = given[member] ?? false;
    if (typeof value !== 'boolean') throw new Error(`${at}/${member} must be true or false`);
    return value;
  };
  const address = (member: keyof Issuer): string => {
    const value = text(member);
    if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
      throw new Error(`${at}/${member} must be an address that begins with https:// or http://`);
    }
    return value;
  };
  const named = text('name');
  if (!name.test(named) || reservedNames.has(named)) {
    throw new Error(`${at}/name must be small letters, digits and hyphens, and not ${[...reservedNames].join(', ')}`);
  }
  return {
    name: named,
    issuer: address('issuer'),
    audience: text('audience'),
    keysUrl: given['keysUrl'] == null ? null : address('keysUrl'),
    scopeClaim: given['scopeClaim'] == null ? null : text('scopeClaim'),
    groupsClaim: text('groupsClaim', 'groups'),
    allGroups: text('allGroups', everyGroup),
    roles: flag('roles'),
    signIn: flag('signIn'),
  };
}
