import { parseAllDocuments, stringify } from 'yaml'
import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml'
import { InvalidInput } from './errors.ts'

/**
 * YAML 1.1, as kubectl reads it: `mode: 0644` is octal, `<<` merges, but times stay text (`12:30` is no number, a date
 * no object). Aliases are bounded against "billion laughs".
 */
const reading: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  merge: true,
  customTags: (tags) => tags.filter((tag) => !isTime(tag)),
}
const maxAliasCount = 100

/** All documents of a stream; empty ones are left out. */
export function parseYamlDocuments(text: string, origin: string): unknown[] {
  const documents = parseAllDocuments(text, reading)
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error) throw new InvalidInput(`${origin}: not valid YAML: ${firstLine(error.message)}`)
    const value = read(() => document.toJS({ maxAliasCount }), origin)
    return value === null || value === undefined ? [] : [value]
  })
}

/** The one document of a file. JSON is YAML, so this reads both. */
export function parseYaml(text: string, origin: string): unknown {
  const documents = parseYamlDocuments(text, origin)
  if (documents.length > 1) {
    throw new InvalidInput(
      `${origin}: holds ${documents.length} YAML documents where one was expected`,
    )
  }
  return documents[0]
}

export function toYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
}

function read(convert: () => unknown, origin: string): unknown {
  try {
    return convert()
  } catch (error) {
    throw new InvalidInput(`${origin}: not valid YAML: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const isTime = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' && (tag.tag.endsWith(':timestamp') || tag.format === 'TIME')

const firstLine = (text: string): string => text.split('\n', 1)[0]!.replace(/:$/, '')
