import { InvalidInput } from '@machinist/core/errors'
import type { Config } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import { parseAnyVersionValue } from '@machinist/ignition/convert/parse-any'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { PlanChange } from '../../planner/model/update-plan.ts'

/** The contents of a changed file or unit; undefined if there are none, or if they are not in the config. */
export interface ChangeContents {
  readonly bytes: Uint8Array
  readonly secret: boolean
}

export type ContentsOf = (change: PlanChange) => ChangeContents | undefined

export function contentsOf(machineConfig: MachineConfig | undefined): ContentsOf {
  const { config } = parseAnyVersionValue(machineConfig?.spec?.config)
  if (!config) return () => undefined
  const files = new Map(config.storage?.files?.map((file) => [file.path, file]))
  return ({ kind, path = '', name = '' }) => {
    if (kind !== 'file') return unitContents(config, kind, name)
    const file = files.get(path)
    const bytes = file && readable(() => inlineContent(file.contents))
    return bytes && { bytes, secret: isSecret(path, file.mode ?? 0o644, bytes) }
  }
}

function unitContents(
  config: Config,
  kind: PlanChange['kind'],
  name: string,
): ChangeContents | undefined {
  const [unitName, dropinName] = name.split('/')
  const unit = config.systemd?.units?.find((one) => one.name === unitName)
  const text =
    kind === 'unit'
      ? unit?.contents
      : kind === 'dropin'
        ? unit?.dropins?.find((one) => one.name === dropinName)?.contents
        : undefined
  return text ? { bytes: Buffer.from(text), secret: false } : undefined
}

/** Recognized by its path, its mode or its content. */
function isSecret(path: string, mode: number, bytes: Uint8Array): boolean {
  if ((mode & 0o077) === 0) return true
  if (secretPaths.test(path)) return true
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return secretMarks.some((mark) => text.includes(mark))
}

const secretPaths =
  /^\/var\/lib\/kubelet\/config\.json$|kubeconfig|pull-secret|password|[.-]key(\.pem)?$|token|\/auth\.json$|\.docker(\/config\.json|configjson)$|\/cloud\.conf$/i

const secretMarks = ['PRIVATE KEY-----', '"auths"', 'client-key-data:', 'token:']

function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}
