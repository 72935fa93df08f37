import type { KubeObject } from '@machinist/core/resource'
import type { Informer } from '@machinist/kube/informer/informer'

/** Resolves when a change has made this so, or the signal aborts. */
export function seen<T extends KubeObject>(
  informer: Informer<T>,
  condition: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let leave = (): void => {}
    const end = (): void => {
      queueMicrotask(() => leave())
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    leave = informer.subscribe(() => {
      if (condition()) end()
    })
    if (signal.aborted) end()
  })
}
