import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import type { Config, Unit } from '@machinist/ignition/spec/config'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { loadTemplates } from '../../../../src/process/templates.ts'
import type { RenderedPart } from '../../../../src/controllers/template/render-role.ts'
import { renderRoles } from '../../../../src/controllers/template/roles.ts'

export const pullSecretText = '{"auths":{"quay.example.com":{"auth":"eDp5"}}}'

const shipped = await loadTemplates()

/** The shipped templates, rendered for a ControllerConfig. */
export function rendered(
  controllerConfig: ControllerConfig,
  pullSecret = pullSecretText,
): Map<string, readonly RenderedPart[]> {
  const facts = { controllerConfig, pullSecret: { text: pullSecret }, templates: shipped }
  return new Map(
    renderRoles(facts).map(({ role, result }) => {
      if ('problem' in result) throw new Error(`${role}: ${result.problem.message}`)
      return [role, result.parts]
    }),
  )
}

export interface NodeFile {
  readonly mode: number | undefined
  readonly text: string
}

/** All files of a role by path. */
export function filesOf(parts: readonly RenderedPart[]): Map<string, NodeFile> {
  const files = parts.flatMap(({ spec }) => (spec.config as Config).storage?.files ?? [])
  return new Map(
    files.map(({ path, mode, contents }) => {
      const { bytes } = decodeDataUrl(contents!.source!)
      return [path, { mode, text: Buffer.from(bytes).toString('utf8') }]
    }),
  )
}

export function unitsOf(parts: readonly RenderedPart[]): Unit[] {
  return parts.flatMap(({ spec }) => (spec.config as Config).systemd?.units ?? [])
}
