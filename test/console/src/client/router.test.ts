import { expect, test, vi } from 'vitest';

/** The router reads `location` when it is loaded, so each test loads it again. */
async function routerAt(hash: string) {
  const place = { hash };
  const listeners: (() => void)[] = [];
  vi.stubGlobal('location', place);
  vi.stubGlobal('history', {
    pushState(_state: null, _title: '', address: string) {
      place.hash = address;
    },
  });
  vi.stubGlobal('addEventListener', (_name: string, listener: () => void) => void listeners.push(listener));
  vi.resetModules();
  const { useRoute, navigate } = await import('../../../../console/src/client/router.ts');
  const goBackTo = (address: string) => {
    place.hash = address;
    for (const listener of listeners) listener();
  };
  return { useRoute, navigate, goBackTo };
}

vi.mock('preact/hooks', () => ({ useState: (read: () => unknown) => [read(), () => {}], useEffect: () => {} }));

test('an unchanged query stays the same object while a record opens and closes; a changed query is a new object', async () => {
  const { useRoute, navigate, goBackTo } = await routerAt('#/alerts?severity=ERROR&groupId=north');
  const list = useRoute();
  navigate('#/alerts/a1?severity=ERROR&groupId=north');
  const open = useRoute();
  expect(open.path).toEqual(['alerts', 'a1']);
  expect(open.query).toBe(list.query);
  goBackTo('#/alerts?severity=ERROR&groupId=north');
  expect(useRoute().query).toBe(list.query);
  navigate('#/alerts?severity=INFO&groupId=north');
  expect(useRoute().query.get('severity')).toBe('INFO');
  expect(list.query.get('severity')).toBe('ERROR');
});
