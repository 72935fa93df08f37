import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'

/** One of the example ControllerConfigs of the API's own tests. */
export function exampleControllerConfig(name: 'openshift' | 'plain-kubernetes'): ControllerConfig {
  const examples = '../../api/examples/controller-config/valid'
  const path = join(import.meta.dirname, examples, `${name}.yaml`)
  return parseYaml(readFileSync(path, 'utf8'), path) as ControllerConfig
}
