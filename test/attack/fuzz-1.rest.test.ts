import { registerFuzz } from '../support/fuzz/requests.ts';

registerFuzz(5000, { first: 0, every: 4 });
