import type { Config } from '@machinist/ignition/spec/config'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import type { ChangeKind } from '../../planner/model/update-plan.ts'

export interface Explanation {
  readonly of: string
  readonly rendered: string
  readonly fields: readonly { readonly field: string; readonly from: string }[]
  /** MachineConfigs that contain it, but whose fields later ones override. */
  readonly overridden: readonly string[]
}

/** Which MachineConfig set each field of a part; undefined if the config does not contain it. */
export function explain(
  what: string,
  inputs: readonly RenderInput[],
  rendered: RenderedConfig,
): Explanation | undefined {
  const fields = specFields(what, rendered) ?? configFields(what, inputs)
  const deciders = new Set(fields.map(({ from }) => from))
  const overridden = inputs
    .filter(({ name, config }) => !deciders.has(name) && containsPart(config, what))
    .map(({ name }) => name)
  if (fields.length + overridden.length === 0) return undefined
  return { of: what, rendered: rendered.name, fields, overridden }
}

export function explanationText({ of, rendered, fields, overridden }: Explanation): string {
  const width = Math.max(...fields.map(({ field }) => field.length), 0)
  const lines = fields.map(({ field, from }) => `  ${field.padEnd(width)}  ${from}`)
  if (overridden.length > 0) {
    lines.push(`  overridden: ${overridden.join(', ')}`)
  }
  return `${of} in ${rendered}\n${lines.join('\n')}\n`
}

type Field = Explanation['fields'][number]

const kindOfField: Readonly<Record<string, ChangeKind>> = {
  kernelArguments: 'kernelArguments',
  extensions: 'extensions',
  kernelType: 'kernelType',
  fips: 'fips',
  osImageURL: 'osImage',
}

function specFields(what: string, { provenance }: RenderedConfig): Field[] | undefined {
  if (!Object.hasOwn(kindOfField, what)) return undefined
  const entries = Object.entries(provenance[kindOfField[what]!] ?? {})
  const named = entries.filter(([key]) => key !== '')
  return (named.length > 0 ? named : entries).map(([key, from]) => ({ field: key || what, from }))
}

/** Merges again, and records the provenance of this part only. */
function configFields(what: string, inputs: readonly RenderInput[]): Field[] {
  const fields: Field[] = []
  const listener = {
    decided: (path: readonly string[], from: number): void => {
      const [, , key, ...rest] = path
      if (key !== what || isKey(rest)) return
      fields.push({ field: rest.join('.'), from: inputs[from]!.name })
    },
    removed: (): void => {},
  }
  mergeForNodes(
    inputs.map(({ config }) => config),
    listener,
  )
  return fields
}

/** The key of a part has no provenance; the name of an owner has. */
function isKey([first, , field, ...deeper]: readonly string[]): boolean {
  if (first === 'dropins') return field === 'name' && deeper.length === 0
  return first === undefined || ((first === 'path' || first === 'name') && field === undefined)
}

function containsPart({ storage, systemd, passwd }: Config, what: string): boolean {
  const { files = [], directories = [], links = [] } = storage ?? {}
  return (
    [files, directories, links].some((list) => list.some(({ path }) => path === what)) ||
    (systemd?.units ?? []).some(({ name }) => name === what) ||
    (passwd?.users ?? []).some(({ name }) => name === what)
  )
}
