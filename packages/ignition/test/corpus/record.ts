/*
 * Runs ignition-validate for every case of cases.json and records the result. For a new case, add it without a verdict and run
 * this script.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { validateWithIgnition, findIgnition, forEachConcurrently } from '@machinist/testing/real-ignition'
import type { Case, Verdict } from '../corpus.ts'
import { configBytes, textBytes } from '../corpus.ts'

const versions = ['3.0.0', '3.1.0', '3.2.0', '3.3.0']
const file = new URL('cases.json', import.meta.url)

const { program, reason } = await findIgnition()
if (!program) throw new Error(reason)
const topics = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Case[]>
for (const cases of Object.values(topics)) {
  await forEachConcurrently([...cases.entries()], 4, async ([i, one]) => {
    cases[i] = await record(program, one)
  })
}
writeFileSync(file, written(topics))

/** A config without a version is validated in all versions. */
async function record(ignition: string, one: Case): Promise<Case> {
  const { name, version, config, text, base64, ours, because } = one
  const asked = { name, version, config, text, base64 }
  if (!config || version) {
    const bytes = config ? configBytes(config, version!) : textBytes(one)
    return { ...asked, verdict: await validateWithIgnition(ignition, bytes), ours, because }
  }
  const verdicts: Record<string, Verdict> = {}
  for (const spec of versions) {
    verdicts[spec] = await validateWithIgnition(ignition, configBytes(config, spec))
  }
  return { ...asked, verdicts, ours, because }
}

/** One case per line, for readable diffs. */
function written(all: Readonly<Record<string, readonly Case[]>>): string {
  const parts = Object.entries(all).map(([topic, cases]) => {
    const lines = cases.map((one) => `    ${JSON.stringify(one)}`)
    return `  ${JSON.stringify(topic)}: [\n${lines.join(',\n')}\n  ]`
  })
  return `{\n${parts.join(',\n')}\n}\n`
}
