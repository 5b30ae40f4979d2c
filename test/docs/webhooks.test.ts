import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../shared/domain/limits.ts';
import { isWithin } from '../../shared/domain/settings/schedules.ts';
import { defaultSettings } from '../../shared/domain/settings/settings.ts';
import { faultsOf } from '../../shared/schema/validate.ts';

const page = readFileSync('docs/webhooks.md', 'utf8');
const cell = (name: string) => new RegExp(`^\\| ${name} \\| \`(.+)\` \\|$`, 'm').exec(page)?.[1] ?? '';
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``).exec(page)?.[1] ?? '';
const sign = (secret: string, timestamp: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/** A complete program around the snippet: reads cases as JSON and writes what the snippet returns for each. */
const goProgram = (snippet: string) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"time"
)

${snippet}
func main() {
	var cases []struct{ Timestamp, Signature, Body string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, c := range cases {
		header := http.Header{}
		header.Set("X-Service-Timestamp", c.Timestamp)
		header.Set("X-Service-Signature", c.Signature)
		answers = append(answers, isGenuine(header, []byte(c.Body), "s3cret"))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`;

describe('the page for receivers', () => {
  test('shows a correct signature', () => {
    const [secret, timestamp, body] = [cell('secret'), cell('`X-Service-Timestamp`'), cell('body')];
    expect(body).toContain('人');
    expect(cell('`X-Service-Signature`')).toBe(sign(secret, timestamp, body));
  });

  test('shows a detection that fits its schema', () => {
    expect(faultsOf('Detection', JSON.parse(block('json')))).toEqual([]);
  });

  const body = Buffer.from('{"name":"Dörr 人"}');
  const now = String(Math.floor(Date.now() / 1000));
  const cases: [what: string, timestamp: string, signature: string, isGenuine: boolean][] = [
    ['a genuine request', now, sign('s3cret', now, body.toString()), true],
    ['another body', now, sign('s3cret', now, '{}'), false],
    ['another secret', now, sign('other', now, body.toString()), false],
    ['an old timestamp', '1795168800', sign('s3cret', '1', body.toString()), false],
    ['a timestamp of years ago, well signed', '1000000000', sign('s3cret', '1000000000', body.toString()), false],
    ['no signature', now, '', false],
  ];

  test.each(cases)('judges %s correctly in Node', async (_, timestamp, signature, isGenuine) => {
    const source = `data:text/javascript,${encodeURIComponent(block('js'))}`;
    const snippet = await import(/* @vite-ignore */ source);
    const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
    expect(snippet.isGenuine(headers, body, 's3cret')).toBe(isGenuine);
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  test.skipIf(!hasPython).each(cases)('judges %s correctly in Python', (_, timestamp, signature, isGenuine) => {
    const headers = JSON.stringify({ 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature });
    const call = `import sys\nprint(is_genuine(${headers}, sys.stdin.buffer.read(), "s3cret"))`;
    const run = spawnSync('python3', ['-c', `${block('python')}\n${call}`], { input: body });
    expect(run.stdout.toString().trim()).toBe(isGenuine ? 'True' : 'False');
  });

  const hasGo = spawnSync('go', ['version']).status === 0;
  test.skipIf(!hasGo)('judges each of them correctly in Go', () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-go-'));
    try {
      writeFileSync(join(folder, 'main.go'), goProgram(block('go')));
      const given = cases.map(([, timestamp, signature]) => ({ timestamp, signature, body: body.toString() }));
      const run = spawnSync('go', ['run', 'main.go'], { cwd: folder, input: JSON.stringify(given) });
      expect(run.stderr.toString()).toBe('');
      expect(JSON.parse(run.stdout.toString())).toEqual(cases.map(([, , , isGenuine]) => isGenuine));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('states the same delays as the code', () => {
    const waits = waitsAt(1);
    const inWords = { 30000: '30 seconds', 120000: '2 minutes', 600000: '10 minutes', 3600000: '1 hour' };
    for (const [index, ms] of [waits.retry2, waits.retry3, waits.retry4, waits.retry5].entries()) {
      expect(page).toContain(`| ${index + 2} | ${inWords[ms as keyof typeof inWords]} |`);
    }
  });

  test('names schedules that exist', () => {
    for (const name of ['always', 'business_hours', 'outside_business_hours']) {
      expect(page).toContain(`\`${name}\``);
      expect(isWithin(name, '2026-11-20T10:00:00.000Z', defaultSettings)).not.toBeNull();
    }
  });
});
