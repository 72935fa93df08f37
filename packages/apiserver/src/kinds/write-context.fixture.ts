import { seededRandom } from '@machinist/core/random'
import type { WriteContext } from './kind-rules.ts'

/** A write by an administrator at noon. */
export function testWriteContext(writeContext: Partial<WriteContext> = {}): WriteContext {
  return {
    user: { username: 'admin', groups: ['system:masters'] },
    now: Date.UTC(2030, 0, 2, 12),
    random: seededRandom(1),
    siblings: () => [],
    ...writeContext,
  }
}
