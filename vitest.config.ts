import { defineConfig } from "vitest/config";

/** What `forge test --fast` leaves out: tests that open a browser, start other programs, or train. */
const SLOW = [
  "cli/test/{build,command-line,runs,shell}/**",
  "cli/test/report/page.test.ts",
  "environments/test/browser/{playwright,puppeteer,pool,provider}.test.ts",
  "environments/test/sites/*-in-chromium.test.ts",
  "harness-adapters/test/{claude-code,process}/**",
  "orchestrator/test/rollout.test.ts",
  "proxy/test/store/killed.test.ts",
  "trainer/test/embedded/learning.test.ts",
];

export default defineConfig({
  ssr: { resolve: { conditions: ["openforgerl"] } },
  resolve: { conditions: ["openforgerl"] },
  test: {
    include: ["*/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ...(process.env.OPENFORGERL_TEST === "fast" ? SLOW : [])],
    pool: "forks",
    // Two workers: CI has two cores, and each Chromium test already uses more than one.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
