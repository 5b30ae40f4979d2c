import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AccessList, readAccessList } from './access-list.ts';

/** Who may come in, and what each may do then. */
export type Access = AccessList & { isAccount(user: string, password: Buffer): boolean };

/** Every name has an account, and its password follows from the key: whoever holds the key need not keep any. */
export function passwordOf(accountsKey: string, user: string): string {
  return createHmac('sha256', accountsKey).update(user).digest('base64url');
}

/** The access list that is documented for Mosquitto, for accounts with passwords of this key. */
export function documentedAccess(accountsKey: string): Access {
  const list = readAccessList(readFileSync(new URL('lists/mosquitto.acl', import.meta.url), 'utf8'));
  return {
    ...list,
    isAccount(user, password) {
      const right = Buffer.from(passwordOf(accountsKey, user));
      return password.length === right.length && timingSafeEqual(password, right);
    },
  };
}
