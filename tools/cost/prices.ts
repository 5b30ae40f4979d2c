/** One price: dollars for `per` units beyond those that are free each month. */
export type Price = { dollars: number; per: number; unit: string; freePerMonth: number; source: string };

/** When the prices were looked up. They are list prices in US dollars for a tier 1 region (europe-west1, us-central1). */
export const pricedOn = '2026-11-21';

const firestore = 'https://cloud.google.com/firestore/pricing';
const run = 'https://cloud.google.com/run/pricing';
const nat = 'https://cloud.google.com/nat/pricing';
const balancer = 'https://cloud.google.com/load-balancing/pricing';
const armor = 'https://cloud.google.com/armor/pricing';
const network = 'https://cloud.google.com/vpc/network-pricing';
const storage = 'https://cloud.google.com/storage/pricing';
const days = 30;

export const prices = {
  read: { dollars: 0.03, per: 100_000, unit: 'documents', freePerMonth: 50_000 * days, source: firestore },
  write: { dollars: 0.09, per: 100_000, unit: 'documents', freePerMonth: 20_000 * days, source: firestore },
  /** Deletes at the end of a record's life are not in the free quota. */
  delete: { dollars: 0.01, per: 100_000, unit: 'documents', freePerMonth: 0, source: firestore },
  pointInTime: { dollars: 0.15, per: 1, unit: 'GiB a month', freePerMonth: 0, source: firestore },
  backup: { dollars: 0.03, per: 1, unit: 'GiB a month', freePerMonth: 0, source: firestore },
  stored: { dollars: 0.15, per: 1, unit: 'GiB a month', freePerMonth: 1, source: firestore },
  published: {
    dollars: 40,
    per: 1024,
    unit: 'GiB',
    freePerMonth: 10,
    source: 'https://cloud.google.com/pubsub/pricing',
  },
  retained: {
    dollars: 0.27,
    per: 1,
    unit: 'GiB a month',
    freePerMonth: 0,
    source: 'https://cloud.google.com/pubsub/pricing',
  },
  objectGib: { dollars: 0.02, per: 1, unit: 'GiB a month', freePerMonth: 0, source: storage },
  objectWrite: { dollars: 0.05, per: 10_000, unit: 'operations', freePerMonth: 0, source: storage },
  objectRead: { dollars: 0.004, per: 10_000, unit: 'operations', freePerMonth: 0, source: storage },
  request: { dollars: 0.4, per: 1e6, unit: 'requests', freePerMonth: 2e6, source: run },
  cpuSecond: { dollars: 0.000024, per: 1, unit: 'vCPU seconds', freePerMonth: 180_000, source: run },
  memorySecond: { dollars: 0.0000025, per: 1, unit: 'GiB seconds', freePerMonth: 360_000, source: run },
  idleCpuSecond: { dollars: 0.0000025, per: 1, unit: 'vCPU seconds kept warm', freePerMonth: 0, source: run },
  idleMemorySecond: { dollars: 0.0000025, per: 1, unit: 'GiB seconds kept warm', freePerMonth: 0, source: run },
  task: {
    dollars: 0.4,
    per: 1e6,
    unit: 'operations',
    freePerMonth: 1e6,
    source: 'https://cloud.google.com/tasks/docs/pricing',
  },
  natHour: { dollars: 0.0014, per: 1, unit: 'instance hours', freePerMonth: 0, source: nat },
  natAddressHour: { dollars: 0.005, per: 1, unit: 'address hours', freePerMonth: 0, source: nat },
  natGib: { dollars: 0.045, per: 1, unit: 'GiB', freePerMonth: 0, source: nat },
  outGib: { dollars: 0.12, per: 1, unit: 'GiB', freePerMonth: 0, source: network },
  balancerHour: { dollars: 0.025, per: 1, unit: 'hours', freePerMonth: 0, source: balancer },
  balancerGib: { dollars: 0.008, per: 1, unit: 'GiB', freePerMonth: 0, source: balancer },
  armorPolicy: { dollars: 5, per: 1, unit: 'policies', freePerMonth: 0, source: armor },
  armorRule: { dollars: 1, per: 1, unit: 'rules', freePerMonth: 0, source: armor },
  armorRequest: { dollars: 0.75, per: 1e6, unit: 'requests', freePerMonth: 0, source: armor },
  logGib: {
    dollars: 0.5,
    per: 1,
    unit: 'GiB',
    freePerMonth: 50,
    source: 'https://cloud.google.com/stackdriver/pricing',
  },
  secretVersion: {
    dollars: 0.06,
    per: 1,
    unit: 'versions',
    freePerMonth: 6,
    source: 'https://cloud.google.com/secret-manager/pricing',
  },
} as const satisfies Record<string, Price>;

/** Dollars for an amount in a month, after the free quota. */
export function priceOf(name: keyof typeof prices, amount: number): number {
  const { dollars, per, freePerMonth } = prices[name];
  return (Math.max(0, amount - freePerMonth) / per) * dollars;
}
