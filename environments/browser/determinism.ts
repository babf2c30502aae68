import type { BrowserSpec } from "@openforgerl/contracts/environment";
import type { CdpSession } from "./engine.ts";
import { type DeterminismOptions, installDeterminism } from "./in-page/determinism.ts";

/** Gives every document of a tab the clock and chance that the spec pins; nothing where it pins none. */
export async function pinSurroundings(
  session: CdpSession,
  determinism: BrowserSpec["determinism"],
  anchor: number,
): Promise<void> {
  if (determinism === undefined) return;
  const options: DeterminismOptions = {
    seed: determinism.seed,
    clock: Date.parse(determinism.clock),
    anchor,
  };
  await session.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `(${installDeterminism.toString()})(${JSON.stringify(options)});`,
    // A pop-up may hold a document already when we first see it.
    runImmediately: true,
  });
}
