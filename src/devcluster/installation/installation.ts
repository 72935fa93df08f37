import { bootstrapMark, configMaps as sources } from '../../api/names.ts'
import { ifThere } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { seen } from '../stand-ins/seen.ts'
import { followedObject } from './serving-sync.ts'
import type { Tools } from '../stand-ins/stand-in-caches.ts'
import { endInstallation } from './trust-sources.ts'

/** Says that the installation is over as soon as what must be there from then on is. */
export async function awaitInstallation(tools: Tools, signal: AbortSignal): Promise<void> {
  const { client } = tools
  if (await ifThere(client.getMetadata(configMaps, bootstrapMark))) return
  const enough = new AbortController()
  const either = AbortSignal.any([signal, enough.signal])
  const needed = [sources.kubeletClientCA, sources.apiServerCA].map((source) =>
    followedObject(tools, configMaps, source),
  )
  const following = needed.map((informer) => informer.start(either))
  await Promise.all(needed.map((informer) => seen(informer, () => informer.size > 0, signal)))
  enough.abort()
  await Promise.all(following)
  if (!signal.aborted) await endInstallation(client)
}
