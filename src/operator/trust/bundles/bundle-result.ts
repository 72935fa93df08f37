import { bootstrapMark } from '../../../api/names.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { configMapIn } from '../facts/facts.ts'
import type { BundlePart } from './bundle-part.ts'

/** Bytes in the encoding of a field. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** The result of an input that is one bundle: its bytes, unchanged. */
export function bundleResult(part: BundlePart): InputResult<string> {
  switch (part.state) {
    case 'valid':
      return { state: 'valid', value: base64(part.bytes) }
    case 'invalid':
      return part
    case 'absent':
      return { state: 'absent' }
  }
}

/** Whether an installer has finished: then the objects of its cluster must exist. */
export function isInstalled(facts: TrustFacts): boolean {
  return configMapIn(facts, bootstrapMark).state === 'present'
}
