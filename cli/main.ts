#!/usr/bin/env node
import { runCli } from "./program.ts";

process.exitCode = await runCli(process.argv.slice(2));
// All is closed by now. A handle that a library left behind must not keep the process from ending.
setTimeout(() => process.exit(), 2_000).unref();
