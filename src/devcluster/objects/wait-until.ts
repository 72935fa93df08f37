import type { KubeObject } from '@machinist/core/objects/resource'
import type { Informer } from '@machinist/kube/informer/informer'

/** Resolves when the condition holds after a change, or when the signal aborts. */
export function waitUntil<T extends KubeObject>(
  informer: Informer<T>,
  condition: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => {}
    const end = (): void => {
      queueMicrotask(() => unsubscribe())
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    unsubscribe = informer.subscribe(() => {
      if (condition()) end()
    })
    if (signal.aborted) end()
  })
}
