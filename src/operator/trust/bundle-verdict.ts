import { bootstrapMark } from '../../api/names.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import { configMapIn } from './facts.ts'
import type { Part } from './part.ts'

/** Bytes as they are in a field. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** An input that is one bundle: its bytes, unchanged. */
export function bundleVerdict(part: Part): Verdict<string> {
  switch (part.state) {
    case 'good':
      return { state: 'good', value: base64(part.bytes) }
    case 'bad':
      return part
    case 'absent':
      return { state: 'absent' }
  }
}

/** An installer was here and has finished: then the objects of its cluster have to be there. */
export function isInstalled(facts: TrustFacts): boolean {
  return configMapIn(facts, bootstrapMark).state === 'here'
}
