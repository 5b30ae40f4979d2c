import { registerFuzz } from '../support/fuzz/requests.ts';

registerFuzz(5000, { first: 1, every: 4 });
