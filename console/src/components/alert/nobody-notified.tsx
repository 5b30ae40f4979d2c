import type { JSX } from 'preact';
import { useMay } from '../../client/auth.ts';
import { useFleet } from '../../client/fleet.ts';
import { href } from '../../client/router.ts';

/** Warns that no contact would be notified of an alert, and links to the page where contacts are added. */
export function NobodyNotified(): JSX.Element | null {
  const { data } = useFleet();
  const mayLook = useMay('settings:read');
  if (data?.reach.contacts !== false) return null;
  return (
    <p class="notice problem nobody">
      <strong>Nobody would be notified.</strong> The team operations has no contact, so no email, chat message or SMS is
      sent. {mayLook ? <a href={href(['teams'])}>Add a contact</a> : 'Ask an administrator to add one.'}
    </p>
  );
}
