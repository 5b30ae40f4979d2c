import { expect, test } from 'vitest';
import { judgeUrl } from '../../../../../console/src/pages/webhooks/url-verdict.ts';

test.each([
  ['', 'needed'],
  ['hooks.example.com', 'not a whole address'],
  ['http://hooks.example.com/', 'Only https'],
  ['https://user@hooks.example.com/', 'user name'],
  ['https://hooks.example.com/#x', 'fragment'],
  ['https://hooks.example.com:22/', 'port'],
  ['https://127.0.0.1/', 'public internet'],
  ['https://2130706433/', 'public internet'],
  ['https://0x7f.1/', 'public internet'],
  ['https://100.64.0.1/', 'public internet'],
  ['https://169.254.169.254/', 'public internet'],
  ['https://172.31.255.255/', 'public internet'],
  ['https://239.1.1.1/', 'public internet'],
  ['https://[::1]/', 'public internet'],
  ['https://[fd00::1]/', 'public internet'],
  ['https://[2001:db8::1]/', 'public internet'],
  ['https://[2002:7f00:1::]/', 'public internet'],
  ['https://localhost/', 'public internet'],
  ['https://metadata.google.internal/', 'public internet'],
  ['https://intranet/', 'full name'],
])('shows the fault of the address %j while it is typed', (address, word) => {
  const { isGood, text } = judgeUrl(address);
  expect(isGood).toBe(false);
  expect(text).toContain(word);
});

test.each([
  'https://hooks.example.com/x?y=1',
  'https://hooks.example.com:8443/',
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://[2606:4700::1111]/',
])('finds nothing wrong with %j', (address) => {
  expect(judgeUrl(address)).toMatchObject({ isGood: true });
});
