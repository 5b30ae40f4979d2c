import { createPrivateEdge } from '../../shared/adapters/http/private-edge.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { readConfig } from '../../shared/config.ts';
import { settings } from './settings.ts';

const log = createLog('deliver');

// Takes calls of Cloud Tasks only; as long as no delivery is ever made, it knows no path.
serve('deliver', log, () => createPrivateEdge(readConfig(process.env, settings), log).fetch);
