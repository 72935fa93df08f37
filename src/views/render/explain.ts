import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'
import type { Config } from '@machinist/ignition/config'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import type { ChangeKind } from '../../planner/update-plan.ts'

export interface Explanation {
  readonly of: string
  readonly rendered: string
  readonly fields: readonly { readonly field: string; readonly from: string }[]
  /** Speak of it as well, but later ones decided everything. */
  readonly overridden: readonly string[]
}

/** Which MachineConfig decided each field of something; undefined if there is no such thing. */
export function explain(
  what: string,
  inputs: readonly RenderInput[],
  rendered: Rendered,
): Explanation | undefined {
  const fields = specFields(what, rendered) ?? configFields(what, inputs)
  const deciders = new Set(fields.map(({ from }) => from))
  const overridden = inputs
    .filter(({ name, config }) => !deciders.has(name) && speaksOf(config, what))
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

function specFields(what: string, { provenance }: Rendered): Field[] | undefined {
  if (!Object.hasOwn(kindOfField, what)) return undefined
  const entries = Object.entries(provenance[kindOfField[what]!] ?? {})
  const named = entries.filter(([key]) => key !== '')
  return (named.length > 0 ? named : entries).map(([key, from]) => ({ field: key || what, from }))
}

/** A second merge that listens: what it hears about everything else is forgotten at once. */
function configFields(what: string, inputs: readonly RenderInput[]): Field[] {
  const fields: Field[] = []
  const listen = {
    decided: (path: readonly string[], from: number): void => {
      const [, , key, ...rest] = path
      if (key !== what || isKey(rest)) return
      fields.push({ field: rest.join('.'), from: inputs[from]!.name })
    },
    removed: (): void => {},
  }
  mergeForNodes(
    inputs.map(({ config }) => config),
    listen,
  )
  return fields
}

/** That a thing is called what it is called was nobody's decision; an owner's name was. */
function isKey([first, , field, ...deeper]: readonly string[]): boolean {
  if (first === 'dropins') return field === 'name' && deeper.length === 0
  return first === undefined || ((first === 'path' || first === 'name') && field === undefined)
}

function speaksOf({ storage, systemd, passwd }: Config, what: string): boolean {
  const { files = [], directories = [], links = [] } = storage ?? {}
  return (
    [files, directories, links].some((list) => list.some(({ path }) => path === what)) ||
    (systemd?.units ?? []).some(({ name }) => name === what) ||
    (passwd?.users ?? []).some(({ name }) => name === what)
  )
}
