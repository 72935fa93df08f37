import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'

/** An object that the API server must accept, or reject with a given message. */
export interface Example {
  /** `machine-config-pool/invalid/stream-name.yaml` */
  readonly file: string
  /** The folder: the kind in kebab case. */
  readonly kind: string
  readonly valid: boolean
  /** A part of the message of the rejection. */
  readonly expect?: string
  /** The states of the object: one, or two for an update. */
  readonly states: readonly ExampleObject[]
}

export interface ExampleObject extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

export function examples(): Example[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readExample(file))
}

const folder = join(import.meta.dirname, 'examples')

function readExample(file: string): Example {
  const text = readFileSync(join(folder, file), 'utf8')
  const [kind = '', verdict] = file.split('/')
  const expect = /^# expect: (.+)$/m.exec(text)?.[1]
  const states = parseYamlDocuments(text, file).map((document) => toObject(document, file))
  const expected = /^# update$/m.test(text) ? 2 : 1
  if (states.length !== expected) {
    throw new InvalidInput(`${file}: has ${states.length} documents; expected ${expected}`)
  }
  return { file, kind, valid: verdict === 'valid', states, ...(expect !== undefined && { expect }) }
}

function toObject(document: unknown, file: string): ExampleObject {
  if (isObject(document) && isObject(document['metadata']))
    return document as unknown as ExampleObject
  throw new InvalidInput(`${file}: is not a Kubernetes object`)
}
