import { registerFuzz } from '../support/fuzz/requests.ts';

registerFuzz(5000, { first: 3, every: 4 });
