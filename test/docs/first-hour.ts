import { readFileSync } from 'node:fs';

/** A step of docs/first-hour.md. `prints`: lines that appear in this order, `…` for what differs. */
export type Step = { title: string; mark: 'gate' | 'stand-in' | null; commands: string[]; prints: string[] };

export const page = readFileSync('docs/first-hour.md', 'utf8');
const [, whole = ''] = page.split(/(?=### 1\.)/s);

export const steps: Step[] = (whole.split('\n## ')[0] ?? '')
  .split(/^### /m)
  .slice(1)
  .map((text) => {
    const [title = '', ...rest] = text.split('\n');
    const body = rest.join('\n');
    const [mark] = /^\*(Run in the gate|Stand-in)\b/m.exec(body) ?? [];
    const blocks = (language: string) =>
      [...body.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
    const [prints = ''] = blocks('text');
    return {
      title,
      mark: mark === undefined ? null : mark === '*Stand-in' ? 'stand-in' : 'gate',
      commands: blocks('sh').flatMap((block) => block.trim().split('\n')),
      prints: prints.split('\n').filter((line) => line !== '' && line !== '…'),
    };
  });

/** What a line of the page looks like in an output. */
export function patternOf(line: string): RegExp {
  const plain = line.trim().split(/\s*…\s*/);
  return new RegExp(plain.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.*'));
}
