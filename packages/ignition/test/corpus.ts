import { readFileSync } from 'node:fs'

export type Verdict = 'valid' | 'invalid'

/** A config of the corpus with the expected results. */
export interface CorpusConfig {
  readonly name: string
  readonly bytes: Uint8Array
  /** The result of ignition-validate. */
  readonly verdict: Verdict
  /** The result of this package; differs only in cases with a reason. */
  readonly ours: Verdict
}

/** The format of a case in a corpus file; see its README. */
export interface Case {
  readonly name: string
  readonly version?: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly text?: string
  readonly base64?: string
  readonly verdict?: Verdict
  readonly verdicts?: Readonly<Record<string, Verdict>>
  readonly ours?: Verdict
  readonly because?: string
}

export function readCorpus(file: string): CorpusConfig[] {
  const url = new URL(`./corpus/${file}`, import.meta.url)
  const topics = JSON.parse(readFileSync(url, 'utf8')) as Record<string, Case[]>
  return Object.entries(topics).flatMap(([topic, cases]) =>
    cases.flatMap((one) => configsOf(topic, one)),
  )
}

function configsOf(topic: string, one: Case): CorpusConfig[] {
  const { config, version = '', verdict } = one
  const verdicts = one.verdicts ?? { [version]: verdict! }
  return Object.entries(verdicts).map(([spec, answer]) => ({
    name: [topic, one.name, spec].filter(Boolean).join(': '),
    bytes: config ? configBytes(config, spec) : textBytes(one),
    verdict: answer,
    ours: one.ours ?? answer,
  }))
}

export function configBytes(
  config: Readonly<Record<string, unknown>>,
  version: string,
): Uint8Array {
  const ignition = { version, ...(config['ignition'] as object) }
  return Buffer.from(expanded(JSON.stringify({ ...config, ignition })))
}

export function textBytes({ text, base64 }: Case): Uint8Array {
  return text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(expanded(text))
}

/** Expands `{{x*3}}` to `xxx`. */
function expanded(text: string): string {
  return text.replaceAll(/\{\{(.+?)\*(\d+)\}\}/g, (_, piece: string, times: string) =>
    piece.repeat(Number(times)),
  )
}
