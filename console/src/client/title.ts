import { useEffect } from 'preact/hooks';
import { createStore, useStore } from '../store.ts';
import { useFleet } from './fleet.ts';

/** What the page shows, where it shows one record. */
const record = createStore<string | null>(null);

/** Names the record of a page in the title of the tab for as long as it is shown. */
export function useRecordTitle(name: string | null | undefined): void {
  useEffect(() => {
    record.set(name ?? null);
    return () => record.set(null);
  }, [name]);
}

/** The title of the tab: how many critical alerts are open, what is shown, and whose page it is. */
export function TabTitle({ page }: { page: string }): null {
  const shown = useStore(record) ?? page;
  const critical = useFleet().data?.alerts.open.CRITICAL ?? 0;
  useEffect(() => {
    document.title = `${critical > 0 ? `(${critical}) ` : ''}${shown} · Watchpost`;
  }, [critical, shown]);
  return null;
}
