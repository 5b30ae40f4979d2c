import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** An account at a broker. `deviceId`: its camera. Null: it belongs to the service. */
export type Account = { user: string; role: Role; deviceId: string | null };
export type Role = 'camera' | 'guardian' | 'bridge' | 'canary' | 'probe';

/** What is known of a registered camera. */
export type Registered = { deviceId: string; guardian: { enrolled: boolean } | null };

/** A camera with such an id would share the account of somebody else. */
const taken = /^(bridge(-\d+-\d+)?|guardian-.*|watchpost(-.*)?)$/;

/**
 * The accounts of all cameras, of guardians that are enrolled or all, of each bridge, and of the service.
 * @returns also the ids of cameras that cannot have an account of their own
 */
export function accountsFor(
  devices: readonly Registered[],
  given: { bridges: number; hasAllGuardians: boolean },
): { accounts: Account[]; refused: string[] } {
  const [refused, good] = [devices.filter(isTaken), devices.filter((device) => !isTaken(device))];
  const bridges = Array.from({ length: given.bridges }, (_unused, index) => bridgeOf(index + 1, given.bridges));
  const service: Account[] = [
    ...bridges.map((user): Account => ({ user, role: 'bridge', deviceId: null })),
    { user: 'watchpost-canary', role: 'canary', deviceId: null },
    { user: 'watchpost-probe', role: 'probe', deviceId: null },
  ];
  const cameras = good.flatMap(({ deviceId, guardian }): Account[] => [
    { user: deviceId, role: 'camera', deviceId },
    ...(guardian?.enrolled || given.hasAllGuardians
      ? [{ user: `guardian-${deviceId}`, role: 'guardian' as const, deviceId }]
      : []),
  ]);
  return { accounts: [...service, ...cameras], refused: refused.map(({ deviceId }) => deviceId) };
}

function isTaken({ deviceId }: Registered): boolean {
  return taken.test(deviceId);
}

function bridgeOf(partition: number, of: number): string {
  return of === 1 ? 'bridge' : `bridge-${partition}-${of}`;
}

/** The password of an account that follows from a key, so that it need not be stored. Without a key it is random. */
export function passwordFor(user: string, key: Uint8Array | null): string {
  return key === null
    ? randomBytes(24).toString('base64url')
    : createHmac('sha256', key).update(user).digest('base64url');
}

const keptBytes = 64;

/** PBKDF2 with HMAC-SHA512, which Mosquitto and HiveMQ's File RBAC extension read. */
export function pbkdf2(password: string, iterations: number): { salt: string; hash: string } {
  // Mosquitto 2.0 reads no other length.
  const salt = randomBytes(12);
  const hash = pbkdf2Sync(password, salt, iterations, keptBytes, 'sha512');
  return { salt: salt.toString('base64'), hash: hash.toString('base64') };
}
