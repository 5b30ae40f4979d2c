import { PDFDocument, type PDFFont, type PDFPage, StandardFonts } from '@cantoo/pdf-lib';
import type { AvailabilityReport } from '../../schema/ledger/report.ts';

type ReportTotals = Pick<AvailabilityReport['total'], 'minutes' | 'availability'>;
type Style = { size?: number; isBold?: boolean };

const page = { width: 595, height: 842, margin: 48 } as const;
const columns = [0, 150, 215, 262, 309, 356, 403, 450];
const mostParts = 5000;
const mostOutages = 200;

/**
 * A report as PDF for an auditor or a customer: the total, how it was counted, each month, up to 5,000 parts, the 200
 * longest outages, and how to verify it.
 */
export async function pdfOf(report: AvailabilityReport): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle('Availability of cameras');
  document.setCreationDate(new Date(report.generatedAt));
  document.setModificationDate(new Date(report.generatedAt));
  const writer = await createWriter(document);
  writer.line('Availability of cameras', { size: 18, isBold: true });
  writer.line(`${report.from.slice(0, 16)} to ${report.to.slice(0, 16)} UTC, ${report.total.devices} cameras`);
  writer.gap();
  const { uncertainIsDown, uncertainIsUp } = report.total.availability;
  writer.line(`Seen: ${percent(uncertainIsDown)} to ${percent(uncertainIsUp)} of the time that counts`, {
    size: 13,
    isBold: true,
  });
  writer.text(report.accounting);
  writer.gap();
  writer.line('Month by month, in minutes', { size: 12, isBold: true });
  writer.row(['Month', 'Seen %', 'Seen', 'Lost', 'Silent', 'Uncertain', 'Planned', 'Ours'], { isBold: true });
  for (const month of report.months) writer.row([month.month, ...cellsOf(month)]);
  writer.row(['Total', ...cellsOf(report.total)], { isBold: true });
  writer.gap();
  writer.line(`By ${report.by}, in minutes`, { size: 12, isBold: true });
  writer.row([report.by, 'Seen %', 'Seen', 'Lost', 'Silent', 'Uncertain', 'Planned', 'Ours'], { isBold: true });
  for (const part of report.parts.slice(0, mostParts)) writer.row([part.name ?? part.id, ...cellsOf(part)]);
  writer.gap();
  writer.line(`Outages: the longest of ${report.outagesInAll}`, { size: 12, isBold: true });
  for (const outage of report.outages.slice(0, mostOutages)) writer.text(wordsOf(outage));
  writer.gap();
  writer.line('How to check it', { size: 12, isBold: true });
  writer.text(report.verification);
  for (const line of (report.checkpoint ?? 'There was no checkpoint yet.').split('\n')) writer.text(line);
  return document.save();
}

function wordsOf({
  deviceId,
  deviceName,
  state,
  cause,
  began,
  ended,
  isPlanned,
  index,
}: AvailabilityReport['outages'][number]): string {
  const until = ended ? `until ${ended.latest.slice(0, 19)}` : 'has not ended';
  const camera = deviceName === null ? deviceId : `${deviceName} (${deviceId})`;
  return `${camera}: ${state}, ${cause}${isPlanned ? ', planned' : ''}; from ${began.earliest.slice(0, 19)} at the earliest, ${until}; leaf ${index}`;
}

function cellsOf({ minutes, availability }: ReportTotals): string[] {
  const { seen, lost, silent, uncertain, planned, platform } = minutes;
  return [
    percent(availability.uncertainIsDown),
    ...[seen, lost, silent, uncertain, planned, platform].map((value) => String(Math.round(value))),
  ];
}

function percent(value: number | null): string {
  return value === null ? 'no time' : `${value} %`;
}

/** Writes lines from top to bottom, and starts a new page when one is full. */
async function createWriter(document: PDFDocument) {
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const known = new Set(plain.getCharacterSet());
  let current: PDFPage = document.addPage([page.width, page.height]);
  let y: number = page.height - page.margin;
  const down = (by: number) => {
    y -= by;
    if (y >= page.margin) return;
    current = document.addPage([page.width, page.height]);
    y = page.height - page.margin - by;
  };
  /** The font contains only Western European characters; others become question marks. The CSV and the JSON contain them. */
  const drawable = (text: string) =>
    [...text].map((sign) => (known.has(sign.codePointAt(0) ?? 0) ? sign : '?')).join('');
  const draw = (text: string, x: number, { size = 9, isBold = false }: Style) => {
    current.drawText(text, { x: page.margin + x, y, size, font: isBold ? bold : plain });
  };
  return {
    line(text: string, style: Style = {}) {
      down((style.size ?? 9) * 1.5);
      draw(drawable(text), 0, style);
    },
    text(text: string) {
      for (const line of wrapped(drawable(text), plain, 9, page.width - 2 * page.margin)) {
        down(13);
        draw(line, 0, {});
      }
    },
    row(cells: readonly string[], style: Style = {}) {
      down(13);
      for (const [index, cell] of cells.entries()) {
        const [x = 0, next = page.width - 2 * page.margin] = columns.slice(index, index + 2);
        draw(cut(drawable(cell), style.isBold ? bold : plain, 9, next - x - 4), x, style);
      }
    },
    gap: () => down(10),
  };
}

function wrapped(text: string, font: PDFFont, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && font.widthOfTextAtSize(longer, size) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

function cut(text: string, font: PDFFont, size: number, width: number): string {
  if (font.widthOfTextAtSize(text, size) <= width) return text;
  let kept = text;
  while (kept.length > 1 && font.widthOfTextAtSize(`${kept}…`, size) > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}
