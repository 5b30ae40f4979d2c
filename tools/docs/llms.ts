import { readdirSync, readFileSync } from 'node:fs';

const about =
  'Watchpost watches fleets of network cameras: reports over MQTT become alerts with a lifecycle and an audit trail, people are notified, and detections leave as signed webhooks.';

/** `llms.txt` (https://llmstxt.org): an index of the documentation for language models. */
export function llmsText(): string {
  const pages = readdirSync('docs')
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .toSorted();
  const lineOf = (path: string) => {
    const text = readFileSync(`docs/${path}`, 'utf8');
    return `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${path}): ${firstSentence(text)}`;
  };
  const starts = readdirSync('docs/start').toSorted();
  return [
    '# Watchpost',
    `> ${about}`,
    ['## Where to start', '', ...starts.map((file) => lineOf(`start/${file}`))].join('\n'),
    ['## Pages', '', ...pages.map(lineOf)].join('\n'),
    [
      '## The API',
      '',
      '- [Problems](problems/index.md): every code that the API refuses with',
      '- `GET /v1/openapi.json`: the description of every route (OpenAPI 3.1); no token is needed',
      '- `POST /mcp`: tools for reading and acknowledging, under the scopes of the token',
    ].join('\n'),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

/** The first sentence below the title, without links and markup. */
function firstSentence(text: string): string {
  const paragraph =
    text
      .split('\n\n')
      .map((part) => part.trim())
      .find((part) => /^[A-Z*`[]/.test(part)) ?? '';
  const plain = paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
