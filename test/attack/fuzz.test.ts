import { registerFuzz } from '../support/fuzz/requests.ts';
import { sizeOf } from '../support/score/score.ts';
import { sizeOnStore } from '../support/stores/store-of-run.ts';

// Ten times as many requests: the four files beside this one.
registerFuzz(sizeOnStore(sizeOf(500, 10_000), 150), { first: 0, every: 1 });
