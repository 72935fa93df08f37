import { isBase64 } from '@machinist/core/bytes'
import type { ConfigMap } from '@machinist/kube/kinds/core'

/**
 * The bytes under a key as the original reads them: binary data comes first; text that happens to be base64 is decoded,
 * which PEM never is.
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

/** All keys: those with text in order, then those with binary data. */
export function keysOf({ data, binaryData }: Readonly<ConfigMap>): string[] {
  const texts = Object.keys(data ?? {}).sort()
  const binaries = Object.keys(binaryData ?? {}).sort()
  return [...new Set([...texts, ...binaries])]
}

function decodedText(text: string): Uint8Array {
  // Line ends are no part of base64, wherever they are.
  const packed = text.replaceAll(/[\r\n]/g, '')
  return isBase64(packed) ? Buffer.from(packed, 'base64') : Buffer.from(text, 'utf8')
}

function own(
  values: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return values && Object.hasOwn(values, key) ? values[key] : undefined
}
