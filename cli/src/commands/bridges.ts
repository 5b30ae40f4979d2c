import type { Command } from '../command.ts';
import { UsageError } from '../usage.ts';

export const bridgeCommands: readonly Command[] = [
  {
    name: 'bridges list',
    about: 'lists the bridges that are expected to forward',
    async run({ client, print, terminal }) {
      const { bridges } = (await client().call('listBridges', { signal: terminal.signal })).data;
      print.list(bridges, [
        ['bridge', ({ partition, of }) => `${partition}/${of}`],
        ['lastHeardAt', ({ lastHeardAt }) => lastHeardAt],
      ]);
      return true;
    },
  },
  {
    name: 'bridges remove',
    about: 'expects a bridge no more, until it is heard again',
    operands: { shown: 'N/OF', least: 1, most: 1 },
    async run({ operands, client, terminal }) {
      const [, partition, of] = /^(\d{1,2})\/(\d{1,2})$/.exec(operands[0] ?? '') ?? [];
      if (partition === undefined || of === undefined)
        throw new UsageError(`"${operands[0]}" is no bridge: "watchpost bridges list" shows them, as 2/4.`);
      await client().call('removeBridge', { params: { of, partition }, signal: terminal.signal });
      return true;
    },
  },
];
