/**
 * An assessment of a webhook's address during typing. The service makes its own check with the resolved name, when it is saved and at each
 * attempt.
 */
export type Verdict = { isGood: boolean; text: string };

/** Address blocks that are not routed on the public internet, as `[address, length of the prefix in bits]`. */
const closedBlocks: [base: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

export function judgeUrl(text: string): Verdict {
  if (text.trim() === '') return bad('An HTTPS address is needed.');
  if (!URL.canParse(text)) return bad('This is not a whole address yet.');
  const url = new URL(text);
  if (url.protocol !== 'https:')
    return bad('Only https:// addresses are called: what is sent must not be read on its way.');
  if (url.username || url.password) return bad('The address must hold no user name or password; use a header instead.');
  if (text.includes('#')) return bad('The address must not contain a fragment (#…): it would never be sent.');
  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port < 1024) return bad('The port must be 443, or 1024 and above.');
  const closed = closedReason(url.hostname);
  if (closed) return bad(closed);
  return { isGood: true, text: `Good so far: ${url.host} is checked again, with its name resolved, when you save.` };
}

function closedReason(host: string): string | null {
  if (/^(\d+\.){3}\d+$/.test(host)) {
    const isClosed = closedBlocks.some(([base, bits]) => prefix(host, bits) === prefix(base, bits));
    return isClosed ? 'This address is not on the public internet.' : null;
  }
  if (host.startsWith('[')) {
    const isPublic =
      /^\[2[0-9a-f]{3}:/.test(host) && !/^\[200[12]:(0:|db8:|:)/.test(host) && !host.startsWith('[2002:');
    return isPublic ? null : 'This address is not on the public internet.';
  }
  const isLocal = host === 'localhost' || /\.(localhost|local|internal|home\.arpa)\.?$/.test(host);
  if (isLocal) return 'This name is not on the public internet. (A local run may allow it by a setting.)';
  return host.includes('.') ? null : 'The host needs a full name, such as hooks.example.com.';
}

function prefix(address: string, bits: number): number {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return Math.floor(value / 2 ** (32 - bits));
}

function bad(text: string): Verdict {
  return { isGood: false, text };
}
