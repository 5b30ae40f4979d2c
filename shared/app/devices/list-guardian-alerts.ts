import type { GuardianAlertRecord } from '../../domain/guardian/guarding.ts';
import type { GuardianAlertsQuery, ListedGuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { filtersOfChoices, listKey, type PageTokens, pageOfQuery } from '../paging/paging.ts';

import type { Reads } from '../ports.ts';

/**
 * Lists guardian alerts as they were received, newest first.
 * @throws AppError `invalid-request` for the page token of another list or too many combined values
 */
export async function listGuardianAlerts(
  world: Reads<'guardianAlerts'>,
  bearer: Bearer,
  query: GuardianAlertsQuery,
  tokens: PageTokens,
): Promise<{ guardianAlerts: ListedGuardianAlert[]; nextPageToken?: string }> {
  const key = listKey('guardianAlerts', query, bearer.groups);
  const groups = visibleGroups(undefined, bearer.groups);
  const where = filtersOfChoices<'guardianAlerts'>([
    ['alertCode', query.alertCode],
    ['deviceId', query.deviceId],
    ['groupId', groups ?? undefined],
  ]);
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    groups?.length === 0 ? null : { in: 'guardianAlerts', where, orderBy: [['receivedAt', 'desc']] },
  );
  return { guardianAlerts: items.map(({ data }) => listed(data)), ...next };
}

function listed({
  guardianAlertId,
  deviceId,
  deviceName = null,
  groupId,
  receivedAt,
  text,
}: GuardianAlertRecord): ListedGuardianAlert {
  return { guardianAlertId, deviceId, deviceName, groupId, receivedAt, guardianAlert: JSON.parse(text) };
}
