import { builtinAdapter } from "@openforgerl/harness-adapters/builtin/adapter";
import { describeConformance } from "../conformance.ts";

describeConformance(builtinAdapter, () => builtinAdapter.install("", new AbortController().signal));
