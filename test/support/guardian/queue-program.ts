// Queues numbered alerts, two at a time, publishes them and exits. Alerts that an earlier run has queued are not queued again.
import { randomUUID } from 'node:crypto';
import { openJournal } from '../../../device/guardian/memory/journal.ts';
import { createBrokerConnector } from '../../../device/guardian/mqtt/broker-connection.ts';
import { createPublisher } from '../../../device/guardian/mqtt/publisher.ts';

const [directory = '', brokerUrl = '', total = '0'] = process.argv.slice(2);
const journal = openJournal<{ queued: number }>(directory, (file) => process.stdout.write(`unreadable ${file}\n`));
const publisher = createPublisher({
  journal,
  connect: createBrokerConnector({
    url: new URL(brokerUrl),
    ca: null,
    clientCertificate: null,
    clientId: 'guardian-cam-1',
    keepAliveSeconds: 60,
    username: null,
    password: null,
  }),
  log: () => {},
  now: () => new Date().toISOString(),
  random: () => 0,
});

publisher.wake();
for (let { queued } = journal.state() ?? { queued: 0 }; queued < Number(total); queued += 2) {
  // The random part reveals an alert that was created twice: its bytes would differ.
  const messages = [queued + 1, queued + 2].map((number) => ({
    topic: 'devices/cam-1/guardian',
    payload: JSON.stringify({ number, made: randomUUID() }),
  }));
  journal.append({ queued: queued + 2 }, messages);
  publisher.wake();
  if (queued % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
while (journal.queueLength() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
await publisher.stop();
