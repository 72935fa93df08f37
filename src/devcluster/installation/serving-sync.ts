import { configMaps as sources } from '../../api/names.ts'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { bundlePem } from '@machinist/pki/bundle'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { servingCertificate } from './rotations.ts'
import { publishedIn, servingGiven } from './serving-given.ts'
import type { Tools } from '../stand-ins/stand-in-caches.ts'

type Api = Pick<EmbeddedApi, 'url' | 'serve' | 'trust'>

/** It may not be its time yet, or somebody puts it right without touching it. */
const lookAgainMs = 30_000

/**
 * What OpenShift calls the syncer of certificates: the API server shows what the signer gives it, and the administrator's
 * kubeconfig names the CAs that are published, until the signal aborts.
 */
export async function followServing(tools: Tools, api: Api, signal: AbortSignal): Promise<void> {
  const given = followedObject(tools, secrets, servingCertificate)
  const published = followedObject(tools, configMaps, sources.apiServerCA)
  const following = [given.start(signal), published.start(signal)]
  const runner = new ControllerRunner(servingSync(tools, api, given, published), tools)
  await Promise.all([runner.run(signal), ...following])
}

/** One object by its name. */
export function followedObject<T extends KubeObject>(
  { client, ...tools }: Tools,
  resource: Resource<T>,
  { namespace = '', name }: ObjectKey,
): Informer<T> {
  const source = client.listWatch(resource, { namespace, fields: `metadata.name=${name}` })
  return new Informer<T>({ ...tools, resource: `${resource.plural} ${name}`, source })
}

function servingSync(
  { clock, log }: Tools,
  api: Api,
  given: Informer<Secret>,
  published: Informer<ConfigMap>,
): Controller {
  const keys = (): string[] => [keyText(servingCertificate)]
  const host = new URL(api.url).hostname
  let complaint = ''
  return {
    name: 'serving-sync',
    inputs: [
      input({ resource: 'Secret', informer: given, keys }),
      input({ resource: 'ConfigMap', informer: published, keys }),
    ],
    outputs: [],
    async reconcile() {
      const authorities = publishedIn(published.get(sources.apiServerCA))
      if (!authorities) return settled
      await api.trust(bundlePem(authorities))
      const secret = given.get(servingCertificate)
      if (!secret) return settled
      const now = clock.now()
      const serving = servingGiven(secret, { published: authorities, host, now })
      if ('problem' in serving) {
        if (serving.problem !== complaint) log.info('a certificate is not shown', serving)
        complaint = serving.problem
        return requeueAfter(lookAgainMs)
      }
      complaint = ''
      await api.serve(serving)
      return settled
    },
  }
}
