import type { GuardianAlertRecord } from '../../domain/guardian/record.ts';
import type { GuardianAlertsQuery, ListedGuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { visibleGroups } from '../alerts/list.ts';
import type { Bearer } from '../bearer.ts';
import { filtersOfChoices } from '../paging/choices.ts';
import { cut, defaultPageSize, listKey, type PageTokens } from '../paging/paging.ts';
import type { World } from '../ports.ts';

/**
 * Lists guardian alerts as they were received, newest first.
 * @throws AppError `invalid-request` for a foreign page token or too many combined values
 */
export async function listGuardianAlerts(
  world: World,
  bearer: Bearer,
  query: GuardianAlertsQuery,
  tokens: PageTokens,
): Promise<{ guardianAlerts: ListedGuardianAlert[]; nextPageToken?: string }> {
  const key = listKey('guardianAlerts', query, bearer.groups);
  const after = query.pageToken === undefined ? undefined : tokens.open(key, query.pageToken);
  const groups = visibleGroups(undefined, bearer.groups);
  if (groups?.length === 0) return { guardianAlerts: [] };
  const pageSize = query.pageSize ?? defaultPageSize;
  const found = await world.store.find({
    in: 'guardianAlerts',
    where: filtersOfChoices<'guardianAlerts'>([
      ['alertCode', query.alertCode],
      ['deviceId', query.deviceId],
      ['groupId', groups ?? undefined],
    ]),
    orderBy: [['receivedAt', 'desc']],
    limit: pageSize + 1,
    ...(after ? { after } : {}),
  });
  const { items, next } = cut(found, pageSize, ({ data, id }) => [data.receivedAt, id]);
  const guardianAlerts = items.map(({ data }) => listed(data));
  return next ? { guardianAlerts, nextPageToken: tokens.seal(key, next) } : { guardianAlerts };
}

function listed({ guardianAlertId, deviceId, groupId, receivedAt, text }: GuardianAlertRecord): ListedGuardianAlert {
  return { guardianAlertId, deviceId, groupId, receivedAt, guardianAlert: JSON.parse(text) };
}
