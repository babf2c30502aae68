import type { CallRecord } from "@openforgerl/contracts/call";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { WireDialect } from "./dialects/dialect.ts";
import { WIRE_DIALECTS } from "./dialects/registry.ts";
import type { CanonicalRequest } from "./messages.ts";
import { readField, setFields } from "./rewrite.ts";
import type { Session } from "./session.ts";
import type { ScannedBody } from "./store/request-encoder.ts";
import type { UpstreamConfig } from "./upstream.ts";

/** Where a call goes, and what is sent there. */
export interface CallPlan {
  upstream: UpstreamConfig;
  /** The dialect spoken with the upstream. */
  out: WireDialect;
  body: Buffer;
  /** Set where the harness speaks another dialect than the upstream. */
  translated: CanonicalRequest | undefined;
  streamed: boolean;
  /** The model's name as the upstream is told it. */
  model: string;
  /** In effect, after the session's overrides. */
  sampling: CallRecord["sampling"];
  /** Answers asked for (`n`); only one can be recorded. */
  choices: number;
}

/** The first upstream that speaks the dialect, else the first that can be translated for. @throws ForgeError. */
export function chooseUpstream(
  upstreams: readonly UpstreamConfig[],
  dialect: WireDialect,
): { upstream: UpstreamConfig; out: WireDialect } {
  const speaker = upstreams.find(({ dialects }) => dialects.includes(dialect.name));
  if (speaker !== undefined) return { upstream: speaker, out: dialect };
  for (const upstream of upstreams) {
    for (const name of upstream.dialects) {
      const out = WIRE_DIALECTS[name];
      if (out !== undefined) return { upstream, out };
    }
  }
  throw new ForgeError({
    boundary: "proxy",
    code: "no_upstream",
    message: `No upstream speaks ${dialect.name}, nor a dialect it can be translated to.`,
    advice: `Configure an upstream with one of the dialects ${Object.keys(WIRE_DIALECTS).join(", ")}.`,
  });
}

/**
 * Works out what is sent upstream for call `index` of a session. In one dialect the harness's bytes are
 * kept, with the declared fields set: the session's sampling overrides, the capture fields, the model.
 * @throws ForgeError `input/bad_input` where a request that must be translated is malformed.
 */
export function planCall(
  upstreams: readonly UpstreamConfig[],
  dialect: WireDialect,
  body: ScannedBody,
  session: Session,
  index: number,
): CallPlan {
  const { upstream, out } = chooseUpstream(upstreams, dialect);
  const seeded = out.takesSeed || upstream.capture === "vllm";
  const seed = seeded ? session.seedOf(index) : undefined;
  const { seed: _base, ...sampling } = session.options.sampling;
  const overrides = { ...sampling, ...(seed === undefined ? {} : { seed }) };
  const fields: Record<string, unknown> = {
    ...out.samplingFields(overrides),
    ...(upstream.capture === "vllm" ? out.captureFields : {}),
    ...(upstream.model === undefined ? {} : { model: upstream.model }),
  };
  const asked = (key: string): number | undefined => {
    const value = readField(body, key);
    return typeof value === "number" ? value : undefined;
  };
  const temperature = overrides.temperature ?? asked("temperature");
  const topP = overrides.topP ?? asked("top_p");
  const sentSeed = seeded ? (overrides.seed ?? asked("seed")) : undefined;
  const maxTokens = asked("max_completion_tokens") ?? asked("max_tokens");
  const shared = {
    upstream,
    out,
    streamed: readField(body, "stream") === true,
    model: upstream.model ?? String(readField(body, "model") ?? ""),
    choices: asked("n") ?? 1,
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(sentSeed === undefined ? {} : { seed: sentSeed }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  };
  if (out === dialect) {
    const sent = Object.keys(fields).length === 0 ? body.bytes : setFields(body, fields);
    return { ...shared, body: sent, translated: undefined };
  }
  const translated = dialect.parseRequest(JSON.parse(body.bytes.toString("utf8")));
  // vLLM takes images inside tool results; the published chat format does not.
  const toolImages = upstream.capture === "vllm" ? "inline" : "user";
  if (!seeded) delete translated.sampling.seed;
  const printed = { ...out.printRequest(translated, { toolImages }), ...fields };
  return { ...shared, body: Buffer.from(JSON.stringify(printed)), translated };
}
