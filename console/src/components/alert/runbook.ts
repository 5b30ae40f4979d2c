import type { AlertCode, Category } from '../../../../shared/schema/vocabulary.ts';

/** Remedies for a code, the most likely first. */
const byCode: Partial<Record<AlertCode, readonly string[]>> = {
  CONN_001: [
    'Look whether its neighbours at the place are dark too: then it is the network or the power, not the camera.',
    'Ping the camera and look at its switch port; power it off and on by PoE.',
    'Nothing helps: send somebody with a spare camera and a cable tester.',
  ],
  CONN_002: [
    'Look at the switch port for errors and a changed speed.',
    'Compare the times with other cameras on the uplink.',
  ],
  CONN_003: [
    'Look at the load of the uplink: a backup or an update often fills it.',
    'Check the duplex setting of the port.',
  ],
  SEC_001: ['Do not override it. Check the clock of the camera, then which certificate the broker shows.'],
  SEC_002: [
    'Treat it as an attack: do not restart the camera.',
    'Tell the security contact, then look at what stands on the network.',
  ],
  SEC_003: ['Renew the certificate now: once it has ended, the camera goes dark.'],
  SEC_004: [
    'Look where the attempts come from. Is it a system of ours with an old password, change that; else block the address.',
  ],
  CFG_001: ['Ask whether somebody changed it on purpose. If not, treat the camera as tampered with.'],
  CFG_002: ['It was put right. Look at the history: if it comes again, somebody or something keeps changing it.'],
  CFG_003: [
    'Two sides write the same setting. Find the other system (a VMS, a script) and take the setting out of one.',
  ],
  RES_001: ['Restart the camera in a quiet moment. If it comes back within days, report the firmware to its maker.'],
  RES_002: ['Watch it. Look at which applications run on the camera.'],
  RES_003: ['Delete old recordings on the camera, or shorten how long it keeps them.'],
};

const byCategory: Record<Category, readonly string[]> = {
  connectivity: ['Look at the network and the power of the camera.'],
  security: ['Tell the security contact before you change anything.'],
  configuration: ['Compare the camera with its golden configuration.'],
  resource: ['Look at what uses up the camera.'],
};

export function runbookOf(code: AlertCode, category: Category): readonly string[] {
  return byCode[code] ?? byCategory[category];
}
