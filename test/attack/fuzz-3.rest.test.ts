import { registerFuzz } from '../support/fuzz/requests.ts';

registerFuzz(5000, { first: 2, every: 4 });
