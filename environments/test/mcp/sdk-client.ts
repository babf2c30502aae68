import { registerHooks } from "node:module";

// A dependency of the SDK's HTTP client publishes its own TypeScript under the export condition that our
// workspaces use for theirs. Inside node_modules that condition must not hold.
registerHooks({
  resolve(specifier, context, next) {
    const isOurs = !context.parentURL?.includes("/node_modules/");
    if (isOurs) return next(specifier, context);
    return next(specifier, {
      ...context,
      conditions: context.conditions.filter((condition) => condition !== "source"),
    });
  },
});

/** The SDK's own client, as any harness written in TypeScript uses it. */
export const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
export const { StreamableHTTPClientTransport } = await import(
  "@modelcontextprotocol/sdk/client/streamableHttp.js"
);
