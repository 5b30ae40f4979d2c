import type { AvailabilityReport } from '../../schema/ledger/report.ts';
import { csvOf } from './csv.ts';

/** A report as a file. */
export async function renderReport(
  report: AvailabilityReport,
  format: 'csv' | 'pdf',
): Promise<{ bytes: Uint8Array; media: string }> {
  if (format === 'csv') return { bytes: Buffer.from(csvOf(report)), media: 'text/csv; charset=utf-8' };
  const { pdfOf } = await import('./pdf.ts');
  return { bytes: await pdfOf(report), media: 'application/pdf' };
}
