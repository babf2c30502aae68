/** A column of a text table. */
export interface Column<Row> {
  title: string;
  value(row: Row): string | number;
  /** Default: numbers to the right, text to the left. */
  align?: "left" | "right";
}

/** Lays rows out in aligned columns under their titles, two spaces apart. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = rows.map((row) => columns.map((column) => column.value(row)));
  const right = columns.map(
    ({ align }, i) => (align ?? (typeof cells[0]?.[i] === "number" ? "right" : "left")) === "right",
  );
  const lines = [columns.map(({ title }) => title), ...cells.map((row) => row.map(String))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => (right[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
