import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sessionState } from '../../client/auth.ts';
import { href, navigate } from '../../client/router.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form, TextField } from '../../components/form.tsx';
import { useStore } from '../../store.ts';

/** The name of a view and the search in its address. */
type View = { name: string; search: string };

/** Views that a person has saved in this browser. Each is an address that can be sent to somebody else. */
export function SavedViews({ query }: { query: URLSearchParams }): JSX.Element | null {
  const [views, save] = useViews();
  const [isNaming, setNaming] = useState(false);
  const search = query.toString();
  const here = views.find((view) => view.search === search);
  if (views.length === 0 && search === '') return null;
  return (
    <>
      {views.length > 0 ? (
        <select
          aria-label="Saved views"
          value={here?.name ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const view = views.find(({ name }) => name === value);
            navigate(href(['alerts'], new URLSearchParams(view?.search ?? '')));
          }}
        >
          <option value="">Saved views</option>
          {views.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : null}
      {here ? (
        <button type="button" class="button small" onClick={() => save(views.filter((view) => view !== here))}>
          Forget this view
        </button>
      ) : search ? (
        <button type="button" class="button small" onClick={() => setNaming(true)}>
          Save view
        </button>
      ) : null}
      {isNaming ? (
        <NameView
          onName={(name) => save([...views.filter((view) => view.name !== name), { name, search }])}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </>
  );
}

function NameView({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const name = text.trim();
  const submit = () => {
    if (!name) return;
    onName(name);
    onClose();
  };
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField label="Name" value={text} onChange={setText} hint="Kept in this browser, for you." />
        <footer class="buttons">
          <button type="submit" class="button primary" disabled={!name}>
            Save
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function useViews(): [View[], (views: View[]) => void] {
  const state = useStore(sessionState);
  const key = `watchpost.views.${state.status === 'signed-in' ? state.session.subject : ''}`;
  const [views, setViews] = useState(() => storedViews(key));
  const save = (next: View[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  return [views, save];
}

/** The stored views may come from an older console or have been edited by hand. */
function storedViews(key: string): View[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(found: unknown): found is View {
  const { name, search } = (found ?? {}) as Partial<View>;
  return typeof name === 'string' && typeof search === 'string';
}
