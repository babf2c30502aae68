/** Opens an episode and stays: a process for tests to kill. */
import { openBrowserPool } from "../../browser/pool.ts";

const url = process.argv[2]!;
const pool = await openBrowserPool();
await pool.open(
  {
    kind: "browser",
    viewport: { width: 320, height: 240 },
    locale: "en-US",
    timeZone: "UTC",
    toolStyle: "marks",
    start: { at: "url", url },
  },
  url,
);
console.log("open");
setInterval(() => {}, 1000);
