import { messageOf } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import type { AccessSource, AccessSourceOptions } from './access-source.ts'
import { accessSource } from './access-source.ts'
import type { Access } from './connection.ts'
import type { Target } from './target.ts'

/**
 * An access source that also reloads the kubeconfig, for example for new CAs or another address. If the new kubeconfig is
 * not usable, the last valid one stays in use and the error is logged once.
 */
export function reloadedSource(
  options: AccessSourceOptions,
  reload: () => Promise<Target>,
): AccessSource {
  let { target } = options
  let source = accessSource(options)
  let lastError = ''
  const logOnce = (error: unknown): void => {
    if (messageOf(error) !== lastError) {
      options.logger.error('kubeconfig is not usable, the last valid one stays in use', error)
    }
    lastError = messageOf(error)
  }
  const readChanged = async (rejected: boolean): Promise<Access | undefined> => {
    const next = await reload()
    if (sameJson(next, target)) return undefined
    const nextSource = accessSource({ ...options, target: next })
    const access = await nextSource.read(rejected)
    target = next
    source = nextSource
    return access
  }
  return {
    changeable: true,
    expired: () => source.expired(),
    async read(rejected) {
      try {
        const access = await readChanged(rejected)
        lastError = ''
        if (access) return access
      } catch (error) {
        logOnce(error)
      }
      return await source.read(rejected)
    },
  }
}
