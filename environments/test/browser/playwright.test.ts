import { openBrowserPool } from "../../browser/pool.ts";
import { describeBrowserConformance } from "./conformance.ts";

describeBrowserConformance("playwright (pooled contexts)", () => openBrowserPool());
