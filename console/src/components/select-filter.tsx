import type { JSX } from 'preact';
import { href, navigate, type Route } from '../client/router.ts';

type Props = {
  label: string;
  /** The query member of the address that contains the choice. */
  name: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  route: Route;
};

/** A filter whose value is in the address of the page. */
export function SelectFilter({ label, name, value, options, route }: Props): JSX.Element {
  const choose = (chosen: string) => {
    const query = new URLSearchParams(route.query);
    if (chosen) query.set(name, chosen);
    else query.delete(name);
    navigate(href(route.path, query));
  };
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}
