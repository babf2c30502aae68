/**
 * The import table. Each package may import the packages named behind it, and itself; whatever else it
 * imports is an error. Tests and benchmarks keep to it, too.
 */
const TABLE = {
  contracts: [],
  environments: ["contracts"],
  "harness-adapters": ["contracts"],
  proxy: ["contracts"],
  orchestrator: ["environments", "harness-adapters", "proxy", "contracts"],
  benchmarks: ["orchestrator", "environments", "harness-adapters", "proxy", "contracts"],
  trainer: ["orchestrator", "environments", "harness-adapters", "proxy", "contracts"],
  cli: ["benchmarks", "trainer", "orchestrator", "environments", "harness-adapters", "proxy", "contracts"],
};
const PACKAGES = Object.keys(TABLE);

const anyOf = (names) => `^(${names.join("|")})/`;

const tableRules = PACKAGES.map((name) => ({
  name: `table-${name}`,
  comment: `${name} may import ${TABLE[name].join(", ") || "none of the other packages"}.`,
  severity: "error",
  from: { path: `^${name}/` },
  to: { path: anyOf(PACKAGES.filter((other) => other !== name && !TABLE[name].includes(other))) },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...tableRules,
    {
      name: "contracts-need-zod-alone",
      comment: "contracts depends on no package but zod.",
      severity: "error",
      from: { path: "^contracts/", pathNot: "^contracts/test/" },
      to: { path: "^node_modules/(?!zod/)" },
    },
    {
      name: "contracts-without-io",
      comment: "contracts holds data: no built-in module of Node.",
      severity: "error",
      from: { path: "^contracts/", pathNot: "^contracts/test/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-cycles",
      comment:
        "Modules that import each other are one module. An import of types alone is gone when it runs.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-tests-in-sources",
      comment: "What ships may not need what doesn't.",
      severity: "error",
      from: { path: anyOf(PACKAGES), pathNot: "^[^/]+/(test|bench)/" },
      to: { path: "^[^/]+/(test|bench)/" },
    },
    {
      name: "packages-by-name",
      comment: "Another package is imported by its name, never by a path that leaves one's own.",
      severity: "error",
      from: { path: "^([^/]+)/" },
      to: { path: anyOf(PACKAGES), pathNot: "^$1/", dependencyTypes: ["local"] },
    },
    {
      name: "resolvable",
      comment: "Every import must lead somewhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "(^|/)node_modules/" },
    exclude: { path: "(^|/)dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["openforgerl", "import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".json"],
    },
  },
};
