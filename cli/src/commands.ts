import type { Command } from './command.ts';
import { alertCommands } from './commands/alerts.ts';
import { bridgeCommands } from './commands/bridges.ts';
import { brokerCommands } from './commands/broker-accounts.ts';
import { configurationCommands } from './commands/configuration.ts';
import { deliveryCommands } from './commands/deliveries.ts';
import { deviceCommands } from './commands/devices.ts';
import { incidentCommands } from './commands/incidents.ts';
import { listenCommands } from './commands/listen.ts';
import { loginCommands } from './commands/login.ts';
import { maintenanceCommands } from './commands/maintenance.ts';
import { quarantineCommands } from './commands/quarantine.ts';
import { settingsCommands } from './commands/settings.ts';
import { shiftCommands } from './commands/shift.ts';
import { smokeCommands } from './commands/smoke.ts';
import { statusCommands } from './commands/status.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { whyCommands } from './commands/why.ts';
import { completionCommand } from './completion.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...loginCommands,
  ...statusCommands,
  ...smokeCommands,
  ...shiftCommands,
  ...whyCommands,
  ...alertCommands,
  ...incidentCommands,
  ...deviceCommands,
  ...quarantineCommands,
  ...bridgeCommands,
  ...brokerCommands,
  ...maintenanceCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...settingsCommands,
  ...listenCommands,
  ...configurationCommands,
  completionCommand(() => commands),
];
