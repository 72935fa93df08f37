import { isBase64 } from '@machinist/core/encoding/bytes'
import type { ConfigMap } from '@machinist/kube/kinds/core'

/**
 * The bytes of a key, as MCO reads them: binaryData first; text that is valid base64 is decoded. PEM is never valid base64.
 */
export function bytesOf(
  { data, binaryData }: Readonly<Pick<ConfigMap, 'data' | 'binaryData'>>,
  key: string,
): Uint8Array | undefined {
  const binary = own(binaryData, key)
  if (binary !== undefined) return Buffer.from(binary, 'base64')
  const text = own(data, key)
  return text === undefined ? undefined : decodedText(text)
}

/** All keys, sorted: those in data, then those in binaryData. */
export function keysOf({ data, binaryData }: Readonly<ConfigMap>): string[] {
  const texts = Object.keys(data ?? {}).sort()
  const binaries = Object.keys(binaryData ?? {}).sort()
  return [...new Set([...texts, ...binaries])]
}

function decodedText(text: string): Uint8Array {
  // Base64 may be wrapped into lines.
  const joined = text.replaceAll(/[\r\n]/g, '')
  return isBase64(joined) ? Buffer.from(joined, 'base64') : Buffer.from(text, 'utf8')
}

function own(
  values: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return values && Object.hasOwn(values, key) ? values[key] : undefined
}
