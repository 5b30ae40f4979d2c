import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  items: readonly T[];
  keyOf: (item: T) => string;
  label: string;
  row: (item: T, index: number) => JSX.Element;
  /** Called when the end comes near, and with each change of `items` while it is: time to read the next page. */
  onEnd?: (() => void) | undefined;
  /** Item to keep in view. */
  cursor?: number;
};

/** Rows beyond the visible ones, so that quick scrolling shows no gap. */
const spare = 8;

/** A list of any length that draws only the rows in view. Rows are `--row` high, as the stylesheet decides for each screen. */
export function VirtualList<T>({ items, keyOf, label, row, onEnd, cursor = -1 }: Props<T>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, row: 44 });
  const measure = () => {
    const element = box.current;
    if (!element) return;
    const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 44;
    setView({ top: element.scrollTop, height: element.clientHeight, row: rowHeight });
  };
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useAnchor(box, items, keyOf, view.row);
  useLayoutEffect(() => keepInView(box.current, cursor, view.row), [cursor, view.row]);
  const first = Math.max(0, Math.floor(view.top / view.row) - spare);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / view.row) + spare);
  const isAtEnd = last >= items.length - spare;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, items, onEnd]);
  return (
    <div class="scroll" ref={box} onScroll={measure}>
      <ul class="rows" aria-label={label} style={{ height: `${items.length * view.row}px` }}>
        {items.slice(first, last).map((item, offset) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
            style={{ transform: `translateY(${(first + offset) * view.row}px)` }}
          >
            {row(item, first + offset)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** When rows arrive above what is being read, what is being read stays where it is. */
function useAnchor<T>(
  box: { readonly current: HTMLDivElement | null },
  items: readonly T[],
  keyOf: (item: T) => string,
  rowHeight: number,
): void {
  const before = useRef<readonly T[]>(items);
  useLayoutEffect(() => {
    const element = box.current;
    const previous = before.current;
    before.current = items;
    if (!element || previous === items || element.scrollTop < rowHeight) return;
    const index = Math.floor(element.scrollTop / rowHeight);
    const anchor = previous[index];
    if (anchor === undefined) return;
    const key = keyOf(anchor);
    const now = items.findIndex((item) => keyOf(item) === key);
    if (now >= 0 && now !== index) element.scrollTop += (now - index) * rowHeight;
  }, [items]);
}

function keepInView(element: HTMLDivElement | null, cursor: number, rowHeight: number): void {
  if (!element || cursor < 0) return;
  const top = cursor * rowHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  const bottom = top + rowHeight - element.clientHeight;
  if (bottom > element.scrollTop) element.scrollTop = bottom;
}
