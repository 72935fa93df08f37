import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure } from '@machinist/kube/failure'
import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ClusterVersion } from '../../api/openshift-config.ts'
import { clusterVersions } from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { ClusterInputs } from '../manifests/cluster-inputs.ts'
import { openShiftKinds, sharedKinds } from '../manifests/input-kinds.ts'
import type { BootstrapProblem, Manifest, ManifestObject } from '../manifests/manifest.ts'
import { describeManifest } from '../manifests/manifest.ts'
import { describeRejection } from './describe-rejection.ts'
import { createNamespace } from './start-cluster.ts'

export interface ApplyOptions {
  readonly client: KubeClient
  readonly inputs: ClusterInputs
  /** The version of Machinist, which is the operator of this cluster. */
  readonly version: string
  readonly payloadVersion?: string | undefined
}

/** Creates the objects. Returns the reasons why the API server rejects any. */
export async function applyManifests(
  manifests: readonly Manifest[],
  options: ApplyOptions,
): Promise<BootstrapProblem[]> {
  const problems: BootstrapProblem[] = []
  for (const manifest of manifests) {
    const { namespace } = manifest.object.metadata
    try {
      if (namespace !== undefined) await createNamespace(options.client, namespace)
    } catch (error) {
      if (!isRejection(error)) throw error
      const message = `${describeManifest(manifest)}: metadata.namespace is not a valid name`
      problems.push({ file: manifest.file, message })
      continue
    }
    try {
      await applyManifest(manifest, options)
    } catch (error) {
      if (!isRejection(error)) throw error
      problems.push({ file: manifest.file, message: describeRejection(manifest, error) })
    }
  }
  await addClusterVersion(manifests, options)
  return problems
}

/** Any error of the client: the administrator of this cluster may do everything. */
const isRejection = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.code >= 400 && error.code < 500

async function applyManifest(manifest: Manifest, options: ApplyOptions): Promise<void> {
  const { client } = options
  const { resource } = manifest
  const { status, ...object } = manifest.object
  if (resource === controllerConfigs) {
    // A ControllerConfig of MCO may have fields that Machinist does not have.
    await client.create(controllerConfigs, adopted(object as ControllerConfig, options))
    return
  }
  // Strict like kubectl: an unknown field is a typing error.
  const created = await client.create<KubeObject>(resource, object, { fieldValidation: 'Strict' })
  if (status === undefined || !hasInputStatus(manifest)) return
  const { resourceVersion } = created.metadata
  const current: ManifestObject = {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) },
    status,
  }
  await client.replace<KubeObject>(resource, current, { subresource: 'status' })
}

/** OpenShift's objects have facts in their status. The status of other objects is that of another cluster. */
const hasInputStatus = ({ resource }: Manifest): boolean =>
  [...openShiftKinds, ...sharedKinds].includes(resource)

/** The given ControllerConfig, as if the operator of this version had written it. */
function adopted(
  { metadata, ...rest }: ControllerConfig,
  { version, payloadVersion }: ApplyOptions,
): ControllerConfig {
  const given = metadata.annotations ?? {}
  const kept = Object.entries(given).filter(
    ([key]) =>
      key !== annotations.serviceCARotate &&
      !key.startsWith(ownControllerConfigAnnotations.templatesPrefix),
  )
  const release = payloadVersion ?? given[annotations.releaseImageVersion] ?? version
  return {
    ...rest,
    metadata: {
      ...metadata,
      annotations: {
        ...Object.fromEntries(kept),
        [annotations.generatedByVersion]: version,
        [annotations.releaseImageVersion]: release,
      },
    },
  }
}

/** With a given ControllerConfig, the release image is one of its fields. */
async function addClusterVersion(
  manifests: readonly Manifest[],
  { client, inputs, payloadVersion }: ApplyOptions,
): Promise<void> {
  const { controllerConfig, isOpenShift } = inputs
  const isGiven = manifests.some(({ resource }) => resource === clusterVersions)
  if (!controllerConfig || !isOpenShift || isGiven) return
  const object: ClusterVersion = { metadata: { name: names.clusterVersion }, spec: {} }
  const created = await client.create(clusterVersions, object)
  const desired = {
    image: controllerConfig.spec?.releaseImage ?? '',
    ...(payloadVersion !== undefined && { version: payloadVersion }),
  }
  await client.replace(
    clusterVersions,
    { ...created, status: { desired } },
    { subresource: 'status' },
  )
}
