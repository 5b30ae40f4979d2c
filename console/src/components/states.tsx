import type { ComponentChildren, JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import type { Failure } from '../client/api.ts';
import type { Resource } from '../client/resource.ts';

/** Grey lines in the place of what is being read, as high as what will stand there. */
export function Skeleton({ lines = 6 }: { lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

const words: Partial<Record<Failure['kind'], { title: string; text: string }>> = {
  offline: { title: 'No connection', text: 'The service cannot be reached. The console keeps trying.' },
  forbidden: {
    title: 'Not for your eyes',
    text: 'Your sign-in does not include the right to see this. Ask an administrator for the scope named below.',
  },
  unsupported: { title: 'Not available here', text: 'This installation does not offer this part of the service yet.' },
  missing: { title: 'Not found', text: 'There is no such record, or it belongs to a group that you do not see.' },
};

/** Why something cannot be shown, and what can be done about it. */
export function Failed({ failure, retry }: { failure: Failure; retry?: () => unknown }): JSX.Element {
  const known = words[failure.kind];
  return (
    <div class="state" role="alert">
      <p class="state-title">{known?.title ?? failure.title}</p>
      <p>{known?.text ?? failure.detail}</p>
      {known && failure.kind !== 'offline' && failure.detail ? <p class="quiet">{failure.detail}</p> : null}
      {retry && failure.kind !== 'forbidden' && failure.kind !== 'unsupported' ? (
        <button type="button" class="button" onClick={() => void retry()}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

/** Says so in the place of what cannot be drawn: one bad record must not take the rest of the page away, nor be read again and again. */
export function Guarded({ children }: { children: ComponentChildren }): JSX.Element {
  const [fault, drawAgain] = useErrorBoundary((error) => console.error(error));
  if (fault === undefined) return <>{children}</>;
  return (
    <div class="state" role="alert">
      <p class="state-title">This cannot be drawn</p>
      <p>The console failed at something that the service sent. The rest of it goes on working.</p>
      <p class="quiet">{String(fault)}</p>
      <button type="button" class="button" onClick={drawAgain}>
        Try again
      </button>
    </div>
  );
}

/** Draws a resource in each of its states; content that is there already stays while it is read anew or cannot be. */
export function Show<T>({
  of,
  lines,
  children,
}: {
  of: Resource<T>;
  lines?: number;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  if (of.data !== null) return <Guarded>{children(of.data)}</Guarded>;
  if (of.failure) return <Failed failure={of.failure} retry={of.reload} />;
  return <Skeleton {...(lines === undefined ? {} : { lines })} />;
}
