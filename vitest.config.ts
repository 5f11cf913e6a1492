import { defineConfig } from 'vitest/config';

/** The inner loop (`unit`) needs no build; the `built` project runs what `npm run build` made. */
export default defineConfig({
  test: {
    maxWorkers: '100%',
    // Sources that are the same as in the last run are not transformed again.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,contract,architecture,grammar}/**/*.test.ts'],
          isolate: false,
          pool: 'threads',
          // Long enough for a machine that is busy with something else.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'built',
          include: ['test/{lsp,cli,package,robustness}/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 90_000,
          // The control plane is built once, which takes minutes.
          hookTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
