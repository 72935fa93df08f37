import type {
  ImageDigestMirrorSet,
  ImagePolicy,
  ImageTagMirrorSet,
  MirrorRule,
  RegistrySources,
} from '../../api/openshift-config.ts'
import type { Problem } from './model/problem.ts'
import type { ImageObjects } from './node-files.ts'
import { makeNodeFiles, readImageSettings } from './node-files.ts'

/* Short builders for the objects that configure images. */

export interface GivenImages extends Partial<Omit<ImageObjects, 'image'>> {
  readonly registrySources?: RegistrySources
}

export const releaseImage =
  'release-reg.io/image/release@sha256:4207ba569ff014931f1b5d125fe3751936a768e119546683c899eb09f3cdceb0'

/** Objects without settings, unless given. */
export const imageObjects = ({
  registrySources = {},
  ...given
}: GivenImages = {}): ImageObjects => ({
  image: { metadata: { name: 'cluster' }, spec: { registrySources } },
  releaseImage,
  digestSets: [],
  tagSets: [],
  contentPolicies: [],
  contentSourcePolicies: [],
  clusterPolicies: [],
  policies: [],
  ...given,
})

export const rule = (
  source: string,
  mirrors: string[],
  mirrorSourcePolicy?: string,
): MirrorRule => ({
  source,
  mirrors,
  ...(mirrorSourcePolicy !== undefined && { mirrorSourcePolicy }),
})

export const idms = (name: string, ...imageDigestMirrors: MirrorRule[]): ImageDigestMirrorSet => ({
  metadata: { name },
  spec: { imageDigestMirrors },
})

export const itms = (name: string, ...imageTagMirrors: MirrorRule[]): ImageTagMirrorSet => ({
  metadata: { name },
  spec: { imageTagMirrors },
})

export const key = 'dGVzdC1rZXktZGF0YQ=='

export const signed = (
  name: string,
  scopes: string[],
  keyData = key,
  namespace?: string,
): ImagePolicy => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: { scopes, policy: { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData } } } },
})

const base = {
  registries: 'unqualified-search-registries = ["docker.io"]\n',
  policy: '{"default":[{"type":"insecureAcceptAnything"}]}',
}

/** The resulting files on nodes that have the `stored` files, and the problems. */
export const nodeFilesOf = (
  given: GivenImages,
  stored: Readonly<Record<string, string>> = {},
): { files: Record<string, string>; problems: Problem[] } => {
  const settings = readImageSettings(imageObjects(given))
  const { files, problems } = makeNodeFiles(settings, base, new Map(Object.entries(stored)))
  return {
    files: Object.fromEntries(files.map(({ path, text }) => [path, text])),
    problems: [...settings.problems, ...problems],
  }
}
