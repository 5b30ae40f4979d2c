import type { MqttConfig } from '../brokers/server.ts';
import type { FleetConfig } from '../cameras/fleet.ts';
import type { FunctionsConfig } from '../cloud/function-host.ts';
import type { InboxConfig } from '../cloud/inbox/server.ts';
import type { IssuerConfig } from '../cloud/issuer.ts';
import type { PushConfig } from '../cloud/push/server.ts';
import type { TopicConfig } from '../cloud/push/topic.ts';
import type { ReceiverConfig } from '../cloud/receiver/server.ts';
import type { StorageConfig } from '../cloud/storage/server.ts';
import type { TasksConfig } from '../cloud/tasks/server.ts';
import { writeIfRoom } from '../machine/files.ts';

/** The instruction for a child process. */
export type Instruction =
  | { service: 'tasks'; config: TasksConfig }
  | { service: 'storage'; config: StorageConfig }
  | { service: 'mqtt'; config: MqttConfig }
  | { service: 'issuer'; config: IssuerConfig }
  | { service: 'inbox'; config: InboxConfig }
  | { service: 'push'; config: PushConfig }
  | { service: 'functions'; config: FunctionsConfig }
  | { service: 'topic'; config: TopicConfig }
  | { service: 'bridge'; config: Record<string, string> }
  | { service: 'receiver'; config: ReceiverConfig }
  | { service: 'fleet'; config: FleetConfig };

/** The child's answer. */
export type Answer = { status: 'ready' } | { status: 'failed'; message: string };

type Running = { stop(): Promise<unknown> };

/** Output goes to a file. Node's own stream ends the process when that cannot be written. */
function forgiveLostLines(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      writeIfRoom(stream.fd, chunk);
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    };
  }
}

/** Each service loads only what it needs, because a child runs only one. */
async function start(instruction: Instruction): Promise<Running> {
  switch (instruction.service) {
    case 'tasks':
      return (await import('../cloud/tasks/server.ts')).startTasks(instruction.config);
    case 'storage':
      return (await import('../cloud/storage/server.ts')).startStorage(instruction.config);
    case 'mqtt':
      return (await import('../brokers/server.ts')).startMqtt(instruction.config);
    case 'issuer':
      return (await import('../cloud/issuer.ts')).startIssuer(instruction.config);
    case 'inbox':
      return (await import('../cloud/inbox/server.ts')).startInbox(instruction.config);
    case 'push':
      return (await import('../cloud/push/server.ts')).startPush(instruction.config);
    case 'topic':
      return (await import('../cloud/push/topic.ts')).startTopic(instruction.config);
    case 'bridge':
      return (await import('../brokers/bridge.ts')).startLocalBridge(instruction.config);
    case 'functions':
      return (await import('../cloud/function-host.ts')).startFunctions(instruction.config);
    case 'receiver':
      return (await import('../cloud/receiver/server.ts')).startReceiver(instruction.config);
    case 'fleet':
      return (await import('../cameras/fleet.ts')).startFleet(instruction.config);
  }
}

function answer(message: Answer): void {
  process.send?.(message);
}

/** A service that cannot stop in time is killed. */
const patienceMs = 5000;

let running: Promise<Running> | null = null;

async function end(): Promise<void> {
  setTimeout(() => process.exit(1), patienceMs).unref();
  await running?.then(({ stop }) => stop()).catch(() => {});
  process.exit(0);
}

forgiveLostLines();
process.once('message', (instruction: Instruction) => {
  running = start(instruction);
  running.then(
    () => answer({ status: 'ready' }),
    (error: Error) => {
      console.error(error);
      answer({ status: 'failed', message: error.message });
    },
  );
});
process.once('SIGTERM', end);
// The channel closes when the main process ends, in any way. No child may remain.
process.once('disconnect', end);
