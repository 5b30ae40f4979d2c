import { nameOf } from '../../domain/device/device.ts';
import { deviceIdPattern } from '../../domain/intake/message.ts';
import type { Bearer } from '../bearer.ts';
import type { Reads } from '../ports.ts';

/** The name and the site of a camera. */
export type Named = { deviceName: string | null; site: string | null };

const nameless: Named = { deviceName: null, site: null };

/**
 * Reads the names of cameras in one request. An id may only be claimed: an id without a camera has no name, nor has a camera outside the bearer's
 * groups.
 */
export async function namesFor(
  { store }: Reads<'devices'>,
  { groups }: Pick<Bearer, 'groups'>,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => Named> {
  const wanted = [...new Set(ids)].flatMap((id) => (id !== null && deviceIdPattern.test(id) ? [id] : []));
  const names = new Map<string, Named>();
  for (const stored of wanted.length > 0 ? await store.get('devices', wanted) : []) {
    if (!stored || (groups !== null && !groups.includes(stored.data.groupId))) continue;
    names.set(stored.id, { deviceName: nameOf(stored.data), site: stored.data.site });
  }
  return (id) => (id === null ? nameless : (names.get(id) ?? nameless));
}
