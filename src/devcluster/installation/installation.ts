import { ignoreNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { bootstrapMark, configMaps as sources } from '../../api/names.ts'
import { waitUntil } from '../objects/wait-until.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { followedObject } from './serving-sync.ts'
import { completeInstallation } from './trust-sources.ts'

/** Completes the installation as soon as the signer has published its CAs. */
export async function waitForInstallation(
  tools: DevclusterTools,
  signal: AbortSignal,
): Promise<void> {
  const { client } = tools
  if (await ignoreNotFound(client.getMetadata(configMaps, bootstrapMark))) return
  const published = new AbortController()
  const either = AbortSignal.any([signal, published.signal])
  const needed = [sources.kubeletClientCA, sources.apiServerCA].map((source) =>
    followedObject(tools, configMaps, source),
  )
  const following = needed.map((informer) => informer.start(either))
  await Promise.all(needed.map((informer) => waitUntil(informer, () => informer.size > 0, signal)))
  published.abort()
  await Promise.all(following)
  if (!signal.aborted) await completeInstallation(client)
}
