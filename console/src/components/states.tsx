import type { ComponentChildren, JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import type { Failure } from '../client/api.ts';
import type { Resource } from '../client/resource.ts';

/** Grey lines in place of loading content, with the same height. */
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

/** Why something cannot be shown, and what the operator can do. */
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

/** Shows a message in place of content that cannot be drawn. One bad record must neither remove the rest of the page nor cause repeated reads. */
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

/** Draws a resource in each of its states. Old content stays visible during a new read or after a failure. */
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
