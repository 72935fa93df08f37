import { encodeDataUrl } from '@machinist/core/encoding/data-url'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import { fullVersion } from '@machinist/ignition/convert/versions'
import { base64Source } from '@machinist/ignition/content'
import type { Config, File } from '@machinist/ignition/spec/config'
import { nodeAnnotations, nodeStates, ownAnnotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { ServedTrust } from './served-trust.ts'

/** What a machine needs besides the files of its MachineConfig. */
export interface AddedContent {
  /** The rendered config as in the API, with the layered image. */
  readonly served: Readonly<MachineConfig>
  /** The same config for the first boot, with the kernel arguments that the Ignition version lacks. */
  readonly firstBoot: Readonly<MachineConfig>
  /** The layered image. */
  readonly image: string | undefined
  readonly trust: ServedTrust
  /** The content of the kubeconfig file. Secret. */
  readonly kubeconfig: string
  /** The image of the daemon that completes the first boot. */
  readonly daemonImage?: string | undefined
  readonly version: IgnitionVersion
}

const publicMode = 0o644
/** For files with credentials. The served config contains every managed file, so also the secret ones. */
const secretMode = 0o600

/** The files that the server adds to a config, in order. MCO serves the same ones, except for the CAs of registries and the image. */
export function addedFiles(added: AddedContent): File[] {
  const { served, firstBoot, image, trust, kubeconfig, daemonImage, version } = added
  const { name } = served.metadata
  return [
    ...trust.bundles.map(({ path, content }) => file(path, publicMode, content)),
    file(nodePaths.nodeAnnotations, publicMode, JSON.stringify(annotationsFor(name, image))),
    file(nodePaths.bootstrapKubeconfig, secretMode, kubeconfig),
    file(nodePaths.served, secretMode, JSON.stringify(storedForm(served))),
    ...trust.registries.map(({ path, content }) => file(path, publicMode, content)),
    ...(daemonImage === undefined
      ? []
      : [file(nodePaths.firstBootEnvironment, publicMode, `IMAGE=${daemonImage}\n`)]),
    file(nodePaths.encapsulated, publicMode, JSON.stringify(encapsulated(firstBoot, version))),
  ]
}

/** The config with these files, which replace its own files, directories and links at the same paths. */
export function withFiles(config: Config, files: readonly File[]): Config {
  const paths = new Set(files.map(({ path }) => path))
  const isKept = ({ path }: { readonly path: string }): boolean => !paths.has(path)
  const { storage = {} } = config
  const { directories, links } = storage
  return {
    ...config,
    storage: {
      ...storage,
      ...(directories && { directories: directories.filter(isKept) }),
      ...(links && { links: links.filter(isKept) }),
      files: [...(storage.files ?? []).filter(isKept), ...files],
    },
  }
}

/** Annotations of the Node, which the daemon sets when the machine joins. */
function annotationsFor(config: string, image: string | undefined): Record<string, string> {
  return {
    [nodeAnnotations.currentConfig]: config,
    [nodeAnnotations.desiredConfig]: config,
    [nodeAnnotations.firstPivotConfig]: config,
    [nodeAnnotations.state]: nodeStates.done,
    ...(image !== undefined && {
      [nodeAnnotations.currentImage]: image,
      [nodeAnnotations.desiredImage]: image,
    }),
  }
}

/** The config without its Ignition part, which Ignition itself applies. */
function encapsulated(config: Readonly<MachineConfig>, version: IgnitionVersion): MachineConfig {
  const empty = { ignition: { version: fullVersion(version) } }
  return storedForm({ ...config, spec: { ...config.spec, config: empty } })
}

/**
 * The config for a file on the machine. Without metadata that differs between two reads of the same config, so that every server
 * serves the same bytes, and without provenance, which is long.
 */
function storedForm({ metadata, spec }: Readonly<MachineConfig>): MachineConfig {
  const { [ownAnnotations.provenance]: _, ...annotations } = metadata.annotations ?? {}
  return {
    apiVersion: apiVersionOf(machineConfigs),
    kind: machineConfigs.kind,
    metadata: {
      name: metadata.name,
      ...(metadata.labels && { labels: metadata.labels }),
      ...(metadata.annotations && { annotations }),
    },
    ...(spec && { spec }),
  }
}

function file(path: string, mode: number, content: string | Uint8Array): File {
  return { path, mode, overwrite: true, contents: { source: sourceOf(content) } }
}

/** Percent-encoded as in MCO, or in base64 if that is shorter. */
function sourceOf(content: string | Uint8Array): string {
  const encoded = encodeDataUrl(content)
  const base64 = base64Source(content)
  return base64.length < encoded.length ? base64 : encoded
}
