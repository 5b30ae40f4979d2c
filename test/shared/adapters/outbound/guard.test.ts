import { expect, test } from 'vitest';
import { createLookUp } from '../../../../shared/adapters/outbound/guard.ts';

/** A resolver that counts its queries and answers each with another address. */
function fixture() {
  let now = 0;
  let asked = 0;
  let isDown = false;
  const lookUp = createLookUp(
    async () => {
      asked += 1;
      if (isDown) throw new Error('SERVFAIL');
      return [{ address: `192.0.2.${asked}`, family: 4 }];
    },
    () => now,
  );
  const first = async (host = 'a.example') => (await lookUp(host))[0]?.address;
  return {
    first,
    asked: () => asked,
    pass: (ms: number) => {
      now += ms;
    },
    fail: (down: boolean) => {
      isDown = down;
    },
  };
}

test('many look-ups of one name ask DNS once in five seconds', async () => {
  const { first, asked, pass } = fixture();
  expect(await Promise.all([first(), first(), first()])).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1']);
  pass(4999);
  expect(await first()).toBe('192.0.2.1');
  pass(1);
  expect(await first()).toBe('192.0.2.2');
  expect(asked()).toBe(2);
});

test('names do not share answers', async () => {
  const { first } = fixture();
  expect(await first('a.example')).not.toBe(await first('b.example'));
});

test('a failed look-up is not cached', async () => {
  const { first, fail } = fixture();
  fail(true);
  await expect(first()).rejects.toThrow('SERVFAIL');
  fail(false);
  expect(await first()).toBe('192.0.2.2');
});

test('at most a thousand names are cached', async () => {
  const { first, asked } = fixture();
  for (let index = 0; index <= 1000; index += 1) await first(`host-${index}.example`);
  expect(await first('host-0.example')).toBe('192.0.2.1002');
  expect(asked()).toBe(1002);
});
