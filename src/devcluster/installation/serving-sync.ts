import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { bundlePem } from '@machinist/pki/bundle'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { configMaps as sources } from '../../api/names.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { servingCertificate } from './rotations.ts'
import { publishedBundle, servingCertificateIn } from './serving-certificate.ts'

type Api = Pick<EmbeddedApi, 'url' | 'serve' | 'trust'>

/** A certificate can become valid with time, without a watch event. */
const requeueAfterMs = 30_000

/**
 * Keeps the serving certificate of the API server and the CAs in the administrator's kubeconfig in sync with the signer until the
 * signal aborts, like OpenShift's certificate syncer.
 */
export async function syncServingCertificate(
  tools: DevclusterTools,
  api: Api,
  signal: AbortSignal,
): Promise<void> {
  const given = followedObject(tools, secrets, servingCertificate)
  const published = followedObject(tools, configMaps, sources.apiServerCA)
  const following = [given.start(signal), published.start(signal)]
  const runner = new ControllerRunner(servingSync(tools, api, given, published), tools)
  await Promise.all([runner.run(signal), ...following])
}

/** An informer of one object. */
export function followedObject<T extends KubeObject>(
  { client, ...tools }: DevclusterTools,
  resource: Resource<T>,
  { namespace = '', name }: ObjectKey,
): Informer<T> {
  const source = client.listWatch(resource, { namespace, fields: `metadata.name=${name}` })
  return new Informer<T>({ ...tools, resource: `${resource.plural} ${name}`, source })
}

function servingSync(
  { clock, log }: DevclusterTools,
  api: Api,
  given: Informer<Secret>,
  published: Informer<ConfigMap>,
): Controller {
  const keys = (): string[] => [keyText(servingCertificate)]
  const host = new URL(api.url).hostname
  let lastProblem = ''
  return {
    name: 'serving-sync',
    inputs: [
      input({ resource: 'Secret', informer: given, keys }),
      input({ resource: 'ConfigMap', informer: published, keys }),
    ],
    outputs: [],
    async reconcile() {
      const authorities = publishedBundle(published.get(sources.apiServerCA))
      if (!authorities) return settled
      await api.trust(bundlePem(authorities))
      const secret = given.get(servingCertificate)
      if (!secret) return settled
      const now = clock.now()
      const serving = servingCertificateIn(secret, { published: authorities, host, now })
      if ('problem' in serving) {
        if (serving.problem !== lastProblem) log.info('ignored serving certificate', serving)
        lastProblem = serving.problem
        return requeueAfter(requeueAfterMs)
      }
      lastProblem = ''
      await api.serve(serving)
      return settled
    },
  }
}
