import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { alertCodes, alertStatuses, priorities, severities } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import { explanationLines } from '../explanation.ts';
import type { Column } from '../output.ts';
import { commentBody, commentFlag, noteBody, noteFlags, snoozeBody, snoozeFlags } from './actions.ts';
import { acting, listing, showing } from './records.ts';

const columns: Column<Schemas['Alert']>[] = [
  ['alertId', ({ alertId }) => alertId],
  ['severity', ({ severity }) => severity],
  ['code', ({ code }) => code],
  ['status', ({ status }) => status],
  ['device', ({ deviceId }) => deviceId],
  ['group', ({ groupId }) => groupId, 'spare'],
  ['timestamp', ({ timestamp }) => timestamp],
  ['message', ({ message }) => message],
];
const id = 'alertId';

export const alertCommands: readonly Command[] = [
  listing('listAlerts', {
    name: 'alerts list',
    about: 'lists alerts; the open ones unless --status asks for others',
    flags: {
      status: {
        about: 'in these states',
        value: 'S',
        isMany: true,
        oneOf: [...alertStatuses, 'open', 'all'],
        member: 'status',
      },
      severity: { about: 'of these severities', value: 'S', isMany: true, oneOf: severities, member: 'severity' },
      code: { about: 'of these codes', value: 'CODE', isMany: true, oneOf: alertCodes, member: 'code' },
      priority: { about: 'of these priorities', value: 'P', isMany: true, oneOf: priorities, member: 'priority' },
      device: { about: 'of this device', value: 'ID', isMany: true, member: 'deviceId' },
      group: { about: 'of this device group', value: 'ID', isMany: true, member: 'groupId' },
      site: { about: 'of this site', value: 'ID', isMany: true, member: 'site' },
      incident: { about: 'of this incident', value: 'ID', isMany: true, member: 'incidentId' },
      since: { about: 'since when, as 18:00', value: 'TIME', time: 'last', member: 'since' },
      until: { about: 'until when', value: 'TIME', time: 'last', member: 'until' },
      search: { about: 'the beginning of a code, or of words of the camera', value: 'TEXT', member: 'q' },
    },
    columns,
  }),
  showing('getAlert', 'alerts show', id, 'shows one alert'),
  showing(
    'explainAlert',
    'alerts explain',
    id,
    'explains why people were or were not notified of an alert',
    explanationLines,
  ),
  acting('acknowledgeAlert', {
    name: 'alerts ack',
    about: 'acknowledges alerts: somebody is working on them',
    id,
    flags: commentFlag,
    body: commentBody,
    columns,
  }),
  acting('unacknowledgeAlert', {
    name: 'alerts unack',
    about: 'undoes an acknowledgement, within a minute',
    id,
    flags: commentFlag,
    body: commentBody,
    columns,
  }),
  acting('resolveAlert', {
    name: 'alerts resolve',
    about: 'resolves alerts',
    id,
    flags: commentFlag,
    body: commentBody,
    columns,
  }),
  acting('reopenAlert', {
    name: 'alerts reopen',
    about: 'reopens resolved alerts',
    id,
    flags: commentFlag,
    body: commentBody,
    columns,
  }),
  acting('snoozeAlert', {
    name: 'alerts snooze',
    about: 'snoozes alerts for a time',
    id,
    flags: snoozeFlags,
    body: snoozeBody,
    columns,
  }),
  acting('unsnoozeAlert', {
    name: 'alerts unsnooze',
    about: 'ends a snooze',
    id,
    flags: commentFlag,
    body: commentBody,
    columns,
  }),
  acting('addAlertNote', {
    name: 'alerts note',
    about: 'adds a note to acknowledged alerts',
    id,
    flags: noteFlags,
    body: noteBody,
    columns,
  }),
];
