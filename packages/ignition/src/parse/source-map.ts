import type { JsonNode, JsonObject } from '../json/json.ts'
import type { Path, PathStep, Position } from '../report/report.ts'
import { Report } from '../report/report.ts'
import { foldedName } from './fields.ts'

/** Maps paths of a config to positions in its text. Created only if there are findings. */
export class SourceMap {
  readonly #root: JsonNode | undefined
  readonly #lineStarts: readonly number[]
  readonly #indexes = new Map<JsonObject, ReadonlyMap<string, JsonNode>>()

  constructor(text: string, root?: JsonNode) {
    this.#root = root
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  }

  position(offset: number): Position {
    let [low, high] = [0, this.#lineStarts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lineStarts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - this.#lineStarts[low]! + 1 }
  }

  /** The report with a position for every entry. */
  located(report: Report): Report {
    const located = new Report()
    located.addAll(
      report.entries.map((entry) => ({
        ...entry,
        position: entry.position ?? this.position(this.#offsetOf(entry.path)),
      })),
    )
    return located
  }

  /** The offset of the node at this path, or of the innermost existing node above it. */
  #offsetOf(path: Path): number {
    let node = this.#root
    for (const step of path) {
      const next = node && this.#childOf(node, step)
      if (!next) break
      node = next
    }
    return node?.offset ?? 0
  }

  #childOf(node: JsonNode, step: PathStep): JsonNode | undefined {
    if (node.kind === 'array') return typeof step === 'number' ? node.items[step] : undefined
    if (node.kind !== 'object' || typeof step !== 'string') return undefined
    const index = this.#indexOf(node)
    return index.get(`exactly ${step}`) ?? index.get(foldedName(step))
  }

  #indexOf(node: JsonObject): ReadonlyMap<string, JsonNode> {
    let index = this.#indexes.get(node)
    if (!index) {
      index = new Map(
        node.members.flatMap(({ key, value }) => [
          [foldedName(key), value] as const,
          [`exactly ${key}`, value] as const,
        ]),
      )
      this.#indexes.set(node, index)
    }
    return index
  }
}
