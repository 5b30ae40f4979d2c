import { createStore } from './store.ts';

export type Theme = 'light' | 'dark';
const key = 'watchpost.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/** The present theme. It follows the system until the operator chooses one. */
export const theme = createStore<Theme>(chosen() ?? fromSystem());
system.addEventListener('change', () => {
  if (!chosen()) show(fromSystem());
});

export function startTheme(): void {
  show(theme.get());
}

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(key, next);
  show(next);
}

function show(next: Theme): void {
  document.documentElement.dataset['theme'] = next;
  theme.set(next);
}

function chosen(): Theme | null {
  const value = localStorage.getItem(key);
  return value === 'light' || value === 'dark' ? value : null;
}

function fromSystem(): Theme {
  return system.matches ? 'dark' : 'light';
}
