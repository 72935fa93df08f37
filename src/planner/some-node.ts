import { osCapabilities } from './os-capabilities.ts'
import type { NodeFacts } from './update-plan.ts'

/** A node of which nothing is known, so that nothing is refused for what it cannot do. */
export const someNode: NodeFacts = {
  os: osCapabilities['rpm-ostree'],
  architecture: '',
  forced: false,
  drains: true,
  keysPath: 'authorized_keys.d/ignition',
}
