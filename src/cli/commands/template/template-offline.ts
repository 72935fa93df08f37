import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import { parseYamlDocuments, toYaml } from '@machinist/core/encoding/yaml'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { machineConfigBuild } from '../../../api/maker.ts'
import type { ControllerConfig, MachineConfig } from '../../../api/kinds/resources.ts'
import { controllerConfigs } from '../../../api/kinds/resources.ts'
import { machineConfigOf } from '../../../controllers/template/machine-config.ts'
import { pullSecretKey, readPullSecret } from '../../../controllers/template/pull-secret.ts'
import type { PullSecret } from '../../../controllers/template/pull-secret.ts'
import { renderRoles } from '../../../controllers/template/roles.ts'
import { loadTemplates } from '../../../process/templates.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { version } from '../../../process/version.ts'
import type { TemplateOptions } from './template.ts'

/** The MachineConfigs of all roles, or of one role, as text. An error names the role that failed. */
export async function templateOffline(
  { controllerConfig: file, role, templates: directories, output }: TemplateOptions,
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<string> {
  const origin = file === '-' ? 'standard input' : file
  const objects = parseYamlDocuments(lenientUtf8(await terminal.read(file)), origin).filter(
    isObject,
  )
  const controllerConfig = controllerConfigIn(objects, origin)
  const templates = await loadTemplates(directories)
  const facts = { controllerConfig, pullSecret: pullSecretIn(), templates }
  const machineConfigs: MachineConfig[] = []
  for (const { role: generated, result } of renderRoles(
    facts,
    role === undefined ? undefined : [role],
  )) {
    if ('problem' in result) throw new InvalidInput(`role ${generated}: ${result.problem.message}`)
    machineConfigs.push(
      ...result.parts.map((part) =>
        machineConfigOf(part, generated, controllerConfig, { build: machineConfigBuild(version) }),
      ),
    )
  }
  return output === 'json'
    ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: machineConfigs }, null, 2)}\n`
    : machineConfigs.map(toYaml).join('---\n')

  /** Without the Secret in the input, the output does not contain its file. */
  function pullSecretIn(): PullSecret {
    const key = pullSecretKey(controllerConfig.spec.pullSecret)
    const found = objects.find(
      (one) => one['kind'] === secrets.kind && keyText(keyIn(one)) === keyText(key ?? { name: '' }),
    )
    if (key && !found) {
      terminal.error(
        `machinist: Secret ${keyText(key)} is not in ${origin}; the output does not contain the pull secret file\n`,
      )
      return { text: '' }
    }
    return readPullSecret(key, found && withEncodedData(found as unknown as Secret))
  }
}

function controllerConfigIn(
  objects: readonly Record<string, unknown>[],
  origin: string,
): ControllerConfig {
  const found = objects.filter(({ kind }) => kind === controllerConfigs.kind)
  const [first] = found
  if (!first || found.length > 1) {
    throw new InvalidInput(`${origin}: expected one ControllerConfig, found ${found.length}`)
  }
  const { name } = keyIn(first)
  if (name === '') throw new InvalidInput(`${origin}: the ControllerConfig has no metadata.name`)
  if (!isObject(first['spec']))
    throw new InvalidInput(`${origin}: the ControllerConfig has no spec`)
  return first as unknown as ControllerConfig
}

function keyIn(object: Record<string, unknown>): { namespace?: string; name: string } {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  const { name, namespace } = metadata as Partial<KubeObject['metadata']>
  const known = typeof name === 'string' ? name : ''
  return typeof namespace === 'string' ? { namespace, name: known } : { name: known }
}

/** Encodes stringData like the API server. */
function withEncodedData(secret: Secret): Secret {
  const written = Object.entries(secret.stringData ?? {}).map(
    ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
  )
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(written) } }
}
