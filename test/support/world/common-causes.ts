import { enrolGuardian } from '../../../shared/app/devices/guardian-key.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { createSigner } from '../guardian/signer.ts';
import { ana } from '../records/alerts.ts';
import { createWays, intake, names } from './ways.ts';
import { startOfTests, type TestWorld } from './world.ts';

/** Cameras of one firmware with partly unreadable reports, and guardians of one group that refuse their golden configuration. */
export async function shareCauses(world: TestWorld): Promise<void> {
  const ways = createWays(world);
  const signer = createSigner();
  const cameras = names(5);
  const body = { model: 'P1465', firmware: '11.9', groupId: 'north', mqtt: { latencyMs: -1 } };
  const health = {
    status: 'golden-refused',
    goldenGeneration: 1,
    lastAlertSeq: 0,
    intervalSeconds: 30,
    healthIntervalSeconds: 300,
  };
  for (let passed = 0; passed < 5; passed += 1) {
    world.pass(60);
    for (const deviceId of cameras) await ways.say(deviceId, { kind: 'status', body });
    if (passed === 0) {
      const seconds = (Date.parse(world.now()) - Date.parse(startOfTests)) / 1000;
      for (const [index, deviceId] of cameras.entries()) {
        await enrolGuardian(world, ana, deviceId, { publicKey: signer.publicKey });
        const message = signer.message(index + 1, health, { member: 'health', deviceId, seconds });
        await takeMessage(world, message, intake);
      }
    }
    await ways.sweep();
  }
}
