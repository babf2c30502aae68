import { claudeCodeAdapter } from "@openforgerl/harness-adapters/claude-code/adapter";
import { describeConformance } from "../conformance.ts";
import { installClaudeCode } from "../support/claude-code.ts";

describeConformance(claudeCodeAdapter, installClaudeCode);
