import type { WriteScene } from '../../src/apiserver/kinds/kind-rules.ts'
import { seededRandom } from '../../src/base/random.ts'

/** A write by an administrator at noon. */
export function writeScene(scene: Partial<WriteScene> = {}): WriteScene {
  return {
    user: { username: 'admin', groups: ['system:masters'] },
    now: Date.UTC(2030, 0, 2, 12),
    random: seededRandom(1),
    siblings: () => [],
    ...scene,
  }
}
