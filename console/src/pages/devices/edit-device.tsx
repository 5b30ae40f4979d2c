import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { DevicePatch } from '../../../../shared/schema/device/registry.ts';
import { at, call, type Failure, failureFrom } from '../../client/api.ts';
import { useGroups } from '../../client/groups.ts';
import { useKept } from '../../client/kept.ts';
import type { Resource } from '../../client/resource.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, TextField, textFields } from '../../components/form.tsx';
import { say } from '../../components/toast.tsx';
import { useSites } from './sites.ts';

type Draft = { name: string; groupId: string; site: string; parents: string; tags: string };
type Props = { device: Resource<Device>; data: Device; onClose: () => void };

/** Edits what people set on a device: its name, group, site, parents and tags. */
export function EditDevice({ device, data, onClose }: Props): JSX.Element {
  const { value, isKept, change, forget } = useKept(`device:${data.deviceId}`, () => draftOf(data));
  const leave = () => {
    forget();
    onClose();
  };
  const [failure, setFailure] = useState<Failure | null>(null);
  const groups = useGroups();
  const sites = useSites();
  const field = textFields(value, change, failure);
  const save = async () => {
    try {
      const body = patchOf(value, data);
      if (Object.keys(body).length > 0) {
        const answer = await call<Device>('PATCH', at('devices', data.deviceId), { body, ifMatch: device.etag });
        device.replace(answer.data, answer.etag);
        say('Device changed.');
      }
      leave();
    } catch (error) {
      setFailure(failureFrom(error));
      void device.reload();
    }
  };
  return (
    <Dialog title={`Change ${data.deviceId}`} onClose={leave} isTyped={isKept}>
      <Form failure={failure} onSubmit={save}>
        <TextField label="Name" {...field('name')} />
        <TextField
          label="Group"
          {...field('groupId')}
          suggestions={groups}
          hint="Letters, digits, dot, dash and underscore. Open alerts go along to another group."
        />
        <TextField label="Site" {...field('site')} suggestions={sites} hint="The site of the camera; may be empty." />
        <TextField
          label="Hangs on"
          {...field('parents')}
          rows={3}
          placeholder="switch:sw-1"
          hint="One a line as kind:id, the nearest first: recorder, switch, uplink, power, provider."
        />
        <TextField label="Tags" {...field('tags')} rows={3} placeholder="floor:2" hint="One a line as key:value." />
        <footer class="buttons">
          <button type="submit" class="button primary">
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function draftOf({ name, groupId, site, parents, tags }: Device): Draft {
  return {
    ...{ name, groupId },
    site: site ?? '',
    parents: parents.map(({ kind, id }) => `${kind}:${id}`).join('\n'),
    tags: Object.entries(tags)
      .map(([key, value]) => `${key}:${value}`)
      .join('\n'),
  };
}

/** Only the changed members, because somebody else may have changed the others. */
function patchOf(draft: Draft, data: Device): DevicePatch {
  const before = draftOf(data);
  const { name, groupId, site, parents, tags } = draft;
  const isChanged = (member: keyof Draft) => draft[member].trim() !== before[member];
  return {
    ...(isChanged('name') ? { name: name.trim() || null } : {}),
    ...(isChanged('groupId') ? { groupId: groupId.trim() } : {}),
    ...(isChanged('site') ? { site: site.trim() || null } : {}),
    ...(isChanged('parents') ? { parents: pairsOf(parents).map(([kind, id]) => ({ kind, id })) } : {}),
    ...(isChanged('tags') ? { tags: tagsOf(data.tags, pairsOf(tags)) } : {}),
  };
}

/** `kind:id` or `key:value`, one per line. */
function pairsOf(text: string): [string, string][] {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  return lines.map((line) => {
    const [name = '', ...rest] = line.split(':');
    return [name.trim(), rest.join(':').trim()];
  });
}

/** A tag that was removed from the text is cleared. */
function tagsOf(before: Device['tags'], pairs: [string, string][]): Record<string, string | null> {
  const gone = Object.keys(before).map((key): [string, null] => [key, null]);
  return Object.fromEntries([...gone, ...pairs]);
}
