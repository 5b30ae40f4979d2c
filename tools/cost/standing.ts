import { type Amounts, hoursPerMonth, kib, type Part } from './amounts.ts';
import { priceOf } from './prices.ts';

/** Instances kept warm, reserved addresses, the load balancer and secret versions of terraform/, by environment. */
export const standing = {
  dev: { warm: 1, addresses: 1, hasBalancer: false, secrets: 3 },
  production: { warm: 3, addresses: 2, hasBalancer: true, secrets: 5 },
};

const sizesKib = { webhookRequest: 6, apiAnswer: 4 };

/** Outgoing and incoming network. */
export function networkParts({ environment }: Amounts, deliveries: number, apiCalls: number): Part[] {
  const { addresses, hasBalancer } = standing[environment];
  const webhookGib = deliveries * sizesKib.webhookRequest * kib;
  const apiGib = apiCalls * sizesKib.apiAnswer * kib;
  // Only `deliver` uses the NAT: its warm instance, and one more while it is busy, counted for the whole month.
  const natHours = hoursPerMonth * 2;
  const out: Part[] = [
    {
      part: 'Cloud NAT',
      amount: `${addresses} addresses`,
      dollars:
        priceOf('natHour', natHours) +
        priceOf('natAddressHour', addresses * hoursPerMonth) +
        priceOf('natGib', webhookGib),
    },
    {
      part: 'Traffic out',
      amount: `${(webhookGib + apiGib).toFixed(1)} GiB`,
      dollars: priceOf('outGib', webhookGib + apiGib),
    },
  ];
  if (!hasBalancer) return out;
  const balancer = priceOf('balancerHour', hoursPerMonth) + priceOf('balancerGib', apiGib);
  const armor = priceOf('armorPolicy', 2) + priceOf('armorRule', 2) + priceOf('armorRequest', apiCalls);
  return [
    ...out,
    { part: 'Load balancer', amount: '2 forwarding rules', dollars: balancer },
    { part: 'Cloud Armor', amount: '2 policies', dollars: armor },
  ];
}

/**
 * Logs and secrets. About 1 KiB of log for each API call and each attempt; of the platform's own calls, terraform/ logs
 * only failures.
 */
export function standingParts({ environment }: Amounts, logged: number): Part[] {
  const logGib = logged * kib;
  const { secrets } = standing[environment];
  return [
    { part: 'Logs', amount: `${logGib.toFixed(1)} GiB`, dollars: priceOf('logGib', logGib) },
    { part: 'Secrets', amount: `${secrets} versions`, dollars: priceOf('secretVersion', secrets) },
  ];
}
