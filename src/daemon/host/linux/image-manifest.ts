import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'

/** The layers of an image, or the digest of the manifest for this architecture. */
export type ImageManifest =
  { readonly layers: ReadonlyMap<string, number> } | { readonly digest: string }

/** Architecture names of Go, which image manifests use. */
const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' }

const sha256Digest = /^sha256:[0-9a-f]{64}$/

/** Undefined if the manifest has neither layers nor an entry for this architecture. */
export function readManifest(text: string, architecture: string): ImageManifest | undefined {
  const parsed = jsonOrUndefined(text)
  if (!isObject(parsed)) return undefined
  if (Array.isArray(parsed['layers'])) return { layers: layerSizes(parsed['layers']) }
  if (!Array.isArray(parsed['manifests'])) return undefined
  const goName = architectures[architecture] ?? architecture
  const found = parsed['manifests'].find((each: unknown) => {
    const platform = isObject(each) ? each['platform'] : undefined
    return isObject(platform) && platform['os'] === 'linux' && platform['architecture'] === goName
  }) as Record<string, unknown> | undefined
  const digest = found?.['digest']
  return typeof digest === 'string' && sha256Digest.test(digest) ? { digest } : undefined
}

function layerSizes(layers: readonly unknown[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const layer of layers) {
    const { digest, size } = isObject(layer) ? layer : {}
    if (typeof digest === 'string' && typeof size === 'number' && size >= 0) sizes.set(digest, size)
  }
  return sizes
}
