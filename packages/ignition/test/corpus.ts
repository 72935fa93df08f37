import { readFileSync } from 'node:fs'

export type Verdict = 'valid' | 'invalid'

/** One config of the corpus, with what was answered to it. */
export interface CorpusConfig {
  readonly name: string
  readonly bytes: Uint8Array
  /** What the real ignition-validate answered. */
  readonly verdict: Verdict
  /** What we answer; the same, but for the few cases that say why not. */
  readonly ours: Verdict
}

/** How a case stands in a file of the corpus; see the README there. */
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

/** `{{x*3}}` stands for `xxx`. */
function expanded(text: string): string {
  return text.replaceAll(/\{\{(.+?)\*(\d+)\}\}/g, (_, piece: string, times: string) =>
    piece.repeat(Number(times)),
  )
}
