import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Conf } from './probes.ts'
import { least, together, values } from './probes.ts'

/* Runs the program of verdict.go, whose path is the only argument, and records its results. */

const file = join(import.meta.dirname, 'verdicts.json')
const before = JSON.parse(readFileSync(file, 'utf8')) as { fields: Record<string, string> }

function verdicts(confs: readonly Conf[]): string {
  const input = confs.map((conf) => `${JSON.stringify({ ...least, ...conf })}\n`).join('')
  const answer = execFileSync(process.argv[2]!, { input, maxBuffer: 2 ** 28 }).toString()
  return answer.trim().split('\n').join('')
}

const fields = Object.fromEntries(
  Object.keys(before.fields).map((field) => [
    field,
    verdicts(values.map((value) => ({ [field]: value }))),
  ]),
)
const rest = Object.fromEntries(
  Object.entries(together).map(([topic, confs]) => [topic, verdicts(confs)]),
)
writeFileSync(file, `${JSON.stringify({ fields, together: rest }, undefined, 2)}\n`)
