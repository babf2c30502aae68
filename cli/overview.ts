import { COMMANDS } from "./commands/index.ts";

/** What `forge` alone prints: what it is for, what it can do, how to begin. */
export function overview(name: string): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const lines = [
    "OpenForgeRL runs real agent harnesses in real environments against any model, scores them,",
    "and trains on what happened.",
  ];
  for (const group of groups) {
    lines.push("", group);
    for (const command of COMMANDS.filter((candidate) => candidate.group === group)) {
      lines.push(`  ${command.name.padEnd(width)}   ${command.summary}`);
    }
  }
  lines.push("", "To begin");
  const first = [
    ["doctor", "see whether this machine is ready"],
    ["train", "watch a policy learn, then open its report"],
    ["task list", "see what there is to learn"],
  ] as const;
  for (const [line, what] of first) {
    const [command] = line.split(" ");
    if (COMMANDS.some((candidate) => candidate.name === command)) {
      lines.push(`  ${name} ${line.padEnd(9)}   ${what}`);
    }
  }
  lines.push("", `Each command has --help with examples, and --json for programs.`);
  return lines.join("\n");
}
