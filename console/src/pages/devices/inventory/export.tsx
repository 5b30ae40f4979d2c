import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { saveAs } from '../../../client/download.ts';
import type { Query } from '../../../client/router.ts';
import { say, sayFailure } from '../../../components/toast.tsx';
import { plural } from '../../../format.ts';
import { mostRead, readAllDevices } from './all-devices.ts';
import { tableOf } from './device-table.ts';

/** Saves the devices that match the filters as a table that the import accepts. */
export function ExportDevices({ query }: { query: Query }): JSX.Element {
  const [count, setCount] = useState<number | null>(null);
  const save = async () => {
    setCount(0);
    try {
      const devices = await readAllDevices(query, setCount);
      saveAs(new Blob([tableOf(devices)], { type: 'text/csv' }), 'devices.csv');
      const isCut = devices.length >= mostRead;
      const rest = isCut ? ` More than ${mostRead.toLocaleString('en')} are not exported at once: filter them.` : '';
      say(`${plural(devices.length, 'device')} exported.${rest}`, { isProblem: isCut });
    } catch (error) {
      sayFailure(error);
    }
    setCount(null);
  };
  return (
    <button type="button" class="button small" disabled={count !== null} onClick={() => void save()}>
      {count === null ? 'Export' : `Reading ${count.toLocaleString('en')} …`}
    </button>
  );
}
