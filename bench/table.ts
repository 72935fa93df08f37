/** Prints a table with a title: text is left-aligned, numbers are right-aligned. */
export function printTable(
  title: string,
  rows: readonly Readonly<Record<string, string | number>>[],
): void {
  const columns = Object.keys(rows[0] ?? {})
  const texts = rows.map((row) => columns.map((column) => String(row[column])))
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...texts.map((row) => row[i]!.length)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) =>
        /^[\d.]+$/.test(cell) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!),
      )
      .join('  ')
      .trimEnd()
  console.log(title)
  for (const cells of [columns, widths.map((width) => '-'.repeat(width)), ...texts]) {
    console.log(`  ${line(cells)}`)
  }
}
