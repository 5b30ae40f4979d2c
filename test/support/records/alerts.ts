import type { Bearer } from '../../../shared/app/bearer.ts';
import { type ChangeWork, decided, nothingRead } from '../../../shared/app/change/written.ts';
import { decideAndCommit } from '../../../shared/app/commit/commit.ts';
import type { World } from '../../../shared/app/ports.ts';
import { loadConfiguration } from '../../../shared/app/settings/configuration.ts';
import { createRule } from '../../../shared/app/settings/rules.ts';
import { putTeam } from '../../../shared/app/settings/teams.ts';
import { type AlertSeed, seedAlert } from '../../../shared/domain/alert/alert.ts';
import { consequencesOf } from '../../../shared/domain/change/consequences.ts';
import { openedSteps } from '../../../shared/domain/change/steps.ts';
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts';
import type { AlertRule } from '../../../shared/schema/settings/rule.ts';
import type { TeamContacts } from '../../../shared/schema/settings/team.ts';
import { box } from '../world/secret-box.ts';
import { sentDeliveries } from './deliveries.ts';

/** A bearer with access to every group. */
export const ana: Bearer = { subject: 'ana', scopes: new Set(), groups: null };

let count = 0;

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/**
 * Opens an alert as a report does.
 * @returns its id
 */
export async function openTestAlert(world: World, given: Partial<AlertSeed> = {}): Promise<string> {
  count += 1;
  const seed: AlertSeed = {
    alertId: uuidOf(count),
    deviceId: `cam-${count}`,
    groupId: 'north',
    code: 'CONN_001',
    message: 'The connection is lost',
    context: {},
    ...given,
  };
  await decideAndCommit(world, async () => ({ ...(await openedAlert(world, seed)), answer: undefined }));
  return seed.alertId;
}

/** The writes that open an alert because of a device, not yet committed. */
export async function openedAlert(world: World, seed: AlertSeed): Promise<ChangeWork> {
  const configuration = await loadConfiguration(world);
  return decided(world, { ...nothingRead, configuration }, world.now(), (known, given) => {
    const steps = openedSteps(seedAlert(seed, given.at), 'device', configuration, given);
    return consequencesOf([steps], { ...known, configuration }, given);
  });
}

export async function giveTeam(world: World, name: string, contacts: TeamContacts): Promise<void> {
  await putTeam(world, name, contacts, null, { box, judgeUrl: () => null });
}

export async function giveRule(world: World, rule: AlertRule): Promise<string> {
  count += 1;
  return (await createRule(world, rule, uuidOf(900_000 + count))).rule.ruleId;
}

/** All deliveries, oldest first, with the body that is sent. */
export async function messagesOf({ store }: Pick<World, 'store'>): Promise<Delivery[]> {
  return (await sentDeliveries(store)).toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
}

/** All notifications to people, oldest first: the occasion, and the alert's code or the kind of any other subject. */
export async function occasionsOf(world: World): Promise<string[]> {
  const messages = (await messagesOf(world)).flatMap(({ message }) => message ?? []);
  return Promise.all(
    messages.map(async ({ about, id, occasion }) =>
      about === 'alert' ? `${occasion} ${(await alertOf(world, id)).code}` : `${occasion} ${about}`,
    ),
  );
}

export async function alertOf(world: World, alertId: string) {
  const [stored = null] = await world.store.get('alerts', [alertId]);
  if (!stored) throw new Error(`no alert ${alertId}`);
  return stored.data;
}
