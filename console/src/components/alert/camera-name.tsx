import type { JSX } from 'preact';

type Named = { deviceId: string; deviceName: string | null; site?: string | null };

/** A camera's name followed by its id, or only the id; then its site where one is given. */
export function CameraName({ of: { deviceId, deviceName, site = null } }: { of: Named }): JSX.Element {
  const place = site === null ? '' : ` at ${site}`;
  return (
    <>
      {deviceName ?? deviceId}
      {deviceName === null && place === '' ? null : (
        <span class="quiet">
          {deviceName === null ? '' : ` ${deviceId}`}
          {place}
        </span>
      )}
    </>
  );
}
