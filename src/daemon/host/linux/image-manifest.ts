import { isObject, jsonOrUndefined } from '@machinist/core/json'

/** What the manifest of an image says: its layers, or where the one for this machine is. */
export type Manifest =
  { readonly layers: ReadonlyMap<string, number> } | { readonly digest: string }

/** As Go and so image manifests call them. */
const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' }

const usual = /^sha256:[0-9a-f]{64}$/

/** Undefined for what is neither an image nor a list with one for this architecture. */
export function readManifest(text: string, architecture: string): Manifest | undefined {
  const said = jsonOrUndefined(text)
  if (!isObject(said)) return undefined
  if (Array.isArray(said['layers'])) return { layers: layersIn(said['layers']) }
  if (!Array.isArray(said['manifests'])) return undefined
  const wanted = architectures[architecture] ?? architecture
  const found = said['manifests'].find((each: unknown) => {
    const platform = isObject(each) ? each['platform'] : undefined
    return isObject(platform) && platform['os'] === 'linux' && platform['architecture'] === wanted
  }) as Record<string, unknown> | undefined
  const digest = found?.['digest']
  return typeof digest === 'string' && usual.test(digest) ? { digest } : undefined
}

function layersIn(layers: readonly unknown[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const layer of layers) {
    const { digest, size } = isObject(layer) ? layer : {}
    if (typeof digest === 'string' && typeof size === 'number' && size >= 0) sizes.set(digest, size)
  }
  return sizes
}
