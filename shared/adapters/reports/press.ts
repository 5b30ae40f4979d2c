import { gzipSync } from 'node:zlib';
import type { LogObjects } from '../../app/ledger/objects.ts';
import { checkpointText } from '../../app/ledger/read.ts';
import type { ReportPress } from '../../app/ports.ts';
import { renderReport } from './render.ts';

/** The files of mailed reports. @param log null: no ledger is kept */
export function createReportPress(log: LogObjects | null): ReportPress {
  return {
    checkpoint: () => checkpointText(log),
    async render(report, format) {
      const { bytes, media } = await renderReport(report, format);
      return { packed: gzipSync(bytes).toString('base64'), media };
    },
  };
}
