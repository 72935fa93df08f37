import { dataUrlProblem } from '@machinist/core/encoding/data-url'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { textSourceHint } from './hints.ts'
import type { SplitUrl } from './urls.ts'
import { queryValue, splitUrl } from './urls.ts'

type SourceRule = (url: string, split: SplitUrl) => string | undefined

interface Scheme {
  readonly since?: Spec
  readonly rule?: SourceRule
}

const schemes: ReadonlyMap<string, Scheme> = new Map([
  ['http', {}],
  ['https', {}],
  ['tftp', {}],
  ['gs', { since: '3.2' }],
  ['s3', { rule: versionProblem }],
  ['arn', { since: '3.4', rule: arnProblem }],
  ['data', { rule: dataUrlProblem }],
])

const plainDataUrl = /^data:[A-Za-z0-9/;=.+-]*,/

/** Why Ignition rejects a source, or undefined. */
export function sourceProblem(url: string, spec: Spec): string | undefined {
  // Most sources are long data URLs. With a plain prefix, a valid data URL is a valid URL, so it is scanned only once.
  if (plainDataUrl.test(url) && dataUrlProblem(url) === undefined) return undefined
  const split = splitUrl(url)
  if (!split) return `is not a valid absolute URL; ${textSourceHint}`
  const scheme = schemes.get(split.scheme)
  if (!scheme || (scheme.since && !specAtLeast(spec, scheme.since))) {
    return `has an unsupported scheme; use one of ${schemeNames(spec)}; ${textSourceHint}`
  }
  const problem = scheme.rule?.(url, split)
  return problem && `is not a valid ${split.scheme}: URL: ${problem}`
}

function schemeNames(spec: Spec): string {
  const usable = [...schemes].filter(([, { since }]) => !since || specAtLeast(spec, since))
  return usable.map(([name]) => name).join(', ')
}

function versionProblem(_url: string, { query }: SplitUrl): string | undefined {
  return queryValue(query, 'versionId') === '' ? 'its versionId is empty' : undefined
}

/** `arn:<partition>:s3:<region>:<account>:<bucket>/<object>`, or `…:accesspoint/<name>/<object>`. */
function arnProblem(url: string, split: SplitUrl): string | undefined {
  const [, service, , , ...resource] = split.opaque.split(':')
  if (resource.length === 0) return 'it has too few parts'
  if (service !== 's3') return 'only S3 objects are supported'
  const least = resource.join(':').startsWith('accesspoint/') ? 2 : 1
  if (split.opaque.split('/').length - 1 < least) return 'it does not name an object'
  return versionProblem(url, split)
}
