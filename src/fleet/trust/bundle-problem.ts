import { readBundle } from '@machinist/pki/bundle'

/**
 * Why a program may fail to read the bundle: it would trust no CA at all. Undefined if all of it can be parsed. Names the line,
 * never the content.
 */
export function bundleProblem(content: Uint8Array): string | undefined {
  const { bundle, problems } = readBundle(Buffer.from(content).toString())
  const [first] = problems
  if (first) return `line ${first.line} of the bundle is invalid: ${first.message}`
  return bundle.size === 0 ? 'the bundle contains no certificate' : undefined
}
