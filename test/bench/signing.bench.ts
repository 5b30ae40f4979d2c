import { createHmac, createSecretKey } from 'node:crypto';
import { signContract, signingKey, signStandard } from '../../shared/adapters/channels/webhook/signing.ts';
import { cpuOfPlain, interleaved, median, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';

const counts = { tiny: 200, quick: 5000, full: 50_000 };
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const id = '0c6fd2b1-6a3e-4b5f-9d3e-2f5a9d1c7b10';
const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(2048 - 11) }));

/** P10: both signatures of one attempt over 2 KB. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const count = counts[size];
  const key = signingKey(secret);
  const floorKey = createSecretKey(Buffer.alloc(32, 5));
  const timestamp = '1795172400';
  const works = {
    ours: async () =>
      cpuOfPlain(count, () => [
        signContract(key.contract, timestamp, body),
        signStandard(key.standard, id, timestamp, body),
      ]),
    floor: async () =>
      cpuOfPlain(count, () => [
        createHmac('sha256', floorKey).update(timestamp).update(body).digest('hex'),
        createHmac('sha256', floorKey).update(timestamp).update(body).digest('base64'),
      ]),
  };
  const figures = await interleaved(size === 'tiny' ? 1 : 9, works);
  const peers = hasPeers ? await measurePeers(Math.ceil(count / 10)) : [];
  const beside = [{ name: 'two HMACs with a key object', value: median(figures.floor) }, ...peers];
  const note = `rounds ${spreadOf(figures.ours, 1)}; libraries sign one scheme, ours two`;
  return [
    rowOf({
      id: 'P10',
      what: 'signing 2 KB in both schemes',
      unit: 'µs',
      ours: median(figures.ours),
      beside,
      goal: 1.1,
      goalOf: 'ratio',
      note,
    }),
  ];
};

/** One signature each, by the libraries that customers verify with. */
async function measurePeers(count: number): Promise<{ name: string; value: number }[]> {
  const [{ Webhook: Standard }, { Webhook: Svix }] = await Promise.all([import('standardwebhooks'), import('svix')]);
  const at = new Date('2026-11-20T10:00:00.000Z');
  const text = body.toString();
  const libraries = { standard: new Standard(secret), svix: new Svix(secret) };
  const figures = await interleaved(5, {
    standard: async () => cpuOfPlain(count, () => libraries.standard.sign(id, at, text)),
    svix: async () => cpuOfPlain(count, () => libraries.svix.sign(id, at, text)),
  });
  return [
    { name: 'standardwebhooks, one scheme', value: median(figures.standard) },
    { name: 'svix, one scheme', value: median(figures.svix) },
  ];
}
