import { messageOf } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import type { AccessSource, AccessSourceOptions } from './access-source.ts'
import { accessSource } from './access-source.ts'
import type { Access } from './connection.ts'
import type { Target } from './target.ts'

/**
 * An access whose kubeconfig may change, too: somebody may put new CAs or another address into it. One that cannot be used,
 * or not yet, leaves the last good one in use, and is reported once.
 */
export function reloadedSource(
  options: AccessSourceOptions,
  reload: () => Promise<Target>,
): AccessSource {
  let { target } = options
  let source = accessSource(options)
  let complaint = ''
  const complain = (error: unknown): void => {
    if (messageOf(error) !== complaint) {
      options.logger.error('the kubeconfig is unusable, the last good one stays in use', error)
    }
    complaint = messageOf(error)
  }
  const lookAnew = async (refused: boolean): Promise<Access | undefined> => {
    const next = await reload()
    if (sameJson(next, target)) return undefined
    const fresh = accessSource({ ...options, target: next })
    const access = await fresh.look(refused)
    target = next
    source = fresh
    return access
  }
  return {
    changeable: true,
    expired: () => source.expired(),
    async look(refused) {
      try {
        const access = await lookAnew(refused)
        complaint = ''
        if (access) return access
      } catch (error) {
        complain(error)
      }
      return await source.look(refused)
    },
  }
}
