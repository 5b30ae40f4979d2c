/** The text for each kind of change in a trail. An unknown change is shown by its name in the API. */
const deeds: Record<string, string> = {
  open: 'Opened',
  see: 'Seen again',
  worsen: 'Got worse',
  return: 'Came back',
  end: 'Ended',
  announce: 'Notified, because it lasted',
  acknowledge: 'Acknowledged',
  unacknowledge: 'Acknowledgement undone',
  snooze: 'Snoozed',
  unsnooze: 'Snooze undone',
  'snooze-end': 'Snooze over',
  escalate: 'Escalated',
  remind: 'Reminded',
  widen: 'Wider than reported before',
  resolve: 'Resolved',
  reopen: 'Reopened',
  'add-note': 'Note added',
};

export function deedOf(action: string): string {
  return deeds[action] ?? action.charAt(0).toUpperCase() + action.slice(1).replaceAll('-', ' ');
}

/**
 * A readable name of an actor: the camera, the service, a rule, an incident, or a person: the token's subject without
 * `user:`.
 */
export function actorOf(who: string): string {
  if (who === 'device') return 'the camera';
  if (who === 'system') return 'Watchpost';
  if (who.startsWith('rule:')) return 'a rule';
  if (who.startsWith('incident:')) return 'its incident';
  return who.replace(/^user:/, '');
}
