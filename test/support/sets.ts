/** Registers the tests of `npm test` or of `npm run test:rest` in a file that has some of both (`inBothSets` of vitest.config.ts). */
export function inSet(set: 'test' | 'rest', register: () => void): void {
  if ((process.env['TEST_SET'] ?? 'all') === 'all' || process.env['TEST_SET'] === set) register();
}
