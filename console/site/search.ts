import MiniSearch from 'minisearch';
import { type Section, searchOptions } from './search-options.ts';

const most = 12;
const field = document.querySelector<HTMLInputElement>('#search');
const found = document.querySelector<HTMLElement>('#found');
let index: Promise<MiniSearch<Section>> | null = null;

/** The index is as large as all pages together, so it is loaded only when somebody uses the search field. */
function readIndex(): Promise<MiniSearch<Section>> {
  index ??= fetch('/docs/search.json')
    .then((response) => response.text())
    .then((text) => MiniSearch.loadJSON<Section>(text, searchOptions))
    .catch((error: unknown) => {
      index = null;
      throw error;
    });
  return index;
}

async function search(): Promise<void> {
  if (!field || !found) return;
  const words = field.value.trim();
  const hits = words === '' ? [] : (await readIndex()).search(words);
  // The text in the field has changed during this search. Another search shows the results for it.
  if (words !== field.value.trim()) return;
  const items = hits.slice(0, most).map(({ id, title, heading }) => {
    const link = document.createElement('a');
    link.href = String(id);
    link.textContent = heading ? `${title}: ${heading}` : title;
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  const list = document.createElement('ul');
  list.append(...items);
  const none = document.createElement('p');
  none.textContent = `Nothing has “${words}”.`;
  found.replaceChildren(...(items.length > 0 ? [list] : words ? [none] : []));
}

field?.addEventListener('input', () => void search());
field?.addEventListener('focus', () => void readIndex(), { once: true });
