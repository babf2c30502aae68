import type { ActionInput } from "@openforgerl/contracts/action";
import type { ActResult, Environment } from "@openforgerl/contracts/environment";
import type { Observation, ObservationRequest } from "@openforgerl/contracts/observation";

/** The smallest PNG there is: one grey pixel. */
export const PIXEL_PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);

/** A page in memory that stays as it is told to be: an Environment without a browser. */
export class StillEnvironment implements Environment {
  readonly capabilities = { screenshot: true, marks: true, tabs: true, cdp: false };
  readonly acts: ActionInput[] = [];
  readonly wanted: ObservationRequest[] = [];
  page: Observation;
  /** What the next actions come to; when used up, they succeed. */
  outcomes: (ActResult | Error)[] = [];

  constructor(page: Partial<Observation> = {}, image: Uint8Array = PIXEL_PNG) {
    this.page = {
      url: "http://127.0.0.1:1234/cart",
      title: "Cart - Larder & Loom",
      tabs: [{ index: 0, url: "http://127.0.0.1:1234/cart", title: "Cart - Larder & Loom", active: true }],
      scroll: { above: 0, below: 320 },
      downloads: [],
      settled: { ok: true, ms: 1 },
      screenshot: { bytes: image, mediaType: "image/png", width: 640, height: 360, scale: 0.5 },
      marks: [
        { id: 0, role: "heading", name: "Cart", box: { x: 300, y: 34, width: 40, height: 20 } },
        { id: 1, role: "button", name: 'Add "it"', box: { x: 10, y: 100, width: 81, height: 21 } },
      ],
      ...page,
    };
  }

  async observe(want: ObservationRequest = {}): Promise<Observation> {
    this.wanted.push(want);
    const { screenshot, marks, ...rest } = this.page;
    return {
      ...rest,
      ...(want.screenshot === false || !screenshot ? {} : { screenshot }),
      ...(want.marks === false || !marks ? {} : { marks }),
    };
  }

  async act(action: ActionInput): Promise<ActResult> {
    this.acts.push(action);
    const outcome = this.outcomes.shift() ?? { ok: true };
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  async probe() {
    return { ok: false as const, message: "nothing to ask" };
  }

  async cdpUrl() {
    return undefined;
  }

  async close() {}
}
