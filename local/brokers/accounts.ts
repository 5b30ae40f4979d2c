import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { passwordOf } from '../cloud/secrets.ts';
import { type AccessList, readAccessList } from './access-list.ts';

/** The account of the bridge. */
export const bridgeAccount = 'bridge';

/** Who may connect to a broker, and what each account may do. */
export type Access = AccessList & {
  isAccount(user: string, password: Buffer): boolean;
  /** In bytes. */
  longestMessage: number;
};

const read = (name: string) => readFileSync(new URL(`lists/${name}`, import.meta.url), 'utf8');

/**
 * The access list and the message limit of our example files for Mosquitto (`lists/`), with account passwords derived
 * from this key.
 */
export function documentedAccess(accountsKey: string): Access {
  const limit = /^max_packet_size (\d+)$/m.exec(read('mosquitto.conf'))?.[1];
  if (limit === undefined) throw new Error('mosquitto.conf has no max_packet_size');
  return {
    ...readAccessList(read('mosquitto.acl')),
    longestMessage: Number(limit),
    isAccount(user, password) {
      const right = Buffer.from(passwordOf(accountsKey, user));
      return password.length === right.length && timingSafeEqual(password, right);
    },
  };
}
