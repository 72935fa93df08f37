import type { BootstrapProblem, Manifest } from '../manifests/manifest.ts'
import { describeManifest } from '../manifests/manifest.ts'

/** Finds the file of the first object that a message of a controller names. */
export class Attribution {
  readonly #files: ReadonlyMap<string, string>

  constructor(manifests: readonly Manifest[]) {
    this.#files = new Map(manifests.map((one) => [describeManifest(one), one.file]))
  }

  /** The file of an object, by its name in messages. */
  fileOf(object: string): string | undefined {
    return this.#files.get(object)
  }

  /** `otherwise` is the object that reports the message, for messages that name no object of the input. */
  problem(message: string, otherwise = ''): BootstrapProblem {
    const named = [...this.#files].flatMap(([object, file]) => {
      const at = positionIn(message, object)
      return at < 0 ? [] : [{ at, file }]
    })
    const [first] = named.toSorted((a, b) => a.at - b.at)
    const file = first?.file ?? this.fileOf(otherwise)
    return { message, ...(file !== undefined && { file }) }
  }
}

/** The position of the name; -1 if it occurs as a part of other names only. */
function positionIn(message: string, object: string): number {
  for (let at = message.indexOf(object); at >= 0; at = message.indexOf(object, at + 1)) {
    const rest = message.slice(at + object.length, at + object.length + 2)
    // A name may end a sentence, so a dot counts only if another character of a name follows.
    if (!/^(?:[\w/-]|\.[\w-])/.test(rest)) return at
  }
  return -1
}
