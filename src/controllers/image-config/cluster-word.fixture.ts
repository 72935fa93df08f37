import type {
  ImageDigestMirrorSet,
  ImagePolicy,
  ImageTagMirrorSet,
  MirrorRule,
  RegistrySources,
} from '../../api/openshift-config.ts'
import type { Problem } from './problem.ts'
import type { ClusterWord } from './settle.ts'
import { settle, understand } from './settle.ts'

/* What a cluster says about images, in few words. */

export interface Given extends Partial<Omit<ClusterWord, 'image'>> {
  readonly registrySources?: RegistrySources
}

export const releaseImage =
  'release-reg.io/image/release@sha256:4207ba569ff014931f1b5d125fe3751936a768e119546683c899eb09f3cdceb0'

/** Nothing unless given. */
export const clusterWord = ({ registrySources = {}, ...given }: Given = {}): ClusterWord => ({
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

/** The files that it comes to on nodes which have these, and what is wrong with it. */
export const done = (
  given: Given,
  stored: Readonly<Record<string, string>> = {},
): { files: Record<string, string>; problems: Problem[] } => {
  const understood = understand(clusterWord(given))
  const { files, problems } = settle(understood, base, new Map(Object.entries(stored)))
  return {
    files: Object.fromEntries(files.map(({ path, text }) => [path, text])),
    problems: [...understood.problems, ...problems],
  }
}
