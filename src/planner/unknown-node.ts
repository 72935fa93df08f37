import { osCapabilities } from './model/os-capabilities.ts'
import type { NodeFacts } from './model/update-plan.ts'

/** Facts of an unknown node, with all capabilities, so that no change is rejected because of the node. */
export const unknownNode: NodeFacts = {
  os: osCapabilities['rpm-ostree'],
  architecture: '',
  forced: false,
  drains: true,
  keysPath: 'authorized_keys.d/ignition',
}
