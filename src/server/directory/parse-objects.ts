import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { makerOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { controllerConfigs, machineConfigPools, machineConfigs } from '../../api/kinds/resources.ts'
import { digestOfSpec } from '../../fleet/render/rendered-name.ts'

/* Each function throws InvalidInput if the text is not such an object. The message does not contain the path. */

export function parsePool(text: string, name: string): MachineConfigPool {
  const pool = parseObject<MachineConfigPool>(text, machineConfigPools, name)
  if (!isObject(pool.spec)) throw new InvalidInput('spec is missing')
  const config = pool.status?.configuration?.name
  // It is part of a path.
  if (typeof config !== 'string' || !objectName.test(config)) {
    throw new InvalidInput('status.configuration.name is missing or is not a valid name')
  }
  return pool
}

export function parseMachineConfig(text: string, name: string): MachineConfig {
  const config = parseObject<MachineConfig>(text, machineConfigs, name)
  if (!isObject(config.spec)) throw new InvalidInput('spec is missing')
  // MCO's names have another digest.
  const isOwn = makerOf(config).type === 'machinist' && name.startsWith(names.renderedPrefix)
  if (isOwn && !name.endsWith(`-${digestOfSpec(config)}`)) {
    throw new InvalidInput('the content does not match the digest in its name: it was changed')
  }
  return config
}

export function parseControllerConfig(text: string): ControllerConfig {
  const { controllerConfig: name } = names
  const config = parseObject<ControllerConfig>(text, controllerConfigs, name)
  if (!isObject(config.spec)) throw new InvalidInput('spec is missing')
  return config
}

const objectName = /^[a-z0-9][a-z0-9.-]{0,252}$/

/** The origin in messages of the YAML parser, which is removed again. */
const origin = 'the file'

function parseObject<T extends KubeObject>(text: string, resource: Resource<T>, name: string): T {
  const object = parsed(text)
  if (!isObject(object)) throw new InvalidInput('it is empty or not an object')
  const { apiVersion, kind, metadata } = object
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource)) {
    throw new InvalidInput(`it is not a ${resource.kind} of ${apiVersionOf(resource)}`)
  }
  if (!isObject(metadata) || metadata['name'] !== name) {
    throw new InvalidInput(`metadata.name is not ${name}, the name of the file`)
  }
  return object as unknown as T
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text, origin)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.message.replace(`${origin}: `, ''))
  }
}
