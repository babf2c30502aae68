import { asForgeError } from "@openforgerl/contracts/errors";
import { type HarnessOutcome, type HarnessRun, taskPrompt } from "@openforgerl/contracts/harness";
import { McpClient, type ToolAnswer } from "./mcp-client.ts";
import { type AssistantBlock, createMessage, type MessagesRequest } from "./messages-api.ts";

/** Never varies: a constant system prompt is the start of every prompt the policy is trained on. */
export const SYSTEM_PROMPT =
  "You operate a web browser for a person. Use one tool at a time, look at what it did, and go on until the task is done.";

const MAX_TOKENS = 4096;

/**
 * The whole harness: look, ask the model, do what it says, tell it what happened, ask again. The history only
 * ever grows at its end and keeps every image, so each request is an exact prefix of the next.
 */
export async function runLoop(run: HarnessRun): Promise<HarnessOutcome> {
  const ended = (outcome: Omit<HarnessOutcome, "transcripts">) => ({ ...outcome, transcripts: [] });
  try {
    const environment = new McpClient(run.mcp, run.signal);
    const tools = await environment.connect();
    const firstLook = await environment.callTool("screenshot", {});
    const messages: MessagesRequest["messages"][number][] = [
      {
        role: "user",
        content: [{ type: "text", text: taskPrompt(run.instruction) }, ...messageBlocks(firstLook)],
      },
    ];
    const request: MessagesRequest = {
      model: run.model.name,
      max_tokens: MAX_TOKENS,
      system: SYSTEM_PROMPT,
      tools: tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
      messages,
    };

    for (let calls = 0; calls < run.limits.maxCalls; calls++) {
      const completion = await createMessage(run.model, request, run.signal);
      const text = completion.content.filter(isText).map((block) => block.text);
      const answer = text.join("\n").trim();
      // A tool call that was cut off can't be trusted to be the call the model meant.
      if (completion.stop_reason === "max_tokens") return ended({ stopReason: "max_tokens", answer });
      const toolUses = completion.content.filter(isToolUse);
      if (toolUses.length === 0) return ended({ stopReason: "answered", answer });

      messages.push({ role: "assistant", content: completion.content });
      const results: unknown[] = [];
      for (const { id, name, input } of toolUses) {
        const result = await environment.callTool(name, input);
        if (name === "report_infeasible" && !result.isError) return ended({ stopReason: "gave_up", answer });
        results.push({
          type: "tool_result",
          tool_use_id: id,
          content: messageBlocks(result),
          ...(result.isError ? { is_error: true } : {}),
        });
      }
      messages.push({ role: "user", content: results });
    }
    return ended({ stopReason: "max_calls" });
  } catch (thrown) {
    if (run.signal.aborted) return ended({ stopReason: "cancelled" });
    const { boundary, message } = asForgeError(thrown, {
      boundary: "harness",
      code: "loop_failed",
      advice: "This is a fault of the built-in harness.",
    });
    if (boundary === "model") return ended({ stopReason: "model_error", detail: message });
    if (boundary === "environment") return ended({ stopReason: "environment_error", detail: message });
    return ended({ stopReason: "harness_error", detail: message });
  }
}

function messageBlocks(answer: ToolAnswer): unknown[] {
  return answer.content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } },
  );
}

function isText(block: AssistantBlock): block is AssistantBlock & { type: "text"; text: string } {
  return block.type === "text";
}

function isToolUse(
  block: AssistantBlock,
): block is AssistantBlock & { type: "tool_use"; id: string; name: string; input: unknown } {
  return block.type === "tool_use";
}
