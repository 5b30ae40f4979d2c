import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useMay } from '../../client/auth.ts';
import { href } from '../../client/router.ts';
import { Icon } from '../../components/icons.tsx';
import { plural } from '../../format.ts';
import { maxLines, type Parts, partsOf } from './import-parts.ts';
import { ImportReport } from './import-report.tsx';
import { type Progress, runImport } from './import-run.ts';

/** Imports devices from a file, after a preview of the changes. */
export function ImportPage(): JSX.Element {
  const mayWrite = useMay('devices:write');
  const { name, parts, progress, choose, run, cancel } = useImport();
  const isRunning = progress?.state === 'running';
  const wasSeen = progress?.isDryRun === true && progress.state === 'done';
  const toDo = progress ? progress.counts.created + progress.counts.changed : 0;
  return (
    <section class="pane narrow">
      <a class="back" href={href(['devices'])}>
        <Icon name="back" /> All devices
      </a>
      <header class="page-head">
        <h1>Import devices</h1>
      </header>
      <section class="panel">
        <Columns />
        <label class="field">
          File
          <input
            type="file"
            accept=".csv,text/csv"
            disabled={!mayWrite || isRunning}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>
        {mayWrite ? null : <p class="notice">Your token may not change devices.</p>}
        {parts?.kind === 'refused' ? (
          <p class="notice problem" role="alert">
            {parts.why}
          </p>
        ) : null}
        {parts?.kind === 'parts' ? (
          <footer class="buttons">
            <button type="button" class="button" disabled={isRunning} onClick={() => void run(true)}>
              Preview {plural(parts.rows, 'line')}
            </button>
            <button
              type="button"
              class="button primary"
              disabled={!wasSeen || toDo === 0}
              onClick={() => void run(false)}
            >
              {wasSeen ? `Import ${plural(toDo, 'device')}` : 'Import'}
            </button>
            {isRunning ? (
              <button type="button" class="button" onClick={cancel}>
                Cancel
              </button>
            ) : null}
          </footer>
        ) : null}
      </section>
      {progress && parts?.kind === 'parts' ? <ImportReport name={name} progress={progress} rows={parts.rows} /> : null}
    </section>
  );
}

/** The chosen file and the progress of its import. */
function useImport() {
  const [name, setName] = useState('');
  const [parts, setParts] = useState<Parts | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const choose = async (file: File | undefined) => {
    running.current?.abort();
    setProgress(null);
    setName(file?.name ?? '');
    setParts(file ? partsOf(await file.text()) : null);
  };
  const run = async (isDryRun: boolean) => {
    if (parts?.kind !== 'parts') return;
    const controller = new AbortController();
    running.current = controller;
    // Another file may have been chosen in the meantime.
    const show = (next: Progress) => running.current === controller && setProgress(next);
    await runImport(parts.parts, isDryRun, controller.signal, show);
  };
  return { name, parts, progress, choose, run, cancel: () => running.current?.abort() };
}

function Columns(): JSX.Element {
  return (
    <>
      <p>
        A CSV file in UTF-8 of at most {maxLines.toLocaleString()} lines. Its first row names the columns:{' '}
        <code>deviceId</code> and any of <code>name</code>, <code>groupId</code>, <code>site</code>,{' '}
        <code>parents</code> (<code>switch:sw-1;uplink:u-1</code>), <code>coverage</code>, <code>model</code>,{' '}
        <code>firmware</code>, <code>reporting.periodSeconds</code> and <code>tag.floor</code> for each tag.
      </p>
      <p class="quiet">
        An empty cell changes nothing, <code>null</code> clears. The same file once more changes nothing.
      </p>
    </>
  );
}
