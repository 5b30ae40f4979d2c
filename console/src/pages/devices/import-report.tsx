import type { JSX } from 'preact';
import type { ImportResult } from '../../../../shared/schema/device/import.ts';
import { href } from '../../client/router.ts';
import { maxShown, type Progress } from './import-run.ts';

type Props = { name: string; progress: Progress; rows: number };

/** The results of an import so far, or of its preview, line by line. */
export function ImportReport({ name, progress, rows }: Props): JSX.Element {
  const { counts, refused, changes, isDryRun, failure } = progress;
  return (
    <section class="panel" aria-label={isDryRun ? 'Preview' : 'Import'}>
      <header class="panel-head">
        <h2>{headOf(progress)}</h2>
        <span class="quiet">{name}</span>
      </header>
      <progress value={progress.rows} max={rows} aria-label="Lines done" />
      <p role="status">
        {progress.rows.toLocaleString()} of {rows.toLocaleString()} lines: {counts.created} new, {counts.changed}{' '}
        changed, {counts.unchanged} as they are, {counts.refused} refused.
      </p>
      {failure ? (
        <p class="notice problem" role="alert">
          <strong>{failure.title}.</strong> {failure.detail}{' '}
          {isDryRun ? '' : 'What was imported stays; import the file again to go on.'}
        </p>
      ) : null}
      <Lines title="Refused" results={refused} of={counts.refused} />
      <Lines title={isDryRun ? 'Would change' : 'Changed'} results={changes} of={counts.created + counts.changed} />
    </section>
  );
}

function headOf({ isDryRun, state }: Progress): string {
  const what = isDryRun ? 'Preview' : 'Import';
  if (state === 'running') return `${what} is running`;
  if (state === 'cancelled') return `${what} cancelled`;
  if (state === 'failed') return `${what} stopped`;
  return isDryRun ? 'Preview: nothing is changed yet' : 'Import done';
}

function Lines({
  title,
  results,
  of,
}: {
  title: string;
  results: readonly ImportResult[];
  of: number;
}): JSX.Element | null {
  if (results.length === 0) return null;
  return (
    <div class="table-box">
      <table class="table">
        <caption>
          {title}
          {of > results.length ? ` (the first ${maxShown} of ${of})` : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Device</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <tr key={result.line}>
              <td>{result.line}</td>
              <td>{deviceOf(result)}</td>
              <td>{whatOf(result)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function deviceOf({ deviceId, outcome }: ImportResult): JSX.Element | string {
  if (deviceId === null) return '';
  return outcome === 'changed' ? <a href={href(['devices', deviceId])}>{deviceId}</a> : deviceId;
}

function whatOf({ outcome, errors = [], changes = [] }: ImportResult): string {
  if (outcome === 'refused')
    return errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`.trim()).join('; ');
  const lines = changes.map(({ member, from, to }) =>
    outcome === 'created' ? `${member} ${shown(to)}` : `${member} ${shown(from)} → ${shown(to)}`,
  );
  return [...(outcome === 'created' ? ['new'] : []), ...lines].join(', ');
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
