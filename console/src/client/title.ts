import { useEffect } from 'preact/hooks';
import { createStore, useStore } from '../store.ts';
import { useFleet } from './fleet.ts';

/** The name of the record that the page shows. */
const record = createStore<string | null>(null);

/** Names the record of a page in the title of the tab for as long as it is shown. */
export function useRecordTitle(name: string | null | undefined): void {
  useEffect(() => {
    record.set(name ?? null);
    return () => record.set(null);
  }, [name]);
}

/** Sets the title of the tab: the number of open critical alerts, and the shown record or else the page. */
export function TabTitle({ page }: { page: string }): null {
  const shown = useStore(record) ?? page;
  const critical = useFleet().data?.alerts.open.CRITICAL ?? 0;
  useEffect(() => {
    document.title = `${critical > 0 ? `(${critical}) ` : ''}${shown} · Watchpost`;
  }, [critical, shown]);
  return null;
}
