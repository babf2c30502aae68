import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { JsonHttpTransport } from "./http-transport.ts";
import type { OfferedEnvironment } from "./offer.ts";
import type { EnvironmentTool } from "./tools.ts";

/** The name of the MCP server; harnesses prefix tool names with it (`mcp__env__click`). */
export const SERVER_NAME = "env";

/** Speaks MCP for one offered environment, one JSON message at a time. */
export async function connectProtocol(offered: OfferedEnvironment): Promise<JsonHttpTransport> {
  const server = new Server({ name: SERVER_NAME, version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList(offered.tools) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    offered.call(params.name, params.arguments),
  );
  const transport = new JsonHttpTransport();
  await server.connect(transport);
  return transport;
}

/** Tool definitions as MCP lists them. */
export function toolList(tools: ReadonlyMap<string, EnvironmentTool>): Tool[] {
  return [...tools.values()].map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: inputSchema(input),
  }));
}

const schemas = new WeakMap<z.ZodObject, Tool["inputSchema"]>();

function inputSchema(input: z.ZodObject): Tool["inputSchema"] {
  let schema = schemas.get(input);
  if (!schema) {
    const { $schema: _, ...rest } = z.toJSONSchema(input, {
      io: "input",
      // The bound of safe integers means nothing to an agent and travels with every request.
      override: ({ jsonSchema }) => {
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    });
    schema = rest as Tool["inputSchema"];
    schemas.set(input, schema);
  }
  return schema;
}
