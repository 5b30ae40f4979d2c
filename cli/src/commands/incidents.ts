import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { alertStatuses } from '../../../shared/schema/vocabulary.ts';
import type { Command } from '../command.ts';
import { explanationLines } from '../explanation.ts';
import type { Column } from '../output.ts';
import { commentBody, commentFlag, noteBody, noteFlags, snoozeBody, snoozeFlags } from './actions.ts';
import { acting, listing, showing } from './records.ts';

const columns: Column<Schemas['Incident']>[] = [
  ['incidentId', ({ incidentId }) => incidentId],
  ['severity', ({ severity }) => severity],
  ['kind', ({ kind }) => kind],
  ['status', ({ status }) => status],
  ['scope', ({ scope }) => `${scope.kind}:${scope.id}`],
  ['devices', ({ members }) => members?.now, 'spare'],
  ['startedAt', ({ startedAt }) => startedAt],
  ['title', ({ title }) => title],
];
const id = 'incidentId';
const plainly = { id, flags: commentFlag, body: commentBody, columns };

export const incidentCommands: readonly Command[] = [
  listing('listIncidents', {
    name: 'incidents list',
    about: 'lists incidents; the open ones unless --status asks for others',
    flags: {
      status: {
        about: 'in these states',
        value: 'S',
        isMany: true,
        oneOf: [...alertStatuses, 'open', 'all'],
        member: 'status',
      },
    },
    columns,
  }),
  showing('getIncident', 'incidents show', id, 'shows one incident'),
  showing(
    'explainIncident',
    'incidents explain',
    id,
    'explains who was notified of an incident, and who was not',
    explanationLines,
  ),
  acting('acknowledgeIncident', { name: 'incidents ack', about: 'acknowledges incidents', ...plainly }),
  acting('unacknowledgeIncident', { name: 'incidents unack', about: 'undoes that, within a minute', ...plainly }),
  acting('resolveIncident', { name: 'incidents resolve', about: 'resolves incidents', ...plainly }),
  acting('reopenIncident', { name: 'incidents reopen', about: 'reopens resolved incidents', ...plainly }),
  acting('snoozeIncident', {
    ...plainly,
    name: 'incidents snooze',
    about: 'snoozes incidents for a time',
    flags: snoozeFlags,
    body: snoozeBody,
  }),
  acting('unsnoozeIncident', { name: 'incidents unsnooze', about: 'ends a snooze', ...plainly }),
  acting('addIncidentNote', {
    ...plainly,
    name: 'incidents note',
    about: 'adds a note to incidents',
    flags: noteFlags,
    body: noteBody,
  }),
];
