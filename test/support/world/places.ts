import type { Device } from '../../../shared/domain/device/device.ts';
import { placeKeysOf } from '../../../shared/domain/device/places.ts';
import { postOf } from '../notify/post.ts';
import type { TestWorld } from './world.ts';

/** Sets the places of a camera that has reported before. */
export async function hang(
  { store }: TestWorld,
  deviceId: string,
  where: Partial<Pick<Device, 'groupId' | 'site' | 'parents'>>,
): Promise<void> {
  const [stored = null] = await store.get('devices', [deviceId]);
  if (!stored) throw new Error(`there is no camera ${deviceId}`);
  const hung = { ...stored.data, ...where };
  const data = { ...hung, places: placeKeysOf(hung) };
  await store.commit([{ kind: 'replace', in: 'devices', id: deviceId, data, revision: stored.revision }]);
}

/** All incidents, oldest first. */
export async function incidentsOf({ store }: TestWorld) {
  const found = await store.find({ in: 'incidents', limit: 1000 });
  return found.map(({ data }) => data).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

/** Subjects of the received mails without times, oldest first. */
export function notifiedOf(world: TestWorld): string[] {
  return postOf(world)
    .sent.filter(({ channel }) => channel === 'email')
    .map(({ text }) => (text.split('\n')[0] ?? '').replace(/,? (since|from) \d.*$/, ''));
}
