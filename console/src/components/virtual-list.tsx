import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  items: readonly T[];
  keyOf: (item: T) => string;
  label: string;
  row: (item: T, index: number) => JSX.Element;
  /** Called near the end of the list, also when `items` changes there: the caller must read the next page. */
  onEnd?: (() => void) | undefined;
  /** Key of the item with the keyboard focus. It is always drawn, so that scrolling does not remove the focus. */
  cursor?: string | null;
  onFocus?: (key: string) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
};

/** Rows drawn above and below the visible ones, so that quick scrolling shows no gap. */
const spare = 5;
/**
 * After a jump, or after its rows got another height, the list draws the visible rows first, and the spare rows after
 * this time, milliseconds.
 */
const spareAfterMs = 120;

/** The key of the row that has the focus. Null where none has it. */
export function focusedRow(): string | null {
  return document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null;
}

/** A list of any length that draws only the rows in view. Rows are `--list-row` high, as the stylesheet decides for each screen. */
export function VirtualList<T>(props: Props<T>): JSX.Element {
  const { items, keyOf, label, row, onEnd, cursor = null, onFocus, onKeyDown } = props;
  const box = useRef<HTMLDivElement>(null);
  const { view, measure } = useView(box);
  useKeptFocus(box);
  useAnchor(box, items, keyOf, view.row);
  const first = Math.max(0, Math.floor(view.top / view.row) - view.spare);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / view.row) + view.spare);
  const fresh = useNewAbove(items, keyOf, view.top < view.row);
  const isAtEnd = last >= items.length - spare;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, items, onEnd]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside, which have the focus
    <div
      class="scroll"
      ref={box}
      tabIndex={-1}
      onScroll={measure}
      onFocusIn={() => {
        const key = focusedRow();
        if (key !== null) onFocus?.(key);
      }}
      onKeyDown={(event) => onKeyDown?.(event)}
    >
      <NewAbove count={fresh} onGo={() => box.current?.scrollTo({ top: 0 })} />
      <ul class="rows" aria-label={label} style={{ height: `${items.length * view.row}px` }}>
        {drawn(items, keyOf, first, last, cursor).map((index) => {
          const item = items[index] as T;
          return (
            <li
              key={keyOf(item)}
              data-row={keyOf(item)}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ top: `${index * view.row}px`, height: `${view.row}px` }}
            >
              {row(item, index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The part of the list that is in view. It is measured on scrolling and when the size of the list changes. */
function useView(box: RefObject<HTMLDivElement | null>) {
  const [view, setView] = useState({ top: 0, height: 800, row: 44, spare: 0 });
  const measure = () => {
    const element = box.current;
    if (!element) return;
    const { scrollTop: top, clientHeight: height } = element;
    const row = Number.parseFloat(getComputedStyle(element).getPropertyValue('--list-row')) || 44;
    setView((before) => {
      const isOther = Math.abs(top - before.top) > height || row !== before.row;
      return { top, height, row, spare: isOther ? 0 : before.spare };
    });
  };
  useEffect(() => {
    if (view.spare > 0) return;
    const later = setTimeout(() => setView((before) => ({ ...before, spare })), spareAfterMs);
    return () => clearTimeout(later);
  }, [view]);
  useLayoutEffect(() => {
    const element = box.current;
    measure();
    if (!element) return;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      measure();
      // If the list becomes shorter, a row with the focus stays visible if it was visible before.
      const row = document.activeElement?.closest('[data-row]');
      const place = row ? row.getBoundingClientRect().top - element.getBoundingClientRect().top : -1;
      if (place >= 0 && place < height) row?.scrollIntoView({ block: 'nearest' });
      height = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { view, measure };
}

function NewAbove({ count, onGo }: { count: number; onGo: () => void }): JSX.Element | null {
  if (count === 0) return null;
  return (
    <div class="new-above">
      <button type="button" class="button small" onClick={onGo}>
        {count.toLocaleString()} new <span aria-hidden="true">↑</span>
      </button>
    </div>
  );
}

/**
 * Number of rows that arrived above the row that was at the top when the reader was last there. The list keeps the visible rows in place.
 */
function useNewAbove<T>(items: readonly T[], keyOf: (item: T) => string, isAtTop: boolean): number {
  const top = useRef<string | null>(null);
  const [first] = items;
  if (isAtTop || top.current === null) top.current = first === undefined ? null : keyOf(first);
  if (isAtTop) return 0;
  return Math.max(
    0,
    items.findIndex((item) => keyOf(item) === top.current),
  );
}

/** Indices of the visible rows, and of the row with the cursor. */
function drawn<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  first: number,
  last: number,
  cursor: string | null,
): number[] {
  const inView = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  const at = cursor === null ? -1 : items.findIndex((item) => keyOf(item) === cursor);
  if (at < 0 || (at >= first && at < last)) return inView;
  return at < first ? [at, ...inView] : [...inView, at];
}

/** A row that moves in the document keeps the focus. When a focused row disappears, the list gets the focus and never another row. */
function useKeptFocus(box: { readonly current: HTMLDivElement | null }): void {
  const inside = box.current?.contains(document.activeElement) ? document.activeElement : null;
  useLayoutEffect(() => {
    if (!(inside instanceof HTMLElement) || document.activeElement === inside) return;
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    (inside.isConnected ? inside : box.current)?.focus({ preventScroll: true });
  });
}

/** When rows arrive above the visible ones, the visible rows stay in place. */
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
